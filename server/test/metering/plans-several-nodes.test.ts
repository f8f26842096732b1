import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { SERVICE_ACTOR } from '../../src/core/audited-change.ts'
import { regenerateProductionKey } from '../../src/features/organizations/replace-api-key.ts'
import { settlementStore } from '../../src/features/tools/admission/settlement-store.ts'
import { type Database } from '../../src/platform/database/database.ts'
import { moveClock, openTestDatabase } from '../support/databases.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { type Fleet, type Node, post, startFleet } from '../support/processes.ts'
import { plainStatement } from '../support/run-sql.ts'

const MINUTE = 60_000
const LIMIT = 100

type Record = { registered_user_id: string; outcome: string; counted: boolean }
const organization = plainStatement<{ id: string; pack: string }>(
  '',
  'select o.id, p.id as pack from organizations o join tool_packs p on p.organization_id = o.id and p.is_default',
)
const limit = plainStatement('', 'update organizations set call_limit = $1, plan = $2')
const records = plainStatement<Record>('', 'select registered_user_id, outcome, counted from tool_calls')
const countInFlight = plainStatement<{ n: number }>('', 'select count(*) as n from calls_in_flight')
const taken = plainStatement<{ n: number }>('', 'select sum(taken) as n from plan_allowances')

describe('limits on several nodes', () => {
  const opened = new AsyncDisposableStack()
  let fleet: Fleet
  let nodes: Node[]
  let db: Database
  let key: string
  let pack: string
  let server: HostileServer
  /** Users for whom the provider has carried out a call. */
  const ledger = new Set<string>()

  before(async () => {
    server = await startHostileMcp()
    opened.defer(() => server.close())
    server.reset({
      'tools/list': exchange =>
        result(exchange, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] }),
      'tools/call': async exchange => {
        const { userId, fails } = exchange.message.params.arguments
        await delay(20)
        if (!fails) ledger.add(userId)
        return result(exchange, { content: [{ type: 'text', text: 'done' }], isError: fails === true })
      },
    })
    const started = await startFleet('postgres')
    fleet = started
    opened.defer(() => fleet.stop())
    nodes = [started.first, await fleet.start()]
    db = await openTestDatabase(fleet.database)
    opened.defer(() => db.close())
    const [found] = await db.query(organization, [])
    pack = found?.pack as string
    key = (await regenerateProductionKey(db, found?.id as string, SERVICE_ACTOR)).key.reveal()
    const added = await post(`${nodes[0]?.baseUrl}/api/v1/connectors`, key, {
      name: 'Theirs',
      slug: 'theirs',
      url: server.url,
    })
    assert.equal(added.status, 201)
  })
  after(() => opened.disposeAsync())

  const createUser = async (fields = {}): Promise<string> =>
    (
      await post(`${nodes[0]?.baseUrl}/api/v1/registered-users`, key, {
        origin_user_id: crypto.randomUUID(),
        ...fields,
      })
    ).body.id
  /** Returns the error code, null for a success, or `cut` if the node was killed during the call. */
  const act = async (node: Node | undefined, userId: string, fails = false): Promise<string | null> => {
    const address = `${node?.baseUrl}/api/v1/tool-packs/${pack}/registered-users/${userId}/mcp`
    const params = { name: 'theirs__act', arguments: { userId, fails } }
    try {
      const { body } = await post(address, key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      return body.result.structuredContent?.error?.code ?? (body.result.isError ? 'failed' : null)
    } catch {
      return 'cut'
    }
  }

  it('a user’s rate limit applies across all nodes', async () => {
    const userId = await createUser({ rate_limit_per_minute: 10 })
    const codes = await Promise.all(Array.from({ length: 40 }, (_, n) => act(nodes[n % 2], userId)))
    assert.equal(codes.filter(code => code === null).length, 10)
    assert.equal(codes.filter(code => code === 'rate_limited').length, 30)
  })

  it('counts what the provider did, except calls of a killed node, and never more than the limit', async () => {
    await db.query(limit, [LIMIT, 'free'])
    const earlier = (await db.query(records, [])).filter(({ counted }) => counted).length
    const users = await Promise.all(Array.from({ length: 400 }, () => createUser()))
    ledger.clear()
    const waiting = users.map((userId, n) => ({ userId, n }))
    const answers = new Map<string, string | null>()
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop())
        answers.set(next.userId, await act(nodes[next.n % 2], next.userId, next.n % 4 === 3))
    }
    const working = Promise.all(Array.from({ length: 40 }, work))
    while (ledger.size < 30) await delay(2)
    await nodes[1]?.kill('SIGKILL')
    await working
    assert.ok([...answers.values()].includes('cut'))
    nodes[1] = await fleet.start()
    assert.ok(((await db.query(countInFlight, []))[0]?.n ?? 0) > 0, 'the killed node left reserved calls')
    await moveClock(db, 11 * MINUTE)
    await settlementStore.markUnknown(db)
    // Unknown calls have released their reservations, so the rest of the limit is available again.
    for (const userId of users)
      if (answers.get(userId) === 'billing_limit_reached') await act(nodes[1], userId)
    const found = await db.query(records, [])
    const of = (wanted: (record: Record) => boolean) =>
      new Set(found.filter(wanted).map(({ registered_user_id: userId }) => userId))
    const unknown = of(({ outcome }) => outcome === 'unknown')
    assert.ok(unknown.size > 0)
    const counted = found.filter(record => record.counted && ledger.has(record.registered_user_id))
    assert.equal(counted.length, new Set(counted.map(record => record.registered_user_id)).size)
    assert.deepEqual(
      new Set(counted.map(record => record.registered_user_id)),
      new Set([...ledger].filter(userId => !unknown.has(userId))),
    )
    assert.equal(counted.length + earlier, LIMIT)
    assert.equal((await db.query(taken, []))[0]?.n, LIMIT)
  })
})
