import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { settlementStore } from '../../src/features/tools/admission/settlement-store.ts'
import { flowEngines } from '../support/databases.ts'
import { type RecordedCalls, startRecordedCalls } from '../support/recorded-calls.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

for (const engine of flowEngines)
  describe(`tool call records on ${engine}`, () => {
    let t: TestService
    let r: RecordedCalls
    before(async () => {
      t = await joinTestService(engine)
      r = await startRecordedCalls(t)
    })
    after(async () => {
      await t.stop()
      await r.server.close()
    })
    const read = async (id: string, key: string) => t.call('GET', `/api/v1/tool-calls/${id}`, { key })

    it('every outcome has a record, in the mode of its key', async () => {
      const organization = await r.open('Outcomes', { limit: 2 })
      const user = await t.createUser({}, organization.key)
      await r.act(organization, user.id, {}, { meta: { 'Idempotency-Key': 'once' } })
      await r.act(organization, user.id, {}, { meta: { 'Idempotency-Key': 'once' } })
      await r.act(organization, user.id, { fails: true })
      const body = { entities: { EMAIL_ADDRESS: { inbound_action: 'block' } } }
      await t.call('PUT', '/api/v1/security-rules', { key: organization.key, body })
      await r.act(organization, user.id, { text: 'ana@example.com' })
      await t.mcp(
        user.id,
        'tools/call',
        { name: 'sandbox-notes__list_notes', arguments: {} },
        { key: organization.key, packId: organization.toolPackId },
      )
      await r.act(organization, user.id)
      await r.act(organization, user.id)
      await t.query(
        `insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, request_id,
           started_at, retention_days, trace_id)
         values ($1, $2, $3, $4, 'production', 'theirs', 'act', 'req_left', app_now() - interval '11 minutes', 90, $5)`,
        [organization.id, newUuid(), user.id, organization.toolPackId, TRACE],
      )
      await settlementStore.markUnknown(t.service.features.db)
      const tester = await t.createUser({}, organization.testKey)
      await r.act(organization, tester.id, {}, { key: organization.testKey })
      const shown = (records: any[]) =>
        records.map(({ connector, tool, outcome, error_code, ended_at_step, counted }) =>
          [connector, tool, outcome, error_code, ended_at_step, counted].join(' '),
        )
      assert.deepEqual(shown((await r.list(organization)).data), [
        'theirs act limited billing_limit_reached plan_limit false',
        'theirs act success   true',
        'sandbox-notes list_notes needs_auth never_linked account false',
        'theirs act blocked security_rule_blocked security_rules false',
        'theirs act error third_party_error provider false',
        'theirs act replayed   false',
        'theirs act success   true',
        'theirs act unknown   false',
      ])
      const { data: tests } = await r.list(organization, '', organization.testKey)
      assert.deepEqual(shown(tests), ['theirs act success   false'])
      assert.equal(tests[0].mode, 'test')
      const [left] = (await r.list(organization, `?trace_id=${TRACE}`)).data
      assert.equal(left.outcome, 'unknown')
      for (const outcome of ['limited', 'needs_auth', 'blocked', 'error', 'replayed', 'unknown', 'success']) {
        const { data } = await r.list(organization, `?outcome=${outcome}`)
        assert.deepEqual([...new Set(data.map((record: any) => record.outcome))], [outcome])
      }
      assert.equal((await read(tests[0].id, organization.testKey)).status, 200)
      assert.equal((await read(tests[0].id, organization.key)).body.error.code, 'tool_call_not_found')
      assert.equal((await read(tests[0].id, t.organization.testKey)).status, 404)
      assert.equal((await read('nonsense', organization.key)).status, 404)
    })

    it('contain durations, sizes, trace ID and headers of the caller [record.headers]', async () => {
      const organization = await r.open('Facts')
      const user = await t.createUser({}, organization.key)
      const headers = {
        traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
        'X-Conversation': 'c-17',
        'X-Api-Key': 'k-1',
        'X-Session-Token': 't-1',
        'X-Forwarded-For': '10.0.0.1',
        'X-Note': `ghp_${'a1B2c3D4e5F6'.repeat(3)}`,
        'X-Long': 'y'.repeat(500),
      }
      await r.act(organization, user.id, { text: 'hello' }, { headers })
      await r.act(
        organization,
        user.id,
        {},
        { headers: { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` } },
      )
      const [none, record] = (await r.list(organization)).data
      assert.equal(none.trace_id, null)
      assert.deepEqual(none.headers, {})
      assert.equal(record.trace_id, TRACE)
      assert.deepEqual(record.headers, { 'x-conversation': 'c-17', 'x-long': 'y'.repeat(200) })
      assert.equal(record.arguments_bytes, '{"text":"hello"}'.length)
      assert.ok(record.result_bytes > 5)
      assert.ok(record.gateway_ms > 0 && record.rules_ms >= 0 && record.third_party_ms >= 0)
      assert.match(record.request_id, /^req_/)
      for (const query of [
        `trace_id=${TRACE}`,
        `trace_id=${TRACE.toUpperCase()}`,
        'header=X-Conversation:c-17',
        'header=x-conversation:%20c-17',
        `request_id=${record.request_id}`,
        `request_id=${record.request_id}&tool=theirs__act&registered_user_id=${user.id}`,
      ])
        assert.deepEqual(
          (await r.list(organization, `?${query}`)).data.map(({ id }: any) => id),
          [record.id],
          query,
        )
      for (const query of ['header=X-Conversation:c-1', 'trace_id=00', 'tool=other', 'connector=unknown'])
        assert.deepEqual(await r.list(organization, `?${query}`), { data: [], next_cursor: null }, query)
      assert.deepEqual((await r.list(t.organization, `?trace_id=${TRACE}`)).data, [])
    })

    it('store no arguments or results by default, because capture is off', async () => {
      assert.equal((await t.call('GET', '/api/v1/organization')).body.capture, 'off')
      const organization = await r.open('Silent')
      const user = await t.createUser({}, organization.key)
      await r.act(organization, user.id, { text: 'canary-silent' })
      const [{ id }] = (await r.list(organization)).data
      const { body } = await read(id, organization.key)
      assert.deepEqual([body.payload, body.arguments, body.result], ['none', null, null])
      const [{ n }] = await t.query(
        'select count(*)::int as n from tool_calls where organization_id = $1 and payload is not null',
        [organization.id],
      )
      assert.equal(n, 0)
    })

    it('say why a call has failed and at which step, although capture is off', async () => {
      const organization = await r.open('Failing')
      const user = await t.createUser({}, organization.key)
      await r.act(organization, user.id, { text: 'canary-4e4e is what the server said', fails: true })
      await t.mcp(
        user.id,
        'tools/call',
        { name: 'sandbox-notes__list_notes', arguments: { limit: 'many' } },
        { key: organization.key, packId: organization.toolPackId },
      )
      const [invalid, failed] = (await r.list(organization)).data
      const failedStep = ({ steps }: any) => steps.find(({ status }: any) => status === 'failed')?.step
      const { body: rejected } = await read(invalid.id, organization.key)
      assert.deepEqual(
        [rejected.error_code, failedStep(rejected), rejected.payload],
        ['invalid_arguments', 'arguments', 'none'],
      )
      assert.match(rejected.error_message, /"limit" must be/)
      assert.equal(rejected.error_param, 'limit')
      const { body: answered } = await read(failed.id, organization.key)
      assert.deepEqual(
        [
          answered.error_message,
          answered.error_param,
          failedStep(answered),
          answered.payload,
          answered.result,
        ],
        ['canary-4e4e is what the server said', null, 'provider', 'none', null],
      )
      const dump = await dumpOf(t)
      assert.ok(dump.includes(failed.id) && !dump.includes('canary-4e4e'), 'it is sealed')
    })

    it('with capture on: arguments and result are readable by API, and sealed everywhere else [record.capture]', async () => {
      const organization = await r.open('Captured', { capture: 'on' })
      const user = await t.createUser({}, organization.key)
      await r.act(organization, user.id, { text: 'canary-9d1f from the provider', extra: 'canary-77aa' })
      await r.act(organization, user.id, { text: 'canary-2c2c', fails: true })
      await t.mcp(
        user.id,
        'tools/call',
        { name: 'sandbox-notes__list_notes', arguments: {} },
        { key: organization.key, packId: organization.toolPackId },
      )
      const [unlinked, failed, succeeded] = (await r.list(organization)).data
      const { body } = await read(succeeded.id, organization.key)
      assert.equal(body.payload, 'kept')
      assert.deepEqual(body.arguments, { text: 'canary-9d1f from the provider', extra: 'canary-77aa' })
      assert.equal(body.result.content[0].text, 'canary-9d1f from the provider')
      assert.deepEqual([body.arguments_truncated, body.result_truncated], [false, false])
      assert.equal((await read(failed.id, organization.key)).body.result.isError, true)
      assert.equal(
        (await read(unlinked.id, organization.key)).body.result,
        null,
        'authenticate_meta is not a result',
      )
      const dump = await dumpOf(t)
      assert.ok(dump.includes(succeeded.id) && dump.length > 10_000)
      for (const canary of ['canary-9d1f', 'canary-77aa', 'canary-2c2c']) {
        assert.ok(!dump.includes(canary), canary)
        assert.ok(!dump.includes(Buffer.from(canary).toString('hex')), `${canary} as bytes`)
      }
      assert.doesNotMatch(t.logLines.join(''), /canary-/)
    })

    it('truncate payloads above 64 KB between two characters, and mark them', async () => {
      const organization = await r.open('Large', { capture: 'on' })
      const user = await t.createUser({}, organization.key)
      const text = `é🔑${'ü'.repeat(50_000)}`
      await r.act(organization, user.id, { text })
      const [{ id, result_bytes, arguments_bytes }] = (await r.list(organization)).data
      assert.ok(result_bytes > 100_000 && arguments_bytes > 100_000)
      const { body } = await read(id, organization.key)
      assert.deepEqual([body.arguments_truncated, body.result_truncated], [true, true])
      assert.ok(Buffer.byteLength(body.arguments) <= 65_536 && Buffer.byteLength(body.arguments) > 65_530)
      assert.ok(JSON.stringify({ text }).startsWith(body.arguments))
      assert.ok(body.result.isWellFormed())
    })

    it('a payload moved to another record, or changed, is not shown', async () => {
      const organization = await r.open('Moved', { capture: 'on' })
      const user = await t.createUser({}, organization.key)
      await r.act(organization, user.id, { text: 'first' })
      await r.act(organization, user.id, { text: 'second' })
      const [second, first] = (await r.list(organization)).data
      await t.query(
        'update tool_calls set payload = (select payload from tool_calls where organization_id = $1 and id = $2) where id = $3',
        [organization.id, first.id, second.id],
      )
      const { status, body } = await read(second.id, organization.key)
      assert.deepEqual([status, body.payload, body.result], [200, 'unreadable', null])
      assert.match(t.logLines.join(''), /the payload of a tool call cannot be decrypted/)
      assert.equal((await read(first.id, organization.key)).body.payload, 'kept')
    })

    it('pages are stable while records are added, and contain each record once', async () => {
      const organization = await r.open('Paged')
      const user = await t.createUser({}, organization.key)
      await r.fill(organization, user.id, 230)
      const listed: string[] = []
      let cursor = ''
      do {
        const page = await r.list(organization, `?limit=50${cursor && `&cursor=${cursor}`}`)
        listed.push(...page.data.map(({ request_id }: any) => request_id))
        cursor = page.next_cursor
        await r.act(organization, user.id)
      } while (cursor)
      assert.deepEqual(
        listed,
        Array.from({ length: 230 }, (_, n) => `req_${n + 1}`),
      )
      const [{ started_at: since }] = (await r.list(organization, '?request_id=req_10')).data
      const [{ started_at: until }] = (await r.list(organization, '?request_id=req_5')).data
      const between = await r.list(organization, `?since=${since}&until=${until}&connector=theirs`)
      // Times are returned in milliseconds and stored in microseconds.
      assert.deepEqual(
        between.data.map(({ request_id }: any) => request_id),
        ['req_6', 'req_7', 'req_8', 'req_9', 'req_10'],
      )
    })

    it('rejects invalid filters with the name of the parameter', async () => {
      const cases: [query: string, param: string][] = [
        ['registered_user_id=x', 'registered_user_id'],
        [`tool_pack_id=${'1'.repeat(36)}`, 'tool_pack_id'],
        ['outcome=won', 'outcome'],
        ['since=yesterday', 'since'],
        ['until=2026-02-31', 'until'],
        ['since=2026-01-01T00:00:00', 'since'],
        ['header=Authorization:x', 'header'],
        ['header=X-:x', 'header'],
        ['connector=%00', 'connector'],
        ['connector=a&tool=b__c', 'tool'],
        ['cursor=AAAA', 'cursor'],
        [`cursor=${Buffer.from(`1.2.${newUuid()}`).toString('base64url')}`, 'cursor'],
        ['limit=0', 'limit'],
        ['nonsense=1', 'nonsense'],
        [`tool=${'a'.repeat(300)}`, 'tool'],
      ]
      for (const path of ['/api/v1/tool-calls', '/api/v1/tool-calls/export'])
        for (const [query, param] of cases) {
          if (path.endsWith('export') && (param === 'cursor' || param === 'limit')) continue
          const { status, body } = await t.call('GET', `${path}?${query}`)
          assert.equal(status, 400, query)
          assert.equal(body.error.param, param, query)
        }
      const harmless = [
        `tool=${encodeURIComponent(`' or 1=1 --`)}`,
        `header=${encodeURIComponent(`X-A:"}'`)}`,
        'tool=__',
        'since=2026-01-01T00:00:00+02:00',
        `cursor=${Buffer.from(`9999999999999999.${newUuid()}`).toString('base64url')}`,
      ]
      for (const query of harmless)
        assert.deepEqual((await r.list(t.organization, `?${query}`)).data, [], query)
    })
  })

/** The content of every table, as text. */
const dumpOf = async (t: TestService): Promise<string> => {
  const tables = await t.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const texts = []
  for (const { name } of tables)
    texts.push(
      ...(await t.query<{ row: string }>(`select t::text as row from ${name} t`)).map(({ row }) => row),
    )
  return texts.join('\n')
}
