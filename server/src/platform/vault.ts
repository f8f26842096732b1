import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { MINUTE } from '../core/duration.ts'
import { type Database, one, type Queryable, statement } from './database.ts'
import { type DataKey, exportDataKey, importDataKey, newDataKey, seal, unseal } from './sealing.ts'
import { type KeyEncryptionKey, VaultKeyError } from './vault-key.ts'

/** So that a KMS is not asked for each call. A user's key is never kept: its deletion holds at once. */
const ORGANIZATION_KEY_KEPT = 5 * MINUTE

const selectServiceSecret = statement<{ wrapped: Buffer }>(
  'vault.service_secret',
  'select wrapped from service_secrets where name = $1',
)
const insertServiceSecret = statement<never>(
  'vault.insert_service_secret',
  'insert into service_secrets (name, wrapped) values ($1, $2) on conflict (name) do nothing',
)
const selectOrganizationKey = statement<{ wrapped: Buffer }>(
  'vault.organization_key',
  'select wrapped from organization_keys where organization_id = $1',
)
const insertOrganizationKey = statement<never>(
  'vault.insert_organization_key',
  'insert into organization_keys (organization_id, wrapped) values ($1, $2)',
)

export type Vault = {
  /** Makes and keeps the key of a new organization, in the transaction that creates it. */
  createOrganizationKey(tx: Queryable, organizationId: string): Promise<void>
  organizationKey(organizationId: string): Promise<DataKey>
  /** A new data key for one Registered User, wrapped; it is kept in the user's own row and goes with it. */
  createUserKey(organizationId: string, userId: string): Promise<Buffer>
  openUserKey(organizationId: string, userId: string, wrapped: Buffer): Promise<DataKey>
  signer: Signer
}

export type Signer = {
  sign(purpose: string, text: string): Buffer
  verify(purpose: string, text: string, signature: Uint8Array): boolean
}

const SIGNING_SECRET = 'signing'
const SIGNATURE_LENGTH = 16

export const hasVaultSecrets = async (db: Queryable): Promise<boolean> =>
  (await one(db, selectServiceSecret, [SIGNING_SECRET])) !== null

/** Opening proves the key: it unwraps what the first start wrapped, or the service does not start. */
export const openVault = async (
  db: Database,
  kek: KeyEncryptionKey,
  clock: () => number = Date.now,
): Promise<Vault> => {
  const signing = await openSigningKey(db, kek)
  const kept = new Map<string, { key: Promise<DataKey>; until: number }>()

  const readOrganizationKey = async (organizationId: string): Promise<DataKey> => {
    const row = await one(db, selectOrganizationKey, [organizationId])
    if (!row) throw new Error(`organization ${organizationId} has no key`)
    return kek.unwrap(row.wrapped, organizationId)
  }
  const organizationKey = (organizationId: string): Promise<DataKey> => {
    const known = kept.get(organizationId)
    if (known && known.until > clock()) return known.key
    const key = readOrganizationKey(organizationId)
    kept.set(organizationId, { key, until: clock() + ORGANIZATION_KEY_KEPT })
    key.catch(() => kept.delete(organizationId))
    return key
  }

  return {
    organizationKey,
    createOrganizationKey: async (tx, organizationId) => {
      await tx.query(insertOrganizationKey, [organizationId, await kek.wrap(newDataKey(), organizationId)])
    },
    createUserKey: async (organizationId, userId) =>
      seal(await organizationKey(organizationId), exportDataKey(newDataKey()), [
        'user-key',
        organizationId,
        userId,
      ]),
    openUserKey: async (organizationId, userId, wrapped) =>
      importDataKey(
        unseal(await organizationKey(organizationId), wrapped, ['user-key', organizationId, userId]),
      ),
    signer: createSigner(signing.key),
  }
}

export const unwrapUserKey = (
  organizationKey: DataKey,
  organizationId: string,
  userId: string,
  wrapped: Buffer,
): DataKey => importDataKey(unseal(organizationKey, wrapped, ['user-key', organizationId, userId]))

const openSigningKey = async (db: Database, kek: KeyEncryptionKey): Promise<DataKey> => {
  await db.query(insertServiceSecret, [SIGNING_SECRET, await kek.wrap(newDataKey(), SIGNING_SECRET)])
  const row = await one(db, selectServiceSecret, [SIGNING_SECRET])
  if (!row) throw new Error('the signing secret was not stored')
  try {
    return await kek.unwrap(row.wrapped, SIGNING_SECRET)
  } catch (cause) {
    throw new VaultKeyError(
      'The vault key is not the one this database was set up with. Every credential is sealed under that key: restore it (KEY_FILE or VAULT_KEY).',
      { cause },
    )
  }
}

/** One HMAC key per purpose, so that a signature made for one thing is worthless for another. */
export const createSigner = (root: KeyObject): Signer => {
  const keys = new Map<string, KeyObject>()
  const keyFor = (purpose: string): KeyObject => {
    const known = keys.get(purpose)
    if (known) return known
    const key = createSecretKey(
      Buffer.from(hkdfSync('sha256', root, Buffer.alloc(32), `sign:${purpose}`, 32)),
    )
    keys.set(purpose, key)
    return key
  }
  const sign: Signer['sign'] = (purpose, text) =>
    createHmac('sha256', keyFor(purpose)).update(text).digest().subarray(0, SIGNATURE_LENGTH)
  return {
    sign,
    verify: (purpose, text, signature) =>
      signature.length === SIGNATURE_LENGTH && timingSafeEqual(sign(purpose, text), signature),
  }
}
