import { ArchiveRefusal } from '../../../platform/archive/archive-refusal.ts'
import { leaveTransaction } from '../../../platform/database/database.ts'
import { startSnapshot } from '../../../platform/database/snapshot.ts'
import { raiseFence, writeThroughFence } from '../fence.ts'
import { importOrganization } from '../import-organization.ts'
import { importStore } from '../import-store.ts'
import { drainOrganization, drainRequests } from './drain.ts'
import { openLiveArchive } from './live-archive.ts'
import type { Move } from './move.ts'
import { completeRecords } from './record-phases.ts'
import type { CopiedRange } from './record-runs.ts'

/**
 * A request that has made its change writes these afterwards, so they are fenced last, when nothing else can be changed any more. Otherwise
 * its client would get an error, and a retry with the same idempotency key would make the change again.
 */
const OF_REQUESTS = ['audit_intents', 'audit_entries', 'audit_heads', 'idempotency_keys']

/** Stops the organization, waits for what is still running, and copies the rest in one snapshot. Returns the number of rows. */
export const copyFrozen = async (move: Move, ranges: CopiedRange[]): Promise<number> => {
  await freeze(move)
  const records = await completeRecords(move, ranges)
  return records + (await copySnapshot(move))
}

const freeze = async ({ source: { db }, organizationId, drainMs }: Move): Promise<void> => {
  await writeThroughFence(db, organizationId, tx =>
    importStore.setState(tx, organizationId, ['active', 'leaving'], 'leaving'),
  )
  const { refreshes, exchanges } = await drainOrganization(db, organizationId, drainMs)
  if (refreshes + exchanges > 0)
    throw new ArchiveRefusal(
      'A provider takes too long to issue a token of this organization, which would be lost by the move. The organization is active again; run the move later.',
    )
  await drainRequests(db, organizationId)
  await raiseFence(db, organizationId, { except: OF_REQUESTS })
  await drainRequests(db, organizationId)
  await raiseFence(db, organizationId)
}

const copySnapshot = ({ source, target, organizationId, onProgress }: Move): Promise<number> =>
  source.db.transaction(async tx => {
    await startSnapshot(tx)
    const archive = await openLiveArchive(tx, source.vault, organizationId)
    const { rows } = await leaveTransaction(() =>
      importOrganization(target, archive, {
        // The operator has the vault keys of both cells.
        isSourceKnown: true,
        totals: () => archive.totals(),
        withoutRecords: true,
        staysArriving: true,
        ...(onProgress && { onProgress }),
      }),
    )
    return rows
  })
