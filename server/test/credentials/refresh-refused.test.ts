import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import { SECOND } from '../../src/core/duration.ts'
import { credentialStore } from '../../src/features/credentials/credential-store.ts'
import { refreshCredential } from '../../src/features/credentials/refresh-credential.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { createSingleFlight } from '../../src/platform/single-flight.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes'
const INVALID_GRANT = {
  target: 'token',
  behavior: 'status',
  status: 400,
  body: { error: 'invalid_grant' },
} as const

for (const engine of flowEngines) {
  describe(`a refresh (${engine})`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    afterEach(() => {
      t.sandbox.clearFaults()
      mock.restoreAll()
    })
    after(() => t.stop())

    const linkAgain = async (userId: string): Promise<void> => {
      await linkNotes(createBrowserUser(), (await t.mint(userId, { Connector: NOTES })).magic_link_url)
    }
    const expire = (userId: string) =>
      t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [userId])
    const dueUser = async (): Promise<string> => {
      const { id } = await t.createUser()
      await linkAgain(id)
      await expire(id)
      return id
    }
    const callNotes = async (userId: string): Promise<any> => {
      const { body } = await t.mcp(userId, 'tools/call', { name: `${NOTES}__list_notes`, arguments: {} })
      return body.result.structuredContent
    }
    const stored = async (userId: string) => {
      const [row] = await t.query(
        'select id, version, status, status_reason, lease_until from credentials where registered_user_id = $1',
        [userId],
      )
      return row
    }
    const refreshes = () => t.sandbox.ledger.filter(({ kind }) => kind === 'refresh').length
    /** Input of a refresh that runs in another process. */
    const credentialInput = async (userId: string) => {
      const { id } = await stored(userId)
      const credential = await credentialStore.find(t.service.features.db, t.organization.id, id)
      assert.ok(credential)
      return { organizationId: t.organization.id, registeredUserId: userId, connectorSlug: NOTES, credential }
    }
    const ofAnotherProcess = () => ({ ...t.service.features, refreshing: createSingleFlight<any>() })

    it('refused: marks the credential with the reason, one event, no provider call next time', async () => {
      const userId = await dueUser()
      t.sandbox.script(INVALID_GRANT)
      const { type, reason } = await callNotes(userId)
      assert.deepEqual([type, reason], ['authenticate_meta', 'expired'])
      const { status, status_reason, version, lease_until } = await stored(userId)
      assert.deepEqual([status, status_reason, version, lease_until], ['needs_reauth', 'expired', 1, null])
      const refreshesBefore = refreshes()
      const again = await callNotes(userId)
      assert.deepEqual([again.type, again.reason], ['authenticate_meta', 'expired'])
      assert.equal(refreshes(), refreshesBefore)
      const events = (await t.events(userId)).filter(event => event.type === 'credential.needs_reauth')
      assert.deepEqual(
        events.map(({ payload }) => [payload.connector_slug, payload.reason]),
        [[NOTES, 'expired']],
      )
      await linkNotes(createBrowserUser(), again.magic_link_url)
      assert.ok((await callNotes(userId)).notes)
    })

    it('rejected after the user linked again: uses the new credential', async () => {
      const userId = await dueUser()
      const { target, ...refused } = INVALID_GRANT
      const release = t.sandbox.hold(target, refused)
      const calling = callNotes(userId)
      await eventually(async () => assert.deepEqual(t.sandbox.pendingFaults(), [], 'not sent yet'))
      await linkAgain(userId)
      release()
      assert.ok((await calling).notes)
      const { status, version } = await stored(userId)
      assert.deepEqual([status, version], ['active', 2])
      const types = (await t.events(userId)).map(({ type }) => type)
      assert.ok(!types.includes('credential.needs_reauth'))
    })

    it('retries storing the new token while the database is unavailable', async () => {
      const userId = await dueUser()
      const deps = ofAnotherProcess()
      let lost = 0
      const db = {
        ...deps.db,
        transaction: <T>(work: Parameters<typeof deps.db.transaction<T>>[0]) =>
          lost++ < 3
            ? Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
            : deps.db.transaction(work),
      }
      const outcome = await refreshCredential({ ...deps, db }, await credentialInput(userId))
      assert.deepEqual([outcome.usable, lost], [true, 4])
      assert.equal((await stored(userId)).version, 2)
      await expire(userId)
      assert.ok((await callNotes(userId)).notes)
    })

    it('delayed before its request: reads the credential again and does not reuse a spent token', async () => {
      const userId = await dueUser()
      const deps = ofAnotherProcess()
      const now = Date.now
      const refreshesBefore = refreshes()
      const apps: typeof deps.apps = {
        ...deps.apps,
        // Runs after the lease was acquired and before the request is sent.
        byId: async (...place) => {
          mock.method(Date, 'now', () => now() + 15 * SECOND)
          await t.moveClock(21 * SECOND)
          assert.ok((await callNotes(userId)).notes, 'another process refreshes meanwhile')
          return deps.apps.byId(...place)
        },
      }
      const outcome = await refreshCredential({ ...deps, apps }, await credentialInput(userId))
      assert.deepEqual([outcome.usable, outcome.usable && outcome.credential.version], [true, 2])
      assert.equal(refreshes(), refreshesBefore + 1)
      mock.restoreAll()
      await expire(userId)
      assert.ok((await callNotes(userId)).notes, 'the token family is still valid')
    })

    it('of a user deactivated meanwhile: stores nothing, and the new token is revoked too', async () => {
      const userId = await dueUser()
      const release = t.sandbox.hold('token', { behavior: 'late' })
      const refreshesBefore = refreshes()
      const calling = t.mcp(userId, 'tools/call', { name: `${NOTES}__list_notes`, arguments: {} })
      await eventually(async () => assert.equal(refreshes(), refreshesBefore + 1, 'not sent yet'))
      const path = `/api/v1/registered-users/${userId}`
      assert.equal((await t.call('PATCH', path, { body: { is_active: false } })).status, 200)
      release()
      assert.doesNotMatch((await calling).text, /"notes"/)
      const { status, version } = await stored(userId)
      assert.deepEqual([status, version], ['revoked', 2])
      const outcomes = () =>
        t.query('select outcome from revocations where registered_user_id = $1', [userId])
      assert.equal((await outcomes()).length, 2)
      await eventually(async () => {
        await revokeDueTokens(t.service.features)
        assert.deepEqual(await outcomes(), [{ outcome: 'revoked' }, { outcome: 'revoked' }])
      })
    })
  })
}
