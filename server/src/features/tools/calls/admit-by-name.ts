import { Refusal } from '../../../core/refusal.ts'
import type { Database, Queryable } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { type Admitted, admitCall, type ToolCall } from '../admission/admit-call.ts'
import { callerStore } from '../admission/caller-store.ts'
import { findNamedTool } from '../listing/find-named-tool.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'

type Deps = { db: Database; batched: Queryable; connectors: Connectors }

const RETRY_SECONDS = 1

/**
 * Admits a call with one statement. If that returns nothing, the next ones find out why: the caller, the name of the tool, or a change
 * between the statements, after which the call is admitted once more.
 */
export const admitByName = async (deps: Deps, call: ToolCall): Promise<Admitted> => {
  const admitted = await admitCall(deps, call)
  if (admitted) return admitted
  const caller = requireActiveCaller(await callerStore.find(deps.batched, call))
  requireCallTool(caller, call)
  const found = await findNamedTool(deps, caller, call)
  if ('refusal' in found) throw found.refusal
  const again = await admitCall(deps, { ...call, name: found.name })
  if (again) return again
  requireActiveCaller(await callerStore.find(deps.batched, call))
  throw new Refusal('unavailable', { retryable: true, retryAfterSeconds: RETRY_SECONDS })
}

/** `call_tool` exists only in a pack that is served as search. */
export const requireCallTool = (
  { packServing }: Pick<Admitted['admission'], 'packServing'>,
  { byCallTool }: ToolCall,
): void => {
  if (byCallTool && packServing !== 'search') throw new Refusal('tool_not_found', { param: 'name' })
}
