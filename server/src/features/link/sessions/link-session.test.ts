import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CodeFacts, chooseCodeRefusal, isLeak } from './code-refusal.ts'
import { sessionStanding, sessionStatuses } from './link-session.ts'

const booleans = [true, false]

test('sessionStanding: open only if minted, unexpired, user active and origin allowed', () => {
  for (const status of sessionStatuses)
    for (const expired of booleans)
      for (const userActive of booleans)
        for (const endedWithUser of booleans)
          for (const originListed of booleans)
            for (const withdrawn of booleans) {
              const facts = { status, expired, userActive, endedWithUser, originListed, withdrawn }
              const isAlive = !expired && !withdrawn && !endedWithUser
              const open = status === 'minted' && isAlive && userActive && originListed
              assert.equal(sessionStanding(facts) === 'open', open, JSON.stringify(facts))
            }
})

test('sessionStanding: a session that is no longer minted is used in any case', () => {
  for (const status of sessionStatuses.filter(known => known !== 'minted')) {
    assert.equal(
      sessionStanding({
        status,
        expired: true,
        withdrawn: true,
        userActive: false,
        endedWithUser: true,
        originListed: false,
      }),
      'used',
    )
  }
})

const issued: CodeFacts = {
  sameOrganization: true,
  sameMode: true,
  status: 'code_issued',
  waiting: true,
  expired: false,
  userActive: true,
  sameUser: true,
}

test('chooseCodeRefusal: chooses the error in the documented order', () => {
  const table: [Partial<CodeFacts> | null, string | null][] = [
    [null, 'invalid_authorization_code'],
    [
      { sameOrganization: false, status: 'completed', expired: true, userActive: false },
      'code_does_not_belong_to_organization',
    ],
    [{ sameMode: false }, 'invalid_authorization_code'],
    [{ status: 'completed', expired: true }, 'invalid_authorization_code'],
    [{ status: 'code_rejected', expired: true }, 'invalid_authorization_code'],
    [{ status: 'code_expired' }, 'authorization_code_expired'],
    [{ expired: true, userActive: false }, 'authorization_code_expired'],
    [{ userActive: false }, 'user_inactive'],
    [{ status: 'code_ended', userActive: false }, 'user_inactive'],
    [{ status: 'code_ended' }, 'invalid_authorization_code'],
    [{ sameUser: false }, 'registered_user_mismatch'],
    [{ waiting: false }, 'invalid_authorization_code'],
    [{ waiting: false, expired: true }, 'invalid_authorization_code'],
    // The code is valid, so the request may be retried.
    [{}, null],
  ]
  for (const [facts, code] of table)
    assert.equal(chooseCodeRefusal(facts && { ...issued, ...facts }), code, JSON.stringify(facts))
})

test('isLeak: errors that reveal a leaked code destroy the code', () => {
  assert.equal(isLeak('code_does_not_belong_to_organization'), true)
  assert.equal(isLeak('registered_user_mismatch'), true)
  assert.equal(isLeak('authorization_code_expired'), false)
  assert.equal(isLeak('user_inactive'), false)
})
