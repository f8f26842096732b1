import { newUuid } from '../../core/uuid.ts'
import { json } from '../../platform/database/database.ts'
import type { RecordedViolation } from './gate.ts'

/** As `record_violations` takes them; null where there are none. */
export const violationsToRecord = (violations: readonly RecordedViolation[] = []): string | null =>
  violations.length > 0 ? json(violations.map(violation => ({ id: newUuid(), ...violation }))) : null

/** A record of a call names what was found and how often; the violations say the rest. */
export const matchesToRecord = (violations: readonly RecordedViolation[] = []): string | null => {
  if (violations.length === 0) return null
  const counts = new Map<string, number>()
  for (const { entity, count } of violations) counts.set(entity, (counts.get(entity) ?? 0) + count)
  return json([...counts].map(([entity, count]) => ({ entity, count })))
}
