import { setTimeout as delay } from 'node:timers/promises'
import { patchUser } from '../../../src/features/registered-users/save-user.ts'
import { eventually } from '../eventually.ts'
import { type RecordedCalls, startRecordedCalls } from '../recorded-calls.ts'
import { startTestService, type TestOrganization, type TestService } from '../test-service.ts'
import { flapping, type Ledger, startLedger } from './ledger.ts'
import { startWorker, type Worker } from './workers.ts'

export type RunOptions = {
  events: number
  kills: number
  /** How often the flapping receiver fails during the run. */
  failingPhases: number
  /** Events of each measurement of the lag with and without the dead endpoint. Default: none. */
  lagEvents?: number
  print?: (line: string) => void
}
export type Receivers = { healthy: Ledger; flapping: Ledger; dead: Ledger }
export type Lags = { p50: number; p99: number }
export type RunResult = {
  violations: string[]
  events: number
  /** Milliseconds from the first event after those of the new users to the last arrival. */
  durationMs: number
  kills: number
  receivers: Receivers
  /** While processes were killed, and afterwards with and without the dead endpoint. */
  lags: { underKills: Lags; withDead: Lags | null; withoutDead: Lags | null }
}

const WORKERS = 2
const EVENTS_PER_USER = 20
/** One event in this many is a tool call through the MCP endpoint. */
const CALL_INTERVAL = 50
const WRITERS = 8
/** Writers wait for the healthy receiver, so that its lag is not the time of a queue that they have built up. */
const MAX_BACKLOG = 500
/** A run in which nothing arrives for this long has failed. */
const STALL_MS = 120_000

type Stage = {
  t: TestService
  owner: TestOrganization
  calls: RecordedCalls
  receivers: Receivers
  endpointIds: Record<keyof Receivers, string>
  users: string[]
}

/**
 * Writes events to an organization with three endpoints (one is healthy, one is up and down in turns, one never answers) while the
 * processes that deliver them are killed and started again. Returns all violations of what webhooks guarantee.
 */
export const runKilledWorkers = async (options: RunOptions): Promise<RunResult> => {
  await using opened = new AsyncDisposableStack()
  const { kills, lagEvents = 0, print = () => undefined } = options
  const stage = await openStage(opened, options)
  const { healthy, flapping: unstable } = stage.receivers
  const workers: Worker[] = []
  opened.defer(async () => void (await Promise.all(workers.map(worker => worker.kill()))))
  workers.push(...(await Promise.all(Array.from({ length: WORKERS }, () => startWorker(stage.t)))))
  print(`${stage.users.length} users, ${workers.length} workers; ${options.events} events, ${kills} kills …`)

  // The events of the new users have waited for the workers.
  const violations = await drain(stage, print)
  const earlier = healthy.lags.length
  const startedAt = performance.now()
  const killing = killInTurns(stage, workers, options)
  await writeEvents(stage, options.events - stage.users.length, print)
  const killed = await killing
  violations.push(...(await drain(stage, print)))
  const durationMs = performance.now() - startedAt
  const events = (await writtenEvents(stage)).length
  const underKills = lagsOf(healthy.lags.slice(earlier))
  const control = lagEvents > 0 ? await compareLags(stage, lagEvents) : null
  violations.push(...(await findMissing(stage)))
  for (const [name, ledger] of Object.entries({ healthy, flapping: unstable }))
    violations.push(...ledger.violations.map(violation => `${name}: ${violation}`))
  return {
    violations,
    events,
    durationMs,
    kills: killed,
    receivers: stage.receivers,
    lags: { underKills, withDead: control?.withDead ?? null, withoutDead: control?.withoutDead ?? null },
  }
}

const openStage = async (
  opened: AsyncDisposableStack,
  { events, failingPhases }: RunOptions,
): Promise<Stage> => {
  const t = await startTestService('postgres', {}, { withJobs: false })
  opened.defer(() => t.stop())
  const calls = await startRecordedCalls(t)
  opened.defer(() => calls.server.close())
  const owner = await calls.open('Orbit')
  const receivers = {
    healthy: opened.use(await startLedger(() => 'accept')),
    flapping: opened.use(await startLedger(flapping(Math.ceil(events / (failingPhases + 1))))),
    dead: opened.use(await startLedger(() => 'timeout')),
  }
  const endpointIds = { healthy: '', flapping: '', dead: '' }
  for (const name of ['healthy', 'flapping', 'dead'] as const) {
    const { url } = receivers[name]
    const { body } = await t.call('POST', '/api/v1/webhook-endpoints', { key: owner.key, body: { url } })
    receivers[name].secret = body.secret
    endpointIds[name] = body.id
  }
  const users: string[] = []
  const createUsers = async (): Promise<void> => {
    while (users.length < Math.ceil(events / EVENTS_PER_USER))
      users.push((await t.createUser({}, owner.key)).id)
  }
  await Promise.all(Array.from({ length: WRITERS }, createUsers))
  return { t, owner, calls, receivers, endpointIds, users }
}

/** Lifecycle events through the service's own use case, and tool calls through its API. */
const writeEvents = async (
  { t, owner, calls, receivers, users }: Stage,
  count: number,
  print: (line: string) => void = () => undefined,
): Promise<void> => {
  const before = (
    await t.query('select count(*)::int as n from events where organization_id = $1', [owner.id])
  )[0].n as number
  let written = 0
  const writeNext = async (): Promise<void> => {
    while (written < count) {
      const n = written++
      const userId = users[n % users.length] as string
      if (n % CALL_INTERVAL === CALL_INTERVAL - 1) await calls.act(owner, userId)
      else
        await patchUser(t.service.features, { organizationId: owner.id, mode: 'production' }, userId, {
          origin_user_name: `name ${n}`,
        })
      if (n % 10_000 === 9999) print(`${n + 1} events written`)
      while (before + written - receivers.healthy.arrivals.size > MAX_BACKLOG) await delay(5)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writeNext))
}

/** Kills the workers in turns, evenly over the run, and starts each again. */
const killInTurns = async (
  { t, receivers, users: { length: newUsers } }: Stage,
  workers: Worker[],
  { events, kills, print = () => undefined }: RunOptions,
): Promise<number> => {
  for (let kill = 0; kill < kills; kill++) {
    const arrived = newUsers + ((events - newUsers) * (kill + 0.5)) / (kills + 1)
    const progress = createProgress()
    while (receivers.healthy.arrivals.size < arrived && !progress.isStalled(receivers)) await delay(5)
    const index = kill % workers.length
    await (workers[index] as Worker).kill()
    workers[index] = await startWorker(t)
    if (kill % 10 === 9 || kill === kills - 1) print(`kill ${kill + 1} of ${kills}: ${describe(receivers)}`)
  }
  return kills
}

const describe = ({ healthy, flapping: unstable }: Receivers): string =>
  `${healthy.arrivals.size} events at the healthy receiver, ${unstable.arrivals.size} at the flapping one`

const createProgress = () => {
  let last = -1
  let since = performance.now()
  return {
    isStalled: ({ healthy, flapping: unstable }: Receivers): boolean => {
      const arrived = healthy.arrivals.size + unstable.arrivals.size
      if (arrived !== last) {
        last = arrived
        since = performance.now()
      }
      return performance.now() - since > STALL_MS
    },
  }
}

/** Waits until both receivers have all events. */
const drain = async (stage: Stage, print: (line: string) => void): Promise<string[]> => {
  const { healthy, flapping: unstable } = stage.receivers
  const expected = (await writtenEvents(stage)).length
  print(`${expected} events written; ${describe(stage.receivers)}`)
  const progress = createProgress()
  while (Math.min(healthy.arrivals.size, unstable.arrivals.size) < expected) {
    if (progress.isStalled(stage.receivers)) return [`no event arrived for ${STALL_MS / 1000} s`]
    await delay(20)
  }
  return []
}

/** All events, from where they were written and not from the deliveries. */
const writtenEvents = async ({ t, owner }: Stage): Promise<string[]> => {
  const rows = await t.query<{ id: string }>(
    `select id from reported_events where organization_id = $1 and (mode is null or mode = 'production')`,
    [owner.id],
  )
  return rows.map(({ id }) => `evt_${id}`)
}

const findMissing = async (stage: Stage): Promise<string[]> => {
  const ids = await writtenEvents(stage)
  const { healthy, flapping: unstable } = stage.receivers
  const missing = Object.entries({ healthy, flapping: unstable }).flatMap(([name, { arrivals }]) =>
    ids.filter(id => !arrivals.has(id)).map(id => `${name}: ${id} did not arrive`),
  )
  const known = new Set(ids)
  const unknown = [...healthy.arrivals.keys()].filter(id => !known.has(id))
  return [...missing, ...unknown.map(id => `healthy: ${id} does not exist`)]
}

/** The lag at the healthy receiver with the dead endpoint, which has all events of the run pending, and while it is paused. */
const compareLags = async (stage: Stage, events: number): Promise<{ withDead: Lags; withoutDead: Lags }> => {
  const { t, owner, receivers, endpointIds } = stage
  const pause = (paused: boolean) =>
    t.call('PATCH', `/api/v1/webhook-endpoints/${endpointIds.dead}`, { key: owner.key, body: { paused } })
  const measure = async (paused: boolean): Promise<number[]> => {
    await pause(paused)
    const from = receivers.healthy.lags.length
    await writeEvents(stage, events)
    const expected = (await writtenEvents(stage)).length
    await eventually(async () => {
      if (Math.min(receivers.healthy.arrivals.size, receivers.flapping.arrivals.size) < expected)
        throw new Error('events are missing')
    })
    return receivers.healthy.lags.slice(from)
  }
  // In both orders, so that other load on the machine affects both.
  const [first, second, third, fourth] = [
    await measure(false),
    await measure(true),
    await measure(true),
    await measure(false),
  ]
  return { withDead: lagsOf([...first, ...fourth]), withoutDead: lagsOf([...second, ...third]) }
}

const lagsOf = (lags: readonly number[]): Lags => {
  const sorted = lags.toSorted((a, b) => a - b)
  const at = (quantile: number) => sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}
