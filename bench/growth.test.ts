import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventFeedStore } from '../server/src/features/events/event-feed-store.ts'
import { eventStore } from '../server/src/features/events/event-store.ts'
import { admissionStore } from '../server/src/features/tools/admission/admission-store.ts'
import { settlementStore } from '../server/src/features/tools/admission/settlement-store.ts'
import { listingStore } from '../server/src/features/tools/listing/listing-store.ts'
import { deliveryStore } from '../server/src/features/webhooks/delivery-store.ts'
import { endpointStore } from '../server/src/features/webhooks/endpoint-store.ts'
import { fanOutStore } from '../server/src/features/webhooks/fan-out-store.ts'
import type { Database, Queryable } from '../server/src/platform/database/database.ts'
import { BATCH_SETTINGS, settingsSql } from '../server/src/platform/database/postgres/postgres-settings.ts'
import { type ReadDatabase, readPrimary } from '../server/src/platform/database/read-database.ts'
import { startPlainMcp } from '../server/test/support/plain-mcp.ts'
import { runSql } from '../server/test/support/run-sql.ts'
import { startTestService, type TestService } from '../server/test/support/test-service.ts'
import { GROWTHS } from './src/growth/grow.ts'
import { MCP_SLUG } from './src/mcp/gateway.ts'

/** The fast counterpart of `npm run proof:growth`: checks the plans of statements instead of their durations. */
type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The key columns by which a row of each table is looked up. */
const KEYS = {
  api_keys: ['hash'],
  mcp_keys: ['hash'],
  organizations: ['id'],
  registered_users: ['organization_id', 'id'],
  tool_packs: ['organization_id', 'id'],
  credentials: ['organization_id', 'registered_user_id', 'connector_slug'],
  mcp_connectors: ['organization_id', 'slug'],
  mcp_tools: ['organization_id', 'connector_id', 'name'],
  oauth_apps: ['organization_id', 'connector_slug'],
  calls_in_flight: ['organization_id', 'id'],
  plan_allowances: ['organization_id', 'cycle', 'slot'],
  rate_buckets: ['organization_id', 'registered_user_id'],
  security_rules: ['organization_id', 'tool_pack_id'],
  webhook_deliveries: ['organization_id', 'id'],
}

/** Tables whose rows are found by an index, and then updated or deleted by their address. */
const FOUND_BY_ADDRESS = ['calls_in_flight', 'webhook_deliveries']

type RunStatement = (db: Queryable) => Promise<unknown>

const isScan = (node: Plan): boolean => /Scan/.test(node['Node Type']) && node['Relation Name'] !== undefined

const SIZES = { connectors: 2000, users: 20_000, records: 40_000, webhooks: 40_000 }
const GROWN = [
  'mcp_connectors',
  'mcp_tools',
  'registered_users',
  'credentials',
  'tool_calls',
  'events',
  'webhook_deliveries',
]
/** The tables that have grown, with their partitions. A scan of an empty partition costs nothing. */
const grownTables = async (t: TestService): Promise<Set<string>> => {
  const filled = await t.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and reltuples > 0`,
  )
  const isGrown = (name: string) => GROWN.some(table => name === table || name.startsWith(`${table}_`))
  return new Set(filled.map(({ name }) => name).filter(isGrown))
}

/** Returns the nodes of the generic plan, which is independent of the parameters. */
const planOf = async (
  t: TestService,
  runStatement: RunStatement,
  { settings = 'set plan_cache_mode = force_generic_plan', forMany = false } = {},
): Promise<Plan[]> => {
  let text = ''
  let count = 0
  await runStatement({
    query: async (statement, ..._values) => {
      const planned = forMany ? statement.forMany : statement
      if (!planned) throw new Error(`${statement.name} has no form for many callers`)
      text = planned.text
      count = planned.order.length
      return []
    },
  })
  const nulls = Array.from({ length: count }, () => 'null').join(', ')
  const rows = await t.service.features.db.transaction(async tx => {
    await tx.script(`${settings.replaceAll('set ', 'set local ')}; prepare measured as ${text}`)
    const found = await runSql<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      tx,
      `explain (format json) execute measured(${nulls})`,
    )
    await tx.script('deallocate measured')
    return found
  })
  return rows.flatMap(row => row['QUERY PLAN'].flatMap(({ Plan: plan }) => nodesOf(plan)))
}

const call = { callId: '', connectorSlug: '', tool: '', requestId: '', slot: 0, traceId: null }
const caller = { keyHash: Buffer.alloc(32), registeredUserId: '', toolPackId: '' }
const reserved = { organizationId: '', registeredUserId: '', callId: '', keyHash: Buffer.alloc(32) }
const success = { outcome: 'success', errorCode: null, thirdPartyMs: 1 } as const
const statements: Record<string, RunStatement> = {
  'admission of an HTTP tool': db => admissionStore.admit(db, caller, call, true),
  'admission of an MCP tool': db =>
    admissionStore.admitMcp(db, caller, call, { requestsLink: false, inCatalog: false }),
  settlement: db => settlementStore.settleUnheld(db, reserved, success),
  listing: db => listingStore.listing(db, caller),
}

const endpoint = { organizationId: '', id: '' }
const owner = { organizationId: '', mode: 'production' } as const
const attempt = { at: '', duration_ms: 1, response_status: 200, response_body: '', error: null }
const saved = { status: 'delivered', attempt, delaySeconds: 0 } as const
const range = { since: new Date(), until: null, after: null, limit: 1 }
/** A replica that runs the statements of lists. */
const listsOf = (db: Queryable): ReadDatabase => readPrimary(db as Database)
const webhookStatements: Record<string, RunStatement> = {
  'the search for new events': db => fanOutStore.behind(db, 1),
  'reading new events': db => eventFeedStore.committed(db, '', { after: '0', since: new Date(), limit: 1 }),
  'storing deliveries': db => deliveryStore.insert(db, '', []),
  'the search for due endpoints': db => endpointStore.leaseDue(db, '', 1, 1),
  'due deliveries': db => deliveryStore.due(db, endpoint, 1),
  'a due batch': db => deliveryStore.dueBatch(db, endpoint, { newBatchId: '', limit: 1, bytes: 1 }),
  'saving an attempt': db => deliveryStore.saveAttempt(db, '', [''], saved),
  'saving the attempt of a batch': db => deliveryStore.saveAttempt(db, '', ['', ''], saved),
  'the list of deliveries': db => deliveryStore.list(listsOf(db), endpoint, null, { before: null, limit: 1 }),
  'the list of failed deliveries': db =>
    deliveryStore.list(listsOf(db), endpoint, 'failed', { before: null, limit: 1 }),
  'a replay': db => deliveryStore.replay(db, owner, ''),
  'a replay of a range': db => deliveryStore.replayMany(db, endpoint, { ...range, status: 'failed' }),
  'events that were missed': db => eventFeedStore.range(db, owner, range),
  'the list of events': db => eventFeedStore.list(listsOf(db), owner, null, null, 1),
  'the list of events of a user': db => eventFeedStore.list(listsOf(db), owner, '', null, 1),
  'the count of the queue': db => endpointStore.sampleQueue(db),
  'deletion of old events': db => eventStore.deleteOld(db),
  'deletion of old deliveries': db => deliveryStore.deleteOld(db),
}

/** Starts a service with one user and one custom connector. */
const startSmall = async (opened: AsyncDisposableStack): Promise<TestService> => {
  // Jobs would lock tables while they grow.
  const t = await startTestService('postgres', {}, { withJobs: false })
  opened.defer(() => t.stop())
  const plain = await startPlainMcp()
  opened.defer(() => plain.stop())
  await t.createUser()
  await t.call('POST', '/api/v1/connectors', { body: { name: 'Bench', slug: MCP_SLUG, url: plain.url } })
  return t
}

/** A cached plan lives as long as its connection, so it must also suit tables that have grown since it was made. */
describe('batched statements: look up every row by its full key', () => {
  const opened = new AsyncDisposableStack()
  let t: TestService
  before(async () => {
    t = await startSmall(opened)
  })
  after(() => opened.disposeAsync())

  const checkPlans = async () => {
    for (const name of ['admission of an HTTP tool', 'admission of an MCP tool', 'settlement'])
      for (const forMany of [false, true]) await checkPlan(name, forMany, statements[name] as RunStatement)
    const saving = 'saving an attempt'
    await checkPlan(saving, true, webhookStatements[saving] as RunStatement, 1)
  }
  const checkPlan = async (name: string, forMany: boolean, runStatement: RunStatement, minScans = 2) => {
    const settings = settingsSql(BATCH_SETTINGS)
    const plan = await planOf(t, runStatement, { settings, forMany })
    const scans = plan.filter(isScan)
    assert.ok(scans.length >= minScans)
    for (const scan of scans) {
      // By the address of a row that an index scan has found.
      if (scan['Node Type'] === 'Tid Scan' && FOUND_BY_ADDRESS.includes(scan['Relation Name'] ?? '')) continue
      assert.match(scan['Node Type'], /^Index (Only )?Scan$/)
      const columns = [...(scan['Index Cond'] ?? '').matchAll(/(\w+) = /g)].map(([, column]) => column)
      const key = KEYS[scan['Relation Name'] as keyof typeof KEYS]
      assert.deepEqual(new Set(columns), new Set(key), `${name}: ${JSON.stringify(scan)}`)
    }
  }

  it('in plans made in a new database', checkPlans)

  it('in plans made with statistics of small tables', async () => {
    const { db } = t.service.features
    for (const name of Object.keys(SIZES)) await GROWTHS[name as keyof typeof SIZES].grow(db, 50)
    await db.script(`analyze ${GROWN.join(', ')}`)
    await checkPlans()
  })
})

describe('statements of calls, events and webhooks in a large organization', () => {
  const opened = new AsyncDisposableStack()
  let t: TestService
  let grown: Set<string>
  before(async () => {
    t = await startSmall(opened)
    const { db } = t.service.features
    for (const [name, size] of Object.entries(SIZES)) await GROWTHS[name as keyof typeof SIZES].grow(db, size)
    await db.script('vacuum analyze')
    grown = await grownTables(t)
    assert.ok(grown.size > GROWN.length, 'all tables have grown')
  })
  after(() => opened.disposeAsync())

  for (const [name, runStatement] of Object.entries({ ...statements, ...webhookStatements })) {
    // Listing reads all connectors, because a Tool Pack without a connector list offers all of them.
    const expected = name === 'listing' ? ['mcp_connectors'] : []
    it(`${name}: scans ${expected.join() || 'no table that grows'}`, async () => {
      const plan = await planOf(t, runStatement)
      const scans = plan.filter(node => /Seq Scan/.test(node['Node Type']))
      const scanned = scans.map(node => node['Relation Name'] ?? '').filter(table => grown.has(table))
      assert.deepEqual(scanned, expected)
    })
  }
})
