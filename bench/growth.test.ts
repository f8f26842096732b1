import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { atRiskSearches } from '../server/src/features/credentials/health/at-risk-search-store.ts'
import { eventFeedStore } from '../server/src/features/events/event-feed-store.ts'
import { eventStore } from '../server/src/features/events/event-store.ts'
import { recordStore } from '../server/src/features/metering/records/record-store.ts'
import { summaryStore } from '../server/src/features/metering/records/summary-store.ts'
import { registeredUserStore } from '../server/src/features/registered-users/registered-user-store.ts'
import { ruleViolationStore } from '../server/src/features/rules/rule-violation-store.ts'
import { admissionStore } from '../server/src/features/tools/admission/admission-store.ts'
import { settlementStore } from '../server/src/features/tools/admission/settlement-store.ts'
import { listingStore } from '../server/src/features/tools/listing/listing-store.ts'
import { deliveryListStore } from '../server/src/features/webhooks/delivery-list-store.ts'
import { deliveryStore } from '../server/src/features/webhooks/delivery-store.ts'
import { endpointStore } from '../server/src/features/webhooks/endpoint-store.ts'
import { fanOutStore } from '../server/src/features/webhooks/fan-out-store.ts'
import type { Database, Queryable } from '../server/src/platform/database/database.ts'
import { FORCE_INDEX_ORDER } from '../server/src/platform/database/index-order.ts'
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
  access_tokens: ['hash'],
  organizations: ['id'],
  registered_users: ['organization_id', 'id'],
  tool_packs: ['organization_id', 'id'],
  credentials: ['organization_id', 'registered_user_id', 'connector_slug'],
  credential_shares: ['organization_id', 'grantee', 'connector_slug'],
  mcp_connectors: ['organization_id', 'slug'],
  mcp_tools: ['organization_id', 'connector_id', 'name'],
  oauth_apps: ['organization_id', 'connector_slug'],
  calls_in_flight: ['organization_id', 'id'],
  plan_allowances: ['organization_id', 'cycle', 'slot'],
  pack_days: ['organization_id', 'tool_pack_id', 'day'],
  rate_buckets: ['organization_id', 'registered_user_id'],
  security_rules: ['organization_id', 'tool_pack_id'],
  webhook_deliveries: ['organization_id', 'id'],
}

/** Tables whose rows are found by an index, and then updated or deleted by their address. */
const FOUND_BY_ADDRESS = ['calls_in_flight', 'webhook_deliveries']

type RunStatement = (db: Queryable) => Promise<unknown>

const isScan = (node: Plan): boolean => /Scan/.test(node['Node Type']) && node['Relation Name'] !== undefined

const SIZES = { connectors: 2000, users: 20_000, records: 40_000, webhooks: 40_000, violations: 40_000 }
const GROWN = [
  'mcp_connectors',
  'mcp_tools',
  'registered_users',
  'credentials',
  'tool_calls',
  'events',
  'webhook_deliveries',
  'rule_violations',
]
/** The tables that have grown, with their partitions. A scan of an empty partition costs nothing. */
const grownTables = async (t: TestService): Promise<Set<string>> => {
  const filled = await t.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and reltuples > 0`,
  )
  const isGrown = (name: string) => GROWN.some(table => name === table || name.startsWith(`${table}_`))
  return new Set(filled.map(({ name }) => name).filter(isGrown))
}

const GENERIC = 'set plan_cache_mode = force_generic_plan'

/** Returns the nodes of the generic plan, which is independent of the parameters. */
const planOf = async (
  t: TestService,
  runStatement: RunStatement,
  { settings = GENERIC, forMany = false } = {},
): Promise<Plan[]> => {
  const prepared: { text: string; literals: string[] }[] = []
  await runStatement({
    query: async (statement, ...[values]) => {
      const planned = forMany ? statement.forMany : statement
      if (!planned) throw new Error(`${statement.name} has no form for many callers`)
      prepared.push({ text: planned.text, literals: planned.order.map(name => literalOf(values, name)) })
      return []
    },
  })
  const plans: Plan[] = []
  for (const { text, literals } of prepared) plans.push(...(await explain(t, text, literals, settings)))
  return plans.flatMap(nodesOf)
}

/** Times matter, because they decide which partitions are read. */
const literalOf = (values: unknown, name: string): string => {
  const value = (values as Record<string, unknown> | undefined)?.[name]
  return value instanceof Date ? `'${value.toISOString()}'` : 'null'
}

const explain = (t: TestService, text: string, literals: string[], settings: string): Promise<Plan[]> =>
  t.service.features.db.transaction(async tx => {
    await tx.script(`${settings.replaceAll(/set (?!local )/g, 'set local ')}; prepare measured as ${text}`)
    const found = await runSql<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      tx,
      `explain (format json) execute measured(${literals.join(', ')})`,
    )
    await tx.script('deallocate measured')
    return found.flatMap(row => row['QUERY PLAN'].map(({ Plan: plan }) => plan))
  })

const call = { callId: '', connectorSlug: '', tool: '', account: null, requestId: '', slot: 0, traceId: null }
const caller = { keyHash: Buffer.alloc(32), registeredUserId: '', toolPackId: '' }
const reserved = { organizationId: '', registeredUserId: '', callId: '', keyHash: Buffer.alloc(32) }
const success = {
  outcome: 'success',
  errorCode: null,
  endedAtStep: null,
  thirdPartyMs: 1,
  carriedOut: true,
} as const
const statements: Record<string, RunStatement> = {
  'admission of an HTTP tool': db =>
    admissionStore.admit(db, caller, call, { usableByAll: true, isRequest: false }),
  'admission of an MCP tool': db =>
    admissionStore.admitMcp(db, caller, call, { requestsLink: false, inCatalog: false }),
  settlement: db => settlementStore.settleUnheld(db, reserved, success),
  listing: db => listingStore.listing(db, { ...caller, sessionHash: Buffer.alloc(32) }),
}

const endpoint = { organizationId: '', id: '' }
const owner = { organizationId: '', mode: 'production' } as const
const attempt = {
  at: '',
  duration_ms: 1,
  request_headers: {},
  response_status: 200,
  response_headers: {},
  response_body: '',
  error: null,
}
const saved = { status: 'delivered', attempt, delaySeconds: 0 } as const
const range = { since: new Date(), until: null, after: null, limit: 1 }
/** A replica that runs the statements of lists. */
const listsOf = (db: Queryable): ReadDatabase => readPrimary(db as Database)
const webhookStatements: Record<string, RunStatement> = {
  'the search for new events': db => fanOutStore.behind(db, 1),
  'reading new events': db => eventFeedStore.committed(db, '', { after: '0', since: new Date(), limit: 1 }),
  'storing deliveries': db => deliveryStore.insert(db, '', []),
  'the search for due endpoints': db =>
    endpointStore.leaseDue(db, { leaseId: '', leaseMs: 1 }, { limit: 1, share: 1, served: new Map() }),
  'due deliveries': db => deliveryStore.due(db, endpoint, 1),
  'a due batch': db => deliveryStore.dueBatch(db, endpoint, { newBatchId: '', limit: 1, bytes: 1 }),
  'saving an attempt': db => deliveryStore.saveAttempt(db, '', [''], saved),
  'saving the attempt of a batch': db => deliveryStore.saveAttempt(db, '', ['', ''], saved),
  'the list of deliveries': db =>
    deliveryListStore.list(listsOf(db), endpoint, null, { before: null, limit: 1 }),
  'the list of failed deliveries': db =>
    deliveryListStore.list(listsOf(db), endpoint, 'failed', { before: null, limit: 1 }),
  'a replay': db => deliveryStore.replay(db, owner, ''),
  'a replay of a range': db => deliveryStore.replayMany(db, endpoint, { ...range, status: 'failed' }),
  'events that were missed': db => eventFeedStore.range(db, owner, range),
  'the list of events': db => eventFeedStore.list(listsOf(db), owner, null, null, 1),
  'the list of events of a user': db => eventFeedStore.list(listsOf(db), owner, '', null, 1),
  'the count of the queue': db => endpointStore.sampleQueue(db),
  'deletion of old events': db => eventStore.deleteOld(db),
  'deletion of old deliveries': db => deliveryStore.deleteOld(db),
}

/** Reads without the settings of a page; `planOf` gets them. */
const readsOf = (db: Queryable): ReadDatabase => ({
  ...listsOf(db),
  readWith: (_settings, work) => work({ read: (statement, ...values) => db.query(statement, ...values) }),
})
const YEAR_MS = 31_536_000_000
const window = { since: new Date(Date.now() - YEAR_MS), until: new Date(Date.now() + YEAR_MS) }
const group = { outcome: 'error', errorCode: null, connector: null } as const
type PageStatement = {
  run: RunStatement
  /** The table that grows, and the condition of the index that must find its rows. */
  table: string
  condition: RegExp
  settings?: string
}
const dashboardStatements: Record<string, PageStatement> = {
  'stored arguments of some calls': {
    run: db => recordStore.payloads(db, owner, [], window.since),
    table: 'tool_calls',
    condition: /id = ANY/,
  },
  'the summary of calls': {
    run: db => summaryStore.read(readsOf(db), owner, window, 60),
    settings: FORCE_INDEX_ORDER,
    table: 'tool_calls',
    condition: /organization_id = .*mode = .*started_at >= /,
  },
  'the users that an error affects': {
    run: db => summaryStore.affected(readsOf(db), owner, window, group),
    settings: FORCE_INDEX_ORDER,
    table: 'tool_calls',
    condition: /organization_id = .*mode = .*outcome = .*started_at >= /,
  },
  'the summary of violations': {
    run: db => ruleViolationStore.summarize(readsOf(db), owner, 30, 1).catch(() => undefined),
    settings: FORCE_INDEX_ORDER,
    table: 'rule_violations',
    condition: /organization_id = .*mode = .*at >= /,
  },
  'the deliveries of all endpoints': {
    run: db => deliveryListStore.listOfMode(listsOf(db), owner, null, { before: null, limit: 1 }),
    table: 'webhook_deliveries',
    condition: /organization_id = .*endpoint_id = .*created_at/,
  },
  'the failed deliveries of all endpoints': {
    run: db => deliveryListStore.listOfMode(listsOf(db), owner, 'failed', { before: null, limit: 1 }),
    table: 'webhook_deliveries',
    condition: /organization_id = .*endpoint_id = .*created_at/,
  },
  'the search for users': {
    run: db => registeredUserStore.search(db, owner, { after: null, limit: 1, search: '' }),
    table: 'registered_users',
    condition:
      /mode = .*organization_id = .*lower\(origin_user_(id|name)\)|lower\(email\)|organization_id = .*id = /,
  },
}

const limitedMethod = { slug: '', method: 'oauth2', ageDays: 1, idleDays: 1, testModeDays: 1 } as const
const withOneApp = { query: async () => [{ oauthApp: '' }] } as unknown as Queryable
const searches = await atRiskSearches(withOneApp, {
  limitedMethods: [limitedMethod],
  testModeApps: [],
  warningDays: 1,
})
const START = { organizationId: '', id: '', time: '' }
/** What the searches for credentials at risk find their rows by, in their order. */
const RISK_CONDITIONS: [name: string, condition: RegExp][] = [
  ['signs of a problem', /ROW\(organization_id, id\) > /],
  ['a stated end', /ends_at <= .*ROW\(ends_at, organization_id, id\) > /],
  ['a maximum age', /connector_slug = .*method = .*linked_at <= .*ROW\(linked_at, organization_id, id\) > /],
  ['an idle limit', /connector_slug = .*method = .*GREATEST\(linked_at, refreshed_at\) <= .*ROW\(GREATEST/],
  ['an app in test mode', /oauth_app = .*linked_at <= .*ROW\(linked_at, organization_id, id\) > /],
]
const riskStatements: Record<string, PageStatement> = Object.fromEntries(
  RISK_CONDITIONS.map(([name, condition], index) => [
    `the search for credentials with ${name}`,
    {
      run: db => searches[index]?.(db, START, 1) ?? Promise.reject(new Error(name)),
      table: 'credentials',
      condition,
    },
  ]),
)

/** Whether a limit is above a sort of rows that no other limit bounds, so that all rows are read for the first one. */
const sortsAll = (limit: Plan, isOfTable: (node: Plan) => boolean): boolean => {
  const reaches = (node: Plan): boolean =>
    isOfTable(node) ||
    (!['Limit', 'CTE Scan', 'Nested Loop'].includes(node['Node Type']) && (node.Plans ?? []).some(reaches))
  return (limit.Plans ?? []).some(child => child['Node Type'].endsWith('Sort') && reaches(child))
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

  for (const [name, { run, table, condition, settings = GENERIC }] of Object.entries({
    ...dashboardStatements,
    ...riskStatements,
  }))
    it(`${name}: finds its rows by an index, and stops at the limit`, async () => {
      const plan = await planOf(t, run, { settings })
      const isOfTable = (node: Plan): boolean =>
        isScan(node) &&
        grown.has(node['Relation Name'] ?? '') &&
        node['Relation Name']?.startsWith(table) === true
      const scans = plan.filter(isOfTable)
      assert.ok(scans.length > 0, `${table} is read`)
      for (const scan of scans) {
        assert.match(scan['Node Type'], /^Index (Only )?Scan$/, JSON.stringify(scan))
        assert.match(scan['Index Cond'] ?? '', condition)
      }
      assert.deepEqual(
        plan.filter(node => node['Node Type'] === 'Limit' && sortsAll(node, isOfTable)),
        [],
      )
    })
})
