import { newUuid } from '../../core/uuid.ts'
import type { RecordedViolation } from './gate.ts'

/** Argument of `record_violations`; null if there are no violations. */
export const violationsToRecord = (violations: readonly RecordedViolation[] = []) =>
  violations.length > 0 ? violations.map(violation => ({ id: newUuid(), ...violation })) : null

/** The record of a call contains only the count by entity; details are stored with the violations. */
export const matchesToRecord = (violations: readonly RecordedViolation[] = []) => {
  if (violations.length === 0) return null
  const counts = new Map<string, number>()
  for (const { entity, count } of violations) counts.set(entity, (counts.get(entity) ?? 0) + count)
  return [...counts].map(([entity, count]) => ({ entity, count }))
}
