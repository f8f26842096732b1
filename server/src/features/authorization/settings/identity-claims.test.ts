import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identityOf, isClaimOfPerson, mergeClaims } from './identity-claims.ts'

const bySub = { userClaim: 'sub', trustEmail: false }
const byEmail = { userClaim: 'email', trustEmail: false }
const claims = { sub: 's1', name: 'Ana', email: 'ana@example.com', email_verified: true }

test('identity: claims of a verified person', () => {
  const known = { name: 'Ana', email: 'ana@example.com' }
  assert.deepEqual(identityOf(claims, bySub), { originUserId: 's1', ...known })
  assert.deepEqual(identityOf(claims, byEmail), { originUserId: 'ana@example.com', ...known })
})

test('identity: an email counts if it is verified or trusted', () => {
  for (const email_verified of [false, 'false', undefined, null, 1, 'yes']) {
    const unverified = { ...claims, email_verified }
    assert.equal(identityOf(unverified, byEmail), 'email_not_verified')
    assert.deepEqual(identityOf(unverified, bySub), { originUserId: 's1', name: 'Ana', email: null })
    const trusted = identityOf(unverified, { ...byEmail, trustEmail: true })
    assert.equal(typeof trusted === 'object' && trusted.originUserId, 'ana@example.com')
  }
  assert.equal(typeof identityOf({ ...claims, email_verified: 'true' }, byEmail), 'object')
})

test('identity: a missing, empty, too long or structured claim does not identify a user', () => {
  for (const value of [undefined, null, '', '  ', 'x'.repeat(256), true, {}, ['a'], 1.5, '\0', '\ud800'])
    assert.equal(identityOf({ ...claims, oid: value }, { ...bySub, userClaim: 'oid' }), 'claim_missing')
  for (const userClaim of ['constructor', '__proto__', 'toString'])
    assert.equal(identityOf(claims, { ...bySub, userClaim }), 'claim_missing')
  assert.equal(identityOf({ sub: 's1' }, byEmail), 'claim_missing')
})

test('claims: UserInfo completes the ID token and does not replace it', () => {
  const merged = mergeClaims({ sub: 's1', oid: 'signed' }, { sub: 's1', oid: 'other', name: 'Ana' })
  assert.deepEqual([merged.oid, merged.name], ['signed', 'Ana'])
})

test('claims: email and email_verified come from one document', () => {
  const emailOf = (idToken: object, userInfo: object) => {
    const { email, email_verified } = mergeClaims({ ...idToken }, { ...userInfo })
    return [email, email_verified]
  }
  const verified = { email: 'a@example.com', email_verified: true }
  assert.deepEqual(emailOf(verified, { email: 'b@example.com' }), ['a@example.com', true])
  assert.deepEqual(emailOf({ email: 'b@example.com' }, verified), ['a@example.com', true])
  assert.deepEqual(emailOf({ email_verified: true }, { email: 'b@example.com' }), [undefined, true])
  assert.deepEqual(emailOf({ email: 'b@example.com' }, { email_verified: true }), [
    'b@example.com',
    undefined,
  ])
})

test('user claim: claims of the protocol do not identify a person', () => {
  for (const name of ['sub', 'email', 'oid', 'preferred_username', 'upn', 'https://example.com/id'])
    assert.ok(isClaimOfPerson(name), name)
  for (const name of ['iss', 'aud', 'exp', 'nonce', 'sid', 'email_verified'])
    assert.ok(!isClaimOfPerson(name), name)
})
