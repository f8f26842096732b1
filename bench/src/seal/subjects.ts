import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { Secret } from '../../../server/src/core/secret.ts'
import { newUuid } from '../../../server/src/core/uuid.ts'
import {
  type CredentialSecret,
  sealSecret,
  unsealSecret,
} from '../../../server/src/features/credentials/credential-secret.ts'
import { createOrganization } from '../../../server/src/features/organizations/create-organization.ts'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { generateVaultKey } from '../../../server/src/platform/vault/key.ts'
import { fixedKeyRing } from '../../../server/src/platform/vault/key-ring.ts'
import { seal } from '../../../server/src/platform/vault/sealing.ts'
import { openVault } from '../../../server/src/platform/vault/vault.ts'

export type Subject = 'AES-GCM, seal' | 'AES-GCM, open' | 'seal' | 'open' | 'open, with all keys'

/** Two tokens with a total size of 2 KB, as issued by large providers. */
const SECRET: CredentialSecret = {
  kind: 'oauth2',
  accessToken: new Secret('a'.repeat(1400)),
  refreshToken: new Secret('r'.repeat(600)),
  tenant: {},
}
const BYTES = 2048

/** The cipher alone: one key, no derivation, no header. */
const createCipherAlone = () => {
  const key = createSecretKey(randomBytes(32))
  const nonce = randomBytes(12)
  const associated = randomBytes(140)
  const plaintext = randomBytes(BYTES)
  const encrypt = (): [ciphertext: Buffer, tag: Buffer] => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
    cipher.setAAD(associated)
    return [Buffer.concat([cipher.update(plaintext), cipher.final()]), cipher.getAuthTag()]
  }
  const [ciphertext, tag] = encrypt()
  const decrypt = (): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
    decipher.setAAD(associated).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  }
  return { encrypt, decrypt }
}

/** The steps of a call from the wrapped keys and the stored credential to the tokens. */
export const createSubjects = async (db: Database): Promise<Record<Subject, () => unknown>> => {
  const vault = await openVault(db, fixedKeyRing([generateVaultKey('production')], { production: true }))
  const { organization } = await createOrganization({ db, vault }, 'Bench')
  const owner = {
    organizationId: organization.id,
    registeredUserId: newUuid(),
    connectorSlug: 'google-drive',
    secretId: newUuid(),
  }
  const wrapped = await vault.createUserKey(owner.organizationId, owner.registeredUserId)
  const openUserKey = () => vault.openUserKey(owner.organizationId, owner.registeredUserId, wrapped)
  const userKey = await openUserKey()
  const sealed = sealSecret(userKey, owner, SECRET)
  const alone = createCipherAlone()
  const plaintext = randomBytes(BYTES)
  const context = ['credential', ...Object.values(owner)] as const
  return {
    'AES-GCM, seal': alone.encrypt,
    'AES-GCM, open': alone.decrypt,
    seal: () => seal(userKey, plaintext, context),
    open: () => unsealSecret(userKey, owner, sealed),
    'open, with all keys': async () => unsealSecret(await openUserKey(), owner, sealed),
  }
}
