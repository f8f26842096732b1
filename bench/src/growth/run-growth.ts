import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { Secret } from '../../../server/src/core/secret.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres/postgres.ts'
import { startDurableCluster } from '../durable-cluster.ts'
import { median } from '../figures.ts'
import { type LoadRequest, runLoad } from '../load.ts'
import { type Gateway, MCP_SLUG, openGateway } from '../mcp/gateway.ts'
import { statelessRequest } from '../mcp/mcp-request.ts'
import { openUpstream } from '../mcp/mcp-stage.ts'
import { SEED_TIMEOUT_MS } from '../seed.ts'
import { GROWTHS, type GrowthName } from './grow.ts'

export type GrowthOptions = { sizes: Record<GrowthName, number>; seconds: number; rounds: number }
export const METHODS = ['tools/call', 'tools/list'] as const
export type GrowthSamples = {
  growth: GrowthName
  size: number
  method: (typeof METHODS)[number]
  /** p50 of each round. */
  small: number[]
  large: number[]
}
/** `ratio`: large to small, median of the rounds. `fastest`: between the fastest round of each, because other load only adds time. */
export type GrowthResult = GrowthSamples & { ratio: number; fastest: number }

const CALLERS = 16

const requestsFor = (gateway: Gateway, method: GrowthSamples['method']) => {
  const params = method === 'tools/call' ? { name: `${MCP_SLUG}__echo`, arguments: { text: 'hello' } } : {}
  const { headers, body } = statelessRequest(method, params, `Bearer ${gateway.key}`)
  return { headers, requests: gateway.paths.map((path): LoadRequest => [path, body]) }
}

/**
 * Measures two installations for each kind of data, a large and a small one, all on one cluster. They are measured in the order small,
 * large, large, small, so that other load on the machine affects both and both are equally warm. With one small installation for all
 * kinds, which was called six times as often as each large one, an installation without additional data seemed up to 1.2 times slower.
 */
export const runGrowth = async (
  { sizes, seconds, rounds }: GrowthOptions,
  log: (line: string) => void,
): Promise<GrowthResult[]> => {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-growth-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { cluster } = await startDurableCluster(opened)
  const upstream = await openUpstream(opened)

  const open = async (name: GrowthName, size: number): Promise<Gateway> => {
    const databaseUrl = await createDatabase(cluster.url, size > 0 ? name : `small_${name}`)
    const db = await openPostgres({
      url: new Secret(databaseUrl),
      poolSize: 1,
      timeoutMs: SEED_TIMEOUT_MS,
      onIdleError: () => undefined,
    })
    const gateway = await openGateway(opened, { databaseUrl, db, upstream, users: CALLERS })
    const startedAt = performance.now()
    if (size > 0) await GROWTHS[name].grow(db, size)
    await db.script('vacuum analyze')
    await db.close()
    log(`${name}: ${size} created in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    return gateway
  }
  const p50 = async (gateway: Gateway, method: GrowthSamples['method']): Promise<number> =>
    (
      await runLoad({
        ...requestsFor(gateway, method),
        origin: gateway.service.origin,
        expectedStatus: 200,
        expectedText: method === 'tools/call' ? 'hello' : `${MCP_SLUG}__echo`,
        requestsAreReusable: true,
        connections: 1,
        folder,
        seconds,
      })
    ).p50

  const pairs = new Map<GrowthName, { small: Gateway; large: Gateway }>()
  for (const name of Object.keys(sizes) as GrowthName[])
    pairs.set(name, { small: await open(name, 0), large: await open(name, sizes[name]) })
  await checkpoint(cluster.url)

  const samples = [...pairs.keys()].flatMap(growth =>
    METHODS.map((method): GrowthSamples => ({ growth, size: sizes[growth], method, small: [], large: [] })),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const one of samples) {
      const { small, large } = pairs.get(one.growth) as { small: Gateway; large: Gateway }
      const latencies: number[] = []
      for (const gateway of [small, large, large, small]) latencies.push(await p50(gateway, one.method))
      // The first round is a warm-up.
      if (round === 0) continue
      const [before, first, second, after] = latencies as [number, number, number, number]
      one.small.push((before + after) / 2)
      one.large.push((first + second) / 2)
    }
    log(`round ${round} of ${rounds}`)
  }
  return samples.map(one => ({
    ...one,
    ratio: median(one.large.map((large, n) => large / (one.small[n] as number))),
    fastest: Math.min(...one.large) / Math.min(...one.small),
  }))
}

const asAdministrator = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query(sql)
  await client.end()
}

const createDatabase = async (url: string, name: string): Promise<string> => {
  await asAdministrator(url, `create database ${name}`)
  return `${url}/${name}`
}

const checkpoint = (url: string): Promise<void> => asAdministrator(url, 'checkpoint')
