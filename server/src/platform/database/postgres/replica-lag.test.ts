import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReplicaLag } from './replica-lag.ts'

test('replica lag: unknown before the first measurement', () => {
  assert.equal(createReplicaLag(5000).lagAt(0), Number.POSITIVE_INFINITY)
})

test('replica lag: an idle primary causes none', () => {
  const lag = createReplicaLag(5000)
  for (let at = 0; at <= 60_000; at += 1000) {
    lag.recordPrimary(at, 100n)
    lag.recordReplica(100n)
  }
  assert.equal(lag.lagAt(60_500), 500)
})

test('replica lag: the age of the latest position of the primary that the replica has reached', () => {
  const lag = createReplicaLag(5000)
  lag.recordPrimary(0, 100n)
  lag.recordPrimary(1000, 200n)
  lag.recordPrimary(2000, 300n)
  lag.recordReplica(99n)
  assert.equal(lag.lagAt(2000), Number.POSITIVE_INFINITY)
  lag.recordReplica(250n)
  assert.equal(lag.lagAt(2000), 1000)
  lag.recordReplica(300n)
  assert.equal(lag.lagAt(2000), 0)
  assert.equal(lag.lagAt(9000), 7000, 'it grows while nothing is measured')
})

test('replica lag: a position that is older than the bound is not used', () => {
  const lag = createReplicaLag(5000)
  for (let at = 0; at <= 20_000; at += 1000) lag.recordPrimary(at, BigInt(at))
  lag.recordReplica(14_000n)
  assert.equal(lag.lagAt(20_000), Number.POSITIVE_INFINITY)
  lag.recordReplica(16_000n)
  assert.equal(lag.lagAt(20_000), 4000)
})
