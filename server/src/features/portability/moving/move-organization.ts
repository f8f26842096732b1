import { DAY, MINUTE, SECOND } from '../../../core/duration.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { type Database, leaveTransaction } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { ArchiveRefusal, ImportFailure } from '../archive-refusal.ts'
import { deleteOrganization } from '../delete-organization.ts'
import type { RowProgress } from '../export-organization.ts'
import { dropFence, raiseFence, writeThroughFence } from '../fence.ts'
import { activate } from '../finish-import.ts'
import { importOrganization } from '../import-organization.ts'
import { importStore } from '../import-store.ts'
import { recordCopyStore } from '../record-copy-store.ts'
import { tenantRowsStore } from '../tenant-rows-store.ts'
import { copyRecords, haveSameRecords, type RecordCopy } from './copy-records.ts'
import { drainOrganization } from './drain.ts'
import { openLiveArchive } from './live-archive.ts'
import { moveStore } from './move-store.ts'
import type { CopiedRange } from './record-runs.ts'

/** One installation. */
export type Installation = { db: Database; vault: Vault }

export type Move = {
  source: Installation
  target: Installation
  organizationId: string
  /** Makes the load balancer send the requests of the organization to the target. */
  switchRouting: () => Promise<void>
  onProgress?: (progress: RowProgress) => void
  /** How long calls and refreshes in progress may take after the organization has stopped. */
  drainMs?: number
}

export type MoveResult = {
  /** Rows that were copied while the organization was frozen, and records that were copied before. */
  rows: number
  records: number
  /** How long the organization answered with 503. Null if an earlier run had frozen it. */
  frozenMs: number | null
}

/**
 * Records are copied before the freeze. Those that are older than this are complete: no call takes so long, and calls of killed processes
 * are recorded after ten minutes. Of the others, the minutes that have changed are copied again during the freeze.
 */
const MAX_CALL_MS = 15 * MINUTE
const END_OF_TIME = new Date('9999-01-01T00:00:00Z')

/**
 * Moves an organization to another installation while it is in use. It is frozen only while the rest of its rows is copied. If anything
 * fails before the target is activated, the source serves it again; after that, the next run continues.
 */
export const moveOrganization = (move: Move): Promise<MoveResult> =>
  withLock(move, async () => {
    const { target, organizationId } = move
    const [before, there] = await statesOf(move)
    if (there === 'active') return finishMove(move, before, { rows: 0, records: 0, frozenMs: null })
    if (before !== 'active' && before !== 'leaving')
      throw new ArchiveRefusal(
        before === null
          ? `There is no organization ${organizationId} in the source.`
          : `The organization is in the state ${before}, so it cannot be moved.`,
      )
    await discardCopy(target.db, organizationId, there)
    const ranges = rangesOf(Date.now())
    const records = await copyInUse(move, ranges)
    const frozenAt = before === 'active' ? performance.now() : null
    try {
      const rows = await copyFrozen(move, ranges)
      await activate(target.db, organizationId)
      await move.switchRouting()
      const frozenMs = frozenAt === null ? null : Math.round(performance.now() - frozenAt)
      return await finishMove(move, 'leaving', { rows, records, frozenMs })
    } catch (error) {
      await unfreezeUnlessActive(move, error)
      throw error
    }
  })

/** Gives up a move: the source serves the organization again, and the copy is deleted. */
export const abortMove = (move: Omit<Move, 'switchRouting'>): Promise<void> =>
  withLock(move, async () => {
    const [before, there] = await statesOf(move)
    if (there === 'active')
      throw new ArchiveRefusal(
        'The organization is already active in the target. Run the move again to complete it, then move it back.',
      )
    if (before !== 'leaving' && before !== 'active')
      throw new ArchiveRefusal('The organization is not being moved from the source.')
    await unfreeze(move)
    await recordCopyStore.delete(move.target.db, move.organizationId, {
      from: new Date(0),
      until: END_OF_TIME,
    })
  })

const rangesOf = (now: number): CopiedRange[] => {
  const asOf = new Date(now)
  const cutoff = new Date(now - MAX_CALL_MS)
  return [
    { from: new Date(0), until: cutoff, asOf, bucketSeconds: DAY / SECOND },
    { from: cutoff, until: END_OF_TIME, asOf, bucketSeconds: MINUTE / SECOND },
  ]
}

const stateOf = async ({ db }: Installation, organizationId: string): Promise<OrganizationState | null> =>
  (await tenantRowsStore.organization(db, organizationId))?.state ?? null

const statesOf = ({ source, target, organizationId }: Omit<Move, 'switchRouting'>) =>
  Promise.all([stateOf(source, organizationId), stateOf(target, organizationId)])

/** Only one process at a time moves an organization. The lock ends with the process. */
const withLock = <T>(
  { source, organizationId }: Omit<Move, 'switchRouting'>,
  work: () => Promise<T>,
): Promise<T> =>
  source.db.transaction(async tx => {
    if (!(await moveStore.lock(tx, organizationId)))
      throw new ArchiveRefusal('Another process is moving this organization.')
    return leaveTransaction(work)
  })

/** What an interrupted move has left in the target. Records that were copied before the freeze stay. */
const discardCopy = async (
  target: Database,
  organizationId: string,
  state: OrganizationState | null,
): Promise<void> => {
  if (state === 'arriving' || state === 'deleting') await deleteOrganization(target, organizationId)
  else if (state !== null)
    throw new ArchiveRefusal(
      `The organization exists already in the target (state ${state}). If it was moved from there and its rows are still being deleted, run \`carabiner org delete\` there first.`,
    )
}

const copyOf = ({ source, target, organizationId }: Move): RecordCopy => ({
  source: source.db,
  target: target.db,
  organizationId,
})

/** Copies records while the organization is in use. Returns their number. */
const copyInUse = async (move: Move, ranges: CopiedRange[]): Promise<number> => {
  let records = 0
  for (const range of ranges) {
    const before = records
    records += await copyRecords(copyOf(move), range, copied =>
      move.onProgress?.({ table: 'tool_calls', rows: before + copied, allRows: null }),
    )
  }
  return records
}

/** Copies records that were written or deleted since they were copied. */
const completeRecords = async (copy: RecordCopy, range: CopiedRange): Promise<number> => {
  if (await haveSameRecords(copy, range)) return 0
  const records = await copyRecords(copy, range)
  if (!(await haveSameRecords(copy, range)))
    throw new ImportFailure('The records of both installations differ. Run the move again.')
  return records
}

/** Stops the organization, waits for what is still running, and copies the rest in one snapshot. */
const copyFrozen = async (move: Move, ranges: CopiedRange[]): Promise<number> => {
  const { source, target, organizationId } = move
  await writeThroughFence(source.db, organizationId, tx =>
    importStore.setState(tx, organizationId, ['active', 'leaving'], 'leaving'),
  )
  const { refreshes, exchanges } = await drainOrganization(
    source.db,
    organizationId,
    move.drainMs === undefined ? {} : { maxWaitMs: move.drainMs },
  )
  if (refreshes + exchanges > 0)
    throw new ArchiveRefusal(
      'A provider takes too long to issue a token of this organization, which would be lost by the move. The organization is active again; run the move later.',
    )
  await raiseFence(source.db, organizationId)
  let copied = 0
  for (const range of ranges) copied += await completeRecords(copyOf(move), range)
  return source.db.transaction(async tx => {
    await tenantRowsStore.startSnapshot(tx)
    const archive = await openLiveArchive(tx, source.vault, organizationId)
    const { rows } = await leaveTransaction(() =>
      importOrganization(target, archive, {
        totals: () => archive.totals(),
        withoutRecords: true,
        staysArriving: true,
        ...(move.onProgress && { onProgress: move.onProgress }),
      }),
    )
    return rows + copied
  })
}

/** From here on the target serves the organization. The source answers 503 until the routing has changed, and then 421. */
const finishMove = async (
  move: Move,
  before: OrganizationState | null,
  result: MoveResult,
): Promise<MoveResult> => {
  const { source, organizationId } = move
  if (before === null) throw new ArchiveRefusal('The organization was already moved to the target.')
  if (before === 'active')
    throw new ArchiveRefusal('The organization is active in both installations. Delete one of them.')
  // An earlier run may have been interrupted before it had done this.
  if (result.frozenMs === null) await move.switchRouting()
  await writeThroughFence(source.db, organizationId, tx =>
    importStore.setState(tx, organizationId, ['leaving', 'moved'], 'moved'),
  )
  await deleteOrganization(source.db, organizationId, move.onProgress && { onProgress: move.onProgress })
  return result
}

/** If the target cannot be reached, it is unknown whether it was activated. The next run finds out. */
const unfreezeUnlessActive = async (move: Move, failure: unknown): Promise<void> => {
  try {
    if ((await stateOf(move.target, move.organizationId)) === 'active') return
    await unfreeze(move)
  } catch (cause) {
    throw new ImportFailure(
      `The move failed (${(failure as Error).message}), and the organization is still frozen. Run the move again to continue it, or run it with --abort.`,
      { cause },
    )
  }
}

/** The copy is made unusable first, so that the organization is never active in both. */
const unfreeze = async ({ source, target, organizationId }: Omit<Move, 'switchRouting'>): Promise<void> => {
  const there = await stateOf(target, organizationId)
  if (there === 'arriving' || there === 'deleting') await deleteOrganization(target.db, organizationId)
  await dropFence(source.db, organizationId)
  await source.db.transaction(tx => importStore.setState(tx, organizationId, ['leaving'], 'active'))
}
