import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import type { Log } from '../../../platform/log.ts'
import { openGate, type RecordedViolation } from '../../rules/gate.ts'
import type { RuleBook } from '../../rules/rule-book.ts'
import type { FetchRow } from './stored-result-store.ts'

export type KeptDeps = { ruleBook: RuleBook; isolated: IsolatedPool; log: Log }

/** It was redacted when it was kept. What the rules say now holds for what is read now. */
export const inspectKept = async (
  { ruleBook, isolated, log }: KeptDeps,
  row: FetchRow,
  requestId: string,
  kept: string,
  violations: RecordedViolation[],
): Promise<string> => {
  const owner = { organizationId: row.organization_id as string, toolPackId: row.pack_id as string }
  const onFault = (error: unknown) =>
    log.error({ request_id: requestId, error }, 'the security rules could not be applied')
  const gate = openGate(await ruleBook.currentRules(owner), {
    isolated,
    organizationId: owner.organizationId,
    onFault,
    violations,
  })
  return (await gate.passAny('outbound', kept)) as string
}
