import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import { openGate, type RecordedViolation } from '../rules/gate.ts'
import { recordViolations } from '../rules/record-violations.ts'
import type { RuleBook } from '../rules/rule-book.ts'
import type { FetchRow } from './kept-result-store.ts'

export type KeptDeps = { db: Database; ruleBook: RuleBook; log: Log }

/** It was redacted when it was kept. What the rules say now holds for what is read now. */
export const inspectKept = async (
  { db, ruleBook, log }: KeptDeps,
  row: FetchRow,
  requestId: string,
  kept: string,
): Promise<string> => {
  const organizationId = row.organization_id as string
  const violations: RecordedViolation[] = []
  const gate = openGate(await ruleBook.currentRules({ organizationId, toolPackId: row.pack_id as string }), {
    onFault: error => log.error({ request_id: requestId, error }, 'the security rules could not be applied'),
    violations,
  })
  try {
    return gate.pass('outbound', kept) as string
  } finally {
    const of = { organizationId, registeredUserId: row.user_id as string, callId: row.call_id as string }
    await recordViolations(db, of, violations)
  }
}
