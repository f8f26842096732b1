import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createLog } from '../log.ts'
import type { Child, Exit, Order } from './child.ts'
import { createSupervisor, restartDelay } from './supervisor.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => mock.timers.reset())

type FakeChild = Child & {
  pid: number
  orders: Order['order'][]
  signals: string[]
  ready(): Promise<void>
  exit(exit: Partial<Exit>): Promise<void>
}

const createFakeChild = (pid: number): FakeChild => {
  let onReady = () => {}
  let onExit = (_exit: Exit) => {}
  const child: FakeChild = {
    pid,
    orders: [],
    signals: [],
    send: ({ order }) => void child.orders.push(order),
    kill: signal => void child.signals.push(signal),
    onReady: listener => void (onReady = listener),
    onMetrics: () => undefined,
    onExit: listener => void (onExit = listener),
    ready: async () => {
      onReady()
      await turn()
    },
    exit: async exit => {
      onExit({ code: null, signal: null, ...exit })
      await turn()
    },
  }
  return child
}

const supervise = (processes: number, withJobs = true) => {
  const children: FakeChild[] = []
  const lines: Record<string, unknown>[] = []
  const failures: number[] = []
  const supervisor = createSupervisor({
    processes,
    withJobs,
    fork: () => {
      const child = createFakeChild(children.length + 1)
      children.push(child)
      return child
    },
    log: createLog('info', { write: line => void lines.push(JSON.parse(line)) }),
    onStep: () => undefined,
    onReady: first => first.send({ order: 'announce', startMs: 1 }),
    onFailure: code => void failures.push(code),
  })
  const child = (n: number): FakeChild => children[n - 1] as FakeChild
  return { supervisor, children, child, lines, failures }
}

const startAll = async (processes: number) => {
  const started = supervise(processes)
  const starting = started.supervisor.start()
  await started.child(1).ready()
  for (let n = 2; n <= processes; n++) await started.child(n).ready()
  await starting
  return started
}

test('supervisor: the others start after the first, which runs the jobs and announces the start', async () => {
  const { supervisor, children, child } = supervise(3)
  const starting = supervisor.start()
  assert.equal(children.length, 1)
  await child(1).ready()
  assert.equal(children.length, 3)
  assert.deepEqual(child(1).orders, ['run-jobs'])
  await child(2).ready()
  await child(3).ready()
  await starting
  assert.deepEqual(
    children.map(({ orders }) => orders),
    [['run-jobs', 'announce'], [], []],
  )
})

test('supervisor: without jobs, no process runs them', async () => {
  const { supervisor, child } = supervise(2, false)
  const starting = supervisor.start()
  await child(1).ready()
  await child(2).ready()
  await starting
  await child(1).exit({ signal: 'SIGKILL' })
  assert.deepEqual([child(1).orders, child(2).orders], [['announce'], []])
})

test('supervisor: restarts at once, then after 1, 2, 4, … and at most 30 seconds', async () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 60].map(restartDelay),
    [0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
  )
  const { child, children, lines } = await startAll(2)
  await child(2).exit({ signal: 'SIGKILL' })
  mock.timers.tick(0)
  assert.equal(children.length, 3)
  await child(3).exit({ code: 7 })
  mock.timers.tick(999)
  assert.equal(children.length, 3)
  mock.timers.tick(1)
  assert.equal(children.length, 4)
  const ended = lines.filter(({ level }) => level === 'error')
  assert.deepEqual(
    ended.map(({ process, exit_code, signal, restart_in_ms }) => [process, exit_code, signal, restart_in_ms]),
    [
      [2, null, 'SIGKILL', 0],
      [3, 7, null, 1000],
    ],
  )
})

test('supervisor: a process that has served for a minute is restarted at once again', async () => {
  const { child, children } = await startAll(2)
  await child(2).exit({ code: 1 })
  mock.timers.tick(0)
  await child(3).ready()
  mock.timers.tick(60_000)
  await child(3).exit({ code: 1 })
  mock.timers.tick(0)
  assert.equal(children.length, 4)
})

test('supervisor: if the process that runs the jobs ends, a ready one takes over', async () => {
  const { child } = await startAll(3)
  await child(1).exit({ signal: 'SIGKILL' })
  assert.deepEqual([child(2).orders, child(3).orders], [['run-jobs'], []])
  await child(3).exit({ signal: 'SIGKILL' })
  await child(2).exit({ signal: 'SIGKILL' })
  mock.timers.tick(0)
  assert.deepEqual(child(4).orders, [], 'a process that is not ready cannot run jobs')
  await child(4).ready()
  await child(5).ready()
  assert.deepEqual([child(4).orders, child(5).orders], [['run-jobs'], []])
})

test('supervisor: a process that cannot start at first ends the service with its exit code', async () => {
  const first = supervise(2)
  void first.supervisor.start()
  await first.child(1).exit({ code: 3 })
  assert.deepEqual(first.failures, [3])

  const second = supervise(3)
  void second.supervisor.start()
  await second.child(1).ready()
  await second.child(2).exit({ signal: 'SIGSEGV' })
  assert.deepEqual(second.child(1).signals, ['SIGTERM'], 'the others are drained')
  await second.child(3).exit({ signal: 'SIGTERM' })
  assert.deepEqual(second.failures, [])
  await second.child(1).exit({ code: 0 })
  assert.deepEqual(second.failures, [1])
})

test('supervisor: later, a failed start ends the service only if no other process runs', async () => {
  const { child, children, failures } = await startAll(2)
  await child(1).exit({ code: 1 })
  mock.timers.tick(0)
  await child(3).exit({ code: 5 })
  assert.deepEqual(failures, [])
  await child(2).exit({ signal: 'SIGKILL' })
  mock.timers.tick(0)
  assert.equal(children.length, 4)
  await child(4).exit({ code: 5 })
  assert.deepEqual(failures, [5])
  mock.timers.tick(60_000)
  assert.equal(children.length, 4, 'nothing is restarted after the end')
})

test('supervisor: a process that is killed while it starts is restarted, also if no other one runs', async () => {
  const { child, children, failures } = await startAll(2)
  await child(1).exit({ signal: 'SIGKILL' })
  await child(2).exit({ signal: 'SIGKILL' })
  mock.timers.tick(0)
  assert.equal(children.length, 4)
  await child(3).exit({ signal: 'SIGKILL' })
  await child(4).exit({ signal: 'SIGKILL' })
  assert.deepEqual(failures, [])
  mock.timers.tick(1000)
  assert.equal(children.length, 6)
})

test('supervisor: a stop drains every process, and succeeds if all of them do', async () => {
  const { supervisor, child, children } = await startAll(2)
  const stopping = supervisor.stop()
  assert.deepEqual(
    children.map(({ signals }) => signals),
    [['SIGTERM'], ['SIGTERM']],
  )
  await child(1).exit({ code: 0 })
  await child(2).exit({ code: 0 })
  assert.equal(await stopping, 0)
  mock.timers.tick(60_000)
  assert.equal(children.length, 2)

  const failing = await startAll(2)
  const failed = failing.supervisor.stop()
  await failing.child(1).exit({ code: 1 })
  await failing.child(2).exit({ code: 0 })
  assert.equal(await failed, 1)
})

test('supervisor: a stop during a restart succeeds, and a process that does not stop is killed', async () => {
  const { supervisor, child, children } = await startAll(2)
  await child(2).exit({ code: 1 })
  mock.timers.tick(0)
  const stopping = supervisor.stop()
  await child(3).exit({ signal: 'SIGTERM' })
  mock.timers.tick(32_000)
  assert.deepEqual(child(1).signals, ['SIGTERM', 'SIGKILL'])
  await child(1).exit({ signal: 'SIGKILL' })
  assert.equal(await stopping, 1)
  assert.equal(children.length, 3)
})
