import type { Queryable } from '../../platform/database.ts'
import type { RecordedViolation } from './gate.ts'
import { ruleViolationStore } from './rule-violation-store.ts'

type Of = { organizationId: string; registeredUserId: string; callId: string }

/** For a call whose record is settled already; any other is settled together with them. */
export const recordViolations = async (
  db: Queryable,
  of: Of,
  violations: readonly RecordedViolation[],
): Promise<void> => {
  if (violations.length > 0) await ruleViolationStore.record(db, of, violations)
}
