import { createHash } from 'node:crypto'
import type { Secret } from '../secret.ts'

export type WsseSigning = {
  username: string
  secret: Secret
  nonce: string
  at: Date
  algorithm: 'sha1' | 'sha256'
  /** Some vendors encode the hexadecimal digits of the digest in base64 instead of its bytes. */
  digestOf: 'bytes' | 'hex_digits'
}

/** Web Services Security UsernameToken Profile 1.0 §3.1, as an HTTP header: the value of `X-WSSE`. */
export const wsseUsernameToken = (signing: WsseSigning): string => {
  const created = signing.at.toISOString().replace(/\.\d{3}Z$/, 'Z')
  const parameters = {
    Username: signing.username,
    PasswordDigest: passwordDigest(signing, created),
    Nonce: signing.nonce,
    Created: created,
  }
  const written = Object.entries(parameters).map(([name, value]) => `${name}="${quotable(value)}"`)
  return `UsernameToken ${written.join(', ')}`
}

const passwordDigest = ({ nonce, secret, algorithm, digestOf }: WsseSigning, created: string): string => {
  const digest = createHash(algorithm).update(`${nonce}${created}${secret.reveal()}`)
  return digestOf === 'bytes' ? digest.digest('base64') : Buffer.from(digest.digest('hex')).toString('base64')
}

/** RFC 9110 §5.6.4. */
const quotable = (text: string): string => text.replaceAll(/["\\]/g, '\\$&')
