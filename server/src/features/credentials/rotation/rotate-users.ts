import type { Queryable, Transaction } from '../../../platform/database/database.ts'
import { type OrganizationKeys, withId } from '../../../platform/vault/organization-keys.ts'
import { carryOver } from '../../../platform/vault/previous-user-keys.ts'
import { type PreviousKey, previousUserKeysStore } from '../../../platform/vault/previous-user-keys-store.ts'
import {
  type DataKey,
  keyIdOf,
  newDataKey,
  SealBroken,
  seal,
  unseal,
} from '../../../platform/vault/sealing.ts'
import { unwrapUserKey, wrapUserKey } from '../../../platform/vault/vault.ts'
import { resealUnder } from '../credential-secret.ts'
import type { SecretLocation } from '../report-broken-seal.ts'
import { type ResealedSecret, rotateStore, type UserKey, type UserSecret } from './rotate-store.ts'

/** Small, so that a call that settles for one of these users is blocked only briefly. */
const BATCH = 100

/** A secret that cannot be decrypted. It is left unchanged and does not stop the rotation. */
export type UnreadableSecret = { location: SecretLocation; error: SealBroken }

export type RekeyResult = {
  /** The last user processed, or null if there was none. */
  last: string | null
  users: number
  secrets: number
  unreadable: UnreadableSecret[]
}

type Range = { organizationId: string; keys: OrganizationKeys; after: string }

/**
 * Creates new data keys for the next users that are not yet under the organization's current key, and seals all their
 * secrets again. Versions and fences stay the same, so that a refresh in flight can store its tokens under the new key.
 * Users with such a refresh are skipped nevertheless.
 */
export const rekeyUsers = async (
  tx: Transaction,
  { organizationId, keys, after }: Range,
): Promise<RekeyResult> => {
  const users = await rotateStore.takeUsers(tx, organizationId, after, keys[0].id, BATCH)
  const last = users.at(-1)?.id ?? null
  if (last === null) return { last, users: 0, secrets: 0, unreadable: [] }
  const ids = users.map(({ id }) => id)
  const secrets = await rotateStore.secretsOf(tx, organizationId, ids)
  const earlier = await previousUserKeysStore.list(tx, organizationId, ids)
  const leased = new Set(secrets.filter(secret => secret.leased).map(secret => secret.registeredUserId))
  const byUser = Map.groupBy(secrets, secret => secret.registeredUserId)
  const keysByUser = Map.groupBy(earlier, key => key.registeredUserId)
  const rekeyed = users
    .filter(({ id }) => !leased.has(id))
    .map(user =>
      rekeyUser(organizationId, keys, user, byUser.get(user.id) ?? [], keysByUser.get(user.id) ?? []),
    )
  const dataKeys = rekeyed.flatMap(({ dataKey }) => dataKey ?? [])
  const resealed = rekeyed.flatMap(each => each.secrets)
  const written = await rotateStore.rekey(tx, organizationId, dataKeys, resealed)
  const expected = resealed.filter(({ kind }) => kind !== 'revocation').length
  if (written.users !== dataKeys.length || written.kept !== expected)
    throw new Error('a secret changed while its user was locked; the batch was rolled back')
  await previousUserKeysStore.keep(
    tx,
    organizationId,
    rekeyed.flatMap(each => each.earlier),
  )
  return {
    last,
    users: dataKeys.length,
    secrets: resealed.length,
    unreadable: rekeyed.flatMap(({ unreadable }) => unreadable),
  }
}

type RekeyedUser = {
  dataKey: { id: string; dataKey: Buffer } | null
  secrets: ResealedSecret[]
  /** Previous keys, for data that is not sealed again. */
  earlier: PreviousKey[]
  unreadable: UnreadableSecret[]
}

const rekeyUser = (
  organizationId: string,
  keys: OrganizationKeys,
  user: UserKey,
  secrets: UserSecret[],
  earlier: PreviousKey[],
): RekeyedUser => {
  const result: RekeyedUser = { dataKey: null, secrets: [], earlier: [], unreadable: [] }
  const secretLocation = (secret?: UserSecret): SecretLocation => ({
    organizationId,
    registeredUserId: user.id,
    connectorSlug: secret?.connectorSlug ?? null,
    ...(secret?.credentialId && { credentialId: secret.credentialId }),
  })
  const tryUnseal = <T>(secret: UserSecret | undefined, unsealSecret: () => T): T | null => {
    try {
      return unsealSecret()
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      result.unreadable.push({ location: secretLocation(secret), error })
      return null
    }
  }
  const old = tryUnseal(undefined, () => openUserKey(organizationId, keys, user))
  if (!old) return result
  const next = newDataKey()
  result.dataKey = { id: user.id, dataKey: wrapUserKey(keys[0], organizationId, user.id, next) }
  const carried = carryOver(old, next, organizationId, user.id, earlier)
  result.earlier = carried.rows
  for (const error of carried.broken) result.unreadable.push({ location: secretLocation(), error })
  for (const secret of secrets) {
    const owner = {
      organizationId,
      registeredUserId: user.id,
      connectorSlug: secret.connectorSlug,
      secretId: secret.secretId,
    }
    const sealed = tryUnseal(secret, () => resealUnder(old, next, owner, secret.sealed))
    if (sealed) result.secrets.push({ kind: secret.kind, userId: user.id, secretId: secret.secretId, sealed })
  }
  return result
}

const openUserKey = (organizationId: string, keys: OrganizationKeys, user: UserKey): DataKey =>
  unwrapUserKey(keyOf(keys, user.dataKey, 'user-key'), organizationId, user.id, user.dataKey)

const keyOf = (keys: OrganizationKeys, sealed: Buffer, purpose: string): DataKey => {
  const key = withId(keys, keyIdOf(sealed, [purpose]))
  if (!key) throw new SealBroken([purpose], 'the key that it names is not there')
  return key
}

/** Seals the secrets of OAuth apps and MCP connectors again, which are encrypted with the organization's key. */
export const resealOrganizationSecrets = async (
  tx: Queryable,
  organizationId: string,
  keys: OrganizationKeys,
): Promise<UnreadableSecret[]> => {
  const unreadable: UnreadableSecret[] = []
  for (const secret of await rotateStore.organizationSecrets(tx, organizationId, keys[0].id)) {
    const context = [secret.purpose, organizationId, secret.id] as const
    try {
      const plain = unseal(keyOf(keys, secret.sealed, secret.purpose), secret.sealed, context)
      await rotateStore.resealOrganizationSecret(tx, organizationId, secret, seal(keys[0], plain, context))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      unreadable.push({
        location: { organizationId, registeredUserId: '', connectorSlug: secret.purpose },
        error,
      })
    }
  }
  return unreadable
}
