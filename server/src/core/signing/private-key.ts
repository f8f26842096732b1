import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { type PemBlock, pemBlocks } from './pem.ts'

export type ExpectedKey = { type: 'rsa' } | { type: 'ec'; curve: 'P-256' }

export const PRIVATE_KEY_PROBLEMS = [
  'encrypted',
  'public_key',
  'certificate',
  'wrong_type',
  'too_small',
  'too_large',
  'wrong_curve',
  'not_a_key',
] as const

export type PrivateKeyProblem = (typeof PRIVATE_KEY_PROBLEMS)[number]

/** NIST SP 800-131A: shorter RSA keys are not acceptable for new signatures. */
const MIN_RSA_BITS = 2048
/** A signature with a longer key would block the process for a noticeable time. */
const MAX_RSA_BITS = 8192
const OPENSSL_CURVES = { 'P-256': 'prime256v1' } as const
const DER_TYPES: Record<string, 'pkcs1' | 'pkcs8' | 'sec1'> = {
  'PRIVATE KEY': 'pkcs8',
  'RSA PRIVATE KEY': 'pkcs1',
  'EC PRIVATE KEY': 'sec1',
}

/**
 * Reads a private key as people paste it: PEM in PKCS #8, PKCS #1 or SEC 1, with any line ends or none, with `\n` as two
 * characters and quotes as in a JSON or environment file, possibly beside the certificate of the key.
 */
export const readPrivateKey = (
  text: string,
  expected: ExpectedKey,
): { key: KeyObject } | { problem: PrivateKeyProblem } => {
  const blocks = pemBlocks(text)
  const block = blocks.find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (!block) return { problem: problemWithoutKey(text, blocks) }
  if (isEncrypted(block)) return { problem: 'encrypted' }
  const key = parseKey(block)
  if (!key) return { problem: 'not_a_key' }
  const problem = mismatch(key, expected)
  return problem ? { problem } : { key }
}

/** The first certificate of a PEM text. Undefined if it contains none that can be parsed. */
export const readCertificate = (text: string): X509Certificate | undefined => {
  const block = pemBlocks(text).find(({ label }) => label === 'CERTIFICATE')
  try {
    return block && new X509Certificate(Buffer.from(block.content, 'base64'))
  } catch {
    return undefined
  }
}

/** RFC 7515 §4.1.7 and §4.1.8: the header parameters `x5t` and `x5t#S256`. */
export const certificateThumbprints = ({ raw }: X509Certificate): { x5t: string; 'x5t#S256': string } => ({
  x5t: createHash('sha1').update(raw).digest('base64url'),
  'x5t#S256': createHash('sha256').update(raw).digest('base64url'),
})

/** `SHA256:` and the digest of the public key, as Snowflake names keys. */
export const publicKeyFingerprint = (key: KeyObject): string => {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return `SHA256:${createHash('sha256').update(spki).digest('base64')}`
}

const problemWithoutKey = (text: string, blocks: readonly PemBlock[]): PrivateKeyProblem => {
  if (blocks.some(({ label }) => label === 'CERTIFICATE')) return 'certificate'
  const isPublic =
    blocks.some(({ label }) => label.endsWith('PUBLIC KEY')) || /^\W*(?:ssh-|ecdsa-)[\w-]+ /.test(text)
  return isPublic ? 'public_key' : 'not_a_key'
}

/** RFC 1421 §4.6.1.1: traditional PEM states encryption in a header. PKCS #8 states it in the label. */
const isEncrypted = ({ label, content }: PemBlock): boolean =>
  label === 'ENCRYPTED PRIVATE KEY' || /^\s*Proc-Type:\s*4,\s*ENCRYPTED/.test(content)

const parseKey = ({ label, content }: PemBlock): KeyObject | undefined => {
  const type = DER_TYPES[label]
  // Node ignores characters that are not base64, so that damaged text could pass as another key.
  if (!type || !/^[A-Za-z0-9+/=\s]+$/.test(content)) return undefined
  try {
    return createPrivateKey({ key: Buffer.from(content, 'base64'), format: 'der', type })
  } catch {
    // The error of OpenSSL is dropped: it adds nothing for the person who pasted the key.
    return undefined
  }
}

const mismatch = (key: KeyObject, expected: ExpectedKey): PrivateKeyProblem | undefined => {
  if (key.asymmetricKeyType !== expected.type) return 'wrong_type'
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (expected.type === 'ec') return namedCurve === OPENSSL_CURVES[expected.curve] ? undefined : 'wrong_curve'
  if (modulusLength < MIN_RSA_BITS) return 'too_small'
  return modulusLength > MAX_RSA_BITS ? 'too_large' : undefined
}
