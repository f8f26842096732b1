import type { OrganizationState } from '../../../core/organization-state.ts'
import { ArchiveRefusal } from '../../../platform/archive/archive-refusal.ts'
import type { MoveRoute } from './move.ts'
import { moveStore } from './move-store.ts'

/** Finds before the freeze what would make the move fail. */
export const requireMovable = async (
  { source, target, organizationId }: MoveRoute,
  state: OrganizationState | null,
): Promise<void> => {
  if (state === null) throw new ArchiveRefusal(`There is no organization ${organizationId} in the source.`)
  if (state !== 'active' && state !== 'leaving')
    throw new ArchiveRefusal(`The organization is in the state ${state}, so it cannot be moved.`)
  const slugs = await moveStore.ownSlugs(source.db, organizationId)
  const contested = await moveStore.contestedSlug(target.db, organizationId, slugs)
  if (contested !== null)
    throw new ArchiveRefusal(
      `The organization’s own connector ${contested} has the slug of a connector in the catalog of the target. Remove the connector before the organization is moved.`,
    )
}
