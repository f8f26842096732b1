import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { ArchiveRefusal } from '../../../platform/archive/archive-refusal.ts'
import { deleteOrganization } from '../delete-organization.ts'
import { writeThroughFence } from '../fence.ts'
import { activate } from '../finish-import.ts'
import { importStore } from '../import-store.ts'
import { copyFrozen } from './copy-frozen.ts'
import { type Move, statesOf } from './move.ts'
import { type RequireLock, withMoveLock } from './move-lock.ts'
import { copyRecordsInUse, recordRanges } from './record-phases.ts'
import { requireMovable } from './require-movable.ts'
import { discardCopy, unfreezeUnlessActive } from './undo-move.ts'

export type MoveResult = {
  /** Rows that were copied while the organization was frozen, and records that were copied before. */
  rows: number
  records: number
  /** How long the records took. */
  recordsMs: number
  /** How long the organization answered with 503. Null if an earlier run had frozen it. */
  frozenMs: number | null
}

/**
 * Requests that the load balancer has routed just before the change reach the source later. Their clients retry after a 503, but not
 * after a 421.
 */
const ROUTING_GRACE_MS = 2 * SECOND

/**
 * Moves an organization to another installation while it is in use. It is frozen only while the rest of its rows is copied. If anything
 * fails before the target is activated, the source serves it again; after that, the next run continues.
 */
export const moveOrganization = (move: Move): Promise<MoveResult> =>
  withMoveLock(move, async requireLock => {
    const states = await statesOf(move)
    if (states.target === 'active') return completeEarlier(move, states.source)
    await requireMovable(move, states.source)
    await discardCopy(move)
    const ranges = recordRanges(Date.now())
    const isFrozen = states.source === 'leaving'
    const startedAt = performance.now()
    const records = isFrozen ? 0 : await copyRecordsInUse(move, ranges)
    await requireLock()
    const frozenAt = performance.now()
    try {
      const rows = await copyFrozen(move, ranges)
      await activateTarget(move, requireLock)
      const frozenMs = isFrozen ? null : Math.round(performance.now() - frozenAt)
      await leaveSource(move, 'leaving')
      return { rows, records, recordsMs: Math.round(frozenAt - startedAt), frozenMs }
    } catch (error) {
      await unfreezeUnlessActive(move, requireLock, error)
      throw error
    }
  })

/** From here on the target serves the organization. The source answers 503 until the routing has changed. */
const activateTarget = async (
  { target, organizationId, switchRouting }: Move,
  requireLock: RequireLock,
): Promise<void> => {
  await requireLock()
  await activate(target.db, organizationId)
  await switchRouting()
}

/** An earlier run was interrupted after it had activated the target, perhaps before it had switched the routing. */
const completeEarlier = async (move: Move, state: OrganizationState | null): Promise<MoveResult> => {
  if (state === null) throw new ArchiveRefusal('The organization was already moved to the target.')
  if (state === 'active')
    throw new ArchiveRefusal('The organization is active in both installations. Delete one of them.')
  await move.switchRouting()
  await leaveSource(move, state)
  return { rows: 0, records: 0, recordsMs: 0, frozenMs: null }
}

const leaveSource = async (move: Move, state: OrganizationState): Promise<void> => {
  const { source, organizationId, onProgress } = move
  if (state === 'leaving') await delay(move.routingGraceMs ?? ROUTING_GRACE_MS)
  await writeThroughFence(source.db, organizationId, tx =>
    importStore.setState(tx, organizationId, ['leaving'], 'moved'),
  )
  await deleteOrganization(source.db, organizationId, {
    from: ['moved', 'deleting'],
    ...(onProgress && { onProgress }),
  })
}
