import assert from 'node:assert/strict'
import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto'
import { test } from 'node:test'
import { jwtVerify } from 'jose'
import { type JwtAlgorithm, jwsSignature, signJwt } from './jwt.ts'

/** RFC 7515 appendices A.1 to A.3 sign this payload. */
const PAYLOAD = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}'

const signingInput = (header: string): string =>
  [header, PAYLOAD].map(part => Buffer.from(part).toString('base64url')).join('.')

/** RFC 7515 §A.2.1. */
const RSA_KEY = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'RSA',
    n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
    e: 'AQAB',
    d: 'Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ',
    p: '4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc',
    q: 'uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc',
    dp: 'BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0',
    dq: 'h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU',
    qi: 'IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U',
  },
})

/** RFC 7515 §A.3.1. */
const EC_KEY = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
  },
})

/** RFC 7515 §A.1.1. */
const HMAC_KEY = createSecretKey(
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
  'base64url',
)

test('HS256 produces the signature of RFC 7515 appendix A.1', () => {
  const input = signingInput('{"typ":"JWT",\r\n "alg":"HS256"}')
  assert.equal(
    jwsSignature('HS256', HMAC_KEY, input).toString('base64url'),
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  )
})

test('RS256 produces the signature of RFC 7515 appendix A.2', () => {
  assert.equal(
    jwsSignature('RS256', RSA_KEY, signingInput('{"alg":"RS256"}')).toString('base64url'),
    'cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw',
  )
})

test('ES256 signs the input of RFC 7515 appendix A.3 in the same form as its signature', () => {
  const input = signingInput('{"alg":"ES256"}')
  const key = { key: createPublicKey(EC_KEY), dsaEncoding: 'ieee-p1363' } as const
  const fromRfc = Buffer.from(
    'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
    'base64url',
  )
  for (const signature of [fromRfc, jwsSignature('ES256', EC_KEY, input)]) {
    assert.equal(signature.length, 64)
    assert.ok(verify('sha256', Buffer.from(input), key, signature))
  }
})

test('a JWT of each algorithm is verified by another implementation', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const secret = createSecretKey(randomBytes(32))
  const keys: [JwtAlgorithm, KeyObject, KeyObject][] = [
    ['RS256', rsa.privateKey, rsa.publicKey],
    ['PS256', rsa.privateKey, rsa.publicKey],
    ['ES256', ec.privateKey, ec.publicKey],
    ['HS256', secret, secret],
  ]
  for (const [algorithm, key, verificationKey] of keys)
    for (let round = 0; round < 20; round++) {
      const claims = {
        iss: randomBytes(round).toString('latin1'),
        aud: ['https://a.example', '日本'],
        n: round,
      }
      const jwt = signJwt({ algorithm, key, header: { typ: 'JWT', kid: `key-${round}` }, claims })
      const { payload, protectedHeader } = await jwtVerify(jwt, verificationKey, { algorithms: [algorithm] })
      assert.deepEqual(payload, claims)
      assert.deepEqual(protectedHeader, { alg: algorithm, typ: 'JWT', kid: `key-${round}` })
    }
})

test('the header states the algorithm that signed, whatever the caller passes', () => {
  const jwt = signJwt({ algorithm: 'HS256', key: HMAC_KEY, header: { alg: 'none' }, claims: {} })
  assert.deepEqual(JSON.parse(Buffer.from(jwt.split('.')[0]!, 'base64url').toString()), { alg: 'HS256' })
})

test('an algorithm does not sign with a key of another type', () => {
  const keys = { RS256: EC_KEY, PS256: HMAC_KEY, ES256: RSA_KEY, HS256: RSA_KEY }
  for (const [algorithm, key] of Object.entries(keys) as [JwtAlgorithm, KeyObject][])
    assert.throws(() => signJwt({ algorithm, key, claims: {} }), /does not sign with a key of type/)
})
