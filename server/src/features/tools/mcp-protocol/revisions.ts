import type { Revision } from './revision.ts'
import { revision20250326 } from './revision-2025-03-26.ts'
import { revision20250618 } from './revision-2025-06-18.ts'
import { revision20251125 } from './revision-2025-11-25.ts'
import { revision20260728 } from './revision-2026-07-28.ts'

/** Newest first. */
const REVISIONS = [revision20260728, revision20251125, revision20250618, revision20250326]

export const PROTOCOL_VERSIONS: readonly string[] = REVISIONS.map(({ name }) => name)
/** A request without the header, which the next revision introduced. */
export const REVISION_WITHOUT_HEADER: Revision = revision20250326

export const findRevision = (name: unknown): Revision | undefined =>
  REVISIONS.find(revision => revision.name === name)

/** The revision that `initialize` requests, or the latest one with a handshake. */
export const chooseRevision = (requested: unknown): Revision => {
  const found = findRevision(requested)
  return found?.hasSessions ? found : revision20251125
}
