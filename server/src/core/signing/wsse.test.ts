import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../secret.ts'
import { type WsseSigning, wsseUsernameToken } from './wsse.ts'

/** Mark Pilgrim, "Atom Authentication", xml.com 2003. */
const EXAMPLE: WsseSigning = {
  username: 'bob',
  secret: new Secret('taadtaadpstcsm'),
  nonce: 'd36e316282959a9ed4c89851497a717f',
  at: new Date('2003-12-15T14:43:07.999Z'),
  algorithm: 'sha1',
  digestOf: 'bytes',
}

/** Of `printf '%s%s%s' <nonce> <created> <password>`, by sha1sum and sha256sum. */
const HEX_SHA1 = 'aae47f1162c0578c4b7fd66acb0e290e67d5f4e6'
const HEX_SHA256 = '93639702ae579f83b052dfe48cc8e484f6e109b8fad344853ade6f560b694de2'

const digestOf = (signing: Partial<WsseSigning>): string | undefined =>
  /PasswordDigest="([^"]*)"/.exec(wsseUsernameToken({ ...EXAMPLE, ...signing }))?.[1]

test('the header is that of the published example', () => {
  assert.equal(
    wsseUsernameToken(EXAMPLE),
    'UsernameToken Username="bob", PasswordDigest="quR/EWLAV4xLf9Zqyw4pDmfV9OY=", ' +
      'Nonce="d36e316282959a9ed4c89851497a717f", Created="2003-12-15T14:43:07Z"',
  )
})

test('the digest may cover hexadecimal digits, and may be SHA-256', () => {
  assert.equal(Buffer.from(digestOf({ digestOf: 'hex_digits' })!, 'base64').toString(), HEX_SHA1)
  assert.equal(Buffer.from(digestOf({})!, 'base64').toString('hex'), HEX_SHA1)
  assert.equal(Buffer.from(digestOf({ algorithm: 'sha256' })!, 'base64').toString('hex'), HEX_SHA256)
})

test('a username cannot end its quotes', () => {
  assert.match(wsseUsernameToken({ ...EXAMPLE, username: 'a", Nonce="b' }), /Username="a\\", Nonce=\\"b", P/)
})
