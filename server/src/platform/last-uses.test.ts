import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLastUses, type LastUse } from './last-uses.ts'

const log = { warn: () => undefined }
const hash = (n: number): Buffer => Buffer.from(n.toString(16).padStart(8, '0'), 'hex')

test('several uses of a key are stored once, with the time of the last one', async () => {
  let now = 0
  const stored: LastUse[][] = []
  const uses = createLastUses(async batch => stored.push(batch), { log, now: () => now })
  uses.note(hash(1))
  now = 400
  uses.note(hash(1))
  now = 500
  uses.note(hash(2))
  now = 1_000
  await uses.flush()
  assert.deepEqual(stored, [
    [
      { hash: hash(1), msAgo: 600 },
      { hash: hash(2), msAgo: 500 },
    ],
  ])
  await uses.stop()
  assert.equal(stored.length, 1, 'nothing is written without a use')
})

test('uses that could not be stored are written by the next flush, and a later use replaces them', async () => {
  let now = 0
  const stored: LastUse[][] = []
  let fails = true
  const uses = createLastUses(
    async batch => {
      if (fails) throw new Error('no connection')
      stored.push(batch)
    },
    { log, now: () => now },
  )
  uses.note(hash(1))
  uses.note(hash(2))
  await uses.flush()
  now = 50
  uses.note(hash(2))
  fails = false
  await uses.stop()
  assert.deepEqual(
    new Map(stored[0]?.map(use => [use.hash.toString('hex'), use.msAgo])),
    new Map([
      ['00000002', 0],
      ['00000001', 50],
    ]),
  )
})

test('a flood of keys is written early in batches, not collected without a limit', async () => {
  const stored: LastUse[][] = []
  const uses = createLastUses(async batch => stored.push(batch), { log })
  for (let n = 0; n < 20_000; n++) {
    uses.note(hash(n))
    if (n % 1_000 === 0) await Promise.resolve()
  }
  await uses.stop()
  assert.ok(stored.length > 1)
  assert.ok(Math.max(...stored.map(({ length }) => length)) <= 5_000)
})
