import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto'
import { derivePrivateKey } from './installation-key.ts'

/** RFC 8037 §2. */
export type ReceiptJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }

/** Signs the receipts of approvals. Derived from the signing key of the vault, like the installation key. */
export type ReceiptKey = { publicKey: ReceiptJwk; sign(text: string): Buffer }

export const deriveReceiptKey = (root: KeyObject): ReceiptKey => {
  const key = derivePrivateKey(root, 'Ed25519', 'receipts')
  const required = {
    crv: 'Ed25519',
    kty: 'OKP',
    x: createPublicKey(key).export({ format: 'jwk' }).x as string,
  } as const
  // RFC 7638 §3: the required members in lexicographic order.
  const kid = hash('sha256', JSON.stringify(required), 'base64url')
  return {
    publicKey: { ...required, kid, alg: 'EdDSA', use: 'sig' },
    sign: text => sign(null, Buffer.from(text), key),
  }
}
