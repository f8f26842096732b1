import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { PasskeyAssertion } from '@carabiner/contract'
import { newUuid } from '../../src/core/uuid.ts'
import type { TestService } from './test-service.ts'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

export type SoftwarePasskey = {
  credentialId: string
  /** Signs as an authenticator would. What is wrong can be chosen. */
  sign(challenge: Buffer, signed?: Signed): PasskeyAssertion
}
type Signed = { origin?: string; rpId?: string; type?: string; isUserVerified?: boolean; counter?: number }
type Algorithm = 'ES256' | 'RS256' | 'EdDSA'

/** Adds a passkey to a person that this process holds, as better-auth stores it. */
export const addPasskey = async (
  t: Pick<TestService, 'query' | 'baseUrl'>,
  personId: string,
  algorithm: Algorithm = 'ES256',
): Promise<SoftwarePasskey> => {
  const { publicKey, privateKey } = generate(algorithm)
  const credentialId = randomBytes(16).toString('base64url')
  await t.query(
    `insert into people_passkeys (id, user_id, name, public_key, credential_id, counter, device_type, backed_up)
     values ($1, $2, 'Test', $3, $4, 0, 'singleDevice', false)`,
    [newUuid(), personId, coseOf(publicKey).toString('base64'), credentialId],
  )
  const own = new URL(t.baseUrl)
  return {
    credentialId,
    sign: (challenge, signed = {}) => {
      const {
        origin = own.origin,
        rpId = own.hostname,
        type = 'webauthn.get',
        isUserVerified = true,
        counter = 0,
      } = signed
      const clientData = Buffer.from(
        JSON.stringify({ type, challenge: challenge.toString('base64url'), origin, crossOrigin: false }),
      )
      const tail = Buffer.alloc(5)
      tail.writeUInt8(USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0))
      tail.writeUInt32BE(counter, 1)
      const authenticatorData = Buffer.concat([hash('sha256', rpId, 'buffer'), tail])
      const text = Buffer.concat([authenticatorData, hash('sha256', clientData, 'buffer')])
      return {
        credential_id: credentialId,
        client_data_json: clientData.toString('base64url'),
        authenticator_data: authenticatorData.toString('base64url'),
        signature: sign(algorithm === 'EdDSA' ? null : 'sha256', text, privateKey).toString('base64url'),
      }
    },
  }
}

const generate = (algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } => {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 })
    case 'EdDSA':
      return generateKeyPairSync('ed25519')
  }
}

/** RFC 9052 §7: a CBOR map of small integers and byte strings. */
const coseOf = (key: KeyObject): Buffer => {
  const { kty, x, y, n, e } = key.export({ format: 'jwk' })
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url')
  if (kty === 'EC') return cborMap([1, 2], [3, -7], [-1, 1], [-2, bytes(x)], [-3, bytes(y)])
  if (kty === 'OKP') return cborMap([1, 1], [3, -8], [-1, 6], [-2, bytes(x)])
  return cborMap([1, 3], [3, -257], [-1, bytes(n)], [-2, bytes(e)])
}

const cborMap = (...entries: [label: number, value: number | Buffer][]): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat().map(cborItem)])

const cborItem = (value: number | Buffer): Buffer => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  return Buffer.concat([head(2, value.length), value])
}

const head = (major: number, argument: number): Buffer => {
  if (argument < 24) return Buffer.from([(major << 5) | argument])
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument])
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 0xff])
}
