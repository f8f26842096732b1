import { newUuid } from '../../core/uuid.ts'
import { json } from '../../platform/database.ts'
import type { RecordedViolation } from './gate.ts'

/** As `record_violations` takes them. */
export const violationsToRecord = (violations: readonly RecordedViolation[]): string =>
  json(violations.map(violation => ({ id: newUuid(), ...violation })))
