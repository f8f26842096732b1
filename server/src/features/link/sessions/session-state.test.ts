import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionStatuses } from './link-session.ts'
import { describeState, isFinal, type StateFacts } from './session-state.ts'

const booleans = [true, false]
const at = new Date('2026-01-01T12:00:00.000Z')
const facts: StateFacts = {
  status: 'minted',
  expired: false,
  withdrawn: false,
  userActive: true,
  endedWithUser: false,
  originListed: true,
  codePending: false,
  connectorSlug: null,
  scopes: null,
  attempt: null,
}
const attempts: StateFacts['attempt'][] = [
  null,
  { outcome: null, reason: null, connector: 'notes', returnedAt: null },
  { outcome: 'completed', reason: null, connector: 'notes', returnedAt: at },
  { outcome: 'exited', reason: null, connector: 'notes', returnedAt: at },
  { outcome: 'failed', reason: 'provider_error', connector: 'notes', returnedAt: at },
]

const everything = function* (): Generator<StateFacts> {
  for (const status of sessionStatuses)
    for (const expired of booleans)
      for (const withdrawn of booleans)
        for (const userActive of booleans)
          for (const endedWithUser of booleans)
            for (const originListed of booleans)
              for (const codePending of booleans)
                for (const attempt of attempts)
                  yield {
                    status,
                    expired,
                    withdrawn,
                    userActive,
                    endedWithUser,
                    originListed,
                    codePending,
                    connectorSlug: 'notes',
                    scopes: ['read'],
                    attempt,
                  }
}

/** The specified table, written independently of the code. */
const expected = (each: StateFacts): string => {
  if (each.status === 'completed') return 'completed'
  if (each.status === 'code_issued') return each.codePending ? 'awaiting_confirmation' : 'completed'
  if (each.status !== 'minted') return 'ended'
  if (each.expired) return 'expired'
  if (!each.userActive) return 'ended'
  if (each.endedWithUser || each.withdrawn) return 'ended'
  return each.originListed ? 'open' : 'ended'
}

test('describeState: every combination of facts maps to the expected state', () => {
  for (const each of everything())
    assert.equal(describeState(each).status, expected(each), JSON.stringify(each))
})

test('describeState: only a stored credential includes connector and scopes', () => {
  for (const each of everything()) {
    const { status, Connector, scopes } = describeState(each)
    assert.deepEqual(
      { Connector, scopes },
      status === 'completed' ? { Connector: 'notes', scopes: ['read'] } : { Connector: null, scopes: [] },
    )
  }
  assert.deepEqual(describeState({ ...facts, status: 'completed', connectorSlug: 'notes' }).scopes, [])
})

test('describeState: reports the last unsuccessful attempt with its time', () => {
  const last = attempts.map(attempt => describeState({ ...facts, attempt }).last)
  const common = { Connector: 'notes', at: '2026-01-01T12:00:00.000Z' }
  assert.deepEqual(last, [
    null,
    null,
    null,
    { outcome: 'exit', reason: null, ...common },
    { outcome: 'error', reason: 'provider_error', ...common },
  ])
  for (const each of everything())
    if (expected(each) === 'completed') assert.equal(describeState(each).last, null)
})

test('describeState: a failure without a reason is reported as internal', () => {
  const attempt = { outcome: 'failed', reason: null, connector: 'notes', returnedAt: null } as const
  assert.equal(describeState({ ...facts, attempt }).last?.reason, 'internal')
})

test('isFinal: true for completed, expired and ended; false for open and awaiting_confirmation', () => {
  const final = Object.fromEntries(
    [...everything()].map(describeState).map(state => [state.status, isFinal(state)]),
  )
  assert.deepEqual(final, {
    open: false,
    awaiting_confirmation: false,
    completed: true,
    expired: true,
    ended: true,
  })
})
