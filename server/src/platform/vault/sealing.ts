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
 * AES-256-GCM under a key that is derived afresh for each record, from a random salt that gives the nonce too: neither can
 * repeat. Layout: version 1 · key id 16 · salt 32 · tag 16 · ciphertext.
 */
export type DataKey = { readonly id: Buffer; readonly key: KeyObject }

/** What a record is and whose: bound into the ciphertext, so that a row moved elsewhere does not open. */
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
    super(`A sealed ${context[0]} does not open: ${why}.`)
    this.name = 'SealBroken'
  }
}

/** Not from the bytes that are fetched ahead: a key shares its memory with nothing. */
export const newDataKey = (): DataKey => importDataKey(freshBytes(KEY_ID_LENGTH + KEY_LENGTH))

export const exportDataKey = ({ id, key }: DataKey): Buffer => Buffer.concat([id, key.export()])

export const importDataKey = (bytes: Buffer): DataKey => {
  if (bytes.length !== KEY_ID_LENGTH + KEY_LENGTH) throw new RangeError('a data key is 48 bytes')
  const id = Buffer.from(bytes.subarray(0, KEY_ID_LENGTH))
  return { id, key: createSecretKey(bytes.subarray(KEY_ID_LENGTH)) }
}

export const isKnownFormat = (sealed: Buffer): boolean =>
  sealed.length >= HEADER_LENGTH && sealed[0] === VERSION

/** Which key a record says it was sealed under. Only opening it proves that. */
export const keyIdOf = (sealed: Buffer, context: SealContext): Buffer => {
  if (!isKnownFormat(sealed)) throw new SealBroken(context, 'it is not in a known format')
  return sealed.subarray(1, 1 + KEY_ID_LENGTH)
}

/**
 * RFC 5869 §2.3, HKDF-Expand to one block of SHA-256. The keys are random bits already, so that extracting first would add
 * nothing (§3.3) and cost as much as sealing does.
 */
const recordKey = (key: KeyObject, info: Buffer): KeyObject =>
  createSecretKey(createHmac('sha256', key).update(info).digest())

/** Salt, context and the counter that ends HKDF's block, and the context in it that is the cipher's associated data. */
const describeRecord = (salt: Buffer, context: SealContext): { info: Buffer; associated: Buffer } => {
  // JSON of a list of strings is unambiguous: no two contexts share their bytes.
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
  // All of the plaintext is there before the tag is judged, and none of it leaves here if it is wrong.
  const plaintext = decipher.update(sealed.subarray(HEADER_LENGTH))
  try {
    decipher.final()
    return plaintext
  } catch {
    throw new SealBroken(context, 'it was changed, or belongs to another record')
  }
}
