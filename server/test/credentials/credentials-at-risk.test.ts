import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/core/duration.ts'
import { atRiskSearches, pagesOf } from '../../src/features/credentials/health/at-risk-search-store.ts'
import { reportAtRisk } from '../../src/features/credentials/health/report-at-risk.ts'
import { refreshIdle } from '../../src/features/credentials/refresh-idle.ts'
import { useOwnApp } from '../support/acme-connectors.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { engines, returnToPresent } from '../support/databases.ts'
import { writeLimitedConnectors } from '../support/limited-connectors.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

type Slug = 'sandbox-notes' | 'sandbox-vault'

for (const engine of engines)
  describe(`credentials at risk (${engine})`, () => {
    const limited = writeLimitedConnectors({
      'sandbox-notes': { idle_days: 60, max_days: 90, test_mode_days: 7 },
      'sandbox-vault': { idle_days: 30 },
    })
    let t: TestService
    before(async () => {
      t = await startTestService(engine, { CONNECTORS_DIRECTORY: limited.folder })
    })
    after(async () => {
      await t.stop()
      limited.remove()
    })

    const link = async (userId: string, slug: Slug = 'sandbox-notes'): Promise<void> => {
      const browser = createBrowserUser()
      const { magic_link_url } = await t.mint(userId, { connector: slug })
      if (slug === 'sandbox-notes') return void (await linkNotes(browser, magic_link_url))
      const form = await browser.open(magic_link_url)
      await browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
    }
    const linkedUser = async (slug?: Slug): Promise<string> => {
      await returnToPresent(t.service.features.db)
      const { id } = await t.createUser()
      await link(id, slug)
      return id
    }
    const credentialOf = async (userId: string) =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]
    const healthOf = async (userId: string) => {
      const { state, reason } = (await credentialOf(userId)).health
      return reason === null ? state : `${state} ${reason}`
    }
    const announcements = async (userId: string) =>
      (await t.events(userId))
        .filter(({ type }) => type === 'credential.at_risk')
        .map(({ payload }) => payload)
    const report = () => reportAtRisk(t.service.features)
    const call = async (userId: string, tool: string) =>
      (await t.mcp(userId, 'tools/call', { name: tool, arguments: {} })).body.result
    const set = (userId: string, columns: string) =>
      t.query(`update credentials set ${columns} where registered_user_id = $1`, [userId])

    it('a maximum lifetime is announced once, three days before the end, and again after a new link', async () => {
      const userId = await linkedUser()
      assert.deepEqual((await credentialOf(userId)).health, { state: 'healthy', reason: null, ends_at: null })
      const linkedAt = Date.parse((await credentialOf(userId)).created_at)
      await t.moveClock(86 * DAY)
      await refreshIdle(t.service.features)
      await report()
      assert.deepEqual(await announcements(userId), [])
      await t.moveClock(DAY + MINUTE)
      assert.equal(await healthOf(userId), 'at_risk maximum_lifetime')
      await Promise.all([report(), report(), report()])
      await report()
      const { credential_id, label, health } = await credentialOf(userId)
      const endsAt = new Date(linkedAt + 90 * DAY)
      assert.ok(Math.abs(Date.parse(health.ends_at) - endsAt.getTime()) < MINUTE)
      assert.deepEqual(await announcements(userId), [
        {
          credential_id,
          connector_slug: 'sandbox-notes',
          label,
          reason: 'maximum_lifetime',
          ends_at: health.ends_at,
        },
      ])
      await link(userId)
      assert.equal(await healthOf(userId), 'healthy')
      await t.moveClock(88 * DAY)
      await refreshIdle(t.service.features)
      await report()
      assert.equal((await announcements(userId)).length, 2)
    })

    it('a search returns each credential once, also if many have the same time', async () => {
      const { db, health } = t.service.features
      const userId = await linkedUser('sandbox-vault')
      await set(
        userId,
        `ends_at = app_now() + interval '1 day', refused_since = app_now(), linked_at = app_now() - interval '30 days'`,
      )
      await t.query(
        `insert into credentials (organization_id, id, registered_user_id, connector_slug, label, status, secret_id, sealed, method, scopes, ends_at,
           refused_since, linked_at)
         select organization_id, gen_random_uuid(), registered_user_id, connector_slug, label || n, status, secret_id, sealed, method, scopes, ends_at,
           refused_since, linked_at from credentials, generate_series(1, 6) n where registered_user_id = $1`,
        [userId],
      )
      let complete = 0
      for (const search of await atRiskSearches(db, health)) {
        const found: string[] = []
        for await (const page of pagesOf(db, search, 2)) {
          assert.ok(page.length <= 2)
          found.push(
            ...page.filter(({ registeredUserId }) => registeredUserId === userId).map(({ id }) => id),
          )
        }
        assert.equal(new Set(found).size, found.length)
        assert.ok([0, 7].includes(found.length), String(found.length))
        if (found.length === 7) complete++
      }
      // By their end, by the refusal and by the idle limit.
      assert.equal(complete, 3)
      await set(userId, `status = 'revoked', sealed = null`)
    })

    it('an idle limit is announced unless the refresh of idle tokens prevents it', async () => {
      const kept = await linkedUser()
      const idle = await linkedUser()
      await t.moveClock(57 * DAY + HOUR)
      const [{ credential_id }] = (await t.call('GET', `/api/v1/registered-users/${kept}/credentials`)).body
        .data
      await t.call('POST', `/api/v1/registered-users/${kept}/credentials/${credential_id}/test`)
      await report()
      assert.equal(await healthOf(kept), 'healthy')
      assert.deepEqual(await announcements(kept), [])
      assert.equal(await healthOf(idle), 'at_risk unused')
      assert.equal((await announcements(idle)).length, 1)
    })

    it('the idle limit of a key counts from its last call', async () => {
      const userId = await linkedUser('sandbox-vault')
      await t.moveClock(20 * DAY)
      assert.ok((await call(userId, 'sandbox-vault__list_items')).structuredContent.items)
      await report()
      await t.moveClock(8 * DAY)
      assert.equal(await healthOf(userId), 'healthy')
      await t.moveClock(20 * DAY)
      await report()
      assert.deepEqual(
        (await announcements(userId)).map(({ reason }) => reason),
        ['unused'],
      )
    })

    it('an own app in test mode: grants are at risk after four days; published, they are not', async () => {
      await useOwnApp(t, 'sandbox-notes')
      const path = '/api/v1/connectors/sandbox-notes/oauth-app'
      const { client_id, test_mode } = (await t.call('GET', path)).body
      assert.equal(test_mode, false)
      const userId = await linkedUser()
      await t.moveClock(4 * DAY + HOUR)
      assert.equal(await healthOf(userId), 'healthy')
      const changed = await t.call('PUT', path, { body: { client_id, test_mode: true } })
      assert.equal(changed.body.test_mode, true)
      assert.equal(await healthOf(userId), 'at_risk test_mode')
      await report()
      assert.deepEqual(
        (await announcements(userId)).map(({ reason }) => reason),
        ['test_mode'],
      )
      assert.equal((await t.call('PUT', path, { body: { client_id } })).body.test_mode, false)
      assert.equal(await healthOf(userId), 'healthy')
      assert.equal((await t.call('DELETE', path)).status, 204)
    })

    it('a token that cannot be refreshed, and a refresh token with a stated lifetime, have a known end', async () => {
      const tokens = {
        access_token: 'at-1',
        token_type: 'bearer',
        scope: 'notes:read',
        expires_in: 40 * 86_400,
      }
      const linkWith = async (body: object): Promise<string> => {
        const { id } = await t.createUser()
        const browser = createBrowserUser()
        const { magic_link_url } = await t.mint(id, { connector: 'sandbox-notes' })
        t.sandbox.script({ target: 'token', behavior: 'status', status: 200, body })
        await linkNotes(browser, magic_link_url)
        t.sandbox.clearFaults()
        return id
      }
      await returnToPresent(t.service.features.db)
      const plain = await linkWith(tokens)
      const refreshable = await linkWith({
        ...tokens,
        refresh_token: 'rt-1',
        refresh_token_expires_in: 50 * 86_400,
      })
      await t.moveClock(36 * DAY)
      assert.equal(await healthOf(plain), 'healthy')
      await t.moveClock(DAY + HOUR)
      assert.equal(await healthOf(plain), 'at_risk expires')
      assert.equal(await healthOf(refreshable), 'healthy')
      await t.moveClock(10 * DAY)
      assert.equal(await healthOf(refreshable), 'at_risk expires')
      await report()
      assert.deepEqual(
        (await announcements(plain)).map(({ reason }) => reason),
        ['expires'],
      )
    })

    it('a refresh that states no end does not hide the end that was stated before', async () => {
      const userId = await linkedUser()
      await set(userId, `ends_at = app_now() + interval '30 days'`)
      await t.moveClock(28 * DAY)
      assert.ok((await call(userId, 'sandbox-notes__list_notes')).structuredContent.notes)
      assert.equal(await healthOf(userId), 'at_risk expires')
      await report()
      assert.equal((await announcements(userId)).length, 1)
    })

    it('refreshes that fail for two days are announced; one that succeeds ends the risk', async () => {
      const userId = await linkedUser()
      const fail = async () => {
        t.sandbox.script({ target: 'token', behavior: 'status', status: 503, times: 2 })
        await call(userId, 'sandbox-notes__list_notes')
      }
      await t.moveClock(2 * HOUR)
      await fail()
      assert.equal(await healthOf(userId), 'healthy')
      await t.moveClock(2 * DAY)
      await fail()
      assert.equal(await healthOf(userId), 'at_risk refresh_failing')
      await report()
      await report()
      assert.deepEqual(
        (await announcements(userId)).map(({ reason, ends_at }) => [reason, ends_at]),
        [['refresh_failing', null]],
      )
      t.sandbox.clearFaults()
      assert.ok((await call(userId, 'sandbox-notes__list_notes')).structuredContent.notes)
      assert.equal(await healthOf(userId), 'healthy')
    })

    it('a refresh that returns fewer scopes is announced with the reason scopes_lost', async () => {
      const userId = await linkedUser()
      await t.moveClock(6 * DAY)
      // The scripted answer is for this user.
      await t.query('update credentials set checked_at = app_now() where registered_user_id <> $1', [userId])
      const body = {
        access_token: 'at-2',
        token_type: 'bearer',
        refresh_token: 'rt-2',
        scope: 'notes:read',
        expires_in: 3600,
      }
      t.sandbox.script({ target: 'token', behavior: 'status', status: 200, body })
      await refreshIdle(t.service.features)
      t.sandbox.clearFaults()
      assert.equal(await healthOf(userId), 'at_risk scopes_lost')
      await report()
      assert.deepEqual(
        (await announcements(userId)).map(({ reason }) => reason),
        ['scopes_lost'],
      )
      await link(userId)
      assert.equal(await healthOf(userId), 'healthy')
    })

    it('a refusal of an hour is announced; an ended credential announces nothing', async () => {
      const refused = await linkedUser()
      const ended = (await t.createUser()).id
      await link(ended)
      await set(refused, `refused_since = app_now() - interval '61 minutes', refusals = 7`)
      await set(ended, `status = 'needs_reauth', ends_at = app_now()`)
      assert.equal(await healthOf(refused), 'at_risk refused')
      assert.equal(await healthOf(ended), 'needs_reauth')
      await report()
      assert.deepEqual(
        (await announcements(refused)).map(({ reason }) => reason),
        ['refused'],
      )
      assert.deepEqual(await announcements(ended), [])
      await set(refused, 'refused_since = null')
    })

    it('are listed with the earliest end first, for users of the mode and of the organization only', async () => {
      const list = async (key = t.organization.key) =>
        (await t.call('GET', '/api/v1/credentials-at-risk', { key })).body
      const later = await linkedUser()
      const earlier = (await t.createUser()).id
      const healthy = (await t.createUser()).id
      const inactive = (await t.createUser()).id
      const undated = (await t.createUser()).id
      for (const userId of [earlier, healthy, inactive, undated]) await link(userId)
      await set(later, `ends_at = app_now() + interval '2 days', linked_at = app_now() - interval '20 days'`)
      await set(earlier, `ends_at = app_now() + interval '1 day', linked_at = app_now() - interval '20 days'`)
      await set(undated, `refused_since = app_now() - interval '2 hours'`)
      await set(
        inactive,
        `ends_at = app_now() + interval '1 day', linked_at = app_now() - interval '20 days'`,
      )
      await t.call('PATCH', `/api/v1/registered-users/${inactive}`, { body: { is_active: false } })
      const { data, has_more } = await list()
      const listed = data.map((one: any) => one.registered_user_id)
      assert.deepEqual(
        listed.filter((id: string) => [later, earlier, healthy, inactive, undated].includes(id)),
        [earlier, later, undated],
      )
      assert.equal(has_more, false)
      await set(undated, 'refused_since = null')
      const found = data.find((one: any) => one.registered_user_id === earlier)
      const { credential_id, label, account, health } = await credentialOf(earlier)
      assert.deepEqual(found, {
        credential_id,
        registered_user_id: earlier,
        origin_user_id: found.origin_user_id,
        connector_slug: 'sandbox-notes',
        label,
        account,
        reason: 'expires',
        ends_at: health.ends_at,
      })
      assert.deepEqual((await list(t.organization.testKey)).data, [])
      assert.deepEqual((await list((await t.createOrganization('Other')).key)).data, [])
    })

    it('Link and My connections say when and why a connection ends', async () => {
      const userId = await linkedUser()
      const [{ credential_id }] = (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body
        .data
      const open = async (body: object) => {
        const { magic_link_url } = await t.mint(userId, { connector: 'sandbox-notes', ...body })
        return createBrowserUser().open(magic_link_url)
      }
      const ends = /ends on .*<time datetime="2\d{3}-/
      assert.doesNotMatch((await open({})).html, ends)
      await set(userId, `ends_at = app_now() + interval '2 days', linked_at = app_now() - interval '20 days'`)
      for (const body of [{}, { credential_id }]) assert.match((await open(body)).html, ends)
      assert.doesNotMatch((await open({ account: 'add' })).html, ends)
      const path = `/api/v1/registered-users/${userId}/connections-link`
      const browser = createBrowserUser()
      const list = await browser.submit(await browser.open((await t.call('POST', path)).body.url), /\/open$/)
      assert.match(list.html, /Ends soon/)
      assert.match((await browser.follow(list, new RegExp(credential_id))).html, ends)
      await set(userId, `status = 'needs_reauth', status_reason = 'expired'`)
      assert.match((await open({})).html, /has ended\./)
    })
  })
