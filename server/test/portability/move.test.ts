import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Sandbox, startSandbox } from '@carabiner/sandbox'
import pg from 'pg'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import type { AuditedChange } from '../../src/core/audited-change.ts'
import { isFenced } from '../../src/features/portability/fence.ts'
import { fenceStore } from '../../src/features/portability/fence-store.ts'
import type { Installation } from '../../src/features/portability/moving/move.ts'
import { type MoveResult, moveOrganization } from '../../src/features/portability/moving/move-organization.ts'
import { abortMove } from '../../src/features/portability/moving/undo-move.ts'
import { recordCopyStore } from '../../src/features/portability/record-copy-store.ts'
import { dyingDatabase, readOrganization } from '../support/archives.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const CLIENT = { id: 'carabiner', secret: 'a-secret-of-this-test' }
const NOTES = { name: 'sandbox-notes__list_notes', arguments: {} }
/** Old records, which are copied before the freeze. */
const OLD_RECORDS = 2500

/** A move takes far fewer. */
const MAX_STATEMENTS = 10_000

describe('moving an organization to another installation', () => {
  const opened = new AsyncDisposableStack()
  let sandbox: Sandbox
  /** Serves the organization. Tests exchange both after a move. */
  let a: TestService
  let b: TestService
  let organization: TestOrganization
  let userId: string
  before(async () => {
    const port = await freePort()
    sandbox = await startSandbox({
      client: { ...CLIENT, redirectUris: [`http://localhost:${port}/oauth/callback/sandbox-notes`] },
    })
    opened.defer(() => sandbox.close())
    const environment = {
      SANDBOX_URL: sandbox.url,
      OAUTH_SANDBOX_NOTES_CLIENT_ID: CLIENT.id,
      OAUTH_SANDBOX_NOTES_CLIENT_SECRET: CLIENT.secret,
    }
    a = await startTestService('postgres', { ...environment, PORT: String(port) })
    opened.defer(() => a.stop())
    b = await startTestService('postgres', environment)
    opened.defer(() => b.stop())
    organization = a.organization
    userId = (await a.createUser()).id
    await linkNotes(
      createBrowserUser(),
      (await a.mint(userId, { connector: 'sandbox-notes' })).magic_link_url,
    )
    assert.equal((await callNotes(a)).body.result.isError, false)
    await addOldRecords(userId)
  })
  after(() => opened.disposeAsync())

  const callNotes = (t: TestService) =>
    t.mcp(userId, 'tools/call', NOTES, { key: organization.key, packId: organization.toolPackId })
  /** Copies of the latest record, two minutes apart, over a few days, with values that are hard to copy. */
  const addOldRecords = (user: string) =>
    a.query(
      `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
           started_at, finished_at, headers, matches, trace_id, payload, rules_ms, retention_days)
         select organization_id, gen_random_uuid(), $2::uuid, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
           started_at - (n + 10) * interval '2 minutes', finished_at, '{"x-odd": "Zoë \\"quoted\\" {a,b} \\\\"}',
           case when n % 3 > 0 then 'null'::jsonb end, (array['', 'NULL', '{"\\', null])[1 + n % 4],
           case when n % 100 = 0 then decode(repeat('5c00ff', 60000), 'hex') when n % 2 = 0 then '' end, 0.1, (array[90, 365, 730])[1 + n % 3]
         from (select * from tool_calls where organization_id = $1 limit 1) t, generate_series(1, $3::integer) n`,
      [organization.id, user, OLD_RECORDS],
    )
  const installationOf = (t: TestService): Installation => t.service.features
  const move = (
    from: Installation,
    to: Installation,
    options: Partial<Parameters<typeof moveOrganization>[0]> = {},
  ): Promise<MoveResult> =>
    moveOrganization({
      source: from,
      target: to,
      organizationId: organization.id,
      switchRouting: async () => undefined,
      routingGraceMs: 0,
      ...options,
    })
  const stateIn = async (t: TestService): Promise<string | undefined> =>
    (await t.query('select state from organizations where id = $1', [organization.id]))[0]?.state
  const codeIn = async (t: TestService): Promise<number> =>
    (await t.call('GET', '/api/v1/registered-users', { key: organization.key })).status
  const rowsIn = (t: TestService) => readOrganization(t.service.features.db, organization.id)
  const isEmpty = async (t: TestService): Promise<boolean> =>
    Object.values(await rowsIn(t)).every(({ length }) => length === 0)

  /** An installation whose database fails from the given transaction or statement on. */
  const dyingAfter = (t: TestService, budget: { left: number }): Installation => ({
    ...installationOf(t),
    db: dyingDatabase(installationOf(t).db, budget),
  })

  /** Holds the lock until the client ends. */
  const lockTable = async (t: TestService, table: string, mode: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: t.databaseUrl })
    await client.connect()
    await client.query(`begin; lock table ${table} in ${mode} mode`)
    return client
  }

  it('a process that is killed at any point: the next run completes the move, or --abort undoes it', async () => {
    let completed = false
    let frozen = 0
    for (let left = 3; !completed; left += 47) {
      assert.ok(left < MAX_STATEMENTS, 'a move that nothing interrupts completes')
      const budget = { left }
      completed = await move(dyingAfter(a, budget), dyingAfter(b, budget)).then(
        () => true,
        () => false,
      )
      if (completed) break
      if ((await stateIn(a)) === 'leaving') frozen++
      if ((await stateIn(b)) === 'active') {
        assert.notEqual(await stateIn(a), 'active', 'never active in both')
        break
      }
      await abortMove({
        source: installationOf(a),
        target: installationOf(b),
        organizationId: organization.id,
      })
      assert.deepEqual([await stateIn(a), await codeIn(a)], ['active', 200], `after ${left} statements`)
      assert.equal(await isFenced(a.service.features.db, organization.id), false)
      assert.ok(await isEmpty(b), 'nothing is left in the target')
    }
    assert.ok(frozen > 1, 'some runs ended during the freeze')
    if (!completed) await move(installationOf(a), installationOf(b))
    assert.ok(await isEmpty(a), 'nothing is left in the source')
    assert.equal((await callNotes(b)).body.result.isError, false)
    // Back again.
    await move(installationOf(b), installationOf(a))
    assert.ok(await isEmpty(b))
    assert.equal((await callNotes(a)).body.result.isError, false)
  })

  it('copies every row; the source answers 503 until the routing has changed, and then has nothing left', async () => {
    let [present, moved]: Awaited<ReturnType<typeof rowsIn>>[] = []
    let during: unknown[] = []
    const result = await move(installationOf(a), installationOf(b), {
      switchRouting: async () => {
        // The source is frozen: jobs that ran before, such as the one that stores when keys were used, cannot change its rows any more.
        ;[present, moved] = [await rowsIn(a), await rowsIn(b)]
        during = [await codeIn(a), await codeIn(b), await stateIn(a), await stateIn(b)]
      },
    })
    assert.deepEqual(during, [503, 200, 'leaving', 'active'])
    assert.ok(result.records >= OLD_RECORDS, JSON.stringify(result))
    assert.ok(result.rows < OLD_RECORDS, 'the freeze copies only the rest')
    assert.ok(typeof result.frozenMs === 'number' && result.frozenMs > 0)
    assert.ok(present && moved)
    for (const [table, rows] of Object.entries(present))
      if (!['organizations', 'organization_keys', 'audit_heads'].includes(table))
        assert.deepEqual(moved[table], rows, table)
    assert.ok(await isEmpty(a))
    assert.equal(await isFenced(a.service.features.db, organization.id), false)
    assert.equal((await callNotes(b)).body.result.isError, false)
    ;[a, b] = [b, a]
  })

  it('pages of records are limited by the bytes of their payloads', async () => {
    const range = { from: new Date(0), until: new Date(), asOf: new Date() }
    const pages: { records: number; bytes: number }[] = []
    for await (const { records, columns } of recordCopyStore.read(
      a.service.features.db,
      organization.id,
      range,
    ))
      pages.push({ records, bytes: columns.length })
    assert.ok(pages.length > 1, 'there is more than one page')
    // Payloads are written as hexadecimal digits, and the other columns are small.
    for (const { bytes } of pages) assert.ok(bytes < 2 * 5 * 1024 * 1024, JSON.stringify(pages))
    const [stored] = await a.query('select count(*) as records from tool_calls where organization_id = $1', [
      organization.id,
    ])
    assert.equal(
      pages.reduce((sum, { records }) => sum + records, 0),
      stored.records,
    )
  })

  it('records that the target has stored differently are found', async () => {
    await b.service.features.db.script(`create function damage() returns trigger language plpgsql as $$
      begin if new.headers is not null then new.third_party_ms := 1; end if; return new; end $$;
      create trigger damage before insert on tool_calls for each row execute function damage()`)
    await assert.rejects(
      move(installationOf(a), installationOf(b)),
      /copied records .* differ from those of the source/,
    )
    await b.service.features.db.script('drop trigger damage on tool_calls; drop function damage')
    assert.equal(await stateIn(a), 'active')
  })

  it('refuses an organization whose own connector is in the catalog of the target, before it is frozen', async () => {
    await a.query(
      `insert into mcp_connectors (organization_id, id, slug, name, summary, source, url, authentication, revision, tools_hash)
       values ($1, gen_random_uuid(), 'theirs', 'Theirs', '', 'custom', 'https://mcp.example.com', 'none', 1, '\\x00')`,
      [organization.id],
    )
    await b.query(`insert into catalog_slugs values ('theirs')`)
    await assert.rejects(move(installationOf(a), installationOf(b)), /own connector theirs has the slug/)
    assert.deepEqual([await stateIn(a), await stateIn(b)], ['active', undefined])
    await b.query(`delete from catalog_slugs where slug = 'theirs'`)
    await a.query('delete from mcp_connectors where organization_id = $1', [organization.id])
  })

  it('a connection to the target that is lost during the freeze: the source serves the organization again', async () => {
    const holder = await lockTable(b, 'registered_users', 'access exclusive')
    const losing = assert.rejects(move(installationOf(a), installationOf(b)), /terminat|connection/i)
    await eventually(async () => {
      const ended = await a.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = $1 and wait_event_type = 'Lock' and query ~ 'insert_tenant_rows'`,
        [new URL(b.databaseUrl as string).pathname.slice(1)],
      )
      assert.equal(ended.length, 1)
    })
    await holder.end()
    await losing
    const locks = await a.query(`select 1 from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`)
    assert.equal(locks.length, 0, 'the next run can start at once')
    assert.deepEqual([await stateIn(a), await stateIn(b)], ['active', undefined])
    assert.equal((await callNotes(a)).body.result.isError, false)
  })

  it('waits for a token refresh that is in progress, and gives up if it does not end', async () => {
    const lease = (until: string) =>
      a.query(`update credentials set lease_until = ${until} where organization_id = $1`, [organization.id])
    await lease(`now() + interval '1 hour'`)
    await assert.rejects(
      move(installationOf(a), installationOf(b), { drainMs: 1 }),
      /takes too long to issue a token/,
    )
    assert.equal(await stateIn(a), 'active')
    const moving = move(installationOf(a), installationOf(b))
    await eventually(async () => assert.equal(await stateIn(a), 'leaving'))
    assert.equal(await isFenced(a.service.features.db, organization.id), false)
    await assert.rejects(move(installationOf(a), installationOf(b)), /Another process is moving/)
    // The holder of the lease stores its token.
    await lease('null')
    await moving
    assert.equal((await callNotes(b)).body.result.isError, false)
    ;[a, b] = [b, a]
  })

  it('a run that was killed during the freeze does not copy the records again', async () => {
    const budget = { left: Number.POSITIVE_INFINITY }
    const dies = move(dyingAfter(a, budget), dyingAfter(b, budget), {
      onProgress: ({ table }) => {
        if (table === 'audit_entries') budget.left = 0
      },
    })
    await assert.rejects(dies, /still frozen/)
    assert.deepEqual([await stateIn(a), await stateIn(b)], ['leaving', 'arriving'])
    const { rows, records, frozenMs } = await move(installationOf(a), installationOf(b))
    assert.deepEqual([records, frozenMs], [0, null])
    assert.ok(rows < OLD_RECORDS)
    assert.ok(((await rowsIn(b)).tool_calls?.length ?? 0) > OLD_RECORDS)
    ;[a, b] = [b, a]
  })

  it('a run whose lock was lost decides nothing, because another one may have taken over', async () => {
    const endLock = () =>
      a.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
        (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()`)
    for (const [at, state] of [
      ['tool_calls', 'active'],
      ['audit_entries', 'leaving'],
    ]) {
      let ended: Promise<unknown> | undefined
      const losing = move(installationOf(a), installationOf(b), {
        onProgress: ({ table }) => {
          if (table === at) ended ??= endLock()
        },
      })
      await assert.rejects(losing, /lock of the move was lost/)
      await ended
      assert.deepEqual([await stateIn(a), (await stateIn(b)) === 'active'], [state, false])
    }
    await move(installationOf(a), installationOf(b))
    assert.equal((await callNotes(b)).body.result.isError, false)
    ;[a, b] = [b, a]
  })

  it('requests that have made their change can write their entry and their response until the end of the freeze', async () => {
    const { db, audit } = a.service.features
    const hash = Buffer.alloc(32, 7)
    // The fence waits for this lock.
    const holder = await lockTable(a, 'link_logos', 'row exclusive')
    const moving = move(installationOf(a), installationOf(b))
    await eventually(async () => assert.ok(await isFenced(db, organization.id)))
    const change: AuditedChange = {
      organizationId: organization.id,
      action: 'tool_pack.updated',
      target: { type: 'tool_pack', id: organization.toolPackId },
      registeredUserId: null,
      actor: { type: 'api_key', id: organization.id, hint: null },
      sender: { address: null, userAgent: null },
      requestId: 'req_overtaken',
      changes: [],
    }
    const intent = await audit.begin(change)
    await a.query(
      `insert into idempotency_keys (organization_id, mode, key_hash, fingerprint, expires_at)
       values ($1, 'production', $2, $2, app_now() + interval '2 minutes')`,
      [organization.id, hash],
    )
    await holder.end()
    await eventually(async () =>
      assert.ok((await fenceStore.fencedTables(db, organization.id)).includes('usage_totals')),
    )
    await audit.end(change, 'done', intent)
    await a.query(
      `update idempotency_keys set response_status = 200, expires_at = app_now() + interval '1 day'
       where organization_id = $1 and key_hash = $2`,
      [organization.id, hash],
    )
    await moving
    const moved = await rowsIn(b)
    assert.equal(moved.audit_intents?.length, 0)
    assert.ok(moved.audit_entries?.some(line => line.includes('req_overtaken')))
    assert.ok(moved.idempotency_keys?.some(line => line.includes(hash.toString('hex'))))
    ;[a, b] = [b, a]
  })

  it('records that are deleted after they were copied do not come back', async () => {
    const leaver = (await a.createUser({ origin_user_id: 'leaver' }, organization.key)).id
    await addOldRecords(leaver)
    const interrupt = () => {
      throw new Error('interrupted')
    }
    await assert.rejects(move(installationOf(a), installationOf(b), { onProgress: interrupt }), /interrupted/)
    assert.ok((await rowsIn(b)).tool_calls?.some(line => line.includes(leaver)))
    const deleted = await a.call('DELETE', `/api/v1/registered-users/${leaver}`, { key: organization.key })
    assert.equal(deleted.status, 204)
    const remaining = (await rowsIn(a)).tool_calls
    await move(installationOf(a), installationOf(b))
    assert.deepEqual((await rowsIn(b)).tool_calls, remaining)
    assert.ok(!remaining?.some(line => line.includes(leaver)))
  })

  it('refuses what it cannot move', async () => {
    await assert.rejects(move(installationOf(a), installationOf(b)), /was already moved/)
    await b.query(`update organizations set state = 'deleting' where id = $1`, [organization.id])
    await assert.rejects(move(installationOf(b), installationOf(a)), /in the state deleting/)
  })
})
