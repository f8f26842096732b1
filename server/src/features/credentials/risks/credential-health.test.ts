import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, HOUR } from '../../../core/duration.ts'
import {
  credentialHealth,
  earliestRisks,
  type HealthFacts,
  type Limits,
  risksOf,
} from './credential-health.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const at = (days: number): Date => new Date(START + days * DAY)
const WARNING = 3 * DAY

const facts = (changes: Partial<HealthFacts> = {}): HealthFacts => ({
  now: at(0),
  status: 'active',
  usesRefreshTokens: true,
  inTestMode: false,
  linkedAt: at(0),
  refreshedAt: null,
  usedAt: null,
  endsAt: null,
  endStatedAt: null,
  refusedSince: null,
  refreshFailingSince: null,
  lostScopes: [],
  ...changes,
})
const health = (changes: Partial<HealthFacts>, limits: Limits | null = null): string => {
  const { state, risk } = credentialHealth(facts(changes), limits, WARNING)
  return risk ? `${state} ${risk.reason} ${risk.endsAt?.toISOString().slice(0, 10) ?? '-'}` : state
}

describe('the health of a credential', () => {
  it('without limits and refusals it is healthy at any age; an ended one needs a new sign-in', () => {
    assert.equal(health({ now: at(3000) }), 'healthy')
    assert.equal(health({ now: at(3000), refreshedAt: at(1) }, { password_change: true }), 'healthy')
    for (const status of ['needs_reauth', 'revoked'] as const)
      assert.equal(health({ status, endsAt: at(1) }), 'needs_reauth')
  })

  it('a maximum lifetime: at risk from three days before the end, however often it is used', () => {
    const limits = { max_days: 90 }
    assert.equal(health({ now: at(86.99), refreshedAt: at(86) }, limits), 'healthy')
    assert.equal(health({ now: at(87), refreshedAt: at(86) }, limits), 'at_risk maximum_lifetime 2026-04-01')
    assert.equal(
      health({ now: at(90.5), refreshedAt: at(86) }, limits),
      'at_risk maximum_lifetime 2026-04-01',
    )
  })

  it('a credential that works after the end that its file states is healthy', () => {
    assert.equal(health({ now: at(91), refreshedAt: at(90.1) }, { max_days: 90 }), 'healthy')
    assert.equal(
      health({ now: at(91), usedAt: at(90.1), usesRefreshTokens: false }, { max_days: 90 }),
      'healthy',
    )
  })

  it('an idle limit counts from the last refresh; a call with the access token is no use of the refresh token', () => {
    const limits = { idle_days: 60 }
    assert.equal(health({ now: at(58) }, limits), 'at_risk unused 2026-03-02')
    assert.equal(health({ now: at(58), refreshedAt: at(5) }, limits), 'healthy')
    assert.equal(health({ now: at(58), usedAt: at(50) }, limits), 'at_risk unused 2026-03-02')
    assert.equal(health({ now: at(58), usedAt: at(50), usesRefreshTokens: false }, limits), 'healthy')
  })

  it('a lifetime of test mode applies to apps in test mode only', () => {
    const limits = { idle_days: 180, test_mode_days: 7 }
    assert.equal(health({ now: at(5) }, limits), 'healthy')
    assert.equal(health({ now: at(5), inTestMode: true }, limits), 'at_risk test_mode 2026-01-08')
  })

  it('an end that the provider has stated; at most half of a short lifetime is a risk', () => {
    assert.equal(health({ now: at(56), endsAt: at(60) }), 'healthy')
    assert.equal(health({ now: at(58), endsAt: at(60) }), 'at_risk expires 2026-03-02')
    const hours = (count: number) => new Date(START + count * HOUR)
    assert.equal(health({ now: hours(3), endsAt: hours(8) }), 'healthy')
    assert.equal(health({ now: hours(4), endsAt: hours(8) }), 'at_risk expires 2026-01-01')
    assert.equal(
      health({ now: hours(4), refreshedAt: hours(3), endStatedAt: hours(3), endsAt: hours(11) }),
      'healthy',
    )
    // Refreshes that state no end do not move it.
    assert.equal(health({ now: at(58), refreshedAt: at(57.9), endsAt: at(60) }), 'at_risk expires 2026-03-02')
  })

  it('a key to be replaced stays at risk after the date, although it works', () => {
    const key = { usesRefreshTokens: false, usedAt: at(95) }
    assert.equal(health({ now: at(86), ...key }, { rotate_days: 90 }), 'healthy')
    assert.equal(health({ now: at(96), ...key }, { rotate_days: 90 }), 'at_risk rotation_due 2026-04-01')
  })

  it('refusals of an hour and failed refreshes of two days are risks; shorter ones are outages', () => {
    const now = at(10)
    const ago = (ms: number) => new Date(now.getTime() - ms)
    assert.equal(health({ now, refusedSince: ago(HOUR - 1) }), 'healthy')
    assert.equal(health({ now, refusedSince: ago(HOUR) }), 'at_risk refused -')
    assert.equal(health({ now, refreshFailingSince: ago(2 * DAY - 1) }), 'healthy')
    assert.equal(health({ now, refreshFailingSince: ago(2 * DAY) }), 'at_risk refresh_failing -')
    assert.equal(health({ now, lostScopes: ['mail.send'] }), 'at_risk scopes_lost -')
  })

  it('the most urgent of several risks is the health: a refusal, then the earliest end', () => {
    const limits = { max_days: 90, idle_days: 88 }
    const all = { now: at(87), refusedSince: at(86), lostScopes: ['b', 'a'] }
    assert.deepEqual(
      risksOf(facts(all), limits, WARNING).map(({ id }) => id),
      [
        'refused 2026-03-28T00:00:00.000Z',
        'unused 2026-03-30T00:00:00.000Z',
        'maximum_lifetime 2026-04-01T00:00:00.000Z',
        'scopes_lost a b',
      ],
    )
  })

  it('a credential is never at risk by a limit before the time from which the search finds it', () => {
    const limits = { idle_days: 4, max_days: 30, test_mode_days: 7 }
    const earliest = earliestRisks(limits, WARNING)
    assert.deepEqual(earliest, { idleDays: 2, ageDays: 27, testModeDays: 4 })
    assert.deepEqual(earliestRisks({ rotate_days: 2 }, WARNING), {
      idleDays: null,
      ageDays: 1,
      testModeDays: null,
    })
    for (let days = 0; days < 31; days += 0.25) {
      const now = at(days)
      assert.equal(health({ now }, { idle_days: 4 }) !== 'healthy', days >= 2, `idle ${days}`)
      assert.equal(health({ now }, { max_days: 30 }) !== 'healthy', days >= 27, `maximum ${days}`)
      const inTestMode = health({ now, inTestMode: true }, { test_mode_days: 7 })
      assert.equal(inTestMode !== 'healthy', days >= 4, `test mode ${days}`)
    }
  })
})
