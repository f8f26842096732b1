import assert from 'node:assert/strict'
import { createHash, createSecretKey, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import {
  createArchiveKeyFor,
  deriveInstallationKey,
  isSignatureOf,
  type PublicKey,
  parsePublicKey,
} from './installation-key.ts'
import { exportDataKey } from './sealing.ts'

const root = createSecretKey(randomBytes(32))
const installation = deriveInstallationKey(root)
const other = deriveInstallationKey(createSecretKey(randomBytes(32)))
const parsed = parsePublicKey(`${installation.publicKey.text}\n`) as PublicKey

it('the same signing key yields the same installation key, another one does not', () => {
  assert.equal(deriveInstallationKey(root).publicKey.text, installation.publicKey.text)
  assert.notEqual(other.publicKey.text, installation.publicKey.text)
})

it('only the recipient derives the key of an archive, and each archive has another key', () => {
  const [first, second] = [createArchiveKeyFor(parsed), createArchiveKeyFor(parsed)]
  const keyOf = ({ ephemeral }: typeof first, by = installation) =>
    exportDataKey(by.openArchiveKey(ephemeral)).toString('hex')
  assert.equal(keyOf(first), exportDataKey(first.key).toString('hex'))
  assert.notEqual(keyOf(first), keyOf(second))
  assert.notEqual(keyOf(first, other), keyOf(first))
})

it('a signature is valid for its signer and its digest only', () => {
  const digest = createHash('sha256').update('archive').digest()
  const signature = installation.sign(digest)
  assert.ok(isSignatureOf(parsed, digest, signature))
  assert.ok(!isSignatureOf(other.publicKey, digest, signature))
  assert.ok(!isSignatureOf(parsed, createHash('sha256').update('else').digest(), signature))
  assert.ok(!isSignatureOf(parsed, digest, signature.subarray(1)))
})

it('texts that are not a public key are rejected', () => {
  const { text } = installation.publicKey
  for (const wrong of [
    '',
    'x',
    text.slice(0, -1),
    `${text}A`,
    text.replace('v1', 'v2'),
    text.replace(':', ''),
  ])
    assert.equal(parsePublicKey(wrong), null, wrong)
})
