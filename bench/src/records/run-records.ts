import type { ToolCallFilter } from '@carabiner/contract'
import pg from 'pg'
import { Secret } from '../../../server/src/core/secret.ts'
import { usageStore } from '../../../server/src/features/metering/limits/usage-store.ts'
import type { RecordPosition } from '../../../server/src/features/metering/records/record-cursor.ts'
import { parseRecordFilter } from '../../../server/src/features/metering/records/record-filter.ts'
import { recordStore } from '../../../server/src/features/metering/records/record-store.ts'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { migrate } from '../../../server/src/platform/database/migrate.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres.ts'
import { startDurableCluster } from '../durable-cluster.ts'
import { median, percentile } from '../figures.ts'
import { DAYS, fillRecords, ORGANIZATION, packOf, userOf } from './fill-records.ts'

export type RecordsOptions = { small: number; large: number; rounds: number; samples: number }
export type PageFound = { what: string; small: Percentiles; large: Percentiles; ratio: number }
export type Percentiles = { p50: number; p99: number }

const DAY = 24 * 60 * 60 * 1000
const owner = { organizationId: ORGANIZATION, mode: 'production' } as const

type Installation = { db: Database; size: number; filledAt: number }
type Ask = (of: Installation, random: () => number) => Promise<unknown>

/** Any moment of the two years, as the page before may have ended there. */
const anywhere = ({ filledAt }: Installation, random: () => number): RecordPosition => ({
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
  'a trace that nobody made': () => ({ trace_id: '0123456789abcdef0123456789abcdef' }),
  header: (n, { size }) => ({ header: `X-Conversation:c-${Math.floor((n % size) / 20)}` }),
  'a week': (n, { filledAt }) => {
    const since = filledAt - (n % (DAYS - 8)) * DAY - 8 * DAY
    return { since: day(since), until: day(since + 7 * DAY) }
  },
}

const LIMIT = 50
const asks = new Map<string, Ask>()
for (const [name, filterOf] of Object.entries(FILTERS)) {
  const ask =
    (isDeep: boolean): Ask =>
    (of, random) => {
      const filter = parseRecordFilter(filterOf(Math.floor(random() * 1e9), of))
      return recordStore.page(of.db, owner, filter, isDeep ? anywhere(of, random) : null, LIMIT)
    }
  asks.set(`${name}, newest`, ask(false))
  asks.set(`${name}, deep`, ask(true))
}
asks.set('one by its id', ({ db, size }, random) => {
  const n = 1 + Math.floor(random() * (size - 1))
  const id = n
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return recordStore.find(db, owner, id)
})

/** Both sizes on one cluster, asked in turn: whatever else the machine does falls on both. */
export const runRecords = async (
  { small, large, rounds, samples }: RecordsOptions,
  tell: (line: string) => void,
): Promise<{ pages: PageFound[]; usage: { what: string; ms: number }[] }> => {
  await using opened = new AsyncDisposableStack()
  const { cluster } = await startDurableCluster(opened)
  const open = async (name: string, size: number): Promise<Installation> => {
    const url = await createDatabase(cluster.url, name)
    const db = await openPostgres({ url: new Secret(url), poolSize: 1, onIdleError: () => undefined })
    opened.defer(() => db.close())
    await migrate(db, { apply: true })
    const startedAt = performance.now()
    await fillRecords(db, size)
    tell(`${size.toLocaleString('en')} records in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    return { db, size, filledAt: Date.now() - DAY / 24 }
  }
  const installations = [await open('small', small), await open('large', large)] as const

  const found = new Map(
    [...asks.keys()].map(what => [what, { small: [] as Percentiles[], large: [] as Percentiles[] }]),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const [what, ask] of asks) {
      const times = [[], []] as [number[], number[]]
      for (let n = 0; n < samples; n++)
        for (const [at, installation] of installations.entries()) {
          const random = randomFrom(round * 7919 + n)
          const startedAt = performance.now()
          await ask(installation, random)
          times[at as 0 | 1].push(performance.now() - startedAt)
        }
      // The first round warms both up, and has plans made.
      if (round === 0) continue
      found.get(what)?.small.push(percentilesOf(times[0]))
      found.get(what)?.large.push(percentilesOf(times[1]))
    }
    tell(`round ${round} of ${rounds}`)
  }
  const pages = [...found].map(([what, of]): PageFound => {
    const [s, l] = [middle(of.small), middle(of.large)]
    return { what, small: s, large: l, ratio: l.p99 / s.p99 }
  })
  return { pages, usage: await measureUsage(installations[1]) }
}

const measureUsage = async ({ db, filledAt }: Installation): Promise<{ what: string; ms: number }[]> => {
  const until = new Date(filledAt + DAY).toISOString().slice(0, 10)
  const found = []
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
      await usageStore.sum(db, owner, { since, until }, [...groups], 10_001)
      times.push(performance.now() - startedAt)
    }
    found.push({ what: `usage of ${days} days by ${groups.join(', ')}`, ms: median(times) })
  }
  return found
}

const percentilesOf = (times: number[]): Percentiles => {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}
const middle = (rounds: Percentiles[]): Percentiles => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
})

/** The same questions to both. */
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
