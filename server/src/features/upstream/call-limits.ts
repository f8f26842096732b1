import { MINUTE, SECOND } from '../../core/duration.ts'

/** Limits a whole provider call, including its retry and the opening of an MCP session. */
export const CALL_TIMEOUT_MS = 30 * SECOND
/** How long the end of a task of an MCP server is waited for. A call in flight counts as lost after ten minutes. */
export const TASK_TIMEOUT_MS = 9 * MINUTE
/** Maximum size of a decoded response. Tool Packs set how much of it a model receives. */
export const MAX_RESULT_BYTES = 1024 * 1024
