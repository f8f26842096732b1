import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from './secret.ts'
import { signatureHeaders, signerOf } from './webhook-signature.ts'

test('v1 is the signature of the example of Standard Webhooks', () => {
  const signer = signerOf(new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'))
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    sentAt: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
  }
  assert.deepEqual(signatureHeaders(message, [signer]), {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

/** RFC 8032 §7.1: secret key, message and signature. */
const VECTORS = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    'r',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
] as const

test('v1a is the Ed25519 signature of RFC 8032', () => {
  for (const [seed, content, signature] of VECTORS) {
    const signer = signerOf(new Secret(`whsk_${Buffer.from(seed, 'hex').toString('base64')}`))
    assert.equal(signer.sign(content), `v1a,${Buffer.from(signature, 'hex').toString('base64')}`)
  }
})
