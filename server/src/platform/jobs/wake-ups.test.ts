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

test('wake-ups: reads never overlap, and a wake-up during a read is not lost', {
  timeout: 60_000,
}, async () => {
  // In real time: the second read is waited for, however long the machine takes.
  mock.timers.reset()
  const [here] = twoNodes()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let at = 0
  /** How many reads were in progress when each one started, itself included. */
  const concurrent: number[] = []
  const stop = here.watch(['topic'], async () => {
    concurrent.push(++at)
    if (concurrent.length === 2) second.resolve()
    await first.promise
    at--
    return 60_000
  })
  here.wake('topic')
  here.wake('topic')
  await delay(10)
  assert.deepEqual(concurrent, [1])
  first.resolve()
  await second.promise
  stop()
  assert.deepEqual(concurrent, [1, 1])
})

test('wake-ups: a burst of wake-ups causes few concurrent reads, and few per watcher and second', async () => {
  // In real time: the bound follows the time that has passed, so it holds on a machine of any speed.
  mock.timers.reset()
  const [here] = twoNodes()
  const reads = Array.from({ length: 200 }, () => 0)
  let at = 0
  let maxConcurrent = 0
  const start = performance.now()
  const stops = reads.map((_, n) =>
    here.watch(['organization:a'], async () => {
      reads[n] = (reads[n] ?? 0) + 1
      maxConcurrent = Math.max(maxConcurrent, ++at)
      await delay(1)
      at--
      return 60_000
    }),
  )
  for (let wave = 0; wave < 50 || reads.some(n => n < 2); wave++) {
    here.wake('organization:a')
    await delay(10)
  }
  for (const stop of stops) stop()
  const intervals = (performance.now() - start) / 250
  assert.ok(maxConcurrent <= 4, `${maxConcurrent} concurrent reads`)
  assert.ok(
    reads.every(n => n <= 2 + intervals),
    `${reads.join()} reads in ${intervals} intervals`,
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
