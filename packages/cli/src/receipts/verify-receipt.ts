import { createPublicKey, hash, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { RECEIPT_FORMAT, type ReceiptPayload } from '@carabiner/contract/approval-receipt'

/** A flattened JSON Web Signature. */
export type Receipt = { payload: string; protected: string; signature: string }
/** What the digest of an approval is computed from, as `GET /approvals/{id}/call` returns it. */
export type FrozenCall = { frozen_call: string; nonce: string }

export type Check = {
  name: 'installation' | 'passkey' | 'approval' | 'site' | 'person' | 'call'
  passed: boolean
  /** What has been found. */
  text: string
}

/** Null: the payload is not one of a receipt. */
export const readPayload = ({ payload }: Receipt): ReceiptPayload | null => {
  try {
    const value = decode(payload) as ReceiptPayload
    const texts = [
      value.approval_id,
      value.approval_digest,
      value.decided_at,
      value.organization.id,
      value.organization.name,
      value.person.id,
      value.person.name,
      value.person.email,
      value.call.connector_slug,
      value.call.tool,
      value.call.registered_user_id,
      value.passkey.credential_id,
      value.passkey.public_key.kty,
      value.passkey.rp_id,
      value.passkey.origin,
      value.assertion.client_data_json,
      value.assertion.authenticator_data,
      value.assertion.signature,
    ]
    const isComplete =
      value.format === RECEIPT_FORMAT &&
      value.decision === 'approve' &&
      texts.every(text => typeof text === 'string')
    return isComplete ? value : null
  } catch {
    return null
  }
}

/** Everything that a receipt states is checked on its own, so that a person sees which part is wrong. */
export const verifyReceipt = (
  receipt: Receipt,
  payload: ReceiptPayload,
  keys: readonly JsonWebKey[],
  call: FrozenCall | null,
): Check[] => [
  check(
    'installation',
    isSignedBy(receipt, keys),
    'The installation signed the receipt.',
    'The receipt was not signed with this key of the installation.',
  ),
  check(
    'passkey',
    isPasskeySignature(payload),
    'The passkey made its signature.',
    'The signature was not made with the passkey.',
  ),
  check(
    'approval',
    isAbout(payload),
    'The passkey signed this approval.',
    'The passkey signed something else than this approval.',
  ),
  check(
    'site',
    isForSite(payload),
    `The passkey signed on ${payload.passkey.origin}.`,
    `The passkey did not sign on ${payload.passkey.origin}.`,
  ),
  check(
    'person',
    isPersonVerified(payload),
    'The passkey verified the person, by PIN, fingerprint or face.',
    'The passkey did not verify the person.',
  ),
  ...(call
    ? [
        check(
          'call',
          isApprovedCall(payload, call),
          'The call in the file is the approved call.',
          'The call in the file is not the approved call.',
        ),
      ]
    : []),
]

const check = (name: Check['name'], passed: boolean, found: string, problem: string): Check => ({
  name,
  passed,
  text: passed ? found : problem,
})

/** False if the input is malformed. */
const holds = (test: () => boolean): boolean => {
  try {
    return test()
  } catch {
    return false
  }
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url')
const decode = (text: string): unknown => JSON.parse(bytesOf(text).toString('utf8'))
const sha256 = (...parts: (string | Buffer)[]): Buffer =>
  hash('sha256', Buffer.concat(parts.map(part => Buffer.from(part as string))), 'buffer')
const importKey = (key: JsonWebKey): KeyObject => createPublicKey({ key, format: 'jwk' })

/** RFC 8037 §3.1. The algorithm is not taken from the receipt. */
const isSignedBy = (receipt: Receipt, keys: readonly JsonWebKey[]): boolean =>
  keys.some(key =>
    holds(() => {
      const text = Buffer.from(`${receipt.protected}.${receipt.payload}`)
      return (
        key.kty === 'OKP' &&
        key.crv === 'Ed25519' &&
        verify(null, text, importKey(key), bytesOf(receipt.signature))
      )
    }),
  )

/** The algorithms of passkeys. Null: the algorithm includes its hash. */
const DIGESTS: Partial<Record<string, string | null>> = {
  'EC ES256': 'sha256',
  'RSA RS256': 'sha256',
  'OKP EdDSA': null,
}

/** Web Authentication Level 3, §7.2, steps 20 and 21. */
const isPasskeySignature = ({ passkey, assertion }: ReceiptPayload): boolean =>
  holds(() => {
    const signed = [bytesOf(assertion.authenticator_data), sha256(bytesOf(assertion.client_data_json))]
    const { kty, alg } = passkey.public_key
    const digest = DIGESTS[`${kty} ${alg}`]
    const key = importKey(passkey.public_key)
    return digest !== undefined && verify(digest, Buffer.concat(signed), key, bytesOf(assertion.signature))
  })

const clientDataOf = ({ assertion }: ReceiptPayload) =>
  decode(assertion.client_data_json) as { type: unknown; challenge: unknown; origin: unknown }

const isAbout = (payload: ReceiptPayload): boolean =>
  holds(() => {
    const { type, challenge } = clientDataOf(payload)
    const digest = Buffer.from(payload.approval_digest, 'hex')
    return type === 'webauthn.get' && digest.length === 32 && challenge === digest.toString('base64url')
  })

const RP_ID_HASH_LENGTH = 32
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

/** A passkey is bound to a domain, and the browser adds the origin of the page. */
const isForSite = (payload: ReceiptPayload): boolean =>
  holds(() => {
    const { rp_id: rpId, origin } = payload.passkey
    const rpIdHash = bytesOf(payload.assertion.authenticator_data).subarray(0, RP_ID_HASH_LENGTH)
    return clientDataOf(payload).origin === origin && rpIdHash.equals(sha256(rpId))
  })

const isPersonVerified = ({ assertion }: ReceiptPayload): boolean => {
  const flags = bytesOf(assertion.authenticator_data)[RP_ID_HASH_LENGTH] ?? 0
  return (flags & USER_PRESENT) !== 0 && (flags & USER_VERIFIED) !== 0
}

const isApprovedCall = (payload: ReceiptPayload, { frozen_call: text, nonce }: FrozenCall): boolean =>
  holds(() => {
    const frozen = JSON.parse(text)
    const digest = sha256(payload.approval_id, Buffer.from(nonce, 'hex'), sha256(text))
    return (
      digest.toString('hex') === payload.approval_digest &&
      frozen.organizationId === payload.organization.id &&
      frozen.registeredUserId === payload.call.registered_user_id &&
      frozen.connector === payload.call.connector_slug &&
      frozen.tool === payload.call.tool
    )
  })
