import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import type { ReceiptPayload } from '@carabiner/contract/approval-receipt'
import { calculateJwkThumbprint, flattenedVerify, importJWK } from 'jose'
import { deriveInstallationKey } from '../../../platform/vault/installation-key.ts'
import { deriveReceiptKey } from '../../../platform/vault/receipt-key.ts'
import { signReceipt } from './sign-receipt.ts'

const root = createSecretKey(randomBytes(32))
const key = deriveReceiptKey(root)
const statement = { approval_id: '1', person: { id: '2', name: 'Zoë', email: 'zoe@example.com' } }
const receipt = signReceipt(key, statement as Omit<ReceiptPayload, 'format'>)

it('a receipt is a JSON Web Signature that other tools verify, with the published key only [approval.receipt]', async () => {
  const { payload, protectedHeader } = await flattenedVerify(receipt, await importJWK(key.publicKey))
  assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), {
    format: 'carabiner-receipt-v1',
    ...statement,
  })
  assert.equal(protectedHeader?.kid, await calculateJwkThumbprint(key.publicKey))
  const other = deriveReceiptKey(createSecretKey(randomBytes(32))).publicKey
  await assert.rejects(flattenedVerify(receipt, await importJWK(other)), {
    code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  })
})

it('the key that signs receipts stays the same, is public only, and signs nothing else', () => {
  assert.deepEqual(deriveReceiptKey(root).publicKey, key.publicKey)
  assert.deepEqual(Object.keys(key.publicKey).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  const { verification } = deriveInstallationKey(root).publicKey
  assert.notEqual(verification.export({ format: 'jwk' }).x, key.publicKey.x)
})
