import { Secret } from '../../core/secret.ts'
import type { Database, Queryable } from '../database/database.ts'
import { deriveInstallationKey, type InstallationKey } from './installation-key.ts'
import { VaultKeyError } from './key.ts'
import { KeyServiceError } from './key-provider.ts'
import { unwrapKey, type VaultKeyRing, wrappingKeyOf } from './key-ring.ts'
import {
  createOrganizationKeyReader,
  type OrganizationKeys,
  readOrganizationKeys,
} from './organization-keys.ts'
import { deriveReceiptKey, type ReceiptKey } from './receipt-key.ts'
import {
  type DataKey,
  exportDataKey,
  importDataKey,
  isKnownFormat,
  keyIdOf,
  newDataKey,
  SealBroken,
  type SealContext,
  seal,
  unseal,
} from './sealing.ts'
import { createSigner, type Signer } from './signer.ts'
import { SIGNING_OWNER, vaultStore } from './vault-store.ts'

export { createSigner, type Signer } from './signer.ts'

export type Vault = {
  /** Creates and stores the key of a new organization, in the transaction that creates the organization. */
  createOrganizationKey(tx: Queryable, organizationId: string): Promise<void>
  /** The latest key of an organization, which seals. */
  organizationKey(organizationId: string): Promise<DataKey>
  /** The key that a record was sealed under. Inside a transaction, `through` is the transaction handle. */
  organizationKeyOf(organizationId: string, sealed: Buffer, through?: Queryable): Promise<DataKey>
  /** All keys of an organization, without the cache. */
  organizationKeys(organizationId: string): Promise<OrganizationKeys>
  /** The keys of an organization by generation, to be wrapped by another vault key. */
  exportOrganizationKeys(db: Queryable, organizationId: string): Promise<Map<number, Secret<Buffer>>>
  /** Wraps a key of another installation. The transaction stores it. */
  wrapOrganizationKey(tx: Queryable, organizationId: string, key: Secret<Buffer>): Promise<Buffer>
  /** A new wrapped data key for a Registered User. It is stored in the user's row and deleted with it. */
  createUserKey(organizationId: string, userId: string): Promise<Buffer>
  openUserKey(organizationId: string, userId: string, wrapped: Buffer, through?: Queryable): Promise<DataKey>
  /**
   * Throws if the vault key that the database uses now is not available here, such as after a rotation elsewhere. Does not
   * call a key service.
   */
  verifyKey(): Promise<void>
  signer: Signer
  /** Archives are encrypted for it, and signed by it. */
  installationKey: InstallationKey
  receiptKey: ReceiptKey
}

export const hasVaultSecrets = async (db: Queryable): Promise<boolean> =>
  (await vaultStore.signingSecret(db)) !== null

/** The number of vault keys that the stored keys are wrapped under and that the ring does not have. */
export const countMissingVaultKeys = async (db: Queryable, ring: VaultKeyRing): Promise<number> =>
  (await vaultStore.wrappingKeyIds(db)).filter(id => !ring.find(id)).length

/**
 * Opening verifies the vault key: it unwraps the secret that the first start wrapped, otherwise the service does not
 * start.
 */
export const openVault = async (
  db: Database,
  ring: VaultKeyRing,
  clock: () => number = Date.now,
): Promise<Vault> => {
  const signing = await openSigningKey(db, ring)
  const organizationKeys = createOrganizationKeyReader(db, ring, clock)

  const organizationKeyOf: Vault['organizationKeyOf'] = async (organizationId, sealed, through) => {
    const context: SealContext = ['secret of an organization']
    const key = await organizationKeys.find(organizationId, keyIdOf(sealed, context), through)
    if (!key) throw new SealBroken(context, 'its key does not exist')
    return key
  }
  const wrapForOrganization = async (tx: Queryable, organizationId: string, key: DataKey) => {
    const current = await vaultStore.shareSigningSecret(tx)
    if (!current) throw new Error('the signing secret is missing')
    return wrappingKeyOf(ring, current.wrapped).wrap(key, organizationId)
  }
  return {
    organizationKey: organizationKeys.newest,
    organizationKeyOf,
    organizationKeys: organizationId => readOrganizationKeys(db, ring, organizationId),
    createOrganizationKey: async (tx, organizationId) => {
      const wrapped = await wrapForOrganization(tx, organizationId, newDataKey())
      await vaultStore.insertOrganizationKey(tx, organizationId, 1, wrapped)
    },
    exportOrganizationKeys: async (tx, organizationId) => {
      const keys = await readOrganizationKeys(tx, ring, organizationId)
      return new Map(keys.map(key => [key.generation, new Secret(exportDataKey(key))]))
    },
    wrapOrganizationKey: (tx, organizationId, key) =>
      wrapForOrganization(tx, organizationId, importDataKey(key.reveal())),
    createUserKey: async (organizationId, userId) =>
      wrapUserKey(await organizationKeys.newest(organizationId), organizationId, userId, newDataKey()),
    openUserKey: async (organizationId, userId, wrapped, through) =>
      unwrapUserKey(
        await organizationKeyOf(organizationId, wrapped, through),
        organizationId,
        userId,
        wrapped,
      ),
    verifyKey: async () => {
      const current = await vaultStore.signingSecret(db)
      if (!current) throw new VaultKeyError('The signing secret is missing from the database.')
      wrappingKeyOf(ring, current.wrapped)
    },
    signer: createSigner(signing.key),
    installationKey: deriveInstallationKey(signing.key),
    receiptKey: deriveReceiptKey(signing.key),
  }
}

const userKeyContext = (organizationId: string, userId: string): SealContext => [
  'user-key',
  organizationId,
  userId,
]

export const wrapUserKey = (
  organizationKey: DataKey,
  organizationId: string,
  userId: string,
  userKey: DataKey,
): Buffer => seal(organizationKey, exportDataKey(userKey), userKeyContext(organizationId, userId))

export const unwrapUserKey = (
  organizationKey: DataKey,
  organizationId: string,
  userId: string,
  wrapped: Buffer,
): DataKey => importDataKey(unseal(organizationKey, wrapped, userKeyContext(organizationId, userId)))

const openSigningKey = async (db: Database, ring: VaultKeyRing): Promise<DataKey> => {
  if (!(await hasVaultSecrets(db)))
    await vaultStore.keepSigningSecret(db, await ring.first().wrap(newDataKey(), SIGNING_OWNER))
  const row = await vaultStore.signingSecret(db)
  if (!row) throw new Error('the signing secret was not stored')
  return unwrapSigningKey(ring, row.wrapped)
}

/** Throws if the database was created with another vault key. Returns false if it is new. */
export const verifyVaultKey = async (db: Queryable, ring: VaultKeyRing): Promise<boolean> => {
  const row = await vaultStore.signingSecret(db)
  if (row) await unwrapSigningKey(ring, row.wrapped)
  return row !== null
}

const unwrapSigningKey = async (ring: VaultKeyRing, wrapped: Buffer): Promise<DataKey> => {
  if (!isKnownFormat(wrapped)) {
    throw new VaultKeyError(
      'This database was sealed by another version of Carabiner in an unsupported format. Run that version, or start with an empty database.',
    )
  }
  try {
    return await unwrapKey(ring, wrapped, SIGNING_OWNER)
  } catch (cause) {
    if (cause instanceof KeyServiceError) throw cause
    throw new VaultKeyError(
      `The vault key in ${ring.source} is not the one that this database was created with. Every credential is sealed under that key. Restore it (KEY_FILE or VAULT_KEY).`,
      { cause },
    )
  }
}
