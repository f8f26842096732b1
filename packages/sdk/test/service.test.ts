import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createBrowserUser, linkNotes } from '../../../server/test/support/browser-user.ts'
import { eventually } from '../../../server/test/support/eventually.ts'
import { joinTestService, type TestService } from '../../../server/test/support/test-service.ts'
import { type ReceivedWebhook, startReceiver } from '../../../server/test/support/webhook-receiver.ts'
import {
  type Client,
  createClient,
  findAuthenticateMeta,
  verifyWebhook,
  verifyWebhookBatch,
} from '../src/index.ts'

let service: TestService
let carabiner: Client
before(async () => {
  service = await joinTestService()
  carabiner = createClient({ apiKey: service.organization.key, baseUrl: service.baseUrl })
})
after(() => service?.stop())

test('registered users: upsert, get, update and delete', async () => {
  const { registeredUsers } = carabiner
  const user = await registeredUsers.upsert({ origin_user_id: 'ana', origin_user_name: 'Ana' })
  const updated = await registeredUsers.upsert({ origin_user_id: 'ana', email: 'ana@example.com' })
  assert.equal(updated.id, user.id)
  assert.deepEqual(await registeredUsers.get(user.id), updated)
  assert.equal((await registeredUsers.update(user.id, { is_active: false })).is_active, false)
  assert.equal(await registeredUsers.delete(user.id), undefined)
  await assert.rejects(registeredUsers.get(user.id), { status: 404, code: 'registered_user_not_found' })
})

test('lists: iteration reads all pages, and page() reads one', async () => {
  const expected = ['p1', 'p2', 'p3']
  for (const origin_user_id of expected) await carabiner.registeredUsers.upsert({ origin_user_id })
  const found: string[] = []
  for await (const { origin_user_id } of carabiner.registeredUsers.list({ limit: 1 }))
    found.push(origin_user_id)
  assert.deepEqual(found.toSorted(), expected)
  for await (const { origin_user_id } of carabiner.registeredUsers.list({ origin_user_id: 'p2' }))
    assert.equal(origin_user_id, 'p2')
  const { data, next_cursor } = await carabiner.registeredUsers.list({ limit: 2 }).page()
  assert.equal(data.length, 2)
  assert.ok(next_cursor)
})

test('credentials: list, get, test and delete, with revocations and link sessions', async () => {
  const { id } = await carabiner.registeredUsers.upsert({ origin_user_id: 'linked' })
  const { magic_link_url } = await carabiner.linkTokens.mint(id, { connector: 'sandbox-notes' })
  await linkNotes(createBrowserUser(), magic_link_url)
  const { credentials } = carabiner.registeredUsers
  const [credential] = await credentials.list(id)
  assert.ok(credential)
  assert.deepEqual(await credentials.get(id, credential.credential_id), credential)
  assert.equal((await credentials.test(id, credential.credential_id)).works, true)
  await credentials.delete(id, credential.credential_id)
  assert.equal((await credentials.list(id)).filter(({ status }) => status === 'active').length, 0)
  assert.equal((await carabiner.registeredUsers.revocations(id)).length, 1)
  const { data } = await carabiner.linkSessions.list(id).page()
  assert.equal(data[0]?.status, 'completed')
  assert.equal((await carabiner.linkSessions.get(data[0].id)).connector_slug, 'sandbox-notes')
})

test('tool calls: call a tool, and send a request to its provider', async () => {
  const { id } = await carabiner.registeredUsers.upsert({ origin_user_id: 'calls' })
  const create = { name: 'sandbox-notes__create_note', arguments: { title: 'SDK', text: 'x' } }
  const asked = await carabiner.tools.call({ registered_user_id: id, ...create })
  assert.deepEqual(findAuthenticateMeta(asked), asked.authenticate_meta)
  await linkNotes(createBrowserUser(), asked.authenticate_meta?.magic_link_url ?? '')
  const created = await carabiner.tools.call({ registered_user_id: id, ...create })
  assert.deepEqual([created.is_error, created.structured_content?.['title']], [false, 'SDK'])
  assert.equal((await carabiner.toolCalls.get(created.tool_call_id ?? '')).outcome, 'success')
  const wrong = await carabiner.tools.call({ registered_user_id: id, ...create, arguments: {} })
  assert.deepEqual([wrong.is_error, wrong.error?.code], [true, 'invalid_arguments'])
  await assert.rejects(carabiner.tools.call({ registered_user_id: id, name: 'sandbox-notes__none' }), {
    status: 404,
    code: 'tool_not_found',
  })
  const pack = await carabiner.toolPacks.create({
    name: 'Raw',
    connectors: [{ slug: 'sandbox-notes', requests: { methods: ['GET'], paths: ['/notes/api/*'] } }],
  })
  const me = { path: '/notes/api/me', tool_pack_id: pack.id }
  const { response } = await carabiner.request(id, 'sandbox-notes', me)
  assert.deepEqual([response?.status, response?.body_encoding], [200, 'json'])
  const denied = await carabiner.request(id, 'sandbox-notes', { ...me, path: '/oauth/token' })
  assert.deepEqual([denied.error?.code, denied.response], ['invalid_arguments', undefined])
  await assert.rejects(carabiner.request(id, 'sandbox-notes', { path: '/notes/api/me' }), { status: 404 })
})

test('tool calls: only a call with an idempotency key is repeated after a lost response', async () => {
  const { id } = await carabiner.registeredUsers.upsert({ origin_user_id: 'lost' })
  const { magic_link_url } = await carabiner.linkTokens.mint(id, { connector: 'sandbox-notes' })
  await linkNotes(createBrowserUser(), magic_link_url)
  let isLost = false
  const flaky = createClient({
    apiKey: service.organization.key,
    baseUrl: service.baseUrl,
    fetch: async (...request) => {
      const response = await fetch(...request)
      if (isLost) return response
      isLost = true
      throw new TypeError('the connection was lost')
    },
  })
  const call = { registered_user_id: id, name: 'sandbox-notes__list_notes' }
  await assert.rejects(flaky.tools.call(call), { code: 'network_error' })
  isLost = false
  assert.equal((await flaky.tools.call(call, { idempotencyKey: 'list-1' })).is_error, false)
  const outcomes: string[] = []
  for await (const { outcome } of carabiner.toolCalls.list({ registered_user_id: id })) outcomes.push(outcome)
  assert.deepEqual(outcomes.toReversed(), ['success', 'success', 'replayed'])
})

test('the same idempotency key returns the same response', async () => {
  const { id } = await carabiner.registeredUsers.upsert({ origin_user_id: 'twice' })
  const mint = (idempotencyKey?: string) => carabiner.linkTokens.mint(id, {}, { idempotencyKey })
  assert.deepEqual(await mint('once'), await mint('once'))
  assert.notDeepEqual(await mint(), await mint())
})

test('settings: origins, API keys, customization and logo', async () => {
  const { callbackOrigins, apiKeys, linkCustomization, organization } = carabiner
  await callbackOrigins.add('https://sdk.example.com')
  assert.ok((await callbackOrigins.list()).some(({ origin }) => origin === 'https://sdk.example.com'))
  await callbackOrigins.remove('https://sdk.example.com')
  const created = await apiKeys.create({ name: 'CI' })
  const renewed = await apiKeys.regenerate(created.id)
  assert.notEqual(renewed.key, created.key)
  const withPreviousKey = createClient({ apiKey: created.key, baseUrl: service.baseUrl })
  await assert.rejects(withPreviousKey.connectors.list(), {
    status: 401,
    code: 'invalid_api_key',
    param: 'Authorization',
  })
  await apiKeys.revoke(renewed.id)
  assert.ok(!(await apiKeys.list()).some(({ id }) => id === renewed.id))
  assert.equal((await linkCustomization.update({ radius: 8 })).radius, 8)
  assert.match((await linkCustomization.preview({ radius: 4 })).preview_url, /^http/)
  const image = Buffer.from(PNG, 'base64')
  await linkCustomization.putLogo('light', { type: 'image/png', data: new Uint8Array(image) })
  assert.ok((await linkCustomization.get()).logo.light)
  await linkCustomization.removeLogo('light')
  assert.equal((await organization.update({ name: 'Orbit' })).name, (await organization.get()).name)
})

test('connectors and the organization’s own OAuth app', async () => {
  const { connectors, toolPacks } = carabiner
  assert.deepEqual(
    (await connectors.list()).map(({ slug }) => slug),
    ['sandbox-notes', 'sandbox-vault'],
  )
  const iterated: string[] = []
  for await (const { slug } of connectors.list()) iterated.push(slug)
  assert.deepEqual(iterated, ['sandbox-notes', 'sandbox-vault'], 'every list can be iterated')
  const app = await connectors.oauthApp.put('sandbox-notes', { client_id: 'ours', client_secret: 's' })
  assert.equal(app.in_use, 'own')
  await connectors.oauthApp.remove('sandbox-notes')
  assert.notEqual((await connectors.oauthApp.get('sandbox-notes')).in_use, 'own')
  const { data } = await toolPacks.list().page()
  assert.equal(data[0]?.id, service.organization.toolPackId)
})

test('Tool Packs and an MCP key for one user and one Tool Pack', async () => {
  const { toolPacks, registeredUsers } = carabiner
  const pack = await toolPacks.create({ name: 'Support', connectors: ['sandbox-notes'] })
  assert.equal((await toolPacks.update(pack.id, { description: 'Reads' })).description, 'Reads')
  assert.equal((await toolPacks.replace(pack.id, { name: 'Help' })).name, 'Help')
  const { id } = await registeredUsers.upsert({ origin_user_id: 'laptop' })
  const created = await registeredUsers.mcpKeys.create(id, { name: 'laptop', tool_pack_ids: [pack.id] })
  assert.match(created.key, /^cb_mcp_/)
  for await (const key of registeredUsers.mcpKeys.list(id)) assert.equal(key.id, created.id)
  await registeredUsers.mcpKeys.revoke(id, created.id)
  await toolPacks.delete(pack.id)
  await assert.rejects(toolPacks.get(pack.id), { status: 404, code: 'tool_pack_not_found' })
})

test('a validation error names the field', async () =>
  assert.rejects(carabiner.registeredUsers.upsert({ origin_user_id: 'x', email: 'nobody' }), {
    name: 'CarabinerError',
    status: 400,
    type: 'validation_error',
    param: 'email',
  }))

test('webhook endpoints: create, test, list, update, rotate and delete, with verified webhooks', async () => {
  await using receiver = await startReceiver()
  const { webhookEndpoints } = carabiner
  for (const body of [{}, { signature: 'v1a' }, { format: 'batch' }] as const) {
    const endpoint = await webhookEndpoints.create({ url: receiver.url, ...body })
    const { delivered, attempt } = await webhookEndpoints.test(endpoint.id, { event_type: 'link.completed' })
    assert.deepEqual([delivered, attempt.response_status], [true, 200])
    const { headers, body: text, events } = receiver.received.at(-1) as ReceivedWebhook
    const key = endpoint.secret ?? endpoint.public_key ?? ''
    const verified =
      endpoint.format === 'batch'
        ? await verifyWebhookBatch(headers, text, key)
        : [await verifyWebhook(headers, text, key)]
    assert.deepEqual(verified, events)
    const rotated = await webhookEndpoints.rotateSecret(endpoint.id)
    assert.notEqual(rotated.secret ?? rotated.public_key, key)
    assert.equal((await webhookEndpoints.update(endpoint.id, { paused: true })).status, 'paused')
    assert.equal((await webhookEndpoints.get(endpoint.id)).status, 'paused')
    const { data } = await webhookEndpoints.list().page()
    assert.deepEqual(
      data.map(({ id }) => id),
      [endpoint.id],
    )
    await webhookEndpoints.delete(endpoint.id)
    await assert.rejects(webhookEndpoints.get(endpoint.id), { code: 'webhook_endpoint_not_found' })
  }
})

test('deliveries are listed and made again, and events are listed by user and type', async () => {
  await using receiver = await startReceiver()
  const { webhookEndpoints, webhookDeliveries, events } = carabiner
  const { id } = await webhookEndpoints.create({
    url: receiver.url,
    event_types: ['registered_user.created'],
  })
  const user = await carabiner.registeredUsers.upsert({ origin_user_id: 'reported' })
  const delivery = await eventually(async () => {
    const { data } = await webhookEndpoints.deliveries(id, { status: 'delivered' }).page()
    assert.equal(data.length, 1)
    return data[0]
  })
  assert.equal((await webhookDeliveries.replay(delivery?.id ?? '')).status, 'pending')
  await eventually(async () => assert.equal(receiver.received.length, 2))
  assert.deepEqual(await webhookEndpoints.replay(id), { deliveries: 0, next_cursor: null })
  const filter = { type: 'registered_user.created', registered_user_id: user.id } as const
  const listed: string[] = []
  for await (const event of events.list(filter)) listed.push(event.id)
  assert.deepEqual(listed, [delivery?.event_id])
  await webhookEndpoints.delete(id)
})

/** A logo of 16 × 16 px, the minimum size. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFElEQVR4nGNwIBEwjGoY1TB8NQAAFErAAdSVi24AAAAASUVORK5CYII='
