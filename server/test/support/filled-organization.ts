import assert from 'node:assert/strict'
import sharp from 'sharp'
import { newUuid } from '../../src/core/uuid.ts'
import { rotateKeys } from '../../src/features/credentials/rotation/rotate-keys.ts'
import { usageStore } from '../../src/features/metering/limits/usage-store.ts'
import { fanOutAll } from '../../src/features/webhooks/fan-out.ts'
import { addVaultKey } from '../../src/platform/vault/key-file.ts'
import { fileKeyRing } from '../../src/platform/vault/key-ring.ts'
import { createBrowserUser, linkNotes } from './browser-user.ts'
import { eventually } from './eventually.ts'
import { type HostileServer, result, startHostileMcp } from './hostile-mcp.ts'
import type { TestService } from './test-service.ts'
import { caller } from './tool-calls.ts'

const NOTES = 'sandbox-notes'
const TEN_MINUTES = 600_000
/** Text that a naive copy would change: quotes, a line break, a backslash, JSON escapes, a separator, and other scripts. */
export const AWKWARD = 'Zoë "O\'Brien"\\n\n\t\u2028 \\x41 😀 {NULL}, null'

export type FilledOrganization = {
  server: HostileServer
  /** Has linked Notes, and has records with captured arguments from before and after a rotation of keys. */
  userId: string
  mcpKey: string
  idempotentRequest: { key: string; body: object; answer: unknown }
  idempotentCall: { key: string; answer: unknown }
  recordIds: string[]
}

/** Gives the first organization of the service rows in every table that belongs to organizations. */
export const fillOrganization = async (t: TestService, keyFile: string): Promise<FilledOrganization> => {
  const { id: organizationId, toolPackId } = t.organization
  const server = await startHostileMcp()
  const large = 'Aé😀"\n'.repeat(2000)
  server.reset({
    'tools/call': exchange => {
      const { text = 'done' } = exchange.message.params.arguments
      return result(exchange, { content: [{ type: 'text', text: text === 'large' ? large : text }] })
    },
  })
  const expectOk = async (...request: Parameters<TestService['call']>) => {
    const answer = await t.call(...request)
    assert.ok(answer.status < 300, `${request[0]} ${request[1]}: ${answer.text}`)
    return answer.body
  }
  await t.allowOrigin('https://app.example.com')
  await expectOk('PATCH', '/api/v1/organization', { body: { capture: 'on' } })
  await t.query('update organizations set call_limit = 5000 where id = $1', [organizationId])
  await expectOk('PATCH', `/api/v1/tool-packs/${toolPackId}`, { body: { daily_call_limit: 5000 } })
  await fillConfiguration(t, expectOk, server)

  const request = { key: 'request-1', body: { origin_user_id: 'ana', origin_user_name: AWKWARD } }
  const created = await expectOk('POST', '/api/v1/registered-users', {
    headers: { 'idempotency-key': request.key },
    body: request.body,
  })
  const userId = created.id as string
  await expectOk('PATCH', `/api/v1/registered-users/${userId}`, {
    body: { rate_limit_per_minute: 600, metadata: { nested: { text: AWKWARD, none: null } } },
  })
  const { key: mcpKey } = await expectOk('POST', `/api/v1/registered-users/${userId}/mcp-keys`, {
    body: { name: 'Agent' },
  })
  await insertSignIns(t, userId)
  await linkNotes(createBrowserUser(), (await t.mint(userId, { Connector: NOTES })).magic_link_url)
  const credentialsPath = `/api/v1/registered-users/${userId}/credentials`
  const [{ credential_id: linked }] = (await t.call('GET', credentialsPath)).body.data
  await expectOk('PUT', `${credentialsPath}/${linked}/access`, {
    body: { everyone: true, tool_pack_ids: [toolPackId] },
  })
  await waitForCode(t, userId)
  await expectOk('POST', `/api/v1/registered-users/${userId}/connections-link`)
  await disconnectAnotherUser(t)

  const call = caller(t, userId)
  await call('theirs__act', { args: { text: `captured ${AWKWARD}` } })
  await rotateKeys({
    db: t.service.features.db,
    keySource: {
      ring: fileKeyRing(keyFile, { production: false }),
      add: () => addVaultKey(keyFile, 'development'),
    },
  })
  await call('theirs__act', { args: { text: 'mail jane.roe@example.com' } })
  const idempotentCall = {
    key: 'call-1',
    answer: await call('theirs__act', { idempotencyKey: 'call-1', args: { text: 'once' } }),
  }
  await call('theirs__act', { args: { text: 'large' } })
  const searched = { name: 'search_tools', arguments: { query: 'act' } }
  assert.ok((await t.mcp(userId, 'tools/call', searched)).body.result)
  await t.moveClock(TEN_MINUTES)
  await usageStore.aggregate(t.service.features.db)
  await call('theirs__act', { args: { text: 'after the aggregation' } })
  await insertUnfinished(t, userId)
  // An event is delivered only after all transactions that began before it have ended, and other tests have some.
  await eventually(async () => {
    await fanOutAll(t.service.features.db)
    const missing = await t.query(
      `select c.id from tool_calls c left join webhook_deliveries d on d.organization_id = c.organization_id and d.event_id = c.id
       where c.organization_id = $1 and c.outcome = 'success' and d.id is null`,
      [organizationId],
    )
    assert.deepEqual(missing, [])
  })
  const records = await t.query<{ id: string }>(
    `select id from tool_calls where organization_id = $1 and payload is not null order by id`,
    [organizationId],
  )
  assert.ok(records.length >= 4 && toolPackId)
  return {
    server,
    userId,
    mcpKey,
    idempotentRequest: { ...request, answer: created },
    idempotentCall,
    recordIds: records.map(({ id }) => id),
  }
}

type ExpectOk = (...request: Parameters<TestService['call']>) => Promise<any>

const fillConfiguration = async (t: TestService, expectOk: ExpectOk, server: HostileServer) => {
  const endpoint = await expectOk('POST', '/api/v1/webhook-endpoints', {
    body: {
      url: server.url,
      description: AWKWARD,
      event_types: ['credential.created', 'tool_call.completed'],
    },
  })
  await expectOk('POST', `/api/v1/webhook-endpoints/${endpoint.id}/rotate-secret`)
  // Its deliveries wait.
  await expectOk('PATCH', `/api/v1/webhook-endpoints/${endpoint.id}`, { body: { paused: true } })
  await expectOk('POST', '/api/v1/connectors', { body: { name: 'Theirs', slug: 'theirs', url: server.url } })
  await t.query(
    `insert into oauth_apps (organization_id, id, connector_slug, kind, context, client_id, scopes)
     values ($1, $2, 'elsewhere', 'given', 'context-1', 'client-1', array['a b', 'c,"d"', ''])`,
    [t.organization.id, newUuid()],
  )
  await expectOk('PATCH', `/api/v1/tool-packs/${t.organization.toolPackId}`, {
    body: { name: AWKWARD.replace(/[\n\t\u2028]/g, ' ') },
  })
  await t.query(
    `update tool_packs set result_handles = true, explain_access = true, renewal_notices = true, result_limit = 5000, serving = 'reveal',
       favorites = array['theirs__x'] where organization_id = $1`,
    [t.organization.id],
  )
  await expectOk('PATCH', '/api/v1/link-customization', { body: { radius: 7 } })
  const logo = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  const headers = { authorization: `Bearer ${t.organization.key}`, 'content-type': 'image/png' }
  const path = '/api/v1/link-customization/logo/light'
  await fetch(t.baseUrl + path, { method: 'PUT', headers, body: new Uint8Array(logo) })
  await expectOk('PUT', '/api/v1/security-rules', {
    body: { entities: { EMAIL_ADDRESS: { outbound_action: 'redact' } } },
  })
  await expectOk('POST', '/api/v1/policy-rules', {
    body: {
      name: 'Not in the next century',
      effect: 'deny',
      tools: ['sandbox-notes__*'],
      when: 'now > timestamp("2100-01-01T00:00:00Z")',
      reason: AWKWARD,
    },
  })
  const { id: keyId, key } = await expectOk('POST', '/api/v1/api-keys', { body: { mode: 'production' } })
  // Only an administrator can create such a key.
  await t.query(`update api_keys set groups = '{policies}' where id = $1`, [keyId])
  const hook = { url: server.url, on_error: 'ask' }
  const hooked = { name: 'Hooked', tools: ['sandbox-notes__*'], when: 'false', hook }
  const { id: ruleId } = await expectOk('POST', '/api/v1/policy-rules', { key, body: hooked })
  await expectOk('POST', `/api/v1/policy-rules/${ruleId}/rotate-hook-secret`, { key })
  await t.query(`insert into policies (organization_id, default_effect) values ($1, 'allow')`, [
    t.organization.id,
  ])
}

/** A client that is signed in, and a sign-in in progress. */
const insertSignIns = async (t: TestService, userId: string): Promise<void> => {
  const { id, toolPackId } = t.organization
  const grantId = newUuid()
  await t.call('PUT', '/api/v1/sign-in', {
    body: { sign_in_url: 'https://app.example.com/sign-in', tool_pack_ids: [toolPackId] },
  })
  await t.query(
    `insert into sign_in_requests (organization_id, id, mode, tool_pack_id, client_id, client_name, redirect_uri, state, code_challenge,
       browser_hash, network_hash, expires_at, registered_user_id)
     values ($1, $2, 'production', $3, 'https://client.example/', $4, 'https://client.example/callback', $4, 'challenge', '\\x01', '\\x01',
       app_now() + interval '1 hour', $5)`,
    [id, newUuid(), toolPackId, AWKWARD, userId],
  )
  await t.query(
    `insert into client_grants (organization_id, id, registered_user_id, tool_pack_id, client_id, client_name, expires_at)
     values ($1, $2, $3, $4, 'https://client.example/', $5, app_now() + interval '1 day')`,
    [id, grantId, userId, toolPackId, AWKWARD],
  )
  await t.query(
    `insert into access_tokens (organization_id, hash, grant_id, registered_user_id, tool_pack_ids, expires_at)
     values ($1, '\\x02', $2, $3, array[$4]::uuid[], app_now() + interval '1 hour')`,
    [id, grantId, userId, toolPackId],
  )
  await t.query(
    `insert into used_assertions (organization_id, hash, expires_at) values ($1, '\\x04', app_now() + interval '1 day')`,
    [id],
  )
  await t.query(
    `insert into refresh_tokens (organization_id, hash, grant_id, expires_at) values ($1, '\\x03', $2, app_now() + interval '1 day')`,
    [id, grantId],
  )
}

/** Leaves a code that waits for its confirmation. */
const waitForCode = async (t: TestService, userId: string): Promise<void> => {
  const minted = await t.mint(userId, {
    Connector: NOTES,
    callback_url: 'https://app.example.com/cb',
    state: 's',
  })
  await linkNotes(createBrowserUser(), minted.magic_link_url)
}

const disconnectAnotherUser = async (t: TestService): Promise<void> => {
  const { id } = await t.createUser()
  await linkNotes(createBrowserUser(), (await t.mint(id, { Connector: NOTES })).magic_link_url)
  const { body } = await t.call('GET', `/api/v1/registered-users/${id}/credentials`)
  await t.call('DELETE', `/api/v1/registered-users/${id}/credentials/${body.data[0].credential_id}`)
}

/** A call and a change whose process was killed. */
const insertUnfinished = async (t: TestService, userId: string): Promise<void> => {
  const { id, toolPackId } = t.organization
  await t.query(
    `insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, request_id,
       started_at, retention_days)
     values ($1, $2, $3, $4, 'production', 'theirs', 'act', 'req_killed', app_now() - interval '2 minutes', 730)`,
    [id, newUuid(), userId, toolPackId],
  )
  const change = {
    organizationId: id,
    action: 'tool_pack.updated',
    target: { type: 'tool_pack', id: toolPackId },
    registeredUserId: null,
    actor: { type: 'system', id: 'test', hint: null },
    sender: { address: null, userAgent: null },
    requestId: 'req_killed',
    changes: [],
  }
  await t.query(`insert into audit_intents (organization_id, id, change) values ($1, $2, $3::text::json)`, [
    id,
    newUuid(),
    JSON.stringify(change),
  ])
}
