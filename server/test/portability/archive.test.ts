import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Sandbox, startSandbox } from '@carabiner/sandbox'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { HOUR, MINUTE } from '../../src/core/duration.ts'
import { BACKED_UP_TABLES } from '../../src/features/backups/backed-up-tables.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { listChains, verifyChain } from '../../src/features/events/audit-verify.ts'
import { addPerson } from '../../src/features/members/add-person.ts'
import { usageStore } from '../../src/features/metering/limits/usage-store.ts'
import { ARCHIVED_TABLES, NOT_ARCHIVED } from '../../src/features/portability/archived-tables.ts'
import { deleteOrganization } from '../../src/features/portability/delete-organization.ts'
import { isFenced } from '../../src/features/portability/fence.ts'
import { activate } from '../../src/features/portability/finish-import.ts'
import { fileKeyRing } from '../../src/platform/vault/key-ring.ts'
import {
  exportToMemory,
  importFromMemory,
  openFromMemory,
  readOrganization,
  type TestArchive,
} from '../support/archives.ts'
import { backUpToMemory, readDatabase, restoreFromMemory } from '../support/backups.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { createTestDatabase, openTestDatabase } from '../support/databases.ts'
import { AWKWARD, type FilledOrganization, fillOrganization } from '../support/filled-organization.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const CLIENT = { id: 'carabiner', secret: 'a-secret-of-this-test' }

describe('an organization with rows in every table, imported with another vault key', () => {
  const opened = new AsyncDisposableStack()
  let sandbox: Sandbox
  let source: TestService
  let target: TestService
  let other: TestOrganization
  let filled: FilledOrganization
  let archive: TestArchive
  let exported: Record<string, string[]>
  let otherRows: Record<string, string[]>
  before(async () => {
    const keys = mkdtempSync(join(tmpdir(), 'carabiner-archive-'))
    opened.defer(() => rmSync(keys, { recursive: true, force: true }))
    const port = await freePort()
    const redirectUris = [`http://localhost:${port}/oauth/callback/sandbox-notes`]
    sandbox = await startSandbox({ client: { ...CLIENT, redirectUris } })
    opened.defer(() => sandbox.close())
    const environment = {
      SANDBOX_URL: sandbox.url,
      OAUTH_SANDBOX_NOTES_CLIENT_ID: CLIENT.id,
      OAUTH_SANDBOX_NOTES_CLIENT_SECRET: CLIENT.secret,
    }
    const keyFile = join(keys, 'vault.key')
    source = await startTestService('postgres', { ...environment, PORT: String(port), KEY_FILE: keyFile })
    opened.defer(() => source.stop())
    target = await startTestService('postgres', environment)
    opened.defer(() => target.stop())
    // Later than in the source, where the aggregation of usage has not reached the last calls.
    await target.moveClock(20 * MINUTE)
    filled = await fillOrganization(source, keyFile)
    opened.defer(() => filled.server.close())
    other = await source.createOrganization('Competitor with a canary')
    await source.createUser({ origin_user_name: 'canary of another organization' }, other.key)
    otherRows = await readOrganization(source.service.features.db, other.id)
    archive = await exportToMemory(source.service.features, source.organization.id)
    exported = await readOrganization(source.service.features.db, source.organization.id)
    await importFromMemory(target.service.features, archive, { staysArriving: true })
  })
  after(() => opened.disposeAsync())

  const inTarget = (method: string, path: string, options: { body?: unknown; key?: string } = {}) =>
    target.call(method, path, { key: source.organization.key, ...options })

  it('the source has rows in every archived table, so that the comparison covers all of them', () => {
    const empty = ARCHIVED_TABLES.filter(({ name }) => exported[name]?.length === 0)
    assert.deepEqual(
      empty.map(({ name }) => name),
      [],
    )
    assert.ok(exported.organization_keys?.length === 2, 'two generations of the organization key')
  })

  it('every table is equal, row by row, apart from what belongs to the installation', async () => {
    const imported = await readOrganization(target.service.features.db, source.organization.id)
    // The source keeps running, and advances its position in the events at any time.
    const { organizations, organization_keys, audit_heads, organization_imports, event_positions, ...equal } =
      imported
    assert.equal(event_positions?.length, 1)
    for (const [name, rows] of Object.entries(equal)) assert.deepEqual(rows, exported[name], name)
    assert.equal(organization_imports?.length, 1)
    assert.equal(organization_keys?.length, exported.organization_keys?.length)
    assert.notDeepEqual(organization_keys, exported.organization_keys, 'wrapped by another vault key')
    const sealOf = (row: string | undefined) => row?.split(',')[3]
    assert.equal(
      audit_heads?.[0]?.replace(sealOf(audit_heads[0]) ?? '', ''),
      exported.audit_heads?.[0]?.replace(sealOf(exported.audit_heads[0]) ?? '', ''),
    )
    assert.match(organizations?.[0] ?? '', /,arriving,/)
  })

  it('a backup of the whole database is restored into the embedded database without a difference', async () => {
    const { db } = source.service.features
    const ring = fileKeyRing(source.keyFile, { production: false })
    await source.query(
      `insert into organization_imports (organization_id, archive_id) values ($1, sha256('an archive'))`,
      [crypto.randomUUID()],
    )
    const { personId } = await addPerson(source.service.features, {
      email: 'ana@example.com',
      isOperator: true,
      membership: { organizationId: source.organization.id, role: 'admin' },
    })
    await source.query(
      `with account as (insert into people_accounts (user_id, provider_id, account_id, password) values ($1, 'credential', 'a', 'hash')),
         passkey as (insert into people_passkeys (user_id, public_key, credential_id, counter, device_type, backed_up)
           values ($1, 'key', 'id', 7, 'singleDevice', false))
       insert into people_second_factors (user_id, secret, backup_codes) values ($1, 'encrypted', 'encrypted')`,
      [personId],
    )
    const backup = await backUpToMemory({ db, ring: ring })
    const rows = await readDatabase(db)
    await source.query('delete from organization_imports')
    const empty = BACKED_UP_TABLES.filter(({ name }) => rows[name]?.length === 0)
    assert.deepEqual(empty, [], 'every table has rows, so that the comparison covers all of them')
    const database = await createTestDatabase('pglite')
    const embedded = await openTestDatabase(database)
    try {
      await restoreFromMemory({ db: embedded, ring: ring }, backup)
      const restored = await readDatabase(embedded)
      for (const { name } of BACKED_UP_TABLES) assert.deepEqual(restored[name], rows[name], name)
    } finally {
      await embedded.close()
      await database.drop()
    }
  })

  it('the archive contains nothing of other organizations, and no plaintext', async () => {
    let text = ''
    for await (const { lines } of (await openFromMemory(archive)).chunks()) text += lines.join('\n')
    assert.ok(text.includes(source.organization.id))
    assert.ok(text.includes(JSON.stringify(AWKWARD).slice(1, 10)))
    for (const canary of [other.id, 'Competitor', 'canary of another'])
      assert.ok(!text.includes(canary), canary)
    assert.ok(!archive.bytes.includes(AWKWARD.slice(0, 10)))
    assert.deepEqual(await readOrganization(source.service.features.db, other.id), otherRows)
  })

  it('the audit trail is intact in both installations', async () => {
    for (const { service } of [source, target]) {
      const { db, vault } = service.features
      const [chain] = await listChains(db, source.organization.id)
      assert.ok(chain)
      const { problem, entries } = await verifyChain({ db, signer: vault.signer }, chain)
      assert.equal(problem, null)
      assert.ok(entries > 5)
    }
  })

  it('works after activation: keys, a linked account, captured arguments, idempotency and usage', async () => {
    const { id, toolPackId } = source.organization
    await usageStore.aggregate(target.service.features.db)
    await activate(target.service.features.db, id)
    const users = await inTarget('GET', '/api/v1/registered-users')
    assert.equal(users.status, 200, users.text)
    assert.ok(users.body.data.some(({ origin_user_name }: any) => origin_user_name === AWKWARD))

    const path = `/api/v1/tool-packs/${toolPackId}/registered-users/${filled.userId}/mcp`
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sandbox-notes__list_notes', arguments: {} },
    }
    for (const key of [source.organization.key, filled.mcpKey]) {
      const { body: answer, text } = await inTarget('POST', path, { key, body })
      assert.ok(Array.isArray(answer.result?.structuredContent?.notes), text)
    }
    for (const record of filled.recordIds) {
      const { body: read } = await inTarget('GET', `/api/v1/tool-calls/${record}`)
      assert.equal(read.payload, 'kept')
    }
    const repeated = await target.call('POST', '/api/v1/registered-users', {
      key: source.organization.key,
      headers: { 'idempotency-key': filled.idempotentRequest.key },
      body: filled.idempotentRequest.body,
    })
    assert.deepEqual(repeated.body, filled.idempotentRequest.answer)
    const logo = await target.query('select count(*)::int as n from link_logos where organization_id = $1', [
      id,
    ])
    assert.equal(logo[0].n, 1)
  })

  it('counts each call once, although the installations have aggregated up to different times', async () => {
    const unknown = await target.query(
      `select outcome from tool_calls where organization_id = $1 and request_id = 'req_killed'`,
      [source.organization.id],
    )
    assert.deepEqual(unknown, [{ outcome: 'unknown' }], 'the call in flight was recorded')
    for (const each of [source, target]) {
      await each.query('delete from calls_in_flight')
      await each.moveClock(HOUR)
      await usageStore.aggregate(each.service.features.db)
      for (const table of ['usage_days', 'usage_totals']) {
        const [sums] = await each.query(
          `select (select sum(calls) from ${table} where organization_id = $1)::int as summed,
             (select count(*) from tool_calls where organization_id = $1)::int as records`,
          [source.organization.id],
        )
        assert.equal(sums.summed, sums.records, table)
      }
    }
  })

  it('every table with rows of organizations is archived or has a reason why not', async () => {
    const tables = (await source.query<{ name: string }>('select name from tenant_tables')).map(
      ({ name }) => name,
    )
    const named = [...ARCHIVED_TABLES.map(({ name }) => name), ...Object.keys(NOT_ARCHIVED)]
    assert.deepEqual(tables.toSorted(), named.toSorted())
    const known = await source.query<{ name: string }>(
      `select distinct table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where column_name = 'organization_id' and table_schema = 'public' and table_type = 'BASE TABLE' and table_name !~ '^tool_calls_\\d+'`,
    )
    assert.deepEqual([...known.map(({ name }) => name), 'organizations'].toSorted(), tables.toSorted())
  })

  it('a table is imported after the tables that its foreign keys refer to', async () => {
    const references = await source.query<{ from_table: string; to_table: string }>(
      `select conrelid::regclass::text as from_table, confrelid::regclass::text as to_table from pg_constraint where contype = 'f'`,
    )
    const order = ARCHIVED_TABLES.map(({ name }) => name)
    const wrong = references.filter(
      ({ from_table, to_table }) =>
        order.includes(from_table) && order.indexOf(to_table) > order.indexOf(from_table),
    )
    assert.ok(references.length > 20)
    assert.deepEqual(wrong, [])
  })

  it('a deletion that is interrupted continues, and leaves nothing of the organization in any table', async () => {
    const { db } = source.service.features
    const { id } = source.organization
    const interrupted = new Error('interrupted')
    for (const table of ['tool_calls', 'registered_users', 'audit_entries'])
      await assert.rejects(
        deleteOrganization(db, id, {
          onProgress: progress => {
            if (progress.table === table) throw interrupted
          },
        }),
        interrupted,
      )
    const [{ state }] = await source.query('select state from organizations where id = $1', [id])
    assert.equal(state, 'deleting')
    assert.ok(await isFenced(db, id))
    await deleteOrganization(db, id)
    const left = Object.entries(await readOrganization(db, id)).filter(([, rows]) => rows.length > 0)
    assert.deepEqual(left, [])
    assert.equal(await isFenced(db, id), false)
    assert.deepEqual(await readOrganization(db, other.id), otherRows)
    await assert.rejects(deleteOrganization(db, id), /There is no organization/)
    assert.equal((await source.call('GET', '/api/v1/registered-users')).status, 401)
  })

  it('no text column or document of another table mentions the deleted organization', async () => {
    const tables = await source.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    assert.ok(tables.length > 40)
    for (const { name } of tables) {
      const found = await source.query(`select 1 from ${name} t where strpos(t::text, $1) > 0`, [
        source.organization.id,
      ])
      assert.equal(found.length, 0, name)
    }
  })

  it('a deleted organization can be imported again from its archive, without users deleted since', async () => {
    const { id } = source.organization
    const deletedUsers = [{ organizationId: id, registeredUserId: filled.userId }]
    const result = await importFromMemory(source.service.features, archive, { deletedUsers })
    assert.equal(result.deletedUsers, 1)
    const { status, body } = await source.call('GET', '/api/v1/registered-users')
    assert.equal(status, 200)
    assert.ok(body.data.length > 0 && body.data.every((user: any) => user.id !== filled.userId))
  })

  it('a deletion with revocation waits until the service has revoked the tokens at their providers', async () => {
    const { features } = source.service
    const { id, key } = await source.createOrganization('Leaving')
    const user = await source.createUser({}, key)
    const { magic_link_url } = await source.mint(user.id, { Connector: 'sandbox-notes' }, key)
    await linkNotes(createBrowserUser(), magic_link_url, { account: 'ben' })
    const revoked = () => sandbox.ledger.filter(({ kind }) => kind === 'revoke').length
    const earlier = revoked()
    const pending: number[] = []
    await deleteOrganization(features.db, id, {
      revokes: true,
      onPendingRevocations: count => {
        pending.push(count)
        // As the job does, which also processes an organization that is being deleted.
        if (count > 0) void revokeDueTokens(features)
      },
    })
    assert.equal(pending[0], 1)
    assert.equal(pending.at(-1), 0)
    assert.ok(revoked() > earlier)
    assert.equal(Object.values(await readOrganization(features.db, id)).flat().length, 0)
  })
})
