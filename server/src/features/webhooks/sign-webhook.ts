import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Secret } from '../../core/secret.ts'
import type { EndpointSignature } from './endpoint-store.ts'

/** A secret as it is stored: `whsec_…` for `v1`, `whsk_…` for `v1a`. */
export type SigningSecret = Secret

/** `publicKey`: `whpk_…`, with which a receiver verifies `v1a`. */
export type NewSecret = { secret: SigningSecret; publicKey: string | null }

const SECRET_LENGTH = 32
const PRIVATE_KEY_PREFIX = 'whsk_'
const PUBLIC_KEY_PREFIX = 'whpk_'
const SEED_LENGTH = 32
/** RFC 8410: what precedes the 32 bytes of an Ed25519 key in its PKCS #8 form. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export const createSecret = (signature: EndpointSignature): NewSecret => {
  if (signature === 'v1')
    return { secret: new Secret(`whsec_${randomBytes(SECRET_LENGTH).toString('base64')}`), publicKey: null }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_LENGTH)
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEED_LENGTH)
  return {
    secret: new Secret(PRIVATE_KEY_PREFIX + seed.toString('base64')),
    publicKey: PUBLIC_KEY_PREFIX + point.toString('base64'),
  }
}

export type SignedMessage = { id: string; sentAt: Date; body: string }

/** One signature for each secret, as Standard Webhooks 1.0 defines the header `webhook-signature`. */
export const signatureHeaders = (
  { id, sentAt, body }: SignedMessage,
  secrets: readonly SigningSecret[],
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
  'webhook-signature': secrets.map(secret => signWith(secret, { id, sentAt, body })).join(' '),
})

const signWith = (secret: SigningSecret, { id, sentAt, body }: SignedMessage): string => {
  const text = secret.reveal()
  if (!text.startsWith(PRIVATE_KEY_PREFIX)) return new Webhook(text).sign(id, sentAt, body)
  const seed = Buffer.from(text.slice(PRIVATE_KEY_PREFIX.length), 'base64')
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const signed = `${id}.${Math.floor(sentAt.getTime() / 1000)}.${body}`
  return `v1a,${sign(null, Buffer.from(signed), key).toString('base64')}`
}
