import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Child, Exit } from '../processes/child.ts'
import type { MetricReport } from './metrics.ts'
import { createProcessReports } from './process-reports.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => mock.timers.reset())

const reportOf = (calls: number): MetricReport[] => [
  {
    name: 'calls_total',
    help: 'Help.',
    type: 'counter',
    aggregator: 'sum',
    values: [{ labels: {}, value: calls }],
  },
  { name: 'processes', help: 'Help.', type: 'gauge', aggregator: 'sum', values: [{ labels: {}, value: 1 }] },
]

/** A process that has made this number of calls, and responds unless it hangs. */
const createFakeChild = (calls: number) => {
  let onMetrics = (_report: MetricReport[]) => {}
  let onExit = (_exit: Exit) => {}
  const fake = {
    calls,
    hangs: false,
    exit: () => onExit({ code: 0, signal: null }),
    report: () => onMetrics(reportOf(fake.calls)),
    child: {
      pid: 1,
      send: () => {
        if (!fake.hangs) queueMicrotask(fake.report)
      },
      kill: () => undefined,
      onReady: () => undefined,
      onMetrics: listener => void (onMetrics = listener),
      onExit: listener => void (onExit = listener),
    } satisfies Child,
  }
  return fake
}

const setUp = (...calls: number[]) => {
  const reports = createProcessReports()
  const children = calls.map(createFakeChild)
  for (const { child } of children) reports.add(child)
  const read = async (): Promise<Record<string, number | undefined>> =>
    Object.fromEntries((await reports.read()).map(({ name, values }) => [name, values[0]?.value]))
  return { reports, children, read }
}

test('process reports: one scrape returns the sum of all processes', async () => {
  const { read } = setUp(3, 4)
  assert.deepEqual(await read(), { calls_total: 7, processes: 2 })
})

test('process reports: a counter does not decrease when a process ends, or ends during the scrape', async () => {
  const { reports, children, read } = setUp(3, 4)
  const [first, second] = children as [(typeof children)[0], (typeof children)[0]]
  await read()
  first.exit()
  assert.deepEqual(await read(), { calls_total: 7, processes: 1 })
  second.hangs = true
  const scrape = read()
  second.exit()
  assert.deepEqual((await scrape).calls_total, 7)
  reports.add(createFakeChild(1).child)
  assert.deepEqual(await read(), { calls_total: 8, processes: 1 })
})

test('process reports: the last report of a process that stops is counted', async () => {
  const { children, read } = setUp(3)
  await read()
  const [child] = children as [(typeof children)[0]]
  child.calls = 5
  child.report()
  child.exit()
  assert.deepEqual(await read(), { calls_total: 5 })
})

test('process reports: a process that hangs contributes its last counters after the deadline', async () => {
  const { children, read } = setUp(3, 4)
  await read()
  const [child] = children as [(typeof children)[0]]
  child.hangs = true
  child.calls = 9
  const scrape = read()
  await turn()
  mock.timers.tick(3000)
  assert.deepEqual(await scrape, { calls_total: 7, processes: 1 })
})
