import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/**
 * AES-256-GCM under a key that is derived afresh for each record (HKDF over a random salt), so that no nonce can repeat.
 * Layout: version 1 · key id 16 · salt 32 · tag 16 · ciphertext.
 */
export type DataKey = { readonly id: Buffer; readonly key: KeyObject }

/** What a record is and whose: bound into the ciphertext, so that a row moved elsewhere does not open. */
export type SealContext = readonly [purpose: string, ...names: string[]]

const VERSION = 1
const KEY_ID_LENGTH = 16
const KEY_LENGTH = 32
const SALT_LENGTH = 32
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const HEADER_LENGTH = 1 + KEY_ID_LENGTH + SALT_LENGTH + TAG_LENGTH

export class SealBroken extends Error {
  constructor(context: SealContext, why: string) {
    super(`A sealed ${context[0]} does not open: ${why}.`)
    this.name = 'SealBroken'
  }
}

export const newDataKey = (): DataKey => ({
  id: randomBytes(KEY_ID_LENGTH),
  key: createSecretKey(randomBytes(KEY_LENGTH)),
})

export const exportDataKey = ({ id, key }: DataKey): Buffer => Buffer.concat([id, key.export()])

export const importDataKey = (bytes: Buffer): DataKey => {
  if (bytes.length !== KEY_ID_LENGTH + KEY_LENGTH) throw new RangeError('a data key is 48 bytes')
  return { id: bytes.subarray(0, KEY_ID_LENGTH), key: createSecretKey(bytes.subarray(KEY_ID_LENGTH)) }
}

const recordKey = (key: KeyObject, salt: Buffer, associated: Buffer): [key: Buffer, nonce: Buffer] => {
  const derived = Buffer.from(hkdfSync('sha256', key, salt, associated, KEY_LENGTH + NONCE_LENGTH))
  return [derived.subarray(0, KEY_LENGTH), derived.subarray(KEY_LENGTH)]
}

// JSON of a list of strings is unambiguous: no two contexts share their bytes.
const associatedData = (context: SealContext): Buffer => Buffer.from(JSON.stringify(context))

export const seal = (under: DataKey, plaintext: Buffer | string, context: SealContext): Buffer => {
  const salt = randomBytes(SALT_LENGTH)
  const associated = associatedData(context)
  const [key, nonce] = recordKey(under.key, salt, associated)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH })
  cipher.setAAD(associated)
  const ciphertext = Buffer.concat([
    typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext),
    cipher.final(),
  ])
  return Buffer.concat([Buffer.of(VERSION), under.id, salt, cipher.getAuthTag(), ciphertext])
}

export const unseal = (under: DataKey, sealed: Buffer, context: SealContext): Buffer => {
  if (sealed.length < HEADER_LENGTH || sealed[0] !== VERSION)
    throw new SealBroken(context, 'it is not in a known format')
  const keyId = sealed.subarray(1, 1 + KEY_ID_LENGTH)
  if (!keyId.equals(under.id)) throw new SealBroken(context, 'it was sealed under another key')
  const salt = sealed.subarray(1 + KEY_ID_LENGTH, HEADER_LENGTH - TAG_LENGTH)
  const tag = sealed.subarray(HEADER_LENGTH - TAG_LENGTH, HEADER_LENGTH)
  const associated = associatedData(context)
  const [key, nonce] = recordKey(under.key, salt, associated)
  // Without authTagLength, Node accepts tags of four bytes.
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH })
  decipher.setAAD(associated).setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_LENGTH)), decipher.final()])
  } catch {
    throw new SealBroken(context, 'it was changed, or belongs to another record')
  }
}
