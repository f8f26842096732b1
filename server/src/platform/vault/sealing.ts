import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes as freshBytes,
  type KeyObject,
} from 'node:crypto'
import { randomBytes } from '../../core/random-bytes.ts'

/**
 * AES-256-GCM under a key derived for each record from a random salt, which also yields the nonce, so neither can
 * repeat. Layout: version 1 · key id 16 · salt 32 · tag 16 · ciphertext.
 */
export type DataKey = { readonly id: Buffer; readonly key: KeyObject }

/** The purpose and owner of a record. They are authenticated, so a row that was moved elsewhere does not decrypt. */
export type SealContext = readonly [purpose: string, ...names: string[]]

const VERSION = 2
const KEY_ID_LENGTH = 16
const KEY_LENGTH = 32
const SALT_LENGTH = 32
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const HEADER_LENGTH = 1 + KEY_ID_LENGTH + SALT_LENGTH + TAG_LENGTH
const FORMAT = Buffer.of(VERSION)
const CIPHER = 'aes-256-gcm'
// Without authTagLength, Node accepts tags of four bytes.
const OPTIONS = { authTagLength: TAG_LENGTH }

export class SealBroken extends Error {
  constructor(context: SealContext, why: string) {
    super(`A sealed ${context[0]} cannot be decrypted: ${why}.`)
    this.name = 'SealBroken'
  }
}

/** Uses fresh random bytes, because a key must not share memory with the block of random bytes drawn in advance. */
export const newDataKey = (): DataKey => importDataKey(freshBytes(KEY_ID_LENGTH + KEY_LENGTH))

export const exportDataKey = ({ id, key }: DataKey): Buffer => Buffer.concat([id, key.export()])

export const importDataKey = (bytes: Buffer): DataKey => {
  if (bytes.length !== KEY_ID_LENGTH + KEY_LENGTH) throw new RangeError('a data key is 48 bytes')
  const id = Buffer.from(bytes.subarray(0, KEY_ID_LENGTH))
  return { id, key: createSecretKey(bytes.subarray(KEY_ID_LENGTH)) }
}

export const isKnownFormat = (sealed: Buffer): boolean =>
  sealed.length >= HEADER_LENGTH && sealed[0] === VERSION

/** The ID of the key that a record claims. Only decryption proves it. */
export const keyIdOf = (sealed: Buffer, context: SealContext): Buffer => {
  if (!isKnownFormat(sealed)) throw new SealBroken(context, 'its format is unknown')
  return sealed.subarray(1, 1 + KEY_ID_LENGTH)
}

/** The header of a record that a key service has encrypted. */
export const attachKeyId = (id: Buffer, ciphertext: Uint8Array): Buffer =>
  Buffer.concat([FORMAT, id, ciphertext])

export const detachKeyId = (record: Buffer, context: SealContext): Buffer => {
  keyIdOf(record, context)
  return record.subarray(1 + KEY_ID_LENGTH)
}

/**
 * RFC 5869 §2.3: HKDF-Expand to one block of SHA-256. The keys are already random, so the extract step would add
 * nothing (§3.3) and cost as much as sealing.
 */
const recordKey = (key: KeyObject, info: Buffer): KeyObject =>
  createSecretKey(createHmac('sha256', key).update(info).digest())

/**
 * The HKDF info (salt, context and block counter), and the part with the context that is the cipher's associated
 * data.
 */
const describeRecord = (salt: Buffer, context: SealContext): { info: Buffer; associated: Buffer } => {
  // A JSON array of strings is unambiguous, so two contexts never have the same bytes.
  const text = JSON.stringify(context)
  const end = SALT_LENGTH + Buffer.byteLength(text)
  const info = Buffer.allocUnsafe(end + 1)
  info.set(salt)
  info.write(text, SALT_LENGTH)
  info[end] = 1
  return { info, associated: info.subarray(SALT_LENGTH, end) }
}

export const seal = (under: DataKey, plaintext: Buffer | string, context: SealContext): Buffer => {
  const salt = randomBytes(SALT_LENGTH)
  const { info, associated } = describeRecord(salt, context)
  const cipher = createCipheriv(CIPHER, recordKey(under.key, info), salt.subarray(0, NONCE_LENGTH), OPTIONS)
  cipher.setAAD(associated)
  const ciphertext =
    typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([FORMAT, under.id, salt, cipher.getAuthTag(), ciphertext])
}

export const unseal = (under: DataKey, sealed: Buffer, context: SealContext): Buffer => {
  if (!keyIdOf(sealed, context).equals(under.id))
    throw new SealBroken(context, 'it was sealed under another key')
  const salt = sealed.subarray(1 + KEY_ID_LENGTH, HEADER_LENGTH - TAG_LENGTH)
  const tag = sealed.subarray(HEADER_LENGTH - TAG_LENGTH, HEADER_LENGTH)
  const { info, associated } = describeRecord(salt, context)
  const key = recordKey(under.key, info)
  const decipher = createDecipheriv(CIPHER, key, salt.subarray(0, NONCE_LENGTH), OPTIONS)
  decipher.setAAD(associated).setAuthTag(tag)
  // The plaintext exists before the tag is verified, and is discarded if the tag is wrong.
  const plaintext = decipher.update(sealed.subarray(HEADER_LENGTH))
  try {
    decipher.final()
    return plaintext
  } catch {
    throw new SealBroken(context, 'it was changed, or belongs to another record')
  }
}
