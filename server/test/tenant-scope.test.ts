import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allStatements } from './support/all-statements.ts'
import { createTestDatabase, openTestDatabase } from './support/databases.ts'
import { runSql } from './support/run-sql.ts'
import { findUnscopedTables } from './support/tenant-scope.ts'

/** Jobs that process all organizations. */
const SWEEPS = [
  'api_keys.delete_ended',
  'api_keys.revoke_development',
  'api_keys.take_expiring',
  'approval_grants.delete_ended',
  'approval_visits.delete_expired',
  'approvals.find_abandoned',
  'approvals.find_due',
  'approvals.find_open_file_tools',
  'approvals.forget_calls',
  'approvals.sample_pending',
  'approvals.take_unnotified',
  'approvals.void_file_tool',
  'audit.abandoned',
  'call_answers.clear_oldest',
  'call_answers.expire',
  'client_grants.delete_expired',
  'connections_links.delete_old',
  'credential_refusals.take_due',
  'credentials.take_idle',
  'credentials_at_risk.ending',
  'credentials_at_risk.idle',
  'credentials_at_risk.note_uses',
  'credentials_at_risk.of_own_app',
  'credentials_at_risk.old',
  'credentials_at_risk.own_test_apps',
  'credentials_at_risk.troubled',
  'idempotency.expire',
  'link_sessions.delete_old',
  'mcp_connectors.delete_removed',
  'mcp_connectors.take_due',
  'mcp_keys.delete_expired',
  'rate_buckets.delete_full',
  'plan_allowances.delete_old',
  'pack_days.delete_old',
  'pending_secrets.end_overdue',
  'previous_user_keys.delete_old',
  'revocations.delete_old',
  'revocations.take_due',
  'revealed_tools.expire',
  'sign_in_requests.delete_expired',
  'stored_results.expire',
  'tool_tasks.delete_expired',
  'tool_tasks.find_due',
  'webhooks.lease_due_endpoints',
  'webhooks.organizations_behind',
  'webhooks.sample_queue',
]
/** The rotation of the vault key, and commands of the operator. */
const OPERATOR = [
  'audit.chains',
  'audit.latest_of_all',
  'backups.resume_events',
  'diagnostics.failures',
  'installation.queue_refreshes',
  'installation.queue_revocations',
  'installation.queue_webhooks',
  'key_rotations.start',
  'key_rotations.superseded',
  'key_rotations.unstable_organization',
  'mcp_connectors.slugs_among',
  'vault.key_owners',
  'vault.wrapped_elsewhere',
  'vault.wrapping_keys',
]
/** People of the installation, who may belong to several organizations. */
const PEOPLE = [
  'people.find',
  'people.list',
  'people_sign_in_links.is_allowed',
  'people_sign_in_links.start_session',
]
/** Revoking a grant also ends the grants of the same account to the same OAuth app in other organizations. */
const SHARED_GRANTS = ['revocations.shares_grant']
/** Counts how many other accounts of an OAuth app of the service are refused, which tells an outage from a revocation. */
const OUTAGES = ['credential_refusals.compare']

test('every statement names the organization of each row that it reads or writes', async () => {
  const database = await createTestDatabase('postgres')
  const db = await openTestDatabase(database)
  try {
    const columns = await runSql(
      db,
      `select table_name as name from information_schema.columns where column_name = 'organization_id' and table_schema = 'public'`,
    )
    const tenantTables = new Set(columns.map(({ name }) => String(name)))
    // Has one row per rotation; its organization is the one in progress.
    tenantTables.delete('key_rotations')
    assert.ok(tenantTables.size > 40, `only ${tenantTables.size} tables and views`)
    const unscoped: string[] = []
    for (const { name, text } of await allStatements())
      if ((await findUnscopedTables(text, tenantTables)).length > 0) unscoped.push(name)
    assert.deepEqual(
      unscoped.toSorted(),
      [...SWEEPS, ...OPERATOR, ...PEOPLE, ...SHARED_GRANTS, ...OUTAGES].toSorted(),
    )
  } finally {
    await db.close()
    await database.drop()
  }
})

test('jobs skip organizations that are being imported, moved or deleted', async () => {
  const texts = new Map((await allStatements()).map(({ name, text }) => [name, text]))
  const careless = SWEEPS.filter(name => !texts.get(name)?.includes('unserved_organizations'))
  assert.deepEqual(careless, [])
})

test('the check finds tables that are read or written without their organization', async () => {
  const cases: [sql: string, unscoped: string[]][] = [
    ['select 1 from users where organization_id = $1 and id = $2', []],
    ['select 1 from users where id = $1', ['users']],
    ['select 1 from users where organization_id = $1 or id = $2', ['users']],
    [
      'select 1 from users u join calls c on c.organization_id = u.organization_id where u.organization_id = $1',
      [],
    ],
    ['select 1 from users u join calls c on c.user_id = u.id where u.organization_id = $1', ['calls']],
    [
      'select 1 from users u join calls c on c.organization_id = u.organization_id where u.id = $1',
      ['users', 'calls'],
    ],
    ['select 1 from users u join calls c using (organization_id) where u.organization_id = $1', []],
    ['select 1 from keys k join users u on u.organization_id = k.organization_id where k.hash = $1', []],
    [
      'select (select count(*) from calls c where c.user_id = u.id) from users u where u.organization_id = $1',
      ['calls'],
    ],
    [
      'select 1 from users u where u.organization_id = $1 and exists (select from calls where user_id = u.id)',
      ['calls'],
    ],
    ['with found as (select * from users where organization_id = $1) select 1 from found', []],
    ['with found as (select * from users where id = $1) select 1 from found', ['users']],
    ['select 1 from users where organization_id = $1 union select 1 from calls', ['calls']],
    ['update users set name = $1 where id = $2', ['users']],
    [
      'update users u set name = $1 from calls c where c.organization_id = $2 and u.id = c.user_id',
      ['users'],
    ],
    [
      'delete from calls where (organization_id, id) in (select organization_id, id from users where organization_id = $1)',
      [],
    ],
    ['insert into calls (organization_id, id) values ($1, $2)', []],
    ['insert into calls (id) values ($1)', ['calls']],
    ['select 1 from settings where id = $1', []],
  ]
  for (const [sql, unscoped] of cases)
    assert.deepEqual(await findUnscopedTables(sql, new Set(['users', 'calls', 'keys'])), unscoped, sql)
})
