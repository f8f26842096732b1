import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import type { Log } from '../../../platform/log.ts'
import { openGate, type RecordedViolation } from '../../rules/gate.ts'
import type { RuleCache } from '../../rules/rule-cache.ts'
import type { Known } from '../admission/caller-store.ts'
import type { FetchedResult } from './stored-result-store.ts'

export type KeptDeps = { ruleCache: RuleCache; isolated: IsolatedPool; log: Log }

/** A stored result was redacted when it was stored. The current rules apply when it is read. */
export const inspectKept = async (
  { ruleCache, isolated, log }: KeptDeps,
  caller: Known<FetchedResult>,
  requestId: string,
  kept: string,
  violations: RecordedViolation[],
): Promise<string> => {
  const owner = { organizationId: caller.organizationId, toolPackId: caller.packId }
  const onFault = (error: unknown) =>
    log.error({ request_id: requestId, error }, 'the security rules could not be applied')
  const gate = openGate(await ruleCache.currentRules(owner), {
    isolated,
    organizationId: owner.organizationId,
    onFault,
    violations,
  })
  return (await gate.passAny('outbound', kept)) as string
}
