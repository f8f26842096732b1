import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { requirePack } from '../connectors/tool-packs/save-tool-pack.ts'
import type { PolicyOwner } from './policy-store.ts'

/** Null or undefined: the policy of the organization. */
export const ownerOf = async (
  db: Database,
  organizationId: string,
  packId: string | null | undefined,
): Promise<PolicyOwner> => {
  if (packId === null || packId === undefined) return { organizationId, toolPackId: null }
  if (!isUuid(packId)) throw new Refusal('tool_pack_not_found')
  await requirePack(db, organizationId, packId)
  return { organizationId, toolPackId: packId }
}
