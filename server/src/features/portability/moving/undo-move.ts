import type { OrganizationState } from '../../../core/organization-state.ts'
import { ArchiveRefusal, ImportFailure } from '../../../platform/archive/archive-refusal.ts'
import { deleteLeftovers, deleteOrganization } from '../delete-organization.ts'
import { dropFence } from '../fence.ts'
import { importStore } from '../import-store.ts'
import { type MoveRoute, stateInTarget, statesOf } from './move.ts'
import { type RequireLock, withMoveLock } from './move-lock.ts'

/** States of a copy that was never active. */
const UNUSED: OrganizationState[] = ['arriving', 'deleting']

/** Gives up a move: the source serves the organization again, and everything that was copied is deleted. */
export const abortMove = (route: MoveRoute): Promise<void> =>
  withMoveLock(route, async requireLock => {
    const states = await statesOf(route)
    if (states.target === 'active')
      throw new ArchiveRefusal(
        'The organization is already active in the target. Run the move again to complete it, then move it back.',
      )
    if (states.source !== 'leaving' && states.source !== 'active')
      throw new ArchiveRefusal('The organization is not being moved from the source.')
    await unfreeze(route, requireLock)
    await deleteLeftovers(route.target.db, route.organizationId)
  })

/** Deletes what an interrupted move has left in the target, except for records. */
export const discardCopy = async (route: MoveRoute): Promise<void> => {
  const { target, organizationId } = route
  const state = await stateInTarget(route)
  if (state === null) return
  if (UNUSED.includes(state))
    await deleteOrganization(target.db, organizationId, { from: UNUSED, keepsRecords: true })
  else
    throw new ArchiveRefusal(
      `The organization exists already in the target (state ${state}). If it was moved from there and its rows are still being deleted, run \`carabiner org delete\` there first.`,
    )
}

/** If the target cannot be reached, it is unknown whether it was activated. The next run finds out. */
export const unfreezeUnlessActive = async (
  route: MoveRoute,
  requireLock: RequireLock,
  failure: unknown,
): Promise<void> => {
  try {
    if ((await stateInTarget(route)) !== 'active') await unfreeze(route, requireLock)
  } catch (cause) {
    throw new ImportFailure(
      `The move failed (${(failure as Error).message}), and the organization is still frozen. Run the move again to continue it, or run it with --abort.`,
      { cause },
    )
  }
}

/** The copy is made unusable first, so that the organization is never active in both. */
const unfreeze = async (route: MoveRoute, requireLock: RequireLock): Promise<void> => {
  const { source, organizationId } = route
  await requireLock()
  await discardCopy(route)
  await dropFence(source.db, organizationId)
  await requireLock()
  await source.db.transaction(tx => importStore.setState(tx, organizationId, ['leaving'], 'active'))
}
