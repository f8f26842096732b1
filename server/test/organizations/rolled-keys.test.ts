import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/core/duration.ts'
import { reportExpiringKeys } from '../../src/features/organizations/end-api-keys.ts'
import { retentionSteps, runRetention } from '../../src/retention.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { openEvents } from '../support/open-events.ts'
import { sendRawRequest, statelessRequest } from '../support/raw-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

type Key = {
  id: string
  mode: string
  name: string
  hint: string
  groups: string[] | null
  created_at: string
  created_by: { type: string; hint: string }
  expires_at: string | null
  replaced_by: string | null
}
type NewKey = Key & { key: string; previous_key_expires_at: string }

const statusesOf = (answers: { status: number }[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

for (const engine of flowEngines)
  describe(`several, rolled and expiring API keys on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const create = async (body: object): Promise<NewKey> => {
      const created = await t.call('POST', '/api/v1/api-keys', { body })
      assert.equal(created.status, 201, created.text)
      return created.body
    }
    const roll = async (id: string, body?: object): Promise<NewKey> => {
      const rolled = await t.call('POST', `/api/v1/api-keys/${id}/roll`, { body })
      assert.equal(rolled.status, 201, rolled.text)
      return rolled.body
    }
    const codeOf = async (method: string, path: string, body?: object): Promise<string> =>
      (await t.call(method, `/api/v1/api-keys${path}`, { body })).body?.error.code
    const list = async (): Promise<Key[]> => (await t.call('GET', '/api/v1/api-keys')).body.data
    const find = async (id: string) => (await list()).find(key => key.id === id)
    /** The status of a request with the key, or the code of its error. */
    const use = async (key: string) => {
      const { status, body } = await t.call('GET', '/api/v1/organization', { key })
      return body?.error?.code ?? status
    }
    const eventsOf = async (type: string, id: string) =>
      (await t.events())
        .filter(event => event.type === type && event.payload.api_key_id === id)
        .map(({ payload }) => payload)

    it('an organization has several production keys; each is named and shows who created it', async () => {
      const created = await create({ name: 'Backend', mode: 'production' })
      assert.match(created.key, /^cb_sk_live_/)
      assert.equal(await use(created.key), 200)
      const { name, mode, groups, created_by, expires_at } = (await find(created.id)) as Key
      assert.deepEqual(
        [name, mode, groups, created_by.type, expires_at],
        ['Backend', 'production', null, 'api_key', null],
      )
      assert.equal(created_by.hint, (await list()).find(key => key.name === 'Production')?.hint)
      const own = { api_key_id: created.id, name: 'Backend', groups: null, expires_at: null }
      assert.deepEqual(await eventsOf('api_key.created', created.id), [own])
    })

    it('roll: both keys work until the overlap ends, then the old one is rejected as expired [key.roll]', async () => {
      const old = await create({ name: 'Rolled', mode: 'production', groups: ['read', 'users'] })
      const user = await t.createUser({}, old.key)
      await t.allowOrigin('https://app.example.com')
      const browser = createBrowserUser()
      const target = { callback_url: 'https://app.example.com/cb', state: 's' }
      await linkNotes(browser, (await t.mint(user.id, target, old.key)).magic_link_url)
      const code = new URL(browser.lastLocation as string).searchParams.get('code')
      const fresh = await roll(old.id, { overlap_minutes: 90 })
      assert.deepEqual(
        [fresh.name, fresh.mode, fresh.groups, fresh.expires_at, fresh.replaced_by],
        ['Rolled', 'production', ['read', 'users'], null, null],
      )
      assert.deepEqual([await use(old.key), await use(fresh.key)], [200, 200])
      const listed = await find(old.id)
      assert.deepEqual([listed?.replaced_by, listed?.expires_at], [fresh.id, fresh.previous_key_expires_at])
      const confirmed = await t.call('POST', '/api/v1/link-token/confirm', { key: fresh.key, body: { code } })
      assert.equal(confirmed.status, 200, confirmed.text)
      await t.moveClock(89 * MINUTE)
      assert.equal(await use(old.key), 200)
      await t.moveClock(2 * MINUTE)
      const late = await t.call('GET', '/api/v1/organization', { key: old.key })
      assert.deepEqual([late.status, late.body.error.code], [401, 'api_key_expired'])
      assert.match(late.body.error.message, /was rolled/)
      assert.equal(await use(fresh.key), 200)
    })

    it('roll: the overlap is one hour by default and at most a day; 0 ends the old key at once', async () => {
      const first = await create({ name: 'Overlaps' })
      const second = await roll(first.id)
      const overlap = Date.parse(second.previous_key_expires_at) - Date.parse(second.created_at)
      assert.equal(overlap, HOUR)
      for (const overlap_minutes of [-1, 1441, 1.5])
        assert.equal(await codeOf('POST', `/${second.id}/roll`, { overlap_minutes }), 'invalid_request')
      const third = await roll(second.id, { overlap_minutes: 0 })
      assert.deepEqual([await use(second.key), await use(third.key)], ['api_key_expired', 200])
    })

    it('roll: a key is replaced once, by any number of concurrent requests [key.roll]', async () => {
      const old = await create({ name: 'Once' })
      const path = `/api/v1/api-keys/${old.id}/roll`
      const answers = await Promise.all(Array.from({ length: 8 }, () => t.call('POST', path)))
      assert.deepEqual(statusesOf(answers), [201, ...Array(7).fill(409)])
      assert.equal(await codeOf('POST', `/${old.id}/regenerate`), 'api_key_ended')
    })

    it('rolling again keeps running overlaps; each can be ended at once, and only once', async () => {
      const first = await create({ name: 'Twice' })
      const second = await roll(first.id, { overlap_minutes: 600 })
      const third = await roll(second.id, { overlap_minutes: 60 })
      assert.deepEqual(
        [(await find(first.id))?.replaced_by, (await find(second.id))?.replaced_by],
        [third.id, third.id],
      )
      assert.deepEqual(await Promise.all([first, second, third].map(({ key }) => use(key))), [200, 200, 200])
      assert.equal(await codeOf('POST', `/${third.id}/end`), 'api_key_not_rolled')
      assert.equal((await t.call('POST', `/api/v1/api-keys/${first.id}/end`)).status, 204)
      assert.deepEqual([await use(first.key), await use(second.key)], ['invalid_api_key', 200])
      assert.equal(await codeOf('POST', `/${first.id}/end`), 'api_key_not_found')
      assert.equal(await codeOf('POST', '/none/end'), 'api_key_not_found')
    })

    it('regenerating or revoking a key also ends the overlaps of the keys that it replaced', async () => {
      for (const end of ['regenerate', 'revoke']) {
        const old = await create({ name: 'Leaked', mode: 'production' })
        const current = await roll(old.id, { overlap_minutes: 1440 })
        const path = `/api/v1/api-keys/${current.id}`
        const { status } =
          end === 'revoke' ? await t.call('DELETE', path) : await t.call('POST', `${path}/regenerate`)
        assert.ok(status < 300)
        assert.deepEqual([await use(old.key), await use(current.key)], Array(2).fill('invalid_api_key'), end)
      }
    })

    it('expiry: the key fails at once with its own error, and its streams are closed [key.expiry]', async () => {
      const user = await t.createUser()
      const key = await create({ name: 'Contractor', mode: 'production', expires_in_days: 1 })
      const events = await openEvents(t, key.key)
      const address = `${t.baseUrl}/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${user.id}/mcp`
      const subscription = statelessRequest('subscriptions/listen', {
        notifications: { toolsListChanged: true },
      })
      const listening = await sendRawRequest(address, key.key, subscription)
      assert.equal(listening.status, 200)
      await t.moveClock(DAY + MINUTE)
      assert.equal(await use(key.key), 'api_key_expired')
      const called = await t.mcp(user.id, 'tools/list', {}, { key: key.key })
      assert.deepEqual([called.status, called.body.error.code], [401, 'api_key_expired'])
      await eventually(async () => assert.ok(events.hasEnded()))
      await listening.untilEnded()
    })

    it('expiry: it lies in the future and is given in one of two ways; a replacement renews the lifetime', async () => {
      for (const body of [
        { expires_at: '2020-01-01T00:00:00.000Z' },
        { expires_in_days: 0 },
        { expires_in_days: 30, expires_at: '2100-01-01T00:00:00.000Z' },
        { groups: [] },
        { groups: ['read', 'read'] },
        { groups: ['everything'] },
      ])
        assert.equal(await codeOf('POST', '', body), 'invalid_request', JSON.stringify(body))
      const old = await create({ name: 'Quarterly', expires_in_days: 90 })
      await t.moveClock(80 * DAY)
      const rolled = await roll(old.id, { overlap_minutes: 60 })
      const days = (Date.parse(rolled.expires_at as string) - Date.parse(old.expires_at as string)) / DAY
      assert.equal(Math.round(days), 80)
      const { body: regenerated } = await t.call('POST', `/api/v1/api-keys/${rolled.id}/regenerate`)
      assert.ok(regenerated.expires_at >= (rolled.expires_at as string))
    })

    it('expiry: an event is recorded once within the last week, but not for short lifetimes', async () => {
      const [month, days] = [
        await create({ name: 'Month', expires_in_days: 30 }),
        await create({ name: 'Days', expires_in_days: 7 }),
      ]
      const { db } = t.service.features
      await t.moveClock(22 * DAY)
      await reportExpiringKeys(db)
      assert.deepEqual(await eventsOf('api_key.expiring', month.id), [])
      await t.moveClock(2 * DAY)
      await Promise.all([reportExpiringKeys(db), reportExpiringKeys(db)])
      const expected = { api_key_id: month.id, name: 'Month', expires_at: month.expires_at }
      assert.deepEqual(await eventsOf('api_key.expiring', month.id), [expected])
      assert.deepEqual(await eventsOf('api_key.expiring', days.id), [])
    })

    it('expired keys stay listed for 30 days; after that they and revoked ones are deleted', async () => {
      const [expired, revoked] = [
        await create({ name: 'Short', expires_in_days: 1 }),
        await create({ name: 'Revoked' }),
      ]
      await t.call('DELETE', `/api/v1/api-keys/${revoked.id}`)
      assert.equal(await find(revoked.id), undefined, 'a revoked key is not listed')
      const clean = () => runRetention(retentionSteps(t.service.features), t.service.features.log)
      const stored = async () =>
        (await t.query('select id from api_keys where id = any($1::uuid[])', [[expired.id, revoked.id]]))
          .length
      await t.moveClock(2 * DAY)
      await clean()
      assert.deepEqual([(await find(expired.id))?.name, await stored()], ['Short', 2])
      await t.moveClock(30 * DAY)
      assert.equal(await find(expired.id), undefined)
      await clean()
      assert.equal(await stored(), 0)
      assert.equal(await use(expired.key), 'invalid_api_key')
    })

    it('one unrestricted production key without an expiry remains, also after concurrent requests', async () => {
      const owner = await t.createOrganization('Guarded')
      const call = (method: string, path: string, body?: object, key = owner.key) =>
        t.call(method, `/api/v1/api-keys${path}`, { key, body })
      const [first] = (await call('GET', '')).body.data.filter((key: Key) => key.mode === 'production')
      const { body: expiring } = await call('POST', '', {
        mode: 'production',
        name: 'Expires',
        expires_in_days: 365,
      })
      await call('POST', '', { mode: 'production', name: 'Restricted', groups: ['settings'] })
      const last = await call('DELETE', `/${first.id}`)
      assert.deepEqual([last.status, last.body.error.code], [409, 'last_production_key'])
      const { body: second } = await call('POST', '', { mode: 'production', name: 'Second' })
      // The caller's own key stays valid: the expiring one is not counted.
      const remove = (id: string) => call('DELETE', `/${id}`, undefined, expiring.key)
      const answers = await Promise.all([remove(first.id), remove(second.id)])
      assert.deepEqual(statusesOf(answers), [204, 409])
      const remaining = await t.query(
        `select count(*)::integer as keys from api_keys where organization_id = $1 and mode = 'production' and revoked_at is null
         and groups is null and expires_at is null`,
        [owner.id],
      )
      assert.equal(remaining[0].keys, 1)
    })

    it('an organization has at most 100 valid keys', async () => {
      const owner = await t.createOrganization('Many')
      const add = () => t.call('POST', '/api/v1/api-keys', { key: owner.key, body: { name: 'One more' } })
      await t.query(
        `insert into api_keys (organization_id, id, lineage, mode, name, hash, hint, created_by)
         select $1, uuid_v7(), uuid_v7(), 'test', 'Filler', decode(md5(n::text), 'hex'), '', '{"type":"system","id":"test","hint":null}' from generate_series(1, 97) n`,
        [owner.id],
      )
      const answers = await Promise.all([add(), add(), add()])
      assert.deepEqual(statusesOf(answers), [201, 409, 409])
      assert.equal((await add()).body.error.code, 'api_key_limit_reached')
      const { body } = await t.call('GET', '/api/v1/api-keys', { key: owner.key })
      const id = body.data.find((key: Key) => key.name === 'One more').id
      const rolled = await t.call('POST', `/api/v1/api-keys/${id}/roll`, { key: owner.key })
      assert.equal(rolled.body.error.code, 'api_key_limit_reached')
    })

    it('the MCP endpoint accepts both keys of an overlap, and the old one no longer than that', async () => {
      const user = await t.createUser()
      const old = await create({ name: 'Caller', mode: 'production', groups: ['tools'] })
      const fresh = await roll(old.id, { overlap_minutes: 1 })
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { key: old.key })).status, 200)
      await t.moveClock(HOUR)
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { key: old.key })).status, 401)
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { key: fresh.key })).status, 200)
    })
  })
