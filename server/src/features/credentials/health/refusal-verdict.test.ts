import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../../core/duration.ts'
import { checkIntervalMs, judgeRefusal, type RefusalEvidence } from './refusal-verdict.ts'

const evidence: RefusalEvidence = {
  identity: 'refused',
  refusedForMs: 0,
  usesOAuthApp: true,
  wasRefreshed: false,
  others: { accepted: 100, refused: 0 },
}
const ends = (changes: Partial<RefusalEvidence>): boolean => judgeRefusal({ ...evidence, ...changes }).ends

describe('the verdict about a refused credential', () => {
  it('the first refusal ends nothing, and neither does one within the hour', () => {
    for (const refusedForMs of [0, MINUTE, HOUR - 1]) assert.equal(ends({ refusedForMs }), false)
  })

  it('a refusal an hour later ends it while other users of the app have success', () => {
    assert.equal(ends({ refusedForMs: HOUR }), true)
    assert.equal(ends({ refusedForMs: HOUR, others: { accepted: 1, refused: 0 } }), true)
  })

  it('without other users to compare with, for API keys, and with a new token, it takes a day', () => {
    const alone = { accepted: 0, refused: 0 }
    assert.equal(ends({ refusedForMs: DAY - 1, others: alone }), false)
    assert.equal(ends({ refusedForMs: DAY, others: alone }), true)
    assert.equal(ends({ refusedForMs: DAY - 1, usesOAuthApp: false }), false)
    assert.equal(ends({ refusedForMs: DAY, usesOAuthApp: false }), true)
    assert.equal(ends({ refusedForMs: DAY - 1, wasRefreshed: true }), false)
    assert.equal(ends({ refusedForMs: DAY, wasRefreshed: true }), true)
  })

  it('nothing ends while more than one in fifty is refused: that is an outage', () => {
    const refusedForMs = 3 * DAY
    assert.equal(ends({ refusedForMs, others: { accepted: 100, refused: 3 } }), false)
    assert.equal(ends({ refusedForMs, others: { accepted: 0, refused: 1 } }), false)
    assert.equal(ends({ refusedForMs, others: { accepted: 100, refused: 2 } }), true)
  })

  it('a stated revocation ends it at once; an accepted or unanswered identity request never does', () => {
    assert.equal(ends({ identity: 'revoked', others: { accepted: 0, refused: 50 } }), true)
    assert.equal(ends({ identity: 'accepted', refusedForMs: 9 * DAY }), false)
    assert.equal(ends({ identity: 'unknown', refusedForMs: 9 * DAY }), false)
  })

  it('checks are ten minutes apart, and back off after an hour', () => {
    assert.deepEqual(
      [0, 1, 6, 7, 8, 9, 10, 500].map(refusals => checkIntervalMs(refusals) / MINUTE),
      [10, 10, 10, 20, 40, 80, 120, 120],
    )
  })
})
