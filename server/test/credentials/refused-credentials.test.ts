import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/duration.ts'
import { credentialStore } from '../../src/features/credentials/credential-store.ts'
import { settle } from '../../src/features/credentials/health/investigate-refusal.ts'
import { recheckRefused } from '../../src/features/credentials/health/recheck-refused.ts'
import { refusalStore } from '../../src/features/credentials/health/refusal-store.ts'
import { checkIntervalMs } from '../../src/features/credentials/health/refusal-verdict.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const UNAUTHORIZED = { behavior: 'status', status: 401 } as const
const ALWAYS = 1000

for (const engine of flowEngines)
  describe(`a credential that its provider refuses (${engine})`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    // Credentials of earlier tests are not part of an outage.
    beforeEach(() => t.query('update credentials set refused_since = null, refusals = 0', []))
    afterEach(() => t.sandbox.reset())
    after(() => t.stop())

    const link = async (
      userId: string,
      slug: 'sandbox-notes' | 'sandbox-vault',
      key = t.organization.key,
    ) => {
      const browser = createBrowserUser()
      const { magic_link_url } = await t.mint(userId, { Connector: slug }, key)
      if (slug === 'sandbox-notes') return linkNotes(browser, magic_link_url)
      const form = await browser.open(magic_link_url)
      return browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
    }
    const linkedUser = async (slug: 'sandbox-notes' | 'sandbox-vault' = 'sandbox-notes', key?: string) => {
      const { id } = await t.createUser({}, key)
      await link(id, slug, key)
      return id
    }
    const call = async (userId: string, tool = 'sandbox-notes__list_notes'): Promise<any> =>
      (await t.mcp(userId, 'tools/call', { name: tool, arguments: {} })).body.result
    const stored = async (userId: string) => {
      const [row] = await t.query(
        'select status, version, refusals, refused_since from credentials where registered_user_id = $1',
        [userId],
      )
      return row
    }
    const heldCredential = async (userId: string) => {
      const [{ id }] = await t.query('select id from credentials where registered_user_id = $1', [userId])
      const credential = await credentialStore.find(t.service.features.db, t.organization.id, id)
      assert.ok(credential)
      const connectorSlug = 'sandbox-notes'
      return { organizationId: t.organization.id, registeredUserId: userId, connectorSlug, credential }
    }
    const requests = (kind: string) => t.sandbox.ledger.filter(entry => entry.kind === kind).length
    const refuse = (target: 'notes' | 'vault' = 'notes', times = ALWAYS) =>
      t.sandbox.script({ ...UNAUTHORIZED, target, times })
    const isKept = ({ isError, structuredContent: { error } }: any) => {
      assert.equal(isError, true)
      assert.deepEqual([error.code, error.retryable], ['third_party_error', true], error.message)
      assert.match(error.message, /stays connected|accepts the account/)
    }

    it('one 401 of call and identity request: a retryable error, and the account stays connected [credential.bare-401]', async () => {
      const userId = await linkedUser()
      refuse()
      isKept(await call(userId))
      const { status, refusals } = await stored(userId)
      assert.deepEqual([status, refusals], ['active', 1])
      t.sandbox.clearFaults()
      assert.ok((await call(userId)).structuredContent.notes)
      const types = (await t.events(userId)).map(({ type }) => type)
      assert.ok(!types.includes('credential.needs_reauth'))
    })

    it('refreshes once and makes one identity request in ten minutes, however many calls are refused', async () => {
      const userId = await linkedUser()
      refuse()
      const earlier = { refreshes: requests('refresh'), faults: t.sandbox.pendingFaults()[0]?.times ?? 0 }
      for (let calls = 0; calls < 4; calls++) isKept(await call(userId))
      assert.equal(requests('refresh') - earlier.refreshes, 1)
      const answered = earlier.faults - (t.sandbox.pendingFaults()[0]?.times ?? 0)
      assert.equal(answered, 4 + 1 + 1, 'four calls, one of them repeated, and one identity request')
      await t.moveClock(10 * MINUTE + SECOND)
      isKept(await call(userId))
      assert.equal(requests('refresh') - earlier.refreshes, 2)
      assert.equal((await stored(userId)).refusals, 2)
    })

    it('concurrent refused calls make one identity request', async () => {
      const userId = await linkedUser('sandbox-vault')
      refuse('vault')
      const results = await Promise.all(
        Array.from({ length: 8 }, () => call(userId, 'sandbox-vault__list_items')),
      )
      for (const result of results) isKept(result)
      assert.equal((await stored(userId)).refusals, 1)
    })

    it('the interval of identity requests in the database is that of the detector', async () => {
      const userId = await linkedUser('sandbox-vault')
      const [{ id, version }] = await t.query(
        'select id, version from credentials where registered_user_id = $1',
        [userId],
      )
      const claimAfter = async (refusals: number, ms: number) => {
        await t.query(
          `update credentials set refusals = $2, refusal_checked_at = app_now() - $3 * interval '1 millisecond' where id = $1`,
          [id, refusals, ms],
        )
        const held = { organizationId: t.organization.id, credentialId: id, version }
        return refusalStore.claimCheck(t.service.features.db, held)
      }
      for (const refusals of [0, 1, 6, 7, 9, 10, 400]) {
        const interval = checkIntervalMs(refusals)
        assert.equal(await claimAfter(refusals, interval - MINUTE), false, `${refusals}, early`)
        assert.equal(await claimAfter(refusals, interval + SECOND), true, `${refusals}, due`)
      }
    })

    it('a 401 of one tool only: an error, and nothing is noted', async () => {
      const userId = await linkedUser('sandbox-vault')
      refuse('vault', 1)
      isKept(await call(userId, 'sandbox-vault__list_items'))
      assert.deepEqual((await stored(userId)).refusals, 0)
    })

    it('refused again while another user of the app has success: ended after an hour, or a day with new tokens', async () => {
      const [refreshed, unrefreshed, other] = [await linkedUser(), await linkedUser(), await linkedUser()]
      const held = await heldCredential(unrefreshed)
      const refuseIdentity = () => settle(t.service.features, { held }, 'refused')
      const helpfulCall = async () => {
        t.sandbox.clearFaults()
        assert.ok((await call(other)).structuredContent.notes)
      }
      assert.equal((await refuseIdentity()).ends, false)
      await t.moveClock(HOUR + SECOND)
      await helpfulCall()
      assert.equal((await refuseIdentity()).ends, true)
      assert.equal((await stored(unrefreshed)).status, 'needs_reauth')
      refuse()
      isKept(await call(refreshed))
      await t.moveClock(HOUR + SECOND)
      await helpfulCall()
      refuse()
      isKept(await call(refreshed))
      await t.moveClock(DAY)
      await helpfulCall()
      refuse()
      const { type, reason } = (await call(refreshed)).structuredContent
      assert.deepEqual([type, reason], ['authenticate_meta', 'revoked'])
    })

    it('refused again an hour later, while others are refused too: kept', async () => {
      const [userId, other] = [await linkedUser(), await linkedUser()]
      refuse()
      for (const id of [userId, other]) isKept(await call(id))
      await t.moveClock(2 * DAY)
      isKept(await call(userId))
      assert.equal((await stored(userId)).status, 'active')
    })

    it('a success in between starts the hour again', async () => {
      const [userId, other] = [await linkedUser(), await linkedUser()]
      refuse()
      isKept(await call(userId))
      t.sandbox.clearFaults()
      await t.moveClock(30 * MINUTE)
      assert.ok((await call(userId)).structuredContent.notes)
      await t.moveClock(31 * MINUTE)
      assert.ok((await call(other)).structuredContent.notes)
      refuse()
      isKept(await call(userId))
      const { status, refusals } = await stored(userId)
      assert.deepEqual([status, refusals], ['active', 1])
    })

    it('alone, it takes a day; the job ends it without another call, and linking again repairs it', async () => {
      const userId = await linkedUser('sandbox-vault')
      refuse('vault')
      isKept(await call(userId, 'sandbox-vault__list_items'))
      const checkIn = async (ms: number) => {
        await t.moveClock(ms)
        await recheckRefused(t.service.features)
        return (await stored(userId)).status
      }
      assert.equal(await checkIn(2 * HOUR), 'active')
      assert.equal(await checkIn(20 * HOUR), 'active')
      assert.equal(await checkIn(3 * HOUR), 'needs_reauth')
      const events = (await t.events(userId)).filter(({ type }) => type === 'credential.needs_reauth')
      assert.deepEqual(
        events.map(({ payload }) => payload.reason),
        ['revoked'],
      )
      t.sandbox.clearFaults()
      await link(userId, 'sandbox-vault')
      const { status, refusals, refused_since } = await stored(userId)
      assert.deepEqual([status, refusals, refused_since], ['active', 0, null])
    })

    it('the job clears a credential that the provider accepts again', async () => {
      const userId = await linkedUser()
      refuse()
      isKept(await call(userId))
      t.sandbox.clearFaults()
      await t.moveClock(11 * MINUTE)
      await recheckRefused(t.service.features)
      assert.deepEqual((await stored(userId)).refusals, 0)
    })

    it('a key that the provider states to be revoked: ended at once', async () => {
      const userId = await linkedUser('sandbox-vault')
      t.sandbox.revokeVaultKey('ana')
      const { type, reason } = (await call(userId, 'sandbox-vault__list_items')).structuredContent
      assert.deepEqual([type, reason], ['authenticate_meta', 'revoked'])
    })

    it('a token without a refresh token: one 401 does not end it', async () => {
      const userId = await linkedUser()
      // Without its OAuth app, the tokens cannot be refreshed.
      await t.query('update credentials set oauth_app = null where registered_user_id = $1', [userId])
      refuse()
      isKept(await call(userId))
      assert.equal((await stored(userId)).status, 'active')
    })

    it('is compared across organizations only with users of the service’s own app', async () => {
      const other = await t.createOrganization('Other')
      const users = { notes: await linkedUser(), vault: await linkedUser('sandbox-vault') }
      const strangers = [
        await linkedUser('sandbox-notes', other.key),
        await linkedUser('sandbox-vault', other.key),
      ]
      refuse()
      refuse('vault')
      isKept(await call(users.notes))
      isKept(await call(users.vault, 'sandbox-vault__list_items'))
      await t.moveClock(DAY + SECOND)
      await t.query('update credentials set refused_since = app_now() where registered_user_id = any($1)', [
        strangers,
      ])
      isKept(await call(users.notes))
      const ended = await call(users.vault, 'sandbox-vault__list_items')
      assert.equal(ended.structuredContent.reason, 'revoked')
    })
  })
