import type { Queryable, Transaction } from '../../../platform/database/database.ts'
import { carryOver } from '../../../platform/vault/earlier-user-keys.ts'
import { type EarlierKeyRow, earlierUserKeysStore } from '../../../platform/vault/earlier-user-keys-store.ts'
import { type OrganizationKeys, withId } from '../../../platform/vault/organization-keys.ts'
import {
  type DataKey,
  keyIdOf,
  newDataKey,
  SealBroken,
  seal,
  unseal,
} from '../../../platform/vault/sealing.ts'
import { unwrapUserKey, wrapUserKey } from '../../../platform/vault/vault.ts'
import type { SealedPlace } from '../broken-seal.ts'
import { resealUnder } from '../credential-secret.ts'
import { type FreshSecret, rotateStore, type UserKeyRow, type UserSecretRow } from './rotate-store.ts'

/** Small, so that nobody who settles a call for one of them waits long for the batch to end. */
const BATCH = 100

/** What does not open, and why. It stays as it is: a rotation makes nothing worse, and does not stop at one bad row. */
export type Unreadable = { place: SealedPlace; error: SealBroken }

export type Rekeyed = {
  /** The last user that was looked at; null where there was none. */
  last: string | null
  users: number
  secrets: number
  unreadable: Unreadable[]
}

type Range = { organizationId: string; keys: OrganizationKeys; after: string }

/**
 * New data keys for the next users who are not yet under the organization's newest key, and all their secrets sealed anew
 * under them. Versions and fences stay: a refresh that is under way writes its token as if nothing had happened, under the
 * key that it finds then. Users with such a refresh are left out all the same.
 */
export const rekeyUsers = async (
  tx: Transaction,
  { organizationId, keys, after }: Range,
): Promise<Rekeyed> => {
  const users = await rotateStore.takeUsers(tx, organizationId, after, keys[0].id, BATCH)
  const last = users.at(-1)?.id ?? null
  if (last === null) return { last, users: 0, secrets: 0, unreadable: [] }
  const ids = users.map(({ id }) => id)
  const secrets = await rotateStore.secretsOf(tx, organizationId, ids)
  const earlier = await earlierUserKeysStore.list(tx, organizationId, ids)
  const leased = new Set(secrets.filter(row => row.leased).map(row => row.registered_user_id))
  const byUser = Map.groupBy(secrets, row => row.registered_user_id)
  const keysByUser = Map.groupBy(earlier, row => row.registered_user_id)
  const fresh = users
    .filter(({ id }) => !leased.has(id))
    .map(user =>
      rekeyUser(organizationId, keys, user, byUser.get(user.id) ?? [], keysByUser.get(user.id) ?? []),
    )
  const dataKeys = fresh.flatMap(({ dataKey }) => dataKey ?? [])
  const resealed = fresh.flatMap(each => each.secrets)
  const written = await rotateStore.rekey(tx, organizationId, dataKeys, resealed)
  const expected = resealed.filter(({ kind }) => kind !== 'revocation').length
  if (written.users !== dataKeys.length || written.kept !== expected)
    throw new Error('a secret changed while its user was held; nothing was rotated')
  await earlierUserKeysStore.keep(
    tx,
    organizationId,
    fresh.flatMap(each => each.earlier),
  )
  return {
    last,
    users: dataKeys.length,
    secrets: resealed.length,
    unreadable: fresh.flatMap(({ unreadable }) => unreadable),
  }
}

type FreshUser = {
  dataKey: { id: string; dataKey: Buffer } | null
  secrets: FreshSecret[]
  /** Keys from before, for what is not sealed anew. */
  earlier: EarlierKeyRow[]
  unreadable: Unreadable[]
}

const rekeyUser = (
  organizationId: string,
  keys: OrganizationKeys,
  user: UserKeyRow,
  rows: UserSecretRow[],
  earlier: EarlierKeyRow[],
): FreshUser => {
  const found: FreshUser = { dataKey: null, secrets: [], earlier: [], unreadable: [] }
  const placeOf = (row?: UserSecretRow): SealedPlace => ({
    organizationId,
    registeredUserId: user.id,
    connectorSlug: row?.connector_slug ?? null,
    ...(row?.credential_id && { credentialId: row.credential_id }),
  })
  const opening = <T>(row: UserSecretRow | undefined, open: () => T): T | null => {
    try {
      return open()
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      found.unreadable.push({ place: placeOf(row), error })
      return null
    }
  }
  const old = opening(undefined, () => openUserKey(organizationId, keys, user))
  if (!old) return found
  const next = newDataKey()
  found.dataKey = { id: user.id, dataKey: wrapUserKey(keys[0], organizationId, user.id, next) }
  const carried = carryOver(old, next, organizationId, user.id, earlier)
  found.earlier = carried.rows
  for (const error of carried.broken) found.unreadable.push({ place: placeOf(), error })
  for (const row of rows) {
    const owner = {
      organizationId,
      registeredUserId: user.id,
      connectorSlug: row.connector_slug,
      secretId: row.secret_id,
    }
    const sealed = opening(row, () => resealUnder(old, next, owner, row.sealed))
    if (sealed) found.secrets.push({ kind: row.kind, userId: user.id, secretId: row.secret_id, sealed })
  }
  return found
}

const openUserKey = (organizationId: string, keys: OrganizationKeys, user: UserKeyRow): DataKey =>
  unwrapUserKey(keyOf(keys, user.data_key, 'user-key'), organizationId, user.id, user.data_key)

const keyOf = (keys: OrganizationKeys, sealed: Buffer, purpose: string): DataKey => {
  const key = withId(keys, keyIdOf(sealed, [purpose]))
  if (!key) throw new SealBroken([purpose], 'the key that it names is not there')
  return key
}

/** What the organization's own key seals for good: secrets of OAuth apps and of MCP connectors. */
export const resealOrganizationSecrets = async (
  tx: Queryable,
  organizationId: string,
  keys: OrganizationKeys,
): Promise<Unreadable[]> => {
  const unreadable: Unreadable[] = []
  for (const row of await rotateStore.organizationSecrets(tx, organizationId, keys[0].id)) {
    const context = [row.purpose, organizationId, row.id] as const
    try {
      const plain = unseal(keyOf(keys, row.sealed, row.purpose), row.sealed, context)
      await rotateStore.resealOrganizationSecret(tx, organizationId, row, seal(keys[0], plain, context))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      unreadable.push({
        place: { organizationId, registeredUserId: '', connectorSlug: row.purpose },
        error,
      })
    }
  }
  return unreadable
}
