import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { replayTombstones } from '../../src/features/registered-users/delete-user.ts'
import { readTombstones } from '../../src/platform/tombstone-log.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines) {
  describe(`Registered Users on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const path = (id: string) => `/api/v1/registered-users/${id}`
    const link = async (userId: string) =>
      linkNotes(createBrowserUser(), (await t.mint(userId)).magic_link_url)
    const listNotes = (userId: string) =>
      t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
    const activeGrants = async (): Promise<number> => {
      const { grants } = (await (await fetch(`${t.sandbox.url}/_control/grants`)).json()) as {
        grants: { active: boolean }[]
      }
      return grants.filter(grant => grant.active).length
    }

    it('an existing origin_user_id returns the same user, with the given fields updated', async () => {
      const first = await t.call('POST', '/api/v1/registered-users', {
        body: { origin_user_id: 'same', origin_user_name: 'A', metadata: { a: 1 } },
      })
      const second = await t.call('POST', '/api/v1/registered-users', {
        body: { origin_user_id: 'same', email: 'a@example.com' },
      })
      assert.equal(first.status, 201)
      assert.equal(second.status, 200)
      assert.deepEqual(second.body, { ...first.body, email: 'a@example.com' })
      const test = await t.call('POST', '/api/v1/registered-users', {
        key: t.organization.testKey,
        body: { origin_user_id: 'same' },
      })
      assert.equal(test.status, 201)
      assert.equal(test.body.is_test, true)
    })

    it('20 concurrent creations with one origin_user_id create one user', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          t.call('POST', '/api/v1/registered-users', { body: { origin_user_id: 'race' } }),
        ),
      )
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    })

    it('lists are paged by cursor, in order, without gaps or repeats', async () => {
      for (let i = 0; i < 7; i++) await t.createUser({ origin_user_id: `page-${i}` })
      const listed: string[] = []
      let cursor: string | null = null
      do {
        const page: { body: { data: { id: string }[]; next_cursor: string | null } } = await t.call(
          'GET',
          `/api/v1/registered-users?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
        )
        assert.ok(page.body.data.length <= 3)
        listed.push(...page.body.data.map(({ id }) => id))
        cursor = page.body.next_cursor
      } while (cursor)
      assert.deepEqual(listed, [...new Set(listed)].toSorted())
      assert.ok(listed.length >= 7)
    })

    it('deactivation revokes credentials here and at the provider, and calls fail at once [user.deactivate] [user.patch-path]', async () => {
      const user = await t.createUser()
      const { magic_link_url: open } = await t.mint(user.id)
      await link(user.id)
      assert.equal((await listNotes(user.id)).body.result.isError, false)
      const earlier = await activeGrants()
      const patched = await t.call('PATCH', path(user.id), { body: { is_active: false } })
      assert.equal(patched.status, 200)
      assert.equal(patched.body.is_active, false)
      assert.deepEqual(patched.body.linked_connectors, [])
      const call = await listNotes(user.id)
      assert.equal(call.body.result.isError, true)
      assert.equal(call.body.result.structuredContent.error.code, 'user_inactive')
      assert.equal((await t.call('POST', `${path(user.id)}/link-token`)).body.error.code, 'user_inactive')
      assert.equal((await createBrowserUser().open(open)).status, 403)
      await eventually(async () => assert.equal(await activeGrants(), earlier - 1))
      const [{ kept }] = await t.query(
        'select count(*) as kept from tool_calls where registered_user_id = $1',
        [user.id],
      )
      assert.equal(kept, 1)
      const [{ outcome, sealed }] = await t.query(
        'select outcome, sealed from revocations where registered_user_id = $1',
        [user.id],
      )
      assert.deepEqual([outcome, sealed], ['revoked', null])
    })

    it('reactivation makes the user active, and restores neither credentials nor links [user.reactivate]', async () => {
      const user = await t.createUser()
      const { magic_link_url: old } = await t.mint(user.id)
      await link(user.id)
      await t.call('PATCH', path(user.id), { body: { is_active: false } })
      const back = await t.call('PATCH', path(user.id), { body: { is_active: true } })
      assert.deepEqual([back.body.is_active, back.body.linked_connectors], [true, []])
      assert.equal((await createBrowserUser().open(old)).status, 410)
      const meta = (await listNotes(user.id)).body.result.structuredContent
      assert.deepEqual([meta.type, meta.reason], ['authenticate_meta', 'revoked'])
      await linkNotes(createBrowserUser(), meta.magic_link_url)
      assert.equal((await listNotes(user.id)).body.result.isError, false)
    })

    /** The content of every table, as text. */
    const everyRow = async (): Promise<{ table: string; row: string }[]> => {
      const tables = await t.query<{ name: string }>(
        `select tablename as name from pg_tables where schemaname = 'public'`,
      )
      const found = tables.map(async ({ name: table }) =>
        (await t.query<{ row: string }>(`select each::text as row from ${table} each`)).map(({ row }) => ({
          table,
          row,
        })),
      )
      return (await Promise.all(found)).flat()
    }

    it('deletion removes all data, destroys the data key, and revokes at the provider [user.delete] [user.delete-path]', async () => {
      const user = await t.createUser({
        origin_user_id: 'origin-of-the-deleted',
        origin_user_name: 'Vera Deleted',
        email: 'gone@example.com',
        metadata: { note: 'metadata-of-the-deleted' },
      })
      const account = 'account-of-the-deleted@example.com'
      await link(user.id)
      await t.query('update credentials set account = $2, account_id = $2 where registered_user_id = $1', [
        user.id,
        account,
      ])
      // An earlier credential whose revocation left a receipt.
      const [credential] = (await t.call('GET', `${path(user.id)}/credentials`)).body.data
      await t.call('DELETE', `${path(user.id)}/credentials/${credential.credential_id}`)
      await eventually(async () => {
        const [{ outcome }] = await t.query('select outcome from revocations where registered_user_id = $1', [
          user.id,
        ])
        assert.equal(outcome, 'revoked')
      })
      await link(user.id)
      await t.query('update credentials set account = $2, account_id = $2 where registered_user_id = $1', [
        user.id,
        account,
      ])
      await listNotes(user.id)
      const { magic_link_url } = await t.mint(user.id)
      const earlier = await activeGrants()
      const deleted = await t.call('DELETE', path(user.id))
      assert.equal(deleted.status, 204)
      assert.equal(deleted.text, '')
      assert.equal((await t.call('GET', path(user.id))).status, 404)
      assert.equal((await t.call('DELETE', path(user.id))).status, 404)
      assert.equal((await createBrowserUser().open(magic_link_url)).status, 404)
      assert.equal((await listNotes(user.id)).status, 404)
      for (const table of ['credentials', 'link_sessions', 'tool_calls']) {
        const [{ left }] = await t.query(
          `select count(*) as left from ${table} where registered_user_id = $1`,
          [user.id],
        )
        assert.equal(left, 0, table)
      }
      assert.deepEqual(
        (await t.events(user.id)).map(({ type }) => type),
        ['registered_user.deleted'],
      )
      await eventually(async () => assert.equal(await activeGrants(), earlier - 1))
      const receipts = await t.query(
        `select registered_user_id, account, account_id, credential_id, sealed, outcome from revocations
         where reason = 'user_deleted' and organization_id = $1`,
        [t.organization.id],
      )
      assert.deepEqual(receipts, [
        {
          registered_user_id: null,
          account: null,
          account_id: null,
          credential_id: null,
          sealed: null,
          outcome: 'revoked',
        },
      ])
      const rows = await everyRow()
      const canary =
        /origin-of-the-deleted|Vera Deleted|gone@example|metadata-of-the-deleted|account-of-the-deleted/
      assert.deepEqual(
        rows.filter(({ row }) => canary.test(row)),
        [],
      )
      const named = new Set(rows.filter(({ row }) => row.includes(user.id)).map(({ table }) => table))
      assert.deepEqual([...named].toSorted(), ['audit_entries', 'events'])
      const { tombstones } = await readTombstones(t.tombstonePath)
      assert.deepEqual(
        tombstones.filter(({ organizationId }) => organizationId === t.organization.id),
        [{ organizationId: t.organization.id, registeredUserId: user.id }],
      )
    })

    it('deletion returns 503 and deletes nothing if the tombstone log cannot be written', async () => {
      const user = await t.createUser()
      const backup = `${t.tombstonePath}.kept`
      renameSync(t.tombstonePath, backup)
      mkdirSync(t.tombstonePath)
      const refused = await t.call('DELETE', path(user.id))
      rmdirSync(t.tombstonePath)
      renameSync(backup, t.tombstonePath)
      assert.deepEqual([refused.status, refused.body?.error.code], [503, 'unavailable'])
      assert.match(refused.body.error.message, /was not deleted/)
      assert.equal(refused.headers.get('retry-after'), '30')
      assert.ok(t.logLines.some(line => line.includes('tombstone_log_not_writable')))
      assert.equal((await t.call('GET', path(user.id))).status, 200)
      assert.equal((await t.call('DELETE', path(user.id))).status, 204)
    })

    it('replaying tombstones deletes the users that a restored database contains', async () => {
      const [deleted, kept] = [await t.createUser(), await t.createUser()]
      const tombstone = { organizationId: t.organization.id, registeredUserId: deleted.id }
      const { features } = t.service
      assert.equal(await replayTombstones(features, [tombstone, tombstone]), 1)
      assert.equal((await t.call('GET', path(deleted.id))).status, 404)
      assert.equal((await t.call('GET', path(kept.id))).status, 200)
    })

    it('a result that arrives after deactivation or deletion is withheld [user.deactivate]', async () => {
      for (const end of [
        (id: string) => t.call('PATCH', path(id), { body: { is_active: false } }),
        (id: string) => t.call('DELETE', path(id)),
      ]) {
        const user = await t.createUser()
        await link(user.id)
        const release = t.sandbox.hold('notes')
        const inFlight = listNotes(user.id)
        await eventually(async () =>
          assert.equal(
            (await t.query('select 1 from calls_in_flight where registered_user_id = $1', [user.id])).length,
            1,
          ),
        )
        await end(user.id)
        release()
        const { text } = await inFlight
        assert.doesNotMatch(text, /"notes"/)
        assert.match(text, /user_inactive|registered_user_not_found/)
        t.sandbox.clearFaults()
      }
    })

    it('a withheld call is recorded as withheld and not counted, also if the user is active again', async () => {
      const reactivations = [false, true]
      for (const isReactivated of reactivations) {
        const user = await t.createUser()
        await link(user.id)
        const release = t.sandbox.hold('notes', { behavior: 'late' })
        const inFlight = listNotes(user.id)
        await eventually(async () => assert.deepEqual(t.sandbox.pendingFaults(), []))
        await t.call('PATCH', path(user.id), { body: { is_active: false } })
        if (isReactivated) await t.call('PATCH', path(user.id), { body: { is_active: true } })
        release()
        const { text } = await inFlight
        assert.doesNotMatch(text, /"notes"/)
        assert.match(text, /user_inactive/)
        assert.match(text, /carried_out.{1,5}yes/, 'the error says what the provider has done')
        const records = await t.query(
          'select outcome, ended_at_step, counted from tool_calls where registered_user_id = $1',
          [user.id],
        )
        assert.deepEqual(records, [{ outcome: 'withheld', ended_at_step: 'settlement', counted: false }])
        const events = await t.query(
          `select type, data ->> 'outcome' as outcome from call_events where registered_user_id = $1`,
          [user.id],
        )
        assert.deepEqual(events, [{ type: 'tool_call.failed', outcome: 'withheld' }])
        t.sandbox.clearFaults()
      }
    })

    it('a result that arrives after its key was regenerated or revoked is withheld', async () => {
      const user = await t.createUser()
      await link(user.id)
      const mcpKey = await t.call('POST', `${path(user.id)}/mcp-keys`, { body: { name: 'Laptop' } })
      assert.equal(mcpKey.status, 201, mcpKey.text)
      const [{ id: productionKeyId }] = await t.query(
        `select id from api_keys where organization_id = $1 and mode = 'production' and revoked_at is null`,
        [t.organization.id],
      )
      const cases = [
        [
          mcpKey.body.key,
          (key: string) => t.call('DELETE', `${path(user.id)}/mcp-keys/${mcpKey.body.id}`, { key }),
        ],
        [
          t.organization.key,
          async (key: string) => {
            const issued = await t.call('POST', `/api/v1/api-keys/${productionKeyId}/regenerate`, {
              key,
              body: {},
            })
            t.organization.key = issued.body.key
          },
        ],
      ] as const
      for (const [key, end] of cases) {
        const release = t.sandbox.hold('notes')
        const inFlight = t.mcp(
          user.id,
          'tools/call',
          { name: 'sandbox-notes__list_notes', arguments: {} },
          { key },
        )
        await eventually(async () =>
          assert.equal(
            (await t.query('select 1 from calls_in_flight where registered_user_id = $1', [user.id])).length,
            1,
          ),
        )
        await end(t.organization.key)
        release()
        const { status, text } = await inFlight
        assert.doesNotMatch(text, /"notes"/)
        assert.deepEqual([status, /invalid_api_key/.test(text)], [401, true])
        t.sandbox.clearFaults()
      }
    })

    it('null resets a field in a PATCH, also a limit on every plan, and is rejected for is_active', async () => {
      const user = await t.createUser({
        email: 'ana@example.com',
        metadata: { a: 1 },
        rate_limit_per_minute: 5,
      })
      const patch = (body: unknown) => t.call('PATCH', path(user.id), { body })
      assert.equal((await patch({ email: 'new@example.com' })).body.rate_limit_per_minute, 5)
      const cleared = await patch({ email: null, metadata: null })
      assert.deepEqual(
        [cleared.status, cleared.body.email, cleared.body.metadata, cleared.body.rate_limit_per_minute],
        [200, undefined, {}, 5],
      )
      await t.query(`update organizations set plan = 'free' where id = $1`, [t.organization.id])
      const unlimited = await patch({ rate_limit_per_minute: null, origin_user_name: null })
      await t.query(`update organizations set plan = 'enterprise' where id = $1`, [t.organization.id])
      assert.deepEqual([unlimited.status, 'rate_limit_per_minute' in unlimited.body], [200, false])
      assert.equal(unlimited.body.origin_user_name, null)
      const refused = await patch({ is_active: null })
      assert.deepEqual(
        [refused.status, refused.body.error.code, refused.body.error.param],
        [400, 'invalid_request', 'is_active'],
      )
      const again = { origin_user_id: unlimited.body.origin_user_id, email: null }
      const posted = await t.call('POST', '/api/v1/registered-users', { body: again })
      assert.equal(posted.status, 200, 'null in a POST means omitted')
    })

    it('per-user rate limits require the plan, and the error says so', async () => {
      await t.query(`update organizations set plan = 'starter' where id = $1`, [t.organization.id])
      const refused = await t.call('POST', '/api/v1/registered-users', {
        body: { origin_user_id: 'limited', rate_limit_per_minute: 5 },
      })
      assert.deepEqual(
        [refused.status, refused.body.error.code, refused.body.error.param],
        [400, 'plan_required', 'rate_limit_per_minute'],
      )
      await t.query(`update organizations set plan = 'enterprise' where id = $1`, [t.organization.id])
      assert.equal(
        (
          await t.call('POST', '/api/v1/registered-users', {
            body: { origin_user_id: 'limited', rate_limit_per_minute: 5 },
          })
        ).body.rate_limit_per_minute,
        5,
      )
    })

    it('search: finds users by the beginning of ID, name or email, in any case, page by page', async () => {
      const { key, testKey } = await t.createOrganization('Search')
      const create = (origin_user_id: string, fields: object = {}, with_ = key) =>
        t.createUser({ origin_user_id, origin_user_name: null, ...fields }, with_)
      await create('CRM-7')
      await create('one', { origin_user_name: 'Crmla Öztürk', email: 'ana@orbit.example' })
      await create('two', { email: 'CRM@orbit.example' })
      await create('crm-test', {}, testKey)
      await create('50%', { origin_user_name: 'a_b' })
      const find = async (text: string, more = '', with_ = key) => {
        const query = `search=${encodeURIComponent(text)}${more}`
        const { status, body } = await t.call('GET', `/api/v1/registered-users?${query}`, { key: with_ })
        assert.equal(status, 200)
        return body
      }
      const ids = async (text: string, with_ = key) =>
        (await find(text, '', with_)).data.map((user: any) => user.origin_user_id)
      assert.deepEqual(await ids('crm'), ['CRM-7', 'one', 'two'])
      assert.deepEqual(await ids('CRMLA Ö'), ['one'])
      assert.deepEqual(await ids('crm', testKey), ['crm-test'])
      assert.deepEqual(await ids('rm'), [])
      assert.deepEqual(await ids('%'), [])
      assert.deepEqual(await ids('5_'), [])
      assert.deepEqual(await ids('50%'), ['50%'])
      const first = await find('crm', '&limit=2')
      assert.equal(first.data.length, 2)
      const rest = await find('crm', `&limit=2&cursor=${first.next_cursor}`)
      assert.deepEqual([rest.data.map((user: any) => user.origin_user_id), rest.next_cursor], [['two'], null])
      for (const query of ['search=', 'search=%00', 'search=a&origin_user_id=b', `search=${'a'.repeat(321)}`])
        assert.equal((await t.call('GET', `/api/v1/registered-users?${query}`, { key })).status, 400, query)
    })

    it('ids: finds the given users of the mode in one request, and ignores others', async () => {
      const { key, testKey } = await t.createOrganization('Many')
      const [one, two, tester] = [
        await t.createUser({}, key),
        await t.createUser({}, key),
        await t.createUser({}, testKey),
      ]
      const find = (query: string) => t.call('GET', `/api/v1/registered-users?${query}`, { key })
      const wanted = [two.id.toUpperCase(), one.id, tester.id, newUuid()].join(',')
      const { data, next_cursor: next } = (await find(`ids=${wanted}&limit=1`)).body
      const rest = (await find(`ids=${wanted}&limit=1&cursor=${next}`)).body
      assert.deepEqual([...data, ...rest.data], [one, two])
      assert.equal(rest.next_cursor, null)
      const tooMany = Array.from({ length: 101 }, () => one.id).join(',')
      for (const query of ['ids=', 'ids=x', `ids=${one.id},`, `ids=${tooMany}`, `ids=${one.id}&search=a`])
        assert.equal((await find(query)).status, 400, query)
    })
  })
}
