import assert from 'node:assert/strict'
import { newUuid } from '../../../src/core/uuid.ts'
import { sealSecret } from '../../../src/features/credentials/credential-secret.ts'
import type { TestOrganization, TestService } from '../test-service.ts'
import type { State } from './explained-state.ts'
import {
  type LinkedAccount,
  linkAccounts,
  nameAccount,
  restrictAccounts,
  shareAccount,
} from './prepare-accounts.ts'
import { readStoredSecret } from './stored-secret.ts'

/** A call in a prepared state. */
export type PreparedCall = {
  organization: TestOrganization
  key: string
  userId: string
  packId: string
  tool: string
  args: Record<string, unknown>
}

const SERVER_TOOLS = new Set(['server', 'secret_server', 'pending', 'changed', 'removed_server'])

const TOOLS: Record<State['tool'], string> = {
  notes: 'sandbox-notes__list_notes',
  server: 'work__count',
  unknown_tool: 'sandbox-notes__burn_notes',
  unknown_connector: 'nowhere__go',
  no_name: 'päckchen',
  unusable: 'dropbox__list_folder',
  pending: 'work__fresh',
  changed: 'work__count',
  removed_server: 'work__count',
  secret_server: 'sealed__count',
  authenticate: 'authenticate_later',
  authenticate_open: 'authenticate_work',
  catalog_server: 'asana-mcp__search',
  authenticate_catalog: 'authenticate_asana-mcp',
  fetch_result: 'fetch_result',
  explain_access: 'explain_access',
}

const argumentsOf = ({ tool, args }: State): Record<string, unknown> => {
  const ofServer = SERVER_TOOLS.has(tool)
  switch (args) {
    case 'valid':
      return ofServer ? { number: 1 } : tool === 'notes' ? { query: 'milk' } : {}
    case 'invalid_type':
      return ofServer ? { number: 'one' } : { query: 7 }
    case 'unknown_name':
      return { ...(ofServer && { number: 1 }), hue: 'red' }
    case 'email':
      return ofServer ? { number: 1, note: 'ana@example.com' } : { query: 'ana@example.com' }
    case 'email_as_number':
      return ofServer ? { number: 1, choice: 'ana@example.com' } : { query: 'x', limit: 1 }
  }
}

const ACTIONS = { none: null, block: 'block', redact: 'redact', dry_run: 'block' } as const

/** Brings a new organization with one user into the state. `server`: an MCP server with the tool `count`. */
export const prepareState = async (t: TestService, server: string, state: State): Promise<PreparedCall> => {
  const organization = await t.createOrganization('Explained')
  const key = state.key === 'production' ? organization.key : organization.testKey
  const expect = async (status: number, ...[method, path, body]: [string, string, unknown?]) => {
    const answer = await t.call(method, `/api/v1${path}`, { key: organization.key, body })
    assert.equal(answer.status, status, answer.text)
    return answer.body
  }
  const connector = { name: 'Work', slug: 'work', url: server }
  await expect(201, 'POST', '/connectors', connector)
  const later = { ...connector, name: 'Later', slug: 'later', authentication: 'user_secret' }
  if (state.tool === 'authenticate') await expect(201, 'POST', '/connectors', later)
  const sealed = {
    ...connector,
    slug: 'sealed',
    authentication: 'organization_secret',
    secret: 'sesame-open-4711',
  }
  if (state.tool === 'secret_server') await expect(201, 'POST', '/connectors', sealed)
  await setPlan(t, organization, state)
  const user = await t.createUser({ ...(state.rate !== 'none' && { rate_limit_per_minute: 2 }) }, key)
  const linked = state.tool === 'notes' ? await linkAccounts(t, key, user.id, state) : null
  if (linked?.used) await setCredential(t, organization, linked.used, state)
  await setServer(t, organization, state)
  await setRules(state, expect)
  await setLink(t, organization, state)
  const packId = await choosePack(t, organization, state, expect)
  await restrictAccounts(t, organization, state, linked)
  if (linked?.shared) await shareAccount(t, { organization, key, userId: user.id }, state, linked.shared)
  if (state.rate === 'used_up')
    await t.query(
      `insert into rate_buckets values ($1, $2, app_now() + interval '1 minute')
       on conflict (organization_id, registered_user_id) do update set free_at = excluded.free_at`,
      [organization.id, user.id],
    )
  const userId = await setUser(t, organization, user.id, state)
  if (state.organization !== 'active')
    await t.query(`select set_organization_state($1, array['active'], $2)`, [
      organization.id,
      state.organization,
    ])
  return {
    organization,
    key,
    userId,
    packId,
    tool: TOOLS[state.tool],
    args: { ...argumentsOf(state), ...nameAccount(state) },
  }
}

const setPlan = (t: TestService, { id }: TestOrganization, { plan, rate }: State) => {
  const name = rate === 'none' ? 'free' : 'business'
  const limit = plan === 'used_up' ? 0 : plan === 'limited' ? 3 : null
  return t.query('update organizations set plan = $2, call_limit = $3 where id = $1', [
    id,
    plan === 'unlimited' ? 'enterprise' : name,
    limit,
  ])
}

const setUser = async (
  t: TestService,
  { key: production, testKey }: TestOrganization,
  userId: string,
  { user, key: mode }: State,
): Promise<string> => {
  const key = mode === 'production' ? production : testKey
  const path = `/api/v1/registered-users/${userId}`
  switch (user) {
    case 'active':
      return userId
    case 'deactivated':
      await t.call('PATCH', path, { key, body: { is_active: false } })
      return userId
    case 'deleted':
      await t.call('DELETE', path, { key })
      return userId
    case 'unknown':
      return newUuid()
    case 'malformed':
      return 'ana'
    case 'of_other_mode':
      return (await t.createUser({}, mode === 'production' ? testKey : production)).id
  }
}

const CREDENTIAL_SQL: { [credential in State['credential']]?: string } = {
  paused: "paused_until = app_now() + interval '1 hour'",
  paused_until_now: 'paused_until = app_now()',
  expired: `status = 'needs_reauth', status_reason = 'expired'`,
  ended: `status = 'needs_reauth', status_reason = 'revoked'`,
  revoked: `status = 'revoked', status_reason = 'user', sealed = null`,
  without_scopes: `scopes = '{}'`,
  scopes_refused: `scopes = '{}'`,
  without_scopes_or_refresh_token: `scopes = '{}', access_expires_at = app_now()`,
  refresh_due: 'access_expires_at = app_now()',
  no_refresh_token: 'access_expires_at = app_now()',
  tampered: `sealed = set_byte(sealed, length(sealed) - 1, get_byte(sealed, length(sealed) - 1) # 1)`,
  tampered_and_due: `access_expires_at = app_now(),
    sealed = set_byte(sealed, length(sealed) - 1, get_byte(sealed, length(sealed) - 1) # 1)`,
}

const setCredential = async (
  t: TestService,
  { id }: TestOrganization,
  { userId, credentialId }: LinkedAccount,
  { credential }: State,
): Promise<void> => {
  if (credential === 'no_refresh_token' || credential === 'without_scopes_or_refresh_token')
    await dropRefreshToken(t, id, userId)
  if (credential === 'scopes_refused')
    await t.query(
      `update link_sessions set more_scopes = array['notes:read'], scopes_reason = 'lacking' where organization_id = $1 and registered_user_id = $2`,
      [id, userId],
    )
  const change = CREDENTIAL_SQL[credential]
  if (change)
    await t.query(`update credentials set ${change} where organization_id = $1 and id = $2`, [
      id,
      credentialId,
    ])
}

const dropRefreshToken = async (t: TestService, organizationId: string, registeredUserId: string) => {
  const { credentialId, key, owner, secret } = await readStoredSecret(t, organizationId, registeredUserId)
  assert.ok(secret.kind === 'oauth')
  await t.query('update credentials set sealed = $3 where organization_id = $1 and id = $2', [
    organizationId,
    credentialId,
    sealSecret(key, owner, { ...secret, refreshToken: null }),
  ])
}

type Expect = (status: number, method: string, path: string, body?: unknown) => Promise<any>

const setRules = async ({ rules }: State, expect: Expect): Promise<void> => {
  const action = ACTIONS[rules]
  if (action === null) return
  await expect(200, 'PUT', '/security-rules', {
    dry_run: rules === 'dry_run',
    entities: { EMAIL_ADDRESS: { inbound_action: action } },
  })
}

const setLink = async (t: TestService, { id, key }: TestOrganization, { link }: State): Promise<void> => {
  if (link === 'interstitial') return
  const url = link === 'code_only' ? null : 'https://app.example.com/linked'
  if (link === 'code_only_listed') await t.allowOrigin('https://app.example.com', key)
  await t.query(
    `update organizations set link_binding = 'code_only', runtime_callback_url = $2 where id = $1`,
    [id, url],
  )
}

const setServer = async (t: TestService, { id, key }: TestOrganization, { tool }: State): Promise<void> => {
  if (tool === 'removed_server') await t.call('DELETE', '/api/v1/connectors/work', { key })
  const pending = {
    pending: `jsonb_build_object('tools', (select jsonb_agg(definition) from mcp_tools where organization_id = $1)
      || jsonb_build_array(jsonb_build_object('name', 'fresh', 'upstreamName', 'fresh')), 'problems', '[]'::jsonb)`,
    changed: `jsonb_build_object('tools', (select jsonb_agg(definition || '{"description": "Other"}') from mcp_tools
      where organization_id = $1), 'problems', '[]'::jsonb)`,
  }[tool as string]
  if (pending)
    await t.query(
      `update mcp_connectors set pending_tools = ${pending}, pending_hash = 'other', pending_since = app_now()
       where organization_id = $1 and slug = 'work'`,
      [id],
    )
}

const choosePack = async (
  t: TestService,
  { id, toolPackId }: TestOrganization,
  { pack, tool }: State,
  expect: Expect,
): Promise<string> => {
  const usesServer = SERVER_TOOLS.has(tool) && tool !== 'removed_server'
  const server = tool === 'secret_server' ? 'sealed' : 'work'
  const [slug, other] = usesServer ? [server, 'sandbox-notes'] : ['sandbox-notes', 'sandbox-vault']
  const own = usesServer ? 'count' : 'list_notes'
  const create = async (connectors: unknown[]): Promise<string> =>
    (await expect(201, 'POST', '/tool-packs', { name: 'Chosen', connectors })).id
  switch (pack) {
    case 'default':
      return toolPackId
    case 'with_connector':
      return create([slug, ...(tool === 'authenticate' ? ['later'] : [])])
    case 'without_connector':
      return create([other])
    case 'without_tool':
      return create([{ slug, tools: usesServer ? ['lookup'] : ['create_note'] }])
    case 'misfit': {
      const packId = await create([{ slug, tools: [own] }])
      const choices = { [slug]: { [own]: { inputs: { gone: { fixed: 1 } } } } }
      await t.query('update tool_packs set choices = $3 where organization_id = $1 and id = $2', [
        id,
        packId,
        JSON.stringify(choices),
      ])
      return packId
    }
    case 'of_other_organization':
      return t.organization.toolPackId
    case 'deleted':
      return newUuid()
    case 'malformed':
      return 'pack'
  }
}
