import { constants, createHmac, type KeyObject, sign } from 'node:crypto'

/** RFC 7518 §3.1. */
export type JwtAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'HS256'

export type UnsignedJwt = {
  algorithm: JwtAlgorithm
  /** A private key, or a secret key for HS256. */
  key: KeyObject
  /** Added to `alg`, which the algorithm determines. */
  header?: Record<string, unknown>
  claims: Record<string, unknown>
}

/** A JWT in the compact serialization of RFC 7515. */
export const signJwt = ({ algorithm, key, header, claims }: UnsignedJwt): string => {
  const input = `${encode({ ...header, alg: algorithm })}.${encode(claims)}`
  return `${input}.${jwsSignature(algorithm, key, input).toString('base64url')}`
}

/** RFC 7515 §5.1, steps 5 and 6: the signature of `<header>.<payload>`. */
export const jwsSignature = (algorithm: JwtAlgorithm, key: KeyObject, input: string): Buffer => {
  const keyType = key.asymmetricKeyType ?? key.type
  if (keyType !== KEY_TYPES[algorithm])
    throw new Error(`${algorithm} does not sign with a key of type ${keyType}`)
  const bytes = Buffer.from(input)
  switch (algorithm) {
    case 'HS256':
      return createHmac('sha256', key).update(bytes).digest()
    case 'RS256':
      return sign('sha256', bytes, key)
    case 'PS256':
      return sign('sha256', bytes, {
        key,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: PSS_SALT_LENGTH,
      })
    case 'ES256':
      return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
  }
}

const KEY_TYPES: Record<JwtAlgorithm, string> = { HS256: 'secret', RS256: 'rsa', PS256: 'rsa', ES256: 'ec' }

/** RFC 7518 §3.5: the salt is as long as the digest. */
const PSS_SALT_LENGTH = 32

const encode = (value: Record<string, unknown>): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')
