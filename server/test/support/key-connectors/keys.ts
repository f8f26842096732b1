import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto'
import { createCertificate } from '../certificates.ts'

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string

export const RSA = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
export const P256 = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
/** A certificate of the RSA key. */
export const RSA_CERTIFICATE = createCertificate('acme', {
  issuer: createCertificate('Authority'),
  key: createPrivateKey(RSA),
}).certificate

/** The SHA-256 thumbprint of a certificate, as RFC 7515 §4.1.8 defines it. */
export const thumbprintOf = (certificate: string): string =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url')
/** A valid key that no vendor knows. */
export const OTHER_KEYS: Record<string, string> = {
  [RSA]: pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
  [P256]: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
}

/** As Snowflake shows it in RSA_PUBLIC_KEY_FP. */
export const fingerprintOf = (privateKey: string): string =>
  `SHA256:${createHash('sha256')
    .update(createPublicKey(privateKey).export({ type: 'spki', format: 'der' }))
    .digest('base64')}`

/** The file that Google Cloud downloads for a key of a service account. */
export const serviceAccountFile = (key: string): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'acme',
    private_key_id: 'key-1',
    private_key: key,
    client_email: 'agent@acme.iam.gserviceaccount.com',
  })
