import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MINUTE } from '../../src/core/duration.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import { credentialStore } from '../../src/features/credentials/credential-store.ts'
import { refreshCredential } from '../../src/features/credentials/refresh-credential.ts'
import { refreshIdle } from '../../src/features/credentials/refresh-idle.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { rotateKeys } from '../../src/features/credentials/rotation/rotate-keys.ts'
import { revokeDevelopmentKeys } from '../../src/features/organizations/end-api-keys.ts'
import {
  activateOrganization,
  suspendOrganization,
} from '../../src/features/organizations/suspend-organization.ts'
import { addVaultKey } from '../../src/platform/vault/key-file.ts'
import { fileKeyRing } from '../../src/platform/vault/key-ring.ts'
import { retentionSteps, runRetention } from '../../src/retention.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { openStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { signInPerson } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`a suspended organization (${engine})`, () => {
    let t: TestService
    let userId: string
    before(async () => {
      t = await startTestService(engine)
      ;({ id: userId } = await t.createUser())
      await linkNotes(
        createBrowserUser(),
        (await t.mint(userId, { Connector: 'sandbox-notes' })).magic_link_url,
      )
    })
    after(() => t.stop())
    const suspend = () => suspendOrganization(t.service.features.db, t.organization.id)
    const activate = () => activateOrganization(t.service.features.db, t.organization.id)
    const callTool = () => t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
    const versions = async () =>
      (await t.query('select version from credentials order by id')).map(({ version }) => Number(version))

    it('rejects calls at once, keeps its data, and serves it again after activation', async () => {
      assert.equal((await callTool()).body.result.isError ?? false, false)
      const counts = () =>
        t.query(`select (select count(*)::integer from credentials) as credentials,
          (select count(*)::integer from tool_calls) as calls, (select count(*)::integer from registered_users) as users`)
      const kept = await counts()
      assert.equal((await suspend())?.state, 'suspended')
      const rejected = await callTool()
      assert.deepEqual([rejected.status, rejected.body.error.code], [403, 'organization_suspended'])
      await runRetention(retentionSteps(t.service.features), t.service.features.log)
      assert.deepEqual(await counts(), kept)
      assert.equal((await activate())?.state, 'active')
      assert.equal((await callTool()).body.result.isError ?? false, false)
    })

    it('suspending twice and activating twice change nothing', async () => {
      await suspend()
      assert.equal((await suspend())?.state, 'suspended')
      await activate()
      assert.equal((await activate())?.state, 'active')
    })

    it('an organization that is being deleted is neither suspended nor activated', async () => {
      const other = await t.createOrganization('Ending')
      await t.query("update organizations set state = 'deleting' where id = $1", [other.id])
      const { db } = t.service.features
      assert.equal((await suspendOrganization(db, other.id))?.state, 'deleting')
      assert.equal((await activateOrganization(db, other.id))?.state, 'deleting')
      await t.query("update organizations set state = 'active' where id = $1", [other.id])
    })

    it('a call that was admitted before is settled, and counted after activation', async () => {
      const { id } = await t.createUser()
      await linkNotes(createBrowserUser(), (await t.mint(id, { Connector: 'sandbox-notes' })).magic_link_url)
      const release = t.sandbox.hold('notes')
      const running = t.mcp(id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
      await eventually(async () => {
        assert.equal(
          (await t.query('select from calls_in_flight where registered_user_id = $1', [id])).length,
          1,
        )
      })
      await suspend()
      release()
      assert.equal((await running).body.result.isError ?? false, false)
      await t.moveClock(30 * MINUTE)
      await t.query('select sum_usage()')
      await activate()
      await t.query('select sum_usage()')
      const [sums] = await t.query(
        `select (select count(*)::integer from tool_calls) as records, (select sum(calls)::integer from usage_totals) as calls`,
      )
      assert.equal(sums?.calls, sums?.records)
    })

    it('credentials are not refreshed meanwhile, and requested revocations are sent', async () => {
      const { features } = t.service
      const [row] = await t.query<{ id: string }>(
        'select id from credentials where registered_user_id = $1 order by id',
        [userId],
      )
      const credential = await credentialStore.find(features.db, t.organization.id, row?.id as string)
      assert.ok(credential)
      await t.query(
        "update credentials set access_expires_at = app_now() - interval '1 day', updated_at = app_now() - interval '6 days'",
      )
      const unchanged = await versions()
      await suspend()
      await refreshIdle(features)
      assert.deepEqual(await versions(), unchanged)
      const held = {
        organizationId: t.organization.id,
        registeredUserId: userId,
        connectorSlug: 'sandbox-notes',
        credential,
      }
      await assert.rejects(refreshCredential(features, held), error =>
        isRefusal(error, 'organization_suspended'),
      )
      await t.query('select revoke_credentials($1, $2, $3)', [t.organization.id, userId, 'user_deactivated'])
      await revokeDueTokens(features)
      assert.deepEqual(await t.query('select outcome from revocations'), [{ outcome: 'revoked' }])
      await activate()
    })

    it('keys are rotated, and secrets can be read after activation', async () => {
      const keySource = {
        ring: fileKeyRing(t.keyFile, { production: false }),
        add: () => addVaultKey(t.keyFile, 'development'),
      }
      await suspend()
      const rotated = await rotateKeys({ db: t.service.features.db, keySource })
      assert.deepEqual([rotated.users > 0, rotated.unreadable], [true, []])
      await activate()
    })

    it('a magic link shows under the name of the organization that connections are paused', async () => {
      const { magic_link_url } = await t.mint(userId)
      await suspend()
      const page = await createBrowserUser().open(magic_link_url)
      assert.equal(page.status, 403)
      assert.match(page.html, /<bdi>Orbit<\/bdi> can’t connect accounts right now/)
      await activate()
    })

    it('My connections shows that connections are paused', async () => {
      const { body } = await t.call('POST', `/api/v1/registered-users/${userId}/connections-link`)
      await suspend()
      const page = await createBrowserUser().open(body.url)
      assert.equal(page.status, 403)
      assert.equal(page.title, 'Connections are paused')
      assert.match(page.html, /<bdi>Orbit<\/bdi> can’t connect accounts right now/)
      await activate()
      assert.equal((await createBrowserUser().open(body.url)).status, 200)
    })

    it('the event stream of a key ends, and that of a member stays open', async () => {
      const person = await signInPerson(t, { role: 'read_only' })
      const stream = (headers: Record<string, string>) =>
        openStream(`${t.baseUrl}/api/v1/events/stream`, { headers })
      const ofKey = await stream({ authorization: `Bearer ${t.organization.key}` })
      const member = { cookie: person.cookie, 'carabiner-organization': t.organization.id }
      await suspend()
      await ofKey.untilEnded()
      const ofMember = await stream(member)
      // The position is sent after the reader was checked.
      await eventually(async () => assert.match(ofMember.text(), /^id: /m))
      assert.equal(ofMember.ended(), false)
      ofMember.close()
      await activate()
    })

    it('a key for development is revoked before the organization is active again', async () => {
      const { db, signer } = t.service.features
      const other = await t.createOrganization('Printed')
      await t.query('update api_keys set for_development = true where organization_id = $1', [other.id])
      await suspendOrganization(db, other.id)
      await revokeDevelopmentKeys({ db, signer })
      await activateOrganization(db, other.id)
      assert.equal((await t.call('GET', '/api/v1/registered-users', { key: other.key })).status, 401)
    })

    it('members read it in the dashboard, and every change is rejected', async () => {
      const person = await signInPerson(t, { role: 'admin' })
      await suspend()
      const session = await person.own('GET', '/dashboard/session')
      assert.deepEqual(
        session.body.organizations.map(({ id, suspended }: any) => [id, suspended]),
        [[t.organization.id, true]],
      )
      for (const path of ['organization', 'registered-users', 'tool-packs', 'tool-calls', 'audit-entries'])
        assert.equal((await person.call('GET', `/api/v1/${path}`)).status, 200, path)
      for (const [method, path, body] of [
        ['PATCH', 'organization', { name: 'Renamed' }],
        ['POST', 'registered-users', { origin_user_id: 'new' }],
        ['DELETE', `registered-users/${userId}`, undefined],
        ['POST', 'explain', {}],
      ] as const) {
        const answer = await person.call(method, `/api/v1/${path}`, { ...(body && { body }) })
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'organization_suspended'], path)
      }
      const stranger = await signInPerson(t, {
        role: 'admin',
        organizationId: (await t.createOrganization('Other')).id,
      })
      const foreign = await stranger.call('GET', '/api/v1/organization', {
        organizationId: t.organization.id,
      })
      assert.equal(foreign.body.error.code, 'not_a_member')
      await activate()
      assert.equal(
        (await person.call('POST', '/api/v1/registered-users', { body: { origin_user_id: 'new' } })).status,
        201,
      )
    })
  })
