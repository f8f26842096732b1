import { MINUTE } from '../../core/duration.ts'
import type { Database, Queryable } from '../database/database.ts'
import { unwrapKey, type VaultKeyRing } from './key-ring.ts'
import type { DataKey } from './sealing.ts'
import { vaultStore } from './vault-store.ts'

/**
 * Organization keys are cached, so that a KMS is not called for each request. User keys are never cached, so that a
 * deletion takes effect at once.
 */
const CACHE_TTL_MS = 5 * MINUTE

export type OrganizationKey = DataKey & { readonly generation: number }

/** Latest first. The first one seals, and all of them unseal. */
export type OrganizationKeys = [newest: OrganizationKey, ...older: OrganizationKey[]]

export type OrganizationKeyReader = {
  newest: (organizationId: string) => Promise<DataKey>
  /** Undefined if no key of the organization has this ID, after a fresh read. */
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

/** Keys are cached, but an unknown ID is read at once, because a rotation may be in progress. */
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
    const entry: Entry = { reading, until: clock() + CACHE_TTL_MS }
    kept.set(organizationId, entry)
    reading.then(
      keys => (entry.keys = keys),
      () => kept.get(organizationId) === entry && kept.delete(organizationId),
    )
    return reading
  }
  const keysOf = (organizationId: string): Promise<OrganizationKeys> =>
    fresh(organizationId)?.reading ?? readAnew(organizationId)

  /**
   * Does not share pending reads, which may be waiting for this transaction, and caches nothing, because the
   * transaction may roll back.
   */
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
