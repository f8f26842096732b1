import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export type TestCertificate = { certificate: string; privateKey: string; key: KeyObject; name: string }

const DAY_MS = 86_400_000

const der = (tag: number, ...parts: (Buffer | number[])[]): Buffer => {
  const content = Buffer.concat(parts.map(part => Buffer.from(part)))
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const COMMON_NAME = [0x55, 0x04, 0x03]
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11]
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13]
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]

const nameOf = (name: string): Buffer =>
  sequence(der(0x31, sequence(der(0x06, COMMON_NAME), der(0x0c, Buffer.from(name)))))

/** RFC 5280 §4.1.2.5.1, for years before 2050. */
const timeOf = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))

/**
 * A certificate (RFC 5280) with a new P-256 key or the given one, signed by itself or by `issuer`, which has a P-256 key. It is also a certificate authority. `name`: its common name and
 * its host name.
 */
export const createCertificate = (
  name: string,
  {
    issuer,
    validDays = 30,
    startsInDays = Math.min(validDays, 0) - 2,
    key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  }: { issuer?: TestCertificate; validDays?: number; startsInDays?: number; key?: KeyObject } = {},
): TestCertificate => {
  const algorithm = sequence(der(0x06, ECDSA_WITH_SHA256))
  const end = Date.now() + validDays * DAY_MS
  const extensions = sequence(
    sequence(der(0x06, BASIC_CONSTRAINTS), der(0x04, sequence(der(0x01, [0xff])))),
    sequence(der(0x06, SUBJECT_ALT_NAME), der(0x04, sequence(der(0x82, Buffer.from(name))))),
  )
  const toSign = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1 + Math.floor(Math.random() * 126)]),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(timeOf(new Date(Date.now() + startsInDays * DAY_MS)), timeOf(new Date(end))),
    nameOf(name),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, [0], sign('sha256', toSign, issuer?.key ?? key))
  const base64 = sequence(toSign, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g)?.join('\n')
  return {
    name,
    key,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
