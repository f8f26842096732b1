import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { createWakeUps } from './wake-ups.ts'

const log = { warn: () => undefined } as never
/** Two nodes on one database: notifications of one reach the other. */
const twoNodes = () => {
  const listeners: ((topic: string) => void)[] = []
  const db = {
    listen: async (_channel: string, onNotification: (topic: string) => void) => {
      listeners.push(onNotification)
      return async () => undefined
    },
    notify: async (_channel: string, topic: string) => {
      for (const listener of listeners) listener(topic)
    },
  } as unknown as Database
  return [createWakeUps({ db, log }), createWakeUps({ db, log })] as const
}

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => mock.timers.reset())

/** Advances the time in steps of one millisecond, and runs everything that becomes due. */
const pass = async (milliseconds: number): Promise<void> => {
  for (let n = 0; n < milliseconds; n++) {
    mock.timers.tick(1)
    await turn()
  }
}
const delay = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds))

test('wake-ups: a wake-up on one node reaches the watchers of its topic on another', async () => {
  const [here, there] = twoNodes()
  const received: string[] = []
  there.follow('user:a', () => received.push('a'))
  const stop = there.follow('user:b', () => received.push('b'))
  here.wake('user:a')
  here.wake('user:b')
  stop()
  here.wake('user:b')
  await pass(1)
  assert.deepEqual(received, ['a', 'b'])
})

test('wake-ups: reads never overlap, and a wake-up during a read is not lost', async () => {
  const [here] = twoNodes()
  let reads = 0
  let at = 0
  let maxConcurrent = 0
  const stop = here.watch(['topic'], async () => {
    reads++
    maxConcurrent = Math.max(maxConcurrent, ++at)
    await delay(5)
    at--
    return 60_000
  })
  here.wake('topic')
  here.wake('topic')
  await pass(600)
  stop()
  assert.deepEqual({ reads, maxConcurrent }, { reads: 2, maxConcurrent: 1 })
})

test('wake-ups: a burst of wake-ups causes few concurrent reads, and few per watcher and second', async () => {
  const [here] = twoNodes()
  const reads = Array.from({ length: 200 }, () => 0)
  let at = 0
  let maxConcurrent = 0
  const stops = reads.map((_, n) =>
    here.watch(['organization:a'], async () => {
      reads[n] = (reads[n] ?? 0) + 1
      maxConcurrent = Math.max(maxConcurrent, ++at)
      await delay(1)
      at--
      return 60_000
    }),
  )
  for (let wave = 0; wave < 25; wave++) {
    here.wake('organization:a')
    await pass(10)
  }
  await pass(400)
  for (const stop of stops) stop()
  assert.ok(maxConcurrent <= 4, `${maxConcurrent} concurrent reads`)
  assert.ok(
    reads.every(n => n >= 2 && n <= 6),
    reads.join(),
  )
})

test('wake-ups: a failed read is retried, and a finished or stopped watcher reads no more', async () => {
  const [here] = twoNodes()
  let reads = 0
  here.watch(['topic'], async () => {
    reads++
    if (reads === 1) throw new Error('gone')
    return reads < 3 ? 1 : null
  })
  await pass(1)
  here.wake('topic')
  await pass(600)
  assert.equal(reads, 3)
  here.wake('topic')
  await pass(5)
  assert.equal(reads, 3)
  let later = 0
  here.watch(['other'], async () => ++later)()
  here.wake('other')
  await pass(10)
  assert.equal(later, 1)
})
