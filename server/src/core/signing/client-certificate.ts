import { type KeyObject, X509Certificate } from 'node:crypto'
import { pemBlocks } from './pem.ts'

export const CERTIFICATE_PROBLEMS = [
  'not_a_certificate',
  'private_key',
  'wrong_key',
  'expired',
  'not_yet_valid',
] as const

export type CertificateProblem = (typeof CERTIFICATE_PROBLEMS)[number]

const MAX_CHAIN_LENGTH = 10

/**
 * Reads the certificate of a private key, and the others of its chain, in any order and possibly beside the key itself. Returns them in
 * PEM, that of the key first, as TLS requires (RFC 8446 §4.4.2).
 */
export const readClientCertificate = (
  text: string,
  key: KeyObject,
  now: Date,
): { pem: string } | { problem: CertificateProblem } => {
  const blocks = pemBlocks(text)
  const texts = blocks.filter(({ label }) => label === 'CERTIFICATE')
  if (texts.length === 0 && blocks.some(({ label }) => label.endsWith('PRIVATE KEY')))
    return { problem: 'private_key' }
  const chain = texts.slice(0, MAX_CHAIN_LENGTH).map(({ content }) => parse(content))
  if (chain.length === 0 || !chain.every(certificate => certificate !== undefined))
    return { problem: 'not_a_certificate' }
  // A renewed certificate has the same key, and may be in the same file.
  const own = chain
    .filter(certificate => certificate.checkPrivateKey(key))
    .toSorted(byEnd)
    .at(-1)
  if (!own) return { problem: 'wrong_key' }
  if (now > own.validToDate) return { problem: 'expired' }
  if (now < own.validFromDate) return { problem: 'not_yet_valid' }
  const others = chain.filter(certificate => !certificate.checkPrivateKey(key))
  return { pem: [own, ...others].map(certificate => certificate.toString()).join('') }
}

/** When the first certificate of a PEM text ends, which is the certificate of the client. */
export const certificateEnd = (pem: string): Date => new X509Certificate(pem).validToDate

const byEnd = (a: X509Certificate, b: X509Certificate): number =>
  a.validToDate.getTime() - b.validToDate.getTime()

const parse = (content: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(Buffer.from(content, 'base64'))
  } catch {
    // The error of OpenSSL is dropped: it adds nothing for the person who pasted the certificate.
    return undefined
  }
}
