import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { createBrowserUser, linkNotes } from './browser-user.ts'
import { eventually } from './eventually.ts'
import { type PersonSession, signInPerson } from './person-session.ts'
import type { PlainMcp } from './plain-mcp.ts'
import type { TestService } from './test-service.ts'

/** Values that must never appear in the audit log. Each is sent by one of the requests below. */
export const CANARIES = {
  email: 'canary-ana@example.com',
  name: 'Canary Ruiz',
  originUserId: 'canary-origin-user',
  metadata: 'canary-metadata',
  clientSecret: 'canary-client-secret',
  connectorSecret: 'canary-connector-secret',
  callback: 'https://app.example.com/done?canary=callback',
  word: 'canary-title',
  pattern: 'canary-pattern',
} as const

/** Refuses connections, so that deliveries stay pending. */
const RECEIVER = 'http://127.0.0.1:9/'

export type Prepared = {
  path: string
  body?: unknown
  raw?: Uint8Array
  /** The person who sends it. Default: the production key does. */
  as?: PersonSession
  /** The API key that sends it, if it is another one. */
  by?: { key: string; id: string; hint: string }
  /** ID of the changed resource; a function if only the response contains it. */
  target: string | null | ((answer: any) => string)
  user?: string | ((answer: any) => string)
  /** Expected changes of the entry, if given. */
  changes?: unknown[] | ((answer: any) => unknown[])
}

/** One request for every audited operation, by method and path, after creating the resources that it needs. */
export const auditedRequests = (t: TestService, plain: PlainMcp): Record<string, () => Promise<Prepared>> => {
  let created = 0
  const post = async (path: string, body: unknown) => (await t.call('POST', `/api/v1${path}`, { body })).body
  const answerId = (answer: { id: string }) => answer.id
  const newKey = () => post('/api-keys', { name: 'Laptop' })
  const newPack = () => post('/tool-packs', { name: `Pack ${++created}` })
  const neverMatching = { effect: 'deny', tools: ['sandbox-notes__*'], when: 'false' }
  const newRule = () => post('/policy-rules', { ...neverMatching, name: `Rule ${++created}` })
  /** A call of another MCP server, which waits for a decision. */
  const newApproval = async () => {
    const slug = await newConnector()
    await post('/policy-rules', { name: `Rule ${++created}`, effect: 'ask', tools: [`${slug}__*`] })
    const { id: userId } = await t.createUser()
    const { body } = await t.mcp(userId, 'tools/call', { name: `${slug}__look`, arguments: {} })
    const { approval_id: id } = body.result.structuredContent
    return (await t.call('GET', `/api/v1/approvals/${id}`)).body
  }
  /** One that its user decides, and a key that sends users there. */
  const newUserApproval = async () => {
    const { id, registered_user_id, rules } = await newApproval()
    await t.query('update approvals set rules = $2 where id = $1', [
      id,
      JSON.stringify([{ ...rules[0], approvers: [registered_user_id] }]),
    ])
    const by = await post('/api-keys', { mode: 'production' })
    // Only an administrator can create such a key.
    await t.query(`update api_keys set groups = '{approvals}' where id = $1`, [by.id])
    return { id, by, body: { registered_user_id, return_url: CANARIES.callback } }
  }
  const newConnector = async (more = {}) => {
    const slug = `server-${++created}`
    await post('/connectors', { slug, name: 'Theirs', url: plain.url, ...more })
    return slug
  }
  const newEndpoint = () => post('/webhook-endpoints', { url: RECEIVER })
  const newDelivery = async () => {
    const { id } = await newEndpoint()
    await t.createUser()
    return eventually(async () => {
      const { body } = await t.call('GET', `/api/v1/webhook-endpoints/${id}/deliveries`)
      return body.data[0].id as string
    })
  }
  const invite = async (admin: PersonSession) => {
    const email = `member-${++created}@example.com`
    const body = { email, name: CANARIES.name, role: 'admin' }
    return (await admin.call('POST', '/api/v1/members', { body })).body
  }
  const newMember = async () => {
    const as = await signInPerson(t, { role: 'admin', name: 'Ada Min' })
    return { as, id: (await invite(as)).id as string }
  }
  const newCredential = async () => {
    const { id } = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(id, { Connector: 'sandbox-notes' })).magic_link_url)
    const { body } = await t.call('GET', `/api/v1/registered-users/${id}/credentials`)
    const target = body.data[0].credential_id as string
    return { path: `/api/v1/registered-users/${id}/credentials/${target}`, target, user: id }
  }
  const withSecret = { authentication: 'organization_secret', secret: CANARIES.connectorSecret }
  const app = {
    client_id: 'client-1',
    client_secret: CANARIES.clientSecret,
    scopes: ['notes:read'],
  }
  const appPath = '/api/v1/connectors/sandbox-notes/oauth-app'
  const logo = () =>
    sharp({ create: { width: 32, height: 32, channels: 3, background: '#fff' } })
      .png()
      .toBuffer()

  return {
    'patch /api/v1/organization': async () => {
      await t.allowOrigin('https://app.example.com')
      return {
        path: '/api/v1/organization',
        body: { name: 'Orbit Two', link_binding: 'interstitial', runtime_callback_url: CANARIES.callback },
        target: t.organization.id,
        changes: [{ field: 'name', from: 'Orbit', to: 'Orbit Two' }, { field: 'runtime_callback_url' }],
      }
    },
    'post /api/v1/api-keys': async () => ({
      path: '/api/v1/api-keys',
      body: { name: 'CI', groups: ['read', 'tools'] },
      target: answerId,
      changes: ({ hint }) => [
        { field: 'expires_at', to: null },
        { field: 'groups', to: 'read, tools' },
        { field: 'hint', to: hint },
        { field: 'mode', to: 'test' },
        { field: 'name', to: 'CI' },
      ],
    }),
    'post /api/v1/api-keys/{id}/regenerate': async () => {
      const { id } = await newKey()
      return {
        path: `/api/v1/api-keys/${id}/regenerate`,
        body: {},
        target: id,
        changes: answer => [
          { field: 'hint', to: answer.hint },
          { field: 'id', to: answer.id },
          { field: 'mode', to: 'test' },
        ],
      }
    },
    'post /api/v1/api-keys/{id}/roll': async () => {
      const { id } = await newKey()
      return {
        path: `/api/v1/api-keys/${id}/roll`,
        body: { overlap_minutes: 30 },
        target: id,
        changes: answer => [
          { field: 'hint', to: answer.hint },
          { field: 'id', to: answer.id },
          { field: 'mode', to: 'test' },
          { field: 'overlap_minutes' },
          { field: 'previous_key_expires_at', to: answer.previous_key_expires_at },
        ],
      }
    },
    'post /api/v1/api-keys/{id}/end': async () => {
      const { id } = await newKey()
      await post(`/api-keys/${id}/roll`, {})
      return { path: `/api/v1/api-keys/${id}/end`, target: id }
    },
    'delete /api/v1/api-keys/{id}': async () => {
      const { id } = await newKey()
      return { path: `/api/v1/api-keys/${id}`, target: id }
    },
    'post /api/v1/members': async () => ({
      as: (await newMember()).as,
      path: '/api/v1/members',
      body: { email: CANARIES.email, name: CANARIES.name, role: 'developer' },
      target: answerId,
      changes: [{ field: 'email' }, { field: 'name' }, { field: 'role', to: 'developer' }],
    }),
    'patch /api/v1/members/{id}': async () => {
      const { as, id } = await newMember()
      return {
        as,
        path: `/api/v1/members/${id}`,
        body: { role: 'security' },
        target: id,
        changes: [{ field: 'role', from: 'admin', to: 'security' }],
      }
    },
    'delete /api/v1/members/{id}': async () => {
      const { as, id } = await newMember()
      return { as, path: `/api/v1/members/${id}`, target: id }
    },
    'post /api/v1/members/{id}/sign-in-link': async () => {
      const { as, id } = await newMember()
      return { as, path: `/api/v1/members/${id}/sign-in-link`, body: {}, target: id }
    },
    'post /api/v1/callback-origins': async () => ({
      path: '/api/v1/callback-origins',
      body: { origin: 'https://b.example.com' },
      target: 'https://b.example.com',
    }),
    'delete /api/v1/callback-origins': async () => {
      await t.allowOrigin('https://c.example.com')
      const origin = 'https://c.example.com'
      return { path: '/api/v1/callback-origins', body: { origin }, target: origin }
    },
    'patch /api/v1/link-customization': async () => ({
      path: '/api/v1/link-customization',
      body: { radius: 7, texts: { en: { 'picker.title': CANARIES.word } } },
      target: null,
      changes: [{ field: 'radius' }, { field: 'texts' }],
    }),
    'put /api/v1/link-customization/logo/{theme}': async () => ({
      path: '/api/v1/link-customization/logo/light',
      raw: await logo(),
      target: 'light',
      changes: ({ width, height }) => [
        { field: 'height', to: height },
        { field: 'width', to: width },
      ],
    }),
    'delete /api/v1/link-customization/logo/{theme}': async () => {
      const path = '/api/v1/link-customization/logo/light'
      const headers = { authorization: `Bearer ${t.organization.key}`, 'content-type': 'image/png' }
      await fetch(t.baseUrl + path, { method: 'PUT', headers, body: new Uint8Array(await logo()) })
      return { path, target: 'light' }
    },
    'post /api/v1/tool-packs': async () => ({
      path: '/api/v1/tool-packs',
      body: { name: 'Fresh' },
      target: answerId,
      changes: [
        { field: 'is_default', to: false },
        { field: 'name', to: 'Fresh' },
      ],
    }),
    'put /api/v1/tool-packs/{id}': async () => {
      const { id, name } = await newPack()
      return {
        path: `/api/v1/tool-packs/${id}`,
        body: { name: 'Replaced' },
        target: id,
        changes: [{ field: 'name', from: name, to: 'Replaced' }],
      }
    },
    'patch /api/v1/tool-packs/{id}': async () => {
      const { id, name } = await newPack()
      return {
        path: `/api/v1/tool-packs/${id}`,
        body: { name: 'Changed' },
        target: id,
        changes: [{ field: 'name', from: name, to: 'Changed' }],
      }
    },
    'delete /api/v1/tool-packs/{id}': async () => {
      const { id } = await newPack()
      return { path: `/api/v1/tool-packs/${id}`, target: id }
    },
    'put /api/v1/connectors/{slug}/oauth-app': async () => ({
      path: appPath,
      body: app,
      target: 'sandbox-notes',
      changes: [
        { field: 'client_id', from: null, to: 'client-1' },
        { field: 'client_secret' },
        { field: 'has_client_secret' },
        { field: 'in_use', from: 'service', to: 'own' },
        { field: 'scopes' },
        { field: 'scopes_overridden' },
      ],
    }),
    'delete /api/v1/connectors/{slug}/oauth-app': async () => {
      await t.call('PUT', appPath, { body: app })
      return { path: appPath, target: 'sandbox-notes' }
    },
    'post /api/v1/connectors': async () => ({
      path: '/api/v1/connectors',
      body: { slug: 'theirs', name: 'Theirs', url: `${plain.url}?key=canary-key-in-address` },
      target: 'theirs',
    }),
    'patch /api/v1/connectors/{slug}': async () => {
      plain.requiredHeader = ['authorization', `Bearer ${CANARIES.connectorSecret}`]
      const slug = await newConnector(withSecret)
      return {
        path: `/api/v1/connectors/${slug}`,
        body: { name: 'Renamed', secret: CANARIES.connectorSecret },
        target: slug,
        changes: [{ field: 'name', from: 'Theirs', to: 'Renamed' }, { field: 'secret' }],
      }
    },
    'delete /api/v1/connectors/{slug}': async () => {
      plain.requiredHeader = null
      const slug = await newConnector()
      return { path: `/api/v1/connectors/${slug}`, target: slug }
    },
    'post /api/v1/connectors/{slug}/tools/check': async () => {
      const slug = await newConnector()
      return { path: `/api/v1/connectors/${slug}/tools/check`, target: slug }
    },
    'post /api/v1/connectors/{slug}/tools/accept': async () => {
      const slug = await newConnector()
      plain.tools = [...plain.tools, { name: `tool-${++created}`, description: 'New.' }]
      const { pending } = await post(`/connectors/${slug}/tools/check`, undefined)
      return {
        path: `/api/v1/connectors/${slug}/tools/accept`,
        body: { hash: pending.hash },
        target: slug,
        changes: [{ field: 'hash' }, { field: 'tools_hash', to: pending.hash }],
      }
    },
    'post /api/v1/registered-users': async () => ({
      path: '/api/v1/registered-users',
      body: {
        origin_user_id: CANARIES.originUserId,
        origin_user_name: CANARIES.name,
        email: CANARIES.email,
        metadata: { note: CANARIES.metadata },
      },
      target: answerId,
      user: answerId,
      changes: [
        { field: 'email' },
        { field: 'is_active', to: true },
        { field: 'metadata' },
        { field: 'origin_user_id' },
        { field: 'origin_user_name' },
      ],
    }),
    'patch /api/v1/registered-users/{id}': async () => {
      const { id } = await t.createUser()
      return {
        path: `/api/v1/registered-users/${id}`,
        body: { is_active: false, email: CANARIES.email, rate_limit_per_minute: 30 },
        target: id,
        user: id,
        changes: [
          { field: 'email' },
          { field: 'is_active', from: true, to: false },
          { field: 'rate_limit_per_minute', from: null, to: 30 },
        ],
      }
    },
    'delete /api/v1/registered-users/{id}': async () => {
      const { id } = await t.createUser()
      return { path: `/api/v1/registered-users/${id}`, target: id, user: id }
    },
    'delete /api/v1/registered-users/{id}/credentials/{credential_id}': async () => {
      const { path, target, user } = await newCredential()
      return { path, target, user }
    },
    'patch /api/v1/registered-users/{id}/credentials/{credential_id}': async () => {
      const { path, target, user } = await newCredential()
      return { path, body: { label: 'Work' }, target, user }
    },
    'put /api/v1/registered-users/{id}/credentials/{credential_id}/access': async () => {
      const { path, target, user } = await newCredential()
      return { path: `${path}/access`, body: { everyone: true }, target, user }
    },
    'post /api/v1/registered-users/{id}/credentials/{credential_id}/pause': async () => {
      const { path, target, user } = await newCredential()
      return { path: `${path}/pause`, body: { seconds: 60 }, target, user }
    },
    'post /api/v1/registered-users/{id}/credentials/{credential_id}/resume': async () => {
      const { path, target, user } = await newCredential()
      return { path: `${path}/resume`, target, user }
    },
    'post /api/v1/organization-accounts/link-token': async () => ({
      path: '/api/v1/organization-accounts/link-token',
      body: { connector_slug: 'sandbox-notes', account_label: CANARIES.name },
      target: null,
      changes: [{ field: 'account_label' }, { field: 'connector_slug' }],
    }),
    'put /api/v1/policy': async () => {
      const { id } = await newPack()
      return {
        path: '/api/v1/policy',
        body: { default: 'deny', tool_pack_id: id },
        target: null,
        changes: [{ field: 'default', from: 'allow', to: 'deny' }],
      }
    },
    'post /api/v1/policy-rules': async () => ({
      path: '/api/v1/policy-rules',
      body: { ...neverMatching, name: 'Noted', reason: CANARIES.name },
      target: answerId,
      changes: [
        { field: 'approvers', to: 'members' },
        { field: 'effect', to: 'deny' },
        { field: 'name', to: 'Noted' },
        { field: 'prevent_self_approval', to: false },
        { field: 'reason' },
        { field: 'step_up', to: false },
        { field: 'tools', to: 'sandbox-notes__*' },
        { field: 'when', to: 'false' },
      ],
    }),
    'patch /api/v1/policy-rules/{id}': async () => {
      const { id, name } = await newRule()
      return {
        as: await signInPerson(t, { role: 'admin', name: 'Ada Min' }),
        path: `/api/v1/policy-rules/${id}`,
        body: { name: 'Renamed' },
        target: id,
        changes: [{ field: 'made_by' }, { field: 'name', from: name, to: 'Renamed' }],
      }
    },
    'delete /api/v1/policy-rules/{id}': async () => {
      const { id } = await newRule()
      return {
        as: await signInPerson(t, { role: 'admin', name: 'Ada Min' }),
        path: `/api/v1/policy-rules/${id}`,
        target: id,
      }
    },
    'post /api/v1/policy-rules/{id}/rotate-hook-secret': async () => {
      const as = await signInPerson(t, { role: 'admin', name: 'Ada Min' })
      const hook = { url: `http://127.0.0.1:9/${CANARIES.name}`, on_error: 'ask' }
      const body = { name: `Rule ${++created}`, tools: ['*'], when: 'false', hook }
      const { id } = (await as.call('POST', '/api/v1/policy-rules', { body })).body
      return { as, path: `/api/v1/policy-rules/${id}/rotate-hook-secret`, target: id }
    },
    'post /api/v1/approvals/{id}/decision': async () => {
      const { id, approval_digest } = await newApproval()
      return {
        as: await signInPerson(t, { role: 'security', name: 'Ada Min' }),
        path: `/api/v1/approvals/${id}/decision`,
        body: { decision: 'deny', approval_digest, reason: CANARIES.word },
        target: id,
      }
    },
    'post /api/v1/approvals/{id}/link': async () => {
      const { id, body, by } = await newUserApproval()
      return { path: `/api/v1/approvals/${id}/link`, body, by, target: id, user: body.registered_user_id }
    },
    'post /api/v1/approvals/confirm': async () => {
      const { id, body, by } = await newUserApproval()
      const link = await t.call('POST', `/api/v1/approvals/${id}/link`, { body, key: by.key })
      const browser = createBrowserUser()
      await browser.submit(await browser.open(link.body.url), /\/approve$/)
      const code = new URL(browser.lastLocation ?? '').searchParams.get('code')
      const { registered_user_id } = body
      const confirmation = { code, registered_user_id }
      const path = '/api/v1/approvals/confirm'
      return { path, body: confirmation, by, target: id, user: registered_user_id }
    },
    'delete /api/v1/approval-grants/{id}': async () => {
      const { id: userId } = await t.createUser()
      const id = randomUUID()
      await t.query(
        `insert into approval_grants (organization_id, id, registered_user_id, approver_id, approval_id, mode, tool_pack_id, connector_slug,
           tool, caller_type, caller_id, frees_texts, grant_hash, max_uses, expires_at)
         values ($1, $2, $3, $3, $2, 'production', $2, 'sandbox-notes', 'create_note', 'api_key', '1', false, '', 1, app_now() + interval '1 day')`,
        [t.organization.id, id, userId],
      )
      return { path: `/api/v1/approval-grants/${id}`, target: id }
    },
    'post /api/v1/approvals/{id}/withdraw': async () => {
      const { id } = await newApproval()
      return { path: `/api/v1/approvals/${id}/withdraw`, target: id }
    },
    'put /api/v1/security-rules': async () => ({
      path: '/api/v1/security-rules',
      body: { dry_run: true },
      target: null,
    }),
    'patch /api/v1/security-rules': async () => ({
      path: '/api/v1/security-rules',
      body: { custom_rules: [{ label: 'CANARY_RULE', pattern: CANARIES.pattern, inbound_action: 'log' }] },
      target: null,
      changes: [{ field: 'custom_rules' }, { field: 'effective' }],
    }),
    'put /api/v1/tool-packs/{id}/security-rules': async () => {
      const { id } = await newPack()
      return { path: `/api/v1/tool-packs/${id}/security-rules`, body: { dry_run: true }, target: id }
    },
    'delete /api/v1/tool-packs/{id}/security-rules': async () => {
      const { id } = await newPack()
      await t.call('PUT', `/api/v1/tool-packs/${id}/security-rules`, { body: { dry_run: true } })
      return { path: `/api/v1/tool-packs/${id}/security-rules`, target: id }
    },
    'post /api/v1/registered-users/{id}/mcp-keys': async () => {
      const { id } = await t.createUser()
      return {
        path: `/api/v1/registered-users/${id}/mcp-keys`,
        body: { name: 'Laptop of Ana Ruiz' },
        target: answerId,
        user: id,
      }
    },
    'delete /api/v1/registered-users/{id}/mcp-keys/{key_id}': async () => {
      const { id } = await t.createUser()
      const key = await post(`/registered-users/${id}/mcp-keys`, { name: 'Agent' })
      return { path: `/api/v1/registered-users/${id}/mcp-keys/${key.id}`, target: key.id, user: id }
    },
    'put /api/v1/sign-in': async () => ({
      path: '/api/v1/sign-in',
      body: { sign_in_url: 'https://app.example.com/sign-in', create_users: true },
      target: null,
    }),
    'delete /api/v1/sign-in': async () => {
      await t.call('PUT', '/api/v1/sign-in', { body: { sign_in_url: 'https://app.example.com/sign-in' } })
      return { path: '/api/v1/sign-in', target: null }
    },
    'delete /api/v1/registered-users/{id}/grants/{grant_id}': async () => {
      const { id } = await t.createUser()
      const [grant] = await t.query(
        `insert into client_grants (organization_id, id, registered_user_id, tool_pack_id, client_id, client_name, expires_at)
         values ($1, uuid_v7(), $2, $3, 'https://client.example/', 'Client', app_now() + interval '1 day') returning id`,
        [t.organization.id, id, t.organization.toolPackId],
      )
      return { path: `/api/v1/registered-users/${id}/grants/${grant.id}`, target: grant.id, user: id }
    },
    'post /api/v1/webhook-endpoints': async () => ({
      path: '/api/v1/webhook-endpoints',
      body: { url: `${RECEIVER}?key=canary-key-in-address`, description: 'Warehouse', format: 'batch' },
      target: answerId,
      changes: [
        { field: 'description', to: 'Warehouse' },
        { field: 'format', to: 'batch' },
        { field: 'signature', to: 'v1' },
        { field: 'status', to: 'active' },
        { field: 'url' },
      ],
    }),
    'patch /api/v1/webhook-endpoints/{id}': async () => {
      const { id } = await newEndpoint()
      return {
        path: `/api/v1/webhook-endpoints/${id}`,
        body: { paused: true, url: `${RECEIVER}?key=canary-key-in-address` },
        target: id,
      }
    },
    'delete /api/v1/webhook-endpoints/{id}': async () => {
      const { id } = await newEndpoint()
      return { path: `/api/v1/webhook-endpoints/${id}`, target: id }
    },
    'post /api/v1/webhook-endpoints/{id}/rotate-secret': async () => {
      const { id } = await newEndpoint()
      return { path: `/api/v1/webhook-endpoints/${id}/rotate-secret`, target: id }
    },
    'post /api/v1/webhook-endpoints/{id}/replay': async () => {
      const { id } = await newEndpoint()
      return {
        path: `/api/v1/webhook-endpoints/${id}/replay`,
        body: {},
        target: id,
        changes: [{ field: 'deliveries', to: 0 }],
      }
    },
    'post /api/v1/webhook-deliveries/{id}/replay': async () => {
      const id = await newDelivery()
      return { path: `/api/v1/webhook-deliveries/${id}/replay`, target: id }
    },
  }
}
