import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { Secret } from '../../../server/src/core/secret.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres.ts'
import { startDurableCluster } from '../durable-cluster.ts'
import { median } from '../figures.ts'
import { type Ask, putLoad } from '../load.ts'
import { type Gateway, MCP_SLUG, openGateway } from '../mcp/gateway.ts'
import { statelessRequest } from '../mcp/mcp-request.ts'
import { openUpstream } from '../mcp/mcp-stage.ts'
import { GROWTHS, type GrowthName } from './grow.ts'

export type GrowthOptions = { sizes: Record<GrowthName, number>; seconds: number; rounds: number }
export const METHODS = ['tools/call', 'tools/list'] as const
export type Grown = {
  what: GrowthName
  size: number
  method: (typeof METHODS)[number]
  /** p50 of each round. */
  small: number[]
  large: number[]
}
/** `fastest`: between the round of each that was least disturbed, since whatever else the machine does only adds to it. */
export type GrowthFound = Grown & { ratio: number; fastest: number }

const CALLERS = 16

const askOf = (gateway: Gateway, method: Grown['method']) => {
  const params = method === 'tools/call' ? { name: `${MCP_SLUG}__echo`, arguments: { text: 'hello' } } : {}
  const { headers, body } = statelessRequest(method, params, `Bearer ${gateway.key}`)
  return { headers, asks: gateway.paths.map((path): Ask => [path, body]) }
}

/**
 * Two installations for each thing that grows, one that has grown and a small twin, all on one cluster. They are asked small, large, large,
 * small in the same seconds: whatever else the machine does falls on both, and both are equally warm. With one small one for all, which was
 * asked six times as often, a large one that had not grown at all seemed to cost up to 1.2 times as much.
 */
export const runGrowth = async (
  { sizes, seconds, rounds }: GrowthOptions,
  tell: (line: string) => void,
): Promise<GrowthFound[]> => {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-growth-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { cluster } = await startDurableCluster(opened)
  const upstream = await openUpstream(opened)

  const open = async (name: GrowthName, size: number): Promise<Gateway> => {
    const databaseUrl = await createDatabase(cluster.url, size > 0 ? name : `few_${name}`)
    const db = await openPostgres({ url: new Secret(databaseUrl), poolSize: 1, onIdleError: () => undefined })
    const gateway = await openGateway(opened, { databaseUrl, db, upstream, users: CALLERS })
    const startedAt = performance.now()
    if (size > 0) await GROWTHS[name].grow(db, size)
    await db.script('vacuum analyze')
    await db.close()
    tell(`${name}: ${size} grown in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    return gateway
  }
  const p50 = async (gateway: Gateway, method: Grown['method']): Promise<number> =>
    (
      await putLoad({
        ...askOf(gateway, method),
        origin: gateway.service.origin,
        expectedStatus: 200,
        answerHolds: method === 'tools/call' ? 'hello' : `${MCP_SLUG}__echo`,
        asksAreReusable: true,
        connections: 1,
        folder,
        seconds,
      })
    ).p50

  const pairs = new Map<GrowthName, { small: Gateway; large: Gateway }>()
  for (const name of Object.keys(sizes) as GrowthName[])
    pairs.set(name, { small: await open(name, 0), large: await open(name, sizes[name]) })
  await checkpoint(cluster.url)

  const found = [...pairs.keys()].flatMap(what =>
    METHODS.map((method): Grown => ({ what, size: sizes[what], method, small: [], large: [] })),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const one of found) {
      const { small, large } = pairs.get(one.what) as { small: Gateway; large: Gateway }
      const asked: number[] = []
      for (const gateway of [small, large, large, small]) asked.push(await p50(gateway, one.method))
      // The first round warms both up.
      if (round === 0) continue
      const [before, first, second, after] = asked as [number, number, number, number]
      one.small.push((before + after) / 2)
      one.large.push((first + second) / 2)
    }
    tell(`round ${round} of ${rounds}`)
  }
  return found.map(one => ({
    ...one,
    ratio: median(one.large.map((p50OfLarge, n) => p50OfLarge / (one.small[n] as number))),
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
