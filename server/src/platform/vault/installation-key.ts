import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { type DataKey, importDataKey } from './sealing.ts'

/**
 * The public key of an installation, as operators exchange it: an X25519 key that archives are encrypted for, and an Ed25519 key that
 * verifies the archives that the installation has written.
 */
export type PublicKey = { text: string; encryption: KeyObject; verification: KeyObject }

/** The private key of an installation. It is derived from the signing key of the vault, so there is nothing else to store or rotate. */
export type InstallationKey = {
  publicKey: PublicKey
  /** The key of an archive that was encrypted for this installation. */
  openArchiveKey(ephemeral: Buffer): DataKey
  sign(digest: Buffer): Buffer
}

const PREFIX = 'carabiner-installation-v1:'
const FORMAT = new RegExp(`^${PREFIX}([A-Za-z0-9_-]{86})$`)
const RAW_LENGTH = 32
const DATA_KEY_LENGTH = 48
const SIGNATURE_CONTEXT = Buffer.from('carabiner-archive-signature-v1\n')
type Curve = 'X25519' | 'Ed25519'
/** RFC 8410 §7: the private key information of both curves, before the 32 bytes of the key. */
const PRIVATE_PREFIX: Record<Curve, Buffer> = {
  X25519: Buffer.from('302e020100300506032b656e04220420', 'hex'),
  Ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
}

export const deriveInstallationKey = (root: KeyObject): InstallationKey => {
  const encryption = derivePrivateKey(root, 'X25519', 'installation')
  const signing = derivePrivateKey(root, 'Ed25519', 'installation')
  const own = describePublic(createPublicKey(encryption), createPublicKey(signing))
  return {
    publicKey: own,
    openArchiveKey: ephemeral =>
      agree(encryption, readPublic('X25519', ephemeral), ephemeral, rawPublic(own.encryption)),
    sign: digest => sign(null, Buffer.concat([SIGNATURE_CONTEXT, digest]), signing),
  }
}

/** Null if the text is not a public key of an installation. */
export const parsePublicKey = (text: string): PublicKey | null => {
  const [, encoded] = FORMAT.exec(text.trim()) ?? []
  if (encoded === undefined) return null
  const bytes = Buffer.from(encoded, 'base64url')
  return describePublic(
    readPublic('X25519', bytes.subarray(0, RAW_LENGTH)),
    readPublic('Ed25519', bytes.subarray(RAW_LENGTH)),
  )
}

/** A new key for an archive that only the installation with this public key can read, and what it needs for that. */
export const createArchiveKeyFor = ({ encryption }: PublicKey): { key: DataKey; ephemeral: Buffer } => {
  const pair = generateKeyPairSync('x25519')
  const ephemeral = rawPublic(pair.publicKey)
  return { key: agree(pair.privateKey, encryption, ephemeral, rawPublic(encryption)), ephemeral }
}

export const isSignatureOf = ({ verification }: PublicKey, digest: Buffer, signature: Buffer): boolean =>
  verify(null, Buffer.concat([SIGNATURE_CONTEXT, digest]), verification, signature)

/** RFC 7748 §6.1 and RFC 5869. Both public keys are part of the derivation, so the key belongs to this pair only. */
const agree = (
  privateKey: KeyObject,
  publicKey: KeyObject,
  ephemeral: Buffer,
  recipient: Buffer,
): DataKey => {
  const shared = diffieHellman({ privateKey, publicKey })
  const salt = Buffer.concat([ephemeral, recipient])
  return importDataKey(Buffer.from(hkdfSync('sha256', shared, salt, 'carabiner-archive-v1', DATA_KEY_LENGTH)))
}

/** Each purpose has its own key. */
export const derivePrivateKey = (root: KeyObject, curve: Curve, purpose: string): KeyObject => {
  const seed = Buffer.from(
    hkdfSync('sha256', root, Buffer.alloc(RAW_LENGTH), `${purpose}:${curve}`, RAW_LENGTH),
  )
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX[curve], seed]), format: 'der', type: 'pkcs8' })
}

const readPublic = (curve: Curve, bytes: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: curve, x: bytes.toString('base64url') }, format: 'jwk' })

const rawPublic = (key: KeyObject): Buffer =>
  Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url')

const describePublic = (encryption: KeyObject, verification: KeyObject): PublicKey => ({
  text: PREFIX + Buffer.concat([rawPublic(encryption), rawPublic(verification)]).toString('base64url'),
  encryption,
  verification,
})
