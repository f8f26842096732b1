import type { PasskeyPublicKey } from '@carabiner/contract/approval-receipt'

/** RFC 9052 §7 and RFC 9053 §7: the labels of a COSE key. */
const KEY_TYPE = 1
const CURVE_OR_MODULUS = -1
const X_OR_EXPONENT = -2
const Y = -3
const OKP = 1
const EC2 = 2
const RSA = 3
const P_256 = 1
const ED25519 = 6

/** The key of a passkey as a JSON Web Key. Null: another algorithm than those that a passkey is registered with. */
export const toJwk = (cose: ReadonlyMap<number, unknown>): PasskeyPublicKey | null => {
  const bytesOf = (label: number): string => Buffer.from(cose.get(label) as Uint8Array).toString('base64url')
  const curve = cose.get(CURVE_OR_MODULUS)
  switch (cose.get(KEY_TYPE)) {
    case EC2:
      if (curve !== P_256) return null
      return { kty: 'EC', crv: 'P-256', alg: 'ES256', x: bytesOf(X_OR_EXPONENT), y: bytesOf(Y) }
    case OKP:
      if (curve !== ED25519) return null
      return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', x: bytesOf(X_OR_EXPONENT) }
    case RSA:
      return { kty: 'RSA', alg: 'RS256', n: bytesOf(CURVE_OR_MODULUS), e: bytesOf(X_OR_EXPONENT) }
    default:
      return null
  }
}
