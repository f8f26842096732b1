import { toRefusal } from '../../../edge/errors.ts'
import { userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import type { TraceSpan } from '../../../platform/tracing/tracing.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import type { SessionCaller } from '../admission/caller-standing-store.ts'
import { fetchResult } from '../calls/fetch-result.ts'
import { renewConnection } from '../calls/renew-connection.ts'
import { explainAccess } from '../explain/explain-access.ts'
import { EXPLAIN_ACCESS } from '../listing/explain-access-tool.ts'
import { FETCH_RESULT } from '../listing/fetch-result-tool.ts'
import type { ListOptions } from '../listing/list-tools.ts'
import { RENEW_CONNECTION } from '../listing/renew-connection-tool.ts'
import { CALL_TOOL, SEARCH_TOOLS } from '../listing/search-tools-tool.ts'
import type { ToolResult } from '../results/tool-result.ts'
import { searchTools } from '../search/search-tools.ts'
import {
  type AuthRequestOptions,
  callOrRequestAuth,
  type Outcome,
  type RequestDeps,
} from './call-or-request-auth.ts'
import { readNamedCall } from './read-named-call.ts'

/** A call as its transport has read it. */
export type RequestedCall = Omit<ToolCall, 'span'> & SessionCaller & ListOptions

export type CallByNameDeps = RequestDeps & { wakeUps: WakeUps }
/** `startSpan`: begins the span of a call whose steps are traced. Null: tracing is off. */
type Options = AuthRequestOptions & { startSpan: (() => TraceSpan) | null }

/** Calls a tool of a connector or of this service. Every transport comes here, so that they differ in nothing but their format. */
export const callByName = async (
  deps: CallByNameDeps,
  call: RequestedCall,
  options: Options,
): Promise<Outcome> => {
  switch (call.name) {
    case FETCH_RESULT:
      return outcomeOf(await fetchResult(deps, call))
    case EXPLAIN_ACCESS:
      return outcomeOf(await explainAccess(deps, call))
    case RENEW_CONNECTION:
      return outcomeOf(await renewConnection(deps, call))
    case SEARCH_TOOLS: {
      const { result, changedList } = await searchTools(deps, call)
      if (changedList) deps.wakeUps.wake(userTopic(call.registeredUserId))
      return { kind: 'result', result, changedList }
    }
  }
  const named = call.name === CALL_TOOL ? { ...call, ...readNamedCall(call.args) } : call
  const span = options.startSpan?.() ?? null
  const outcome = callOrRequestAuth(deps, { ...named, span }, options)
  return span ? traceOutcome(span, outcome) : outcome
}

const outcomeOf = (result: ToolResult): Outcome => ({ kind: 'result', result })

/** Ends the span with the outcome of the call. A failed tool is a successful response, so it is marked here. */
const traceOutcome = async (span: TraceSpan, call: Promise<Outcome>): Promise<Outcome> => {
  try {
    const outcome = await call
    if (outcome.kind === 'result' && outcome.result.isError) span.fail('tool_error')
    return outcome
  } catch (error) {
    span.fail('tool_error')
    span.set({ 'carabiner.error_code': toRefusal(error).code })
    throw error
  } finally {
    span.end()
  }
}
