import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { it } from 'node:test'
import { readKeyField } from './read-key-field.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const field = { name: 'key', label: 'Key', secret: true, private_key: { type: 'rsa' } } as const
const file = {
  ...field,
  private_key: { type: 'rsa', file: { key: '/private_key', values: { email: '/client_email' } } },
} as const

it('reads a key in PEM', () => assert.deepEqual(readKeyField(field, PEM), { values: { key: PEM } }))

it('reads the key and the named values of a vendor’s file', () => {
  const text = JSON.stringify({ private_key: PEM, client_email: 'bot@acme.example', other: 'x' })
  assert.deepEqual(readKeyField(file, text), { values: { key: PEM, email: 'bot@acme.example' } })
})

it('names what is wrong with a key or a file', () => {
  const problem = (...args: Parameters<typeof readKeyField>) => {
    const read = readKeyField(...args)
    return 'problem' in read && read.problem
  }
  const encrypted = privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  })
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  assert.equal(problem(field, 'hello'), 'not_a_key')
  assert.equal(problem(field, encrypted as string), 'encrypted')
  assert.equal(problem(field, publicKey.export({ type: 'spki', format: 'pem' }) as string), 'public_key')
  assert.equal(problem(field, small.export({ type: 'pkcs8', format: 'pem' }) as string), 'too_small')
  assert.equal(problem({ ...field, private_key: { type: 'p256' } }, PEM), 'wrong_type')
  assert.equal(problem(file, PEM), 'wrong_file')
  assert.equal(problem(file, JSON.stringify({ private_key: PEM })), 'wrong_file')
})
