import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createFairQueue } from './fair-queue.ts'
import { createIsolatedPool, IsolatedError, type IsolatedPoolOptions } from './isolated-pool.ts'

const tasks = new URL('./isolated-tasks.ts', import.meta.url)
const source = `
  import { serveTasks } from ${JSON.stringify(tasks.href)}
  serveTasks({
    double: n => n * 2,
    ignore: () => null,
    settings: () => Object.keys(process.env).length,
    loop: () => { for (;;); },
    grow: () => { const all = []; for (;;) all.push({ at: all.length }) },
    fail: () => { throw new Error('wrong') },
  })`
const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
const createPool = (options: Partial<IsolatedPoolOptions> = {}) => createIsolatedPool({ entry, ...options })
const failsAs = (failure: string) => (error: unknown) =>
  error instanceof IsolatedError && error.failure === failure

test('isolated pool: returns the result of a task, which sees no environment variables', async () => {
  const pool = createPool()
  assert.equal(await pool.run('a', 'double', 21), 42)
  assert.equal(await pool.run('a', 'settings', null), 0)
  await assert.rejects(pool.run('a', 'fail', null), /fail failed: wrong/)
  await pool.close()
})

test('isolated pool: terminates a task at its CPU limit, and continues with a new worker', async () => {
  let started = 0
  const pool = createPool({ workers: 1, onStart: () => started++ })
  await pool.run('a', 'double', 1)
  await assert.rejects(pool.run('a', 'loop', null, { cpuMs: 50 }), failsAs('too_expensive'))
  assert.equal(await pool.run('a', 'double', 2), 4)
  assert.equal(started, 2)
  await pool.close()
})

test('isolated pool: terminates a task at its memory limit without ending the process', async () => {
  const pool = createPool({ workers: 1, memoryMb: 16 })
  await assert.rejects(pool.run('a', 'grow', null, { cpuMs: 20_000 }), failsAs('too_expensive'))
  assert.equal(await pool.run('a', 'double', 2), 4)
  await pool.close()
})

test('isolated pool: an organization uses one worker of two, and its queue is limited', async () => {
  const pool = createPool({ workers: 2, maxQueuedPerOwner: 2 })
  const attacks = [1, 2, 3].map(() => pool.run('attacker', 'loop', null, { cpuMs: 200 }))
  const ended = Promise.allSettled(attacks)
  await assert.rejects(pool.run('attacker', 'loop', null), failsAs('busy'))
  // If both workers were occupied, these would finish only after the attacks.
  let attackEnded = false
  void attacks[2]?.catch(() => {
    attackEnded = true
  })
  for (let n = 0; n < 5; n++) assert.equal(await pool.run('other', 'double', n), n * 2)
  assert.equal(attackEnded, false)
  await ended
  await pool.close()
})

test('isolated pool: a task that cannot start in time is rejected', async () => {
  const pool = createPool({ workers: 1, maxWaitMs: 20 })
  const attack = assert.rejects(pool.run('a', 'loop', null, { cpuMs: 300 }), failsAs('too_expensive'))
  await assert.rejects(pool.run('b', 'double', 1), failsAs('busy'))
  await attack
  await pool.close()
})

test('fair queue: serves the owner with the least recent CPU time, which decays', () => {
  let now = 0
  const queue = createFairQueue<string>({ maxQueuedPerOwner: 10, maxRunningPerOwner: 1, now: () => now })
  queue.add('heavy', 'h1')
  assert.equal(queue.take(), 'h1')
  queue.release('heavy', 1000)
  queue.add('heavy', 'h2')
  queue.add('light', 'l1')
  queue.add('light', 'l2')
  assert.equal(queue.take(), 'l1')
  assert.equal(queue.take(), 'h2')
  assert.equal(queue.take(), null)
  queue.release('light', 100)
  assert.equal(queue.take(), 'l2')
  queue.release('light', 100)
  queue.release('heavy', 0)
  now = 1_000_000
  queue.add('light', 'l3')
  queue.release('light', 50)
  queue.add('heavy', 'h3')
  assert.equal(queue.take(), 'h3')
})

test('isolated pool: the input of a finished task is not kept in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const pool = createPool({ maxWaitMs: 600_000 })
  const run = async (): Promise<WeakRef<object>> => {
    const input = { text: 'x' }
    await pool.run('a', 'ignore', input)
    return new WeakRef(input)
  }
  const input = await run()
  // A WeakRef keeps its target until the end of the turn that created it.
  await setImmediate()
  collectGarbage()
  assert.equal(input.deref(), undefined)
  await pool.close()
})
