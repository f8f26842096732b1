import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto'
import { Secret } from './secret.ts'

/** `v1`: HMAC-SHA256 with a shared secret. `v1a`: Ed25519. */
export type SignatureVersion = 'v1' | 'v1a'

/** A secret as it is stored: `whsec_…` for `v1`, `whsk_…` for `v1a`. */
export type SigningSecret = Secret

/** `publicKey`: `whpk_…`, with which a receiver verifies `v1a`. */
export type NewSecret = { secret: SigningSecret; publicKey: string | null }

const SECRET_LENGTH = 32
const SECRET_PREFIX = 'whsec_'
const REMOVED = '[removed]'
const PRIVATE_KEY_PREFIX = 'whsk_'
const PUBLIC_KEY_PREFIX = 'whpk_'
const SEED_LENGTH = 32
/** RFC 8410: what precedes the 32 bytes of an Ed25519 key in its PKCS #8 form. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export const createSecret = (version: SignatureVersion): NewSecret => {
  if (version === 'v1')
    return {
      secret: new Secret(SECRET_PREFIX + randomBytes(SECRET_LENGTH).toString('base64')),
      publicKey: null,
    }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_LENGTH)
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEED_LENGTH)
  return {
    secret: new Secret(PRIVATE_KEY_PREFIX + seed.toString('base64')),
    publicKey: PUBLIC_KEY_PREFIX + point.toString('base64'),
  }
}

export type SignedMessage = { id: string; sentAt: Date; body: string }

export type Signer = {
  /** Returns one signature, with its version. */
  sign(content: string): string
  /** Replaces the secret in a text. */
  removeFrom(text: string): string
}

/** One signature for each secret, as Standard Webhooks 1.0 defines the header `webhook-signature`. */
export const signatureHeaders = (
  { id, sentAt, body }: SignedMessage,
  signers: readonly Signer[],
): Record<string, string> => {
  const timestamp = Math.floor(sentAt.getTime() / 1000)
  const content = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signers.map(signer => signer.sign(content)).join(' '),
  }
}

export const signerOf = (secret: SigningSecret): Signer => {
  const text = secret.reveal()
  const isPrivateKey = text.startsWith(PRIVATE_KEY_PREFIX)
  const encoded = text.slice((isPrivateKey ? PRIVATE_KEY_PREFIX : SECRET_PREFIX).length)
  const bytes = Buffer.from(encoded, 'base64')
  return {
    sign: isPrivateKey ? signWithEd25519(bytes) : signWithHmac(bytes),
    removeFrom: from => from.replaceAll(text, REMOVED).replaceAll(encoded, REMOVED),
  }
}

const signWithHmac = (bytes: Buffer): Signer['sign'] => {
  const key = createSecretKey(bytes)
  return content => `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

const signWithEd25519 = (seed: Buffer): Signer['sign'] => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  return content => `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`
}
