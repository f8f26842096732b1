import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { createLog } from '../log.ts'
import { createReadiness, type ReadinessCheck } from './readiness.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => mock.timers.reset())

const setUp = (first: () => Promise<unknown>, second: () => Promise<unknown> = async () => 'ok') => {
  let time = 0
  const runs = { first: 0, second: 0 }
  const lines: Record<string, unknown>[] = []
  const check = (name: 'first' | 'second', run: () => Promise<unknown>): ReadinessCheck => ({
    name,
    action: `Repair the ${name} part.`,
    run: () => {
      runs[name]++
      return run()
    },
  })
  const readiness = createReadiness({
    log: createLog('info', { write: line => void lines.push(JSON.parse(line)) }),
    first: check('first', first),
    others: [check('second', second)],
    now: () => time,
  })
  return { readiness, runs, lines, pass: (milliseconds: number) => void (time += milliseconds) }
}

test('readiness: concurrent requests share the checks, and a report is reused for a second', async () => {
  const { readiness, runs, pass } = setUp(async () => undefined)
  const reports = await Promise.all([readiness.read(), readiness.read(), readiness.read()])
  assert.deepEqual(reports[0], {
    status: 'ready',
    checks: [
      { name: 'first', status: 'ok' },
      { name: 'second', status: 'ok' },
    ],
  })
  pass(999)
  await readiness.read()
  assert.deepEqual(runs, { first: 1, second: 1 })
  pass(1)
  await readiness.read()
  assert.deepEqual(runs, { first: 2, second: 2 })
})

test('readiness: a check that hangs fails at the deadline, and the checks that need it are not run', async () => {
  const { readiness, runs } = setUp(() => new Promise(() => undefined))
  const report = readiness.read()
  mock.timers.tick(1500)
  assert.deepEqual(await report, {
    status: 'not_ready',
    checks: [
      { name: 'first', status: 'failed', action: 'Repair the first part.' },
      { name: 'second', status: 'not_checked' },
    ],
  })
  assert.equal(runs.second, 0)
})

test('readiness: the deadline is shared by all checks', async () => {
  const { readiness } = setUp(
    async () => undefined,
    () => new Promise(() => undefined),
  )
  const report = readiness.read()
  await new Promise(resolve => setImmediate(resolve))
  mock.timers.tick(1500)
  assert.deepEqual((await report).checks.at(1)?.status, 'failed')
})

test('readiness: a failed check and its recovery are logged once', async () => {
  let broken = true
  const { readiness, lines, pass } = setUp(async () => {
    if (broken) throw new Error('the disk is full')
  })
  for (let n = 0; n < 3; n++) {
    await readiness.read()
    pass(1000)
  }
  broken = false
  assert.equal((await readiness.read()).status, 'ready')
  assert.deepEqual(
    lines.map(({ level, step }) => [level, step]),
    [
      ['warn', 'first'],
      ['info', 'first'],
    ],
  )
})

test('readiness: a draining process is not ready, and a part that is not used does not matter', async () => {
  const { readiness, runs } = setUp(
    async () => undefined,
    async () => 'not_used',
  )
  assert.deepEqual(
    [(await readiness.read()).status, (await readiness.read()).checks.at(1)?.status],
    ['ready', 'not_used'],
  )
  readiness.drain()
  assert.deepEqual(await readiness.read(), { status: 'draining', checks: [] })
  assert.equal(runs.first, 1)
})
