import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type RecordedCalls, startRecordedCalls } from '../support/recorded-calls.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`summary of tool calls on ${engine}`, () => {
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
    const summary = async (key: string, query = '') => {
      const { status, body, text } = await t.call('GET', `/api/v1/tool-calls/summary${query}`, { key })
      assert.equal(status, 200, text)
      return body
    }

    it('counts outcomes over time and groups what failed, in the mode of the key', async () => {
      const organization = await r.open('Summary')
      const { key, testKey, toolPackId } = organization
      const users = [await t.createUser({}, key), await t.createUser({}, key)]
      for (const { id } of users) {
        await r.act(organization, id)
        await r.act(organization, id, { fails: true })
        const params = { name: 'sandbox-notes__list_notes', arguments: {} }
        await t.mcp(id, 'tools/call', params, { key, packId: toolPackId })
      }
      await r.act(organization, users[0]?.id as string, { fails: true })
      const found = await summary(key)
      assert.equal(found.calls, 7)
      assert.equal(found.failed, 3)
      assert.equal(found.needs_auth, 2)
      assert.equal(found.waiting_users, 2)
      assert.ok(found.gateway_ms.p95 > 0 && found.third_party_ms.p50 >= 0)
      assert.equal(found.covered_since, found.since)
      assert.equal(found.interval_seconds, 900)
      const total = (name: string) => found.series.reduce((sum: number, point: any) => sum + point[name], 0)
      assert.deepEqual(['success', 'redacted', 'needs_auth', 'error'].map(total), [2, 0, 2, 3])
      assert.deepEqual(
        found.errors.map(({ first_at: _first, last_at: _last, ...group }: any) => group),
        [
          {
            outcome: 'error',
            error_code: 'third_party_error',
            connector: 'theirs',
            tool: 'act',
            calls: 3,
            users: 2,
          },
          {
            outcome: 'needs_auth',
            error_code: 'never_linked',
            connector: 'sandbox-notes',
            tool: 'list_notes',
            calls: 2,
            users: 2,
          },
        ],
      )
      assert.ok(Date.parse(found.errors[0].first_at) < Date.parse(found.errors[0].last_at))
      assert.equal((await summary(testKey)).calls, 0)
      const other = await t.createOrganization('Other')
      assert.equal((await summary(other.key)).calls, 0)

      const affected = await t.call(
        'GET',
        '/api/v1/tool-calls/affected-users?outcome=error&error_code=third_party_error&connector=theirs',
        { key },
      )
      assert.deepEqual(
        affected.body.data.map((each: any) => [each.registered_user_id, each.tool_pack_id, each.calls]),
        [
          [users[0]?.id, toolPackId, 2],
          [users[1]?.id, toolPackId, 1],
        ],
      )
      assert.equal(affected.body.has_more, false)
      const listed = await r.list(organization, '?error_code=third_party_error')
      assert.equal(listed.data.length, 3)
      assert.equal((await r.list(organization, '?outcome=error&error_code=nothing')).data.length, 0)
    })

    it('does not count a user as waiting who has connected since', async () => {
      const user = await t.createUser({}, t.organization.key)
      await t.mcp(user.id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
      assert.equal((await summary(t.organization.key)).waiting_users, 1)
      await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
      assert.equal((await summary(t.organization.key)).waiting_users, 0)
    })

    it('reads the latest 50,000 calls, and reports since when', async () => {
      const organization = await t.createOrganization('Busy')
      const user = await t.createUser({}, organization.key)
      await r.fill(organization, user.id, 60_000)
      const found = await summary(organization.key)
      assert.equal(found.calls, 50_000)
      const covered = Date.parse(found.until) - Date.parse(found.covered_since)
      assert.ok(Math.abs(covered - 50_000_000) < 60_000, `covers ${covered} ms`)
      assert.ok(found.series.length <= 100)
    })

    it('rejects windows that are empty, reversed or longer than 31 days', async () => {
      for (const query of [
        'since=2026-02-01&until=2026-01-01',
        'since=2026-01-01&until=2026-01-01',
        'since=2025-01-01&until=2026-01-01',
        'since=yesterday',
      ]) {
        const { status, body } = await t.call('GET', `/api/v1/tool-calls/summary?${query}`)
        assert.equal(status, 400, query)
        assert.equal(body.error.code, 'invalid_request')
      }
      const invalid = await t.call('GET', '/api/v1/tool-calls/affected-users?outcome=success')
      assert.equal(invalid.status, 400)
      assert.equal(
        (await t.call('GET', '/api/v1/tool-calls/affected-users?outcome=error&error_code=%00')).status,
        400,
      )
    })
  })
