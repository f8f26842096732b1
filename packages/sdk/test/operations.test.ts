import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeSdkModules, SDK_FOLDER } from '../../../scripts/sdk-modules.ts'
import { type Client, createClient } from '../src/index.ts'

type Operation = { parameters: { name: string; in: string }[]; requestBody?: object }
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/api/openapi.json'), 'utf8'),
) as { paths: Record<string, Record<string, Operation>> }

const FILTER = {
  registered_user_id: '1',
  tool_pack_id: '2',
  connector: 'crm',
  tool: 'find',
  outcome: 'error',
  error_code: 'third_party_error',
  since: '2026-01-01',
  until: '2026-02-01',
  request_id: '3',
  trace_id: '4',
  account_label: 'Work',
  header: 'X-Job:5',
} as const

/** Calls every method of the client once. The value of a path parameter is its own name, so the URL shows its position. */
const calls: Record<string, (client: Client) => unknown> = {
  'organization.get': c => c.organization.get(),
  'organization.update': c => c.organization.update({ name: 'Orbit' }),
  'apiKeys.list': c => c.apiKeys.list(),
  'apiKeys.create': c => c.apiKeys.create({ name: 'CI' }),
  'apiKeys.regenerate': c => c.apiKeys.regenerate('{id}'),
  'apiKeys.revoke': c => c.apiKeys.revoke('{id}'),
  'apiKeys.roll': c => c.apiKeys.roll('{id}', { overlap_minutes: 30 }),
  'apiKeys.end': c => c.apiKeys.end('{id}'),
  'callbackOrigins.list': c => c.callbackOrigins.list(),
  'callbackOrigins.add': c => c.callbackOrigins.add('https://app.example.com'),
  'callbackOrigins.remove': c => c.callbackOrigins.remove('https://app.example.com'),
  'callbackOrigins.test': c => c.callbackOrigins.test('https://app.example.com/callback'),
  'linkCustomization.get': c => c.linkCustomization.get(),
  'linkCustomization.update': c => c.linkCustomization.update({ radius: 8 }),
  'linkCustomization.preview': c => c.linkCustomization.preview(),
  'linkCustomization.putLogo': c =>
    c.linkCustomization.putLogo('{theme}' as 'light', { type: 'image/png', data: new Uint8Array(1) }),
  'linkCustomization.removeLogo': c => c.linkCustomization.removeLogo('{theme}' as 'light'),
  'connectors.unusedScopes': c => c.connectors.unusedScopes(),
  'credentialsAtRisk.list': c => c.credentialsAtRisk.list(),
  'connectors.list': c => c.connectors.list({ include: 'not_configured', linkable_in: '{tool_pack_id}' }),
  'connectors.searchTools': c => c.connectors.searchTools('send'),
  'connectors.oauthApp.get': c => c.connectors.oauthApp.get('{slug}'),
  'connectors.oauthApp.put': c => c.connectors.oauthApp.put('{slug}', { client_id: 'x' }),
  'connectors.oauthApp.remove': c => c.connectors.oauthApp.remove('{slug}'),
  'connectors.oauthApp.test': c => c.connectors.oauthApp.test('{slug}'),
  'mcpConnectors.pendingImpact': c => c.mcpConnectors.pendingImpact('{slug}', { days: 7 }),
  'mcpConnectors.create': c =>
    c.mcpConnectors.create({ slug: 'crm', name: 'CRM', url: 'https://crm.example' }),
  'mcpConnectors.get': c => c.mcpConnectors.get('{slug}'),
  'mcpConnectors.update': c => c.mcpConnectors.update('{slug}', { name: 'CRM' }),
  'mcpConnectors.delete': c => c.mcpConnectors.delete('{slug}'),
  'mcpConnectors.tools': c => c.mcpConnectors.tools('{slug}'),
  'mcpConnectors.checkTools': c => c.mcpConnectors.checkTools('{slug}'),
  'mcpConnectors.acceptTools': c => c.mcpConnectors.acceptTools('{slug}', 'hash'),
  'toolPacks.create': c => c.toolPacks.create({ name: 'Support' }),
  'toolPacks.get': c => c.toolPacks.get('{id}'),
  'toolPacks.list': c => c.toolPacks.list({ limit: 10 }).page('next'),
  'toolPacks.estimate': c => c.toolPacks.estimate('{id}', { connectors: ['crm'] }),
  'toolPacks.tools': c => c.toolPacks.tools('{id}', { limit: 10, cursor: 'next' }),
  'toolPacks.replace': c => c.toolPacks.replace('{id}', { name: 'Support' }),
  'toolPacks.update': c => c.toolPacks.update('{id}', { result_limit: 10_000 }),
  'toolPacks.delete': c => c.toolPacks.delete('{id}'),
  'securityRules.get': c => c.securityRules.get(),
  'securityRules.replace': c => c.securityRules.replace({ dry_run: true }),
  'securityRules.update': c => c.securityRules.update({ dry_run: true }),
  'securityRules.entities': c => c.securityRules.entities(),
  'securityRules.test': c => c.securityRules.test({ text: 'x' }),
  'securityRules.ofToolPack.get': c => c.securityRules.ofToolPack.get('{id}'),
  'securityRules.ofToolPack.replace': c => c.securityRules.ofToolPack.replace('{id}', { dry_run: true }),
  'securityRules.ofToolPack.remove': c => c.securityRules.ofToolPack.remove('{id}'),
  explain: c => c.explain({ registered_user_id: '1', tool: 'slack__send_message' }),
  'ruleViolations.list': c =>
    c.ruleViolations
      .list({ registered_user_id: '1', entity: 'URL', since: '2026-01-01', limit: 10 })
      .page('next'),
  'registeredUsers.upsert': c => c.registeredUsers.upsert({ origin_user_id: '1' }),
  'registeredUsers.get': c => c.registeredUsers.get('{id}'),
  'registeredUsers.list': c =>
    c.registeredUsers.list({ origin_user_id: '1', ids: '2', search: 'a', limit: 10 }).page('next'),
  'registeredUsers.update': c => c.registeredUsers.update('{id}', { is_active: false }),
  'registeredUsers.delete': c => c.registeredUsers.delete('{id}'),
  'registeredUsers.connectionsLink': c => c.registeredUsers.connectionsLink('{id}'),
  'registeredUsers.credentials.list': c => c.registeredUsers.credentials.list('{id}'),
  'registeredUsers.credentials.get': c => c.registeredUsers.credentials.get('{id}', '{credential_id}'),
  'registeredUsers.credentials.test': c => c.registeredUsers.credentials.test('{id}', '{credential_id}'),
  'registeredUsers.credentials.update': c =>
    c.registeredUsers.credentials.update('{id}', '{credential_id}', { label: 'Work' }),
  'registeredUsers.credentials.share': c =>
    c.registeredUsers.credentials.share('{id}', '{credential_id}', { everyone: true }),
  'policy.get': c => c.policy.get({ tool_pack_id: '2' }),
  'policy.set': c => c.policy.set({ default: 'deny' }),
  'policyRules.list': c => c.policyRules.list({ tool_pack_id: '2', limit: 10 }).page('next'),
  'policyRules.create': c => c.policyRules.create({ name: 'All', effect: 'deny', tools: ['*'] }),
  'policyRules.test': c => c.policyRules.test({ effect: 'deny', tools: ['*'] }),
  'policyRules.get': c => c.policyRules.get('{id}'),
  'policyRules.update': c => c.policyRules.update('{id}', { effect: 'deny' }),
  'policyRules.remove': c => c.policyRules.remove('{id}'),
  'policyRules.rotateHookSecret': c => c.policyRules.rotateHookSecret('{id}'),
  'policyRules.testHook': c => c.policyRules.testHook('{id}'),
  'approvals.list': c =>
    c.approvals
      .list({ status: 'pending', registered_user_id: '1', approver: 'members', limit: 10 })
      .page('next'),
  'approvals.get': c => c.approvals.get('{id}'),
  'approvals.call': c => c.approvals.call('{id}'),
  'approvals.passkeys': c => c.approvals.passkeys('{id}'),
  'approvals.decide': c =>
    c.approvals.decide('{id}', { decision: 'approve', approval_digest: 'a'.repeat(64) }),
  'approvals.receipt': c => c.approvals.receipt('{id}'),
  'approvals.createLink': c =>
    c.approvals.createLink('{id}', { registered_user_id: '1', return_url: 'https://app.example/return' }),
  'approvals.confirm': c => c.approvals.confirm({ code: 'cb_apc_1', registered_user_id: '1' }),
  'approvals.withdraw': c => c.approvals.withdraw('{id}'),
  'approvals.listGrants': c => c.approvals.listGrants({ registered_user_id: '1', limit: 10 }).page('next'),
  'approvals.revokeGrant': c => c.approvals.revokeGrant('{id}'),
  'organizationAccounts.list': c => c.organizationAccounts.list(),
  'organizationAccounts.linkToken': c => c.organizationAccounts.linkToken({ connector_slug: 'github' }),
  'registeredUsers.credentials.pause': c =>
    c.registeredUsers.credentials.pause('{id}', '{credential_id}', { seconds: 60 }),
  'registeredUsers.credentials.resume': c => c.registeredUsers.credentials.resume('{id}', '{credential_id}'),
  'registeredUsers.credentials.delete': c => c.registeredUsers.credentials.delete('{id}', '{credential_id}'),
  'registeredUsers.mcpKeys.create': c => c.registeredUsers.mcpKeys.create('{id}', { name: 'laptop' }),
  'registeredUsers.mcpKeys.list': c => c.registeredUsers.mcpKeys.list('{id}', { limit: 10 }).page('next'),
  'registeredUsers.mcpKeys.find': c => c.registeredUsers.mcpKeys.find('x7Qe'),
  'registeredUsers.mcpKeys.revoke': c => c.registeredUsers.mcpKeys.revoke('{id}', '{key_id}'),
  'registeredUsers.grants.list': c => c.registeredUsers.grants.list('{id}', { limit: 10 }).page('next'),
  'registeredUsers.grants.revoke': c => c.registeredUsers.grants.revoke('{id}', '{grant_id}'),
  'signIn.get': c => c.signIn.get(),
  'signIn.replace': c => c.signIn.replace({ sign_in_url: 'https://app.example.com/sign-in' }),
  'signIn.delete': c => c.signIn.delete(),
  'signIn.approve': c => c.signIn.approve('{id}', '1'),
  'registeredUsers.revocations': c => c.registeredUsers.revocations('{id}'),
  'linkTokens.mint': c => c.linkTokens.mint('{id}', { connector: 'sandbox-notes' }),
  'linkTokens.confirm': c => c.linkTokens.confirm({ code: 'cb_code_1' }),
  'tools.call': c =>
    c.tools.call({ registered_user_id: '1', name: 'crm__find' }, { idempotencyKey: 'find-1' }),
  request: c => c.request('{id}', '{slug}', { path: '/user' }, { idempotencyKey: 'user-1' }),
  'toolCalls.list': c => c.toolCalls.list({ ...FILTER, limit: 10 }).page('next'),
  'toolCalls.summary': c => c.toolCalls.summary({ since: '2026-01-01', until: '2026-01-02' }),
  'toolCalls.resultFields': c => c.toolCalls.resultFields('crm__find'),
  'toolCalls.tryView': c => c.toolCalls.tryView('{tool_call_id}', ['/id']),
  'toolCalls.affectedUsers': c =>
    c.toolCalls.affectedUsers({
      outcome: 'error',
      error_code: 'x',
      connector: 'crm',
      since: '2026-01-01',
      until: '2026-01-02',
    }),
  'toolCalls.get': c => c.toolCalls.get('{tool_call_id}'),
  'toolCalls.export': c => c.toolCalls.export({ ...FILTER, format: 'csv' }),
  'usage.get': c => c.usage.get({ since: '2026-01-01', until: '2026-02-01', group_by: 'day,user' }),
  'usage.cycle': c => c.usage.cycle(),
  'linkSessions.get': c => c.linkSessions.get('{id}'),
  'linkSessions.find': c => c.linkSessions.find('https://connect.example/magic-link/1'),
  'linkSessions.list': c => c.linkSessions.list('{id}', { limit: 10 }).page('next'),
  'auditEntries.verify': c => c.auditEntries.verify({ from: 1 }),
  'ruleViolations.summary': c => c.ruleViolations.summary({ days: 7 }),
  'auditEntries.list': c =>
    c.auditEntries
      .list({
        action: 'tool_pack.updated',
        actor: '1',
        target: '2',
        registered_user_id: '3',
        since: '2026-01-01T00:00:00Z',
        until: '2026-02-01T00:00:00Z',
        limit: 10,
      })
      .page('next'),
  'events.list': c =>
    c.events.list({ type: 'link.completed', registered_user_id: '1', limit: 10 }).page('next'),
  'events.stream': c => c.events.stream()[Symbol.asyncIterator]().next(),
  'members.list': c => c.members.list(),
  'members.invite': c => c.members.invite({ email: 'ana@example.com', role: 'developer' }),
  'members.update': c => c.members.update('{id}', { role: 'admin' }),
  'members.remove': c => c.members.remove('{id}'),
  'members.createSignInLink': c => c.members.createSignInLink('{id}'),
  'webhookEndpoints.list': c => c.webhookEndpoints.list({ limit: 10 }).page('next'),
  'webhookEndpoints.create': c => c.webhookEndpoints.create({ url: 'https://app.example.com/webhooks' }),
  'webhookEndpoints.get': c => c.webhookEndpoints.get('{id}'),
  'webhookEndpoints.update': c => c.webhookEndpoints.update('{id}', { paused: true }),
  'webhookEndpoints.delete': c => c.webhookEndpoints.delete('{id}'),
  'webhookEndpoints.rotateSecret': c => c.webhookEndpoints.rotateSecret('{id}'),
  'webhookEndpoints.test': c => c.webhookEndpoints.test('{id}', { event_type: 'link.completed' }),
  'webhookEndpoints.replay': c => c.webhookEndpoints.replay('{id}', { since: '2026-01-01' }),
  'webhookEndpoints.deliveries': c =>
    c.webhookEndpoints.deliveries('{id}', { status: 'failed', limit: 10 }).page('next'),
  'webhookDeliveries.list': c => c.webhookDeliveries.list({ status: 'failed', limit: 10 }).page('next'),
  'webhookDeliveries.get': c => c.webhookDeliveries.get('{id}'),
  'webhookDeliveries.replay': c => c.webhookDeliveries.replay('{id}'),
}

type Sent = { operation: string; query: string[]; headers: Headers; hasBody: boolean }

/** Returns the request of a call in the form in which the document describes it. */
const record = async (call: (client: Client) => unknown): Promise<Sent> => {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(url)
    const headers = new Headers(init?.headers)
    sent.push({
      operation: `${init?.method} ${decodeURIComponent(pathname)}`,
      query: [...searchParams.keys()].toSorted(),
      headers,
      hasBody: init?.body !== undefined,
    })
    return headers.get('accept') === 'text/event-stream'
      ? new Response('data: {}\n\n', { headers: { 'content-type': 'text/event-stream' } })
      : Response.json({ data: [], next_cursor: null })
  }
  await call(createClient({ apiKey: 'cb_sk_test_1', baseUrl: 'https://connect.example.com', fetch }))
  assert.equal(sent.length, 1)
  return sent[0] as Sent
}

const sent = Object.fromEntries(
  await Promise.all(Object.entries(calls).map(async ([name, call]) => [name, await record(call)] as const)),
)

test('every operation of the API document has one method, and no method calls anything else', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(
    Object.values(sent)
      .map(({ operation }) => operation)
      .toSorted(),
    operations.toSorted(),
  )
})

test('every method of the client is called here', () => {
  const namesIn = (value: object, prefix = ''): string[] =>
    Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'function' ? [prefix + name] : namesIn(inner as object, `${prefix}${name}.`),
    )
  const { apiRequest: _any, ...client } = createClient({
    apiKey: 'cb_sk_test_1',
    baseUrl: 'https://connect.example.com',
  })
  assert.deepEqual(namesIn(client).toSorted(), Object.keys(calls).toSorted())
})

for (const [name, { operation, query, headers, hasBody }] of Object.entries(sent)) {
  test(`${name}: query, body and idempotency key match the API document`, () => {
    const [method = '', path = ''] = operation.split(' ')
    const described = document.paths[path]?.[method.toLowerCase()]
    assert.ok(described, operation)
    const parameters = (location: string) =>
      described.parameters.filter(parameter => parameter.in === location).map(parameter => parameter.name)
    assert.deepEqual(query, parameters('query').toSorted())
    assert.equal(headers.has('idempotency-key'), parameters('header').includes('Idempotency-Key'))
    assert.equal(headers.get('authorization'), 'Bearer cb_sk_test_1')
    // The body is an image, for which the document has no schema.
    if (!path.includes('/logo/')) assert.equal(hasBody, described.requestBody !== undefined)
  })
}

test('apiRequest: makes any request, with the key of the client and an idempotency key', async () => {
  const { operation, query, headers, hasBody } = await record(c =>
    c.apiRequest('POST', '/tool-packs/1/copy', { query: { to: 'b' }, body: { name: 'Copy' } }),
  )
  assert.deepEqual([operation, query, hasBody], ['POST /api/v1/tool-packs/1/copy', ['to'], true])
  assert.ok(headers.has('idempotency-key'))
})

test('the generated modules are current', () => {
  for (const [name, source] of Object.entries(makeSdkModules()))
    assert.equal(readFileSync(join(SDK_FOLDER, name), 'utf8'), source, 'run `npm run generate:sdk`')
})
