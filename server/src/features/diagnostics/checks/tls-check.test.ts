import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR } from '../../../core/duration.ts'
import { expiresSoon } from './tls-check.ts'

test('doctor: a certificate expires soon two weeks before its end, or in the last quarter of a short lifetime', () => {
  const rows: [lifetimeMs: number, leftMs: number, soon: boolean][] = [
    [90 * DAY, 15 * DAY, false],
    [90 * DAY, 13 * DAY, true],
    [730 * DAY, 13 * DAY, true],
    [90 * DAY, -DAY, true],
    [6 * DAY, 3 * DAY, false],
    [6 * DAY, DAY, true],
    // Caddy's own authority, which renews when a third is left.
    [12 * HOUR, 4 * HOUR, false],
    [12 * HOUR, 2 * HOUR, true],
  ]
  for (const [lifetimeMs, leftMs, soon] of rows) {
    const to = new Date(2_000_000_000_000)
    const validity = { from: new Date(to.getTime() - lifetimeMs), to }
    assert.equal(expiresSoon(validity, to.getTime() - leftMs), soon, `${lifetimeMs} ${leftMs}`)
  }
})
