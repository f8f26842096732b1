import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { MINUTE } from '../../src/core/duration.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { deleteRequested } from '../../src/features/operator/delete-requested.ts'
import { EXPORTED_COLUMNS } from '../../src/features/portability/exported-columns.ts'
import { raiseFence } from '../../src/features/portability/fence.ts'
import { unseal } from '../../src/platform/vault/sealing.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type PersonSession, signInPerson } from '../support/person-session.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SERVICE_CHAIN = '00000000-0000-0000-0000-000000000000'

for (const engine of flowEngines)
  describe(`export and deletion in the dashboard (${engine})`, () => {
    let t: TestService
    let operator: PersonSession
    let admin: PersonSession
    before(async () => {
      t = await startTestService(engine)
      operator = await signInPerson(t, { isOperator: true, name: 'Olga Op' })
      admin = await signInPerson(t, { role: 'admin', name: 'Ada Min' })
    })
    after(() => t.stop())

    const remove = (person: PersonSession, id: string, body: object) =>
      person.own('DELETE', `/dashboard/organizations/${id}`, body)
    const actionsOf = (organizationId: string) =>
      t.query('select action, outcome, actor_hint from audit_entries where organization_id = $1', [
        organizationId,
      ])
    const exists = async (id: string) =>
      (await t.query('select from organizations where id = $1', [id])).length === 1
    const download = async (person: PersonSession) => {
      const response = await fetch(`${t.baseUrl}/dashboard/organizations/${t.organization.id}/export`, {
        method: 'POST',
        headers: { cookie: person.cookie, origin: t.baseUrl, 'content-type': 'application/json' },
        body: '{}',
      })
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    }

    it('deletion: other roles, members of other organizations and API keys are rejected', async () => {
      const body = { name: 'Orbit', revoke: false }
      for (const role of ['developer', 'security', 'read_only'] as const) {
        const person = await signInPerson(t, { role })
        const { status, body: answer } = await remove(person, t.organization.id, body)
        assert.deepEqual([status, answer.error.code], [403, 'permission_denied'], role)
      }
      const other = await t.createOrganization('Other')
      const stranger = await signInPerson(t, { role: 'admin', organizationId: other.id })
      for (const id of [t.organization.id, newUuid(), 'x'])
        assert.equal((await remove(stranger, id, body)).body.error.code, 'not_a_member')
      const path = `/dashboard/organizations/${t.organization.id}`
      const withKey = await t.call('DELETE', path, { body, headers: { origin: t.baseUrl } })
      assert.equal(withKey.body.error.code, 'session_expired')
      assert.equal(
        (await actionsOf(t.organization.id)).filter(({ outcome }) => outcome === 'denied').length,
        3,
        'denied attempts of members are in the trail of the organization',
      )
    })

    it('deletion: the typed name must be exact, and unknown fields are rejected', async () => {
      for (const name of ['orbit', 'Orbit ', '', 'Other'])
        assert.equal(
          (await remove(admin, t.organization.id, { name, revoke: true })).body.error.code,
          'organization_name_mismatch',
        )
      for (const body of [
        {},
        { name: 'Orbit' },
        { name: 'Orbit', revoke: 'no' },
        { name: 'Orbit', revoke: true, x: 1 },
      ])
        assert.equal((await remove(admin, t.organization.id, body)).status, 400)
      assert.equal((await remove(operator, newUuid(), { name: 'x', revoke: true })).status, 404)
      assert.ok(await exists(t.organization.id))
    })

    it('deletion by an administrator: not served at once, deleted by the job, recorded by the service', async () => {
      const doomed = await t.createOrganization('Doomed')
      const person = await signInPerson(t, { role: 'admin', organizationId: doomed.id, name: 'Dora' })
      await t.createUser({}, doomed.key)
      const { status, body } = await remove(person, doomed.id, { name: 'Doomed', revoke: false })
      assert.deepEqual([status, body.state], [202, 'deleting'])
      assert.equal((await t.call('GET', '/api/v1/registered-users', { key: doomed.key })).status, 401)
      assert.deepEqual((await person.own('GET', '/dashboard/session')).body.organizations, [])
      assert.equal((await remove(operator, doomed.id, { name: 'Doomed', revoke: false })).status, 409)
      await deleteRequested(t.service.features)
      assert.ok(!(await exists(doomed.id)))
      assert.deepEqual(
        await t.query('select from registered_users where organization_id = $1', [doomed.id]),
        [],
      )
      const entries = await t.query(
        'select action, actor_type, actor_hint, changes from audit_entries where organization_id = $1 and target_id = $2 order by sequence',
        [SERVICE_CHAIN, doomed.id],
      )
      assert.deepEqual(
        entries.map(({ action, actor_type, actor_hint }) => [action, actor_type, actor_hint]),
        [
          ['organization.deletion_requested', 'person', 'Dora'],
          ['organization.deleted', 'system', null],
        ],
      )
      assert.deepEqual(
        entries[1]?.changes.map(({ field }: { field: string }) => field),
        ['name', 'audit_trail'],
      )
      assert.ok(await exists(t.organization.id), 'other organizations stay')
    })

    it('deletion with revocation: waits until the tokens are revoked, also if it is suspended', async () => {
      const doomed = await t.createOrganization('Revoking')
      const { id } = await t.createUser({}, doomed.key)
      await linkNotes(
        createBrowserUser(),
        (await t.mint(id, { Connector: 'sandbox-notes' }, doomed.key)).magic_link_url,
      )
      await operator.own('POST', `/dashboard/installation/organizations/${doomed.id}/suspend`)
      const member = await signInPerson(t, { role: 'admin', organizationId: doomed.id })
      const body = { name: 'Revoking', revoke: true }
      assert.equal((await remove(member, doomed.id, body)).body.error.code, 'organization_suspended')
      assert.equal((await remove(operator, doomed.id, body)).status, 202)
      await deleteRequested(t.service.features)
      // The job of the service may have revoked it meanwhile.
      await revokeDueTokens(t.service.features)
      await deleteRequested(t.service.features)
      assert.ok(!(await exists(doomed.id)))
    })

    it('deletion: an interrupted one continues, and one during a key rotation is made later', async () => {
      const { features } = t.service
      const doomed = await t.createOrganization('Halfway')
      await t.createUser({}, doomed.key)
      assert.equal((await remove(operator, doomed.id, { name: 'Halfway', revoke: true })).status, 202)
      await t.query("insert into key_rotations (vault_key_id, users_total) values ('x', 0)")
      await deleteRequested(features)
      assert.ok(await exists(doomed.id), 'the keys are being rotated')
      assert.deepEqual(await t.query('select from audit_intents'), [])
      await t.query('delete from key_rotations')
      // As if the process had been killed.
      await raiseFence(features.db, doomed.id)
      await deleteRequested(features)
      assert.ok(!(await exists(doomed.id)))
    })

    it('export: the data in readable form, without any credential or key, recorded with the person', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'carabiner-leaving-'))
      const shared = process.env['TMPDIR']
      // The service runs in this process, and others write to the shared folder.
      process.env['TMPDIR'] = folder
      try {
        const filled = await fillWithSecrets()
        const { response, bytes } = await download(admin)
        assert.equal(response.status, 200)
        assert.equal(Number(response.headers.get('content-length')), bytes.length)
        const text = gunzipSync(bytes).toString()
        const [header, ...lines] = text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line) as { table: string; row: Record<string, unknown> })
        assert.deepEqual((header as unknown as { organization: object }).organization, {
          id: t.organization.id,
          name: 'Orbit',
        })
        const rowsOf = (table: string) => lines.filter(line => line.table === table).map(({ row }) => row)
        assert.ok(rowsOf('registered_users').some(({ id }) => id === filled.userId))
        assert.ok(rowsOf('credentials').some(({ account }) => account === 'ana@example.com'))
        assert.ok(rowsOf('audit_entries').length > 0)
        for (const secret of filled.secrets) assert.ok(!text.includes(secret), secret.slice(0, 12))
        assert.doesNotMatch(text, /"(sealed|hash_|data_key|wrapped|secret)|cb_(sk_live|sk_test|mcp)_\w{20}/)
        const last = (await actionsOf(t.organization.id)).at(-1)
        assert.deepEqual([last?.action, last?.actor_hint], ['organization.exported', 'Ada Min'])
        const [disclosed] = await t.query(
          `select actor_hint, target_id from audit_entries where organization_id = $1 and action = 'organization.exported'`,
          [SERVICE_CHAIN],
        )
        assert.deepEqual(disclosed, { actor_hint: 'Ada Min', target_id: t.organization.id })
        await eventually(async () =>
          assert.deepEqual(readdirSync(folder), [], 'the temporary file is deleted'),
        )
      } finally {
        if (shared === undefined) delete process.env['TMPDIR']
        else process.env['TMPDIR'] = shared
        rmSync(folder, { recursive: true })
      }
    })

    /** A linked user, an MCP key, an OAuth app and a webhook endpoint; returns every secret of them in plaintext and as it is stored. */
    const fillWithSecrets = async (): Promise<{ userId: string; secrets: string[] }> => {
      const { id } = await t.createUser()
      await linkNotes(createBrowserUser(), (await t.mint(id, { Connector: 'sandbox-notes' })).magic_link_url)
      const key = await t.call('POST', `/api/v1/registered-users/${id}/mcp-keys`, {
        body: { name: 'Laptop', tool_pack_ids: [t.organization.toolPackId] },
      })
      const endpoint = await t.call('POST', '/api/v1/webhook-endpoints', {
        body: { url: 'http://127.0.0.1:9/' },
      })
      await t.call('PUT', '/api/v1/connectors/sandbox-notes/oauth-app', {
        body: { client_id: 'client-1', client_secret: 'canary-client-secret', scopes: ['notes:read'] },
      })
      const [credential] = await t.query(
        `select c.sealed, c.secret_id, u.data_key from credentials c join registered_users u on u.id = c.registered_user_id where u.id = $1`,
        [id],
      )
      const userKey = await t.service.features.vault.openUserKey(t.organization.id, id, credential.data_key)
      const context = ['credential', t.organization.id, id, 'sandbox-notes', credential.secret_id] as const
      const opened = JSON.parse(unseal(userKey, credential.sealed, context).toString()) as object
      const tokens = Object.entries(opened).flatMap(([name, value]) =>
        name.endsWith('_token') ? [String(value)] : [],
      )
      assert.equal(tokens.length, 2, 'the access token and the refresh token')
      const stored = await t.query(
        `select encode(sealed, 'hex') as value from credentials union select encode(hash, 'hex') from api_keys union select encode(data_key, 'hex') from registered_users`,
      )
      return {
        userId: id,
        secrets: [
          ...tokens,
          'canary-client-secret',
          key.body.key,
          endpoint.body.secret,
          t.organization.key,
          ...stored.map(({ value }) => value),
        ],
      }
    }

    it('every exported column exists and is readable, and no other kind of request returns an archive', async () => {
      const columns = await t.query('select table_name, name, type from tenant_columns')
      for (const [table, names] of Object.entries(EXPORTED_COLUMNS))
        for (const name of names) {
          const found = columns.find(column => column.table_name === table && column.name === name)
          assert.ok(found, `${table}.${name}`)
          const isChainLink = table === 'audit_entries' && ['previous', 'hash'].includes(name)
          assert.ok(isChainLink || found.type !== 'bytea', `${table}.${name} is binary`)
        }
      const path = `/dashboard/organizations/${t.organization.id}/export`
      for (const key of [t.organization.key, t.organization.testKey]) {
        const answer = await t.call('POST', path, { key, body: {}, headers: { origin: t.baseUrl } })
        assert.equal(answer.body.error.code, 'session_expired')
      }
    })

    it('export and deletion: other roles and old sign-ins are rejected', async () => {
      const codeOf = async (person: PersonSession) =>
        JSON.parse((await download(person)).bytes.toString()).error.code
      for (const role of ['developer', 'security', 'read_only'] as const)
        assert.equal(await codeOf(await signInPerson(t, { role })), 'permission_denied')
      await t.moveClock(11 * MINUTE)
      assert.equal(await codeOf(admin), 'recent_sign_in_required')
      const deletion = await remove(admin, t.organization.id, { name: 'Orbit', revoke: false })
      assert.equal(deletion.body.error.code, 'recent_sign_in_required')
      assert.ok(await exists(t.organization.id))
    })
  })
