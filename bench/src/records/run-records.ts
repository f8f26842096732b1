import type { ToolCallFilter } from '@carabiner/contract'
import pg from 'pg'
import { Secret } from '../../../server/src/core/secret.ts'
import type { TimePosition } from '../../../server/src/core/time-cursor.ts'
import { usageStore } from '../../../server/src/features/metering/limits/usage-store.ts'
import { parseRecordFilter } from '../../../server/src/features/metering/records/record-filter.ts'
import { recordStore } from '../../../server/src/features/metering/records/record-store.ts'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { migrate } from '../../../server/src/platform/database/migrate.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres/postgres.ts'
import { readPrimary } from '../../../server/src/platform/database/read-database.ts'
import { startDurableCluster } from '../durable-cluster.ts'
import { median, percentile } from '../figures.ts'
import { SEED_TIMEOUT_MS } from '../seed.ts'
import { DAYS, fillRecords, ORGANIZATION, packOf, userOf } from './fill-records.ts'

export type RecordsOptions = { small: number; large: number; rounds: number; samples: number }
export type PageResult = { name: string; small: Percentiles; large: Percentiles; ratio: number }
export type Percentiles = { p50: number; p99: number }

const DAY = 24 * 60 * 60 * 1000
const owner = { organizationId: ORGANIZATION, mode: 'production' } as const

type Installation = { db: Database; size: number; filledAt: number }
type RecordQuery = (of: Installation, random: () => number) => Promise<unknown>

/** A random cursor position within the two years. */
const randomPosition = ({ filledAt }: Installation, random: () => number): TimePosition => ({
  at: String(Math.floor((filledAt - random() * DAYS * DAY) * 1000)),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
})

type FilterOf = (n: number, of: Installation) => ToolCallFilter
const day = (at: number): string => new Date(at).toISOString()

const FILTERS: Record<string, FilterOf> = {
  'no filter': () => ({}),
  user: n => ({ registered_user_id: userOf(n) }),
  connector: n => ({ connector: `connector-${n % 30}` }),
  'connector and tool': n => ({ connector: `connector-${n % 30}`, tool: `tool_${n % 120}` }),
  'outcome error': () => ({ outcome: 'error' }),
  'outcome blocked': () => ({ outcome: 'blocked' }),
  'Tool Pack': n => ({ tool_pack_id: packOf(n) }),
  'user and connector': n => ({ registered_user_id: userOf(n), connector: `connector-${n % 30}` }),
  'request id': (n, { size }) => ({ request_id: `req_${1 + (n % size)}` }),
  'unknown trace': () => ({ trace_id: '0123456789abcdef0123456789abcdef' }),
  header: (n, { size }) => ({ header: `X-Conversation:c-${Math.floor((n % size) / 20)}` }),
  'a week': (n, { filledAt }) => {
    const since = filledAt - (n % (DAYS - 8)) * DAY - 8 * DAY
    return { since: day(since), until: day(since + 7 * DAY) }
  },
}

const LIMIT = 50
const queries = new Map<string, RecordQuery>()
for (const [name, filterOf] of Object.entries(FILTERS)) {
  const query =
    (isDeep: boolean): RecordQuery =>
    (of, random) => {
      const filter = parseRecordFilter(filterOf(Math.floor(random() * 1e9), of))
      return recordStore.page(
        readPrimary(of.db),
        owner,
        filter,
        isDeep ? randomPosition(of, random) : null,
        LIMIT,
      )
    }
  queries.set(`${name}, latest`, query(false))
  queries.set(`${name}, deep`, query(true))
}
queries.set('one by ID', ({ db, size }, random) => {
  const n = 1 + Math.floor(random() * (size - 1))
  const id = n
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return recordStore.find(db, owner, id)
})

/** Measures both sizes on one cluster, alternately, so that other load on the machine affects both. */
export const runRecords = async (
  { small, large, rounds, samples }: RecordsOptions,
  log: (line: string) => void,
): Promise<{ pages: PageResult[]; usage: { name: string; ms: number }[] }> => {
  await using opened = new AsyncDisposableStack()
  const { cluster } = await startDurableCluster(opened)
  const open = async (name: string, size: number): Promise<Installation> => {
    const url = await createDatabase(cluster.url, name)
    const db = await openPostgres({
      url: new Secret(url),
      poolSize: 1,
      timeoutMs: SEED_TIMEOUT_MS,
      onIdleError: () => undefined,
    })
    opened.defer(() => db.close())
    await migrate(db, { apply: true })
    const startedAt = performance.now()
    await fillRecords(db, size)
    log(`${size.toLocaleString('en')} records in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    return { db, size, filledAt: Date.now() - DAY / 24 }
  }
  const installations = [await open('small', small), await open('large', large)] as const

  const results = new Map(
    [...queries.keys()].map(name => [name, { small: [] as Percentiles[], large: [] as Percentiles[] }]),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const [name, query] of queries) {
      const times = [[], []] as [number[], number[]]
      for (let n = 0; n < samples; n++)
        for (const [at, installation] of installations.entries()) {
          const random = randomFrom(round * 7919 + n)
          const startedAt = performance.now()
          await query(installation, random)
          times[at as 0 | 1].push(performance.now() - startedAt)
        }
      // The first round is a warm-up, in which the plans are made.
      if (round === 0) continue
      results.get(name)?.small.push(percentilesOf(times[0]))
      results.get(name)?.large.push(percentilesOf(times[1]))
    }
    log(`round ${round} of ${rounds}`)
  }
  const pages = [...results].map(([name, byRound]): PageResult => {
    const [smallMedian, largeMedian] = [medianPercentiles(byRound.small), medianPercentiles(byRound.large)]
    return { name, small: smallMedian, large: largeMedian, ratio: largeMedian.p99 / smallMedian.p99 }
  })
  return { pages, usage: await measureUsage(installations[1]) }
}

const measureUsage = async ({ db, filledAt }: Installation): Promise<{ name: string; ms: number }[]> => {
  const until = new Date(filledAt + DAY).toISOString().slice(0, 10)
  const results = []
  for (const [days, groups] of [
    [30, ['day']],
    [30, ['user']],
    [30, ['day', 'connector', 'tool']],
    [365, ['day']],
  ] as const) {
    const since = new Date(Date.parse(until) - days * DAY).toISOString().slice(0, 10)
    const times = []
    for (let n = 0; n < 5; n++) {
      const startedAt = performance.now()
      await usageStore.sum(readPrimary(db), owner, { since, until }, [...groups], 10_001)
      times.push(performance.now() - startedAt)
    }
    results.push({ name: `usage of ${days} days by ${groups.join(', ')}`, ms: median(times) })
  }
  return results
}

const percentilesOf = (times: number[]): Percentiles => {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}
const medianPercentiles = (rounds: Percentiles[]): Percentiles => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
})

/** Seeded, so that both sizes receive the same queries. */
const randomFrom = (seed: number): (() => number) => {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const createDatabase = async (url: string, name: string): Promise<string> => {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return `${url}/${name}`
}
