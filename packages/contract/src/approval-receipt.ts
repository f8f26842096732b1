// This module loads no schemas, so that the command line can verify receipts.

import type { CallerType } from './approval-resources.ts'

export const RECEIPT_FORMAT = 'carabiner-receipt-v1'
/** Where an installation publishes the keys that verify its receipts, as a JWK set (RFC 7517). */
export const RECEIPT_KEYS_PATH = '/.well-known/carabiner-receipts.json'

/** What a receipt states. It contains neither arguments nor the call digest, with which arguments could be guessed. */
export type ReceiptPayload = {
  format: typeof RECEIPT_FORMAT
  approval_id: string
  approval_digest: string
  decision: 'approve'
  decided_at: string
  organization: { id: string; name: string }
  person: { id: string; name: string; email: string }
  call: {
    mode: 'production' | 'test'
    registered_user_id: string
    tool_pack_id: string
    connector_slug: string
    tool: string
    credential_id: string | null
    account_label: string | null
    requested_by: { type: CallerType; id: string }
    requested_at: string
  }
  passkey: {
    credential_id: string
    public_key: PasskeyPublicKey
    rp_id: string
    origin: string
  }
  /** As in the decision: unpadded base64url. */
  assertion: { client_data_json: string; authenticator_data: string; signature: string }
}

/** A JSON Web Key (RFC 7517, RFC 8037) whose algorithm a passkey can have. */
export type PasskeyPublicKey =
  | { kty: 'EC'; crv: 'P-256'; alg: 'ES256'; x: string; y: string }
  | { kty: 'OKP'; crv: 'Ed25519'; alg: 'EdDSA'; x: string }
  | { kty: 'RSA'; alg: 'RS256'; n: string; e: string }
