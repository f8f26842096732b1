import type { Refusal } from '../../core/refusal.ts'
import type { JsonObject } from './json.ts'
import type { McpToolResult } from './tool-result.ts'

/** The third party is out of order: it cannot be reached or serves nobody, or it did not answer in time. */
export type Outage = 'unreachable' | 'timeout'

export type Failure = {
  kind: 'failed'
  refusal: Refusal
  outage: Outage | null
  /** The request never reached the provider, so it was certainly not carried out. */
  neverSent?: true
}

/** What there is to hand on: a value that is told as text and structure, or the blocks that a server made itself. */
export type Good = { kind: 'value'; value: unknown } | { kind: 'blocks'; result: McpToolResult }

/** A provider's answer, over HTTP or MCP, classified as far as a call must act on it. */
export type Answer =
  | Good
  | { kind: 'unauthorized' }
  | { kind: 'insufficient_scope'; scopes: string[] }
  | Failure

/** How long a call may take, who may end it sooner, and what is said besides its arguments. */
export type CallOptions = {
  timeoutMs: number
  signal: AbortSignal
  /** Hears progress as the third party tells it; whoever listens judges it. Null: it is not asked for. */
  onProgress: ((told: JsonObject) => void) | null
  /** The same for the same call of the same user, and different for every other. */
  idempotencyKey: string | null
}

export const failed = (refusal: Refusal, outage: Outage | null = null): Failure => ({
  kind: 'failed',
  refusal,
  outage,
})
