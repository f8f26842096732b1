import { MINUTE } from '../../core/duration.ts'
import type { Database, Queryable } from '../database/database.ts'
import { unwrapKey, type VaultKeyRing } from './key-ring.ts'
import type { DataKey } from './sealing.ts'
import { vaultStore } from './vault-store.ts'

/** So that a KMS is not asked for each call. A user's key is never kept: its deletion holds at once. */
const KEPT = 5 * MINUTE

export type OrganizationKey = DataKey & { readonly generation: number }

/** The newest first: that one seals, all of them open. */
export type OrganizationKeys = [newest: OrganizationKey, ...older: OrganizationKey[]]

export type OrganizationKeyReader = {
  newest: (organizationId: string) => Promise<DataKey>
  /** Undefined: no key of the organization has this id, also after a fresh look. */
  find: (organizationId: string, id: Buffer, through?: Queryable) => Promise<DataKey | undefined>
}

export const readOrganizationKeys = async (
  db: Queryable,
  ring: VaultKeyRing,
  organizationId: string,
): Promise<OrganizationKeys> => {
  const rows = await vaultStore.organizationKeys(db, organizationId)
  const [newest, ...older] = await Promise.all(
    rows.map(async ({ generation, wrapped }) => ({
      generation,
      ...(await unwrapKey(ring, wrapped, organizationId)),
    })),
  )
  if (!newest) throw new Error(`organization ${organizationId} has no key`)
  return [newest, ...older]
}

/** Keys are kept in memory for a while, but an id that is not among them is looked up at once: a rotation is under way. */
export const createOrganizationKeyReader = (
  db: Database,
  ring: VaultKeyRing,
  clock: () => number,
): OrganizationKeyReader => {
  type Entry = { reading: Promise<OrganizationKeys>; keys?: OrganizationKeys; until: number }
  const kept = new Map<string, Entry>()

  const fresh = (organizationId: string): Entry | undefined => {
    const entry = kept.get(organizationId)
    return entry && entry.until > clock() ? entry : undefined
  }
  const readAnew = (organizationId: string): Promise<OrganizationKeys> => {
    const reading = readOrganizationKeys(db, ring, organizationId)
    const entry: Entry = { reading, until: clock() + KEPT }
    kept.set(organizationId, entry)
    reading.then(
      keys => (entry.keys = keys),
      () => kept.get(organizationId) === entry && kept.delete(organizationId),
    )
    return reading
  }
  const keysOf = (organizationId: string): Promise<OrganizationKeys> =>
    fresh(organizationId)?.reading ?? readAnew(organizationId)

  /** Never waits for what others read: that may be waiting for this transaction. Keeps nothing: it may still be undone. */
  const findThrough = async (tx: Queryable, organizationId: string, id: Buffer) =>
    withId(fresh(organizationId)?.keys, id) ??
    withId(await readOrganizationKeys(tx, ring, organizationId), id)

  return {
    newest: async organizationId => (await keysOf(organizationId))[0],
    find: async (organizationId, id, through) =>
      through
        ? findThrough(through, organizationId, id)
        : (withId(await keysOf(organizationId), id) ?? withId(await readAnew(organizationId), id)),
  }
}

export const withId = (keys: readonly DataKey[] | undefined, id: Buffer): DataKey | undefined =>
  keys?.find(key => key.id.equals(id))
