import assert from 'node:assert/strict'
import { createCipheriv, createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  exportDataKey,
  importDataKey,
  newDataKey,
  SealBroken,
  type SealContext,
  seal,
  unseal,
} from './sealing.ts'

const key = newDataKey()
const CONTEXT: SealContext = ['credential', 'organization', 'user', 'notes', 'secret']
const PLAINTEXT = 'an access token'
const [SALT_AT, TAG_AT, TEXT_AT] = [17, 49, 65]

describe('a sealed record', () => {
  const sealed = seal(key, PLAINTEXT, CONTEXT)

  it('decrypts with its key and context, whatever its content', () => {
    for (const text of ['', 'x', PLAINTEXT, 'é\0\u{1F511}', 'x'.repeat(100_000)])
      assert.equal(unseal(key, seal(key, text, CONTEXT), CONTEXT).toString('utf8'), text)
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    assert.deepEqual(unseal(key, seal(key, bytes, CONTEXT), CONTEXT), bytes)
  })

  it('reveals nothing of its content, and names its key', () => {
    assert.ok(!sealed.includes(PLAINTEXT))
    assert.ok(sealed.includes(key.id))
    assert.ok(!sealed.includes(key.key.export()))
  })

  it('does not decrypt after any bit was flipped', () => {
    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(sealed)
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        assert.throws(() => unseal(key, changed, CONTEXT), SealBroken, `byte ${at}, bit ${bit}`)
      }
    }
  })

  it('does not decrypt when bytes are missing', () => {
    for (let length = 0; length < sealed.length; length++)
      assert.throws(() => unseal(key, sealed.subarray(0, length), CONTEXT), SealBroken, `${length} bytes`)
    for (let at = 0; at < sealed.length; at++) {
      const shorter = Buffer.concat([sealed.subarray(0, at), sealed.subarray(at + 1)])
      assert.throws(() => unseal(key, shorter, CONTEXT), SealBroken, `without byte ${at}`)
    }
    assert.throws(() => unseal(key, Buffer.concat([sealed, Buffer.of(0)]), CONTEXT), SealBroken)
  })

  it('does not decrypt in another context, nor in one with the same text', () => {
    const others: SealContext[] = [
      ['revocation', ...CONTEXT.slice(1)],
      ['credential', 'organization', 'user', 'notes', 'other'],
      ['credential', 'user', 'organization', 'notes', 'secret'],
      ['credential', 'organization', 'user', 'notes'],
      [...CONTEXT, ''],
      ['credential', 'organization","user', 'notes', 'secret'],
      ['credential', 'organizationuser', 'notes', 'secret'],
      [CONTEXT.join('","')],
    ]
    for (const context of others)
      assert.throws(() => unseal(key, sealed, context), SealBroken, context.join())
  })

  it('does not decrypt with another key, even one with the same ID', () => {
    const other = newDataKey()
    assert.throws(() => unseal(other, sealed, CONTEXT), /sealed under another key/)
    assert.throws(() => unseal({ id: key.id, key: other.key }, sealed, CONTEXT), /was changed/)
  })

  it('does not decrypt with parts of another record of the same key and context', () => {
    const other = seal(key, 'another text', CONTEXT)
    for (const [from, to] of [
      [SALT_AT, TAG_AT],
      [TAG_AT, TEXT_AT],
      [TEXT_AT, sealed.length],
    ]) {
      const mixed = Buffer.concat([sealed.subarray(0, from), other.subarray(from, to), sealed.subarray(to)])
      assert.throws(() => unseal(key, mixed, CONTEXT), SealBroken)
    }
  })

  it('does not decrypt with a correct but truncated tag of four bytes', () => {
    // The record of an attacker who guessed a short tag: the correct ciphertext, with a tag truncated to four bytes.
    const salt = sealed.subarray(SALT_AT, TAG_AT)
    const associated = Buffer.from(JSON.stringify(CONTEXT))
    const derived = createHmac('sha256', key.key)
      .update(salt)
      .update(associated)
      .update(Buffer.of(1))
      .digest()
    const cipher = createCipheriv('aes-256-gcm', derived, salt.subarray(0, 12), { authTagLength: 4 })
    cipher.setAAD(associated)
    const ciphertext = Buffer.concat([cipher.update(PLAINTEXT, 'utf8'), cipher.final()])
    const short = cipher.getAuthTag()
    assert.deepEqual(ciphertext, sealed.subarray(TEXT_AT), 'the forgery differs only in its tag')
    assert.deepEqual(short, sealed.subarray(TAG_AT, TAG_AT + 4))
    const head = sealed.subarray(0, TAG_AT)
    for (const tag of [short, Buffer.concat([short, Buffer.alloc(12)])])
      assert.throws(() => unseal(key, Buffer.concat([head, tag, ciphertext]), CONTEXT), SealBroken)
  })

  it('is different each time: salt, tag and ciphertext are new', () => {
    const records = Array.from({ length: 200 }, () => seal(key, PLAINTEXT, CONTEXT))
    for (const [from, to] of [
      [SALT_AT, TAG_AT],
      [TAG_AT, TEXT_AT],
      [TEXT_AT, undefined],
    ]) {
      const parts = new Set(records.map(record => record.subarray(from, to).toString('hex')))
      assert.equal(parts.size, records.length)
    }
  })

  it('fails with an error that names its purpose and none of its content', () => {
    assert.throws(
      () => unseal(newDataKey(), sealed, CONTEXT),
      (error: Error) =>
        /sealed credential/.test(error.message) && !/organization|user|secret/.test(error.message),
    )
  })
})

describe('a data key', () => {
  it('survives export and import', () => {
    const again = importDataKey(exportDataKey(key))
    assert.equal(unseal(again, seal(key, PLAINTEXT, CONTEXT), CONTEXT).toString(), PLAINTEXT)
  })

  it('must have 48 bytes', () => {
    for (const length of [0, 32, 47, 49, 64])
      assert.throws(() => importDataKey(Buffer.alloc(length)), RangeError, `${length}`)
  })

  it('has a new ID and key each time', () => {
    const keys = Array.from({ length: 100 }, newDataKey)
    assert.equal(new Set(keys.map(({ id }) => id.toString('hex'))).size, 100)
    assert.equal(new Set(keys.map(each => each.key.export().toString('hex'))).size, 100)
  })
})
