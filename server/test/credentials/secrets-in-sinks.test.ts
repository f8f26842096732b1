import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, describe, it } from 'node:test'
import { eventTypes, type WebhookEvent } from '@carabiner/contract'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { HOUR } from '../../src/core/duration.ts'
import { reportAtRisk } from '../../src/features/credentials/health/report-at-risk.ts'
import { reportExpiringKeys } from '../../src/features/organizations/end-api-keys.ts'
import { createBrowserUser, linkNotes, type Page, readForms } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { openEvents } from '../support/open-events.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { signInPerson } from '../support/person-session.ts'
import { startPlainMcp } from '../support/plain-mcp.ts'
import {
  callWithToken,
  configureSignIn,
  createRawClient,
  IDP_CLIENT,
  redirectUrisOf,
  signInAndAllow,
  signInAtProvider,
  startIdentityProvider,
} from '../support/sign-in.ts'
import { type Answer, startTestService, type TestService } from '../support/test-service.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

type Outgoing = { origin: string | URL; path: string; headers: string | string[]; body: unknown }

const CALLER_STATE = 'caller-state-canary-51c0'
const CALLBACK = 'https://app.example.com/done'

describe('after complete flows', () => {
  let t: TestService
  let receiver: OtlpReceiver
  let metricsPort: number
  /** All secrets that occurred, with a label. */
  const secrets = new Map<string, string>()
  const pages: Page[] = []
  /** State of the latest attempt. */
  let lastState = ''
  const errors: string[] = []
  const opened = new AsyncDisposableStack()
  let echoing: WebhookReceiver
  let quiet: WebhookReceiver
  let endpointId: string
  let stream: Awaited<ReturnType<typeof openEvents>>
  /** Responses that show what receivers of webhooks have answered. */
  const shown: string[] = []

  const recordSecret = (label: string, value: string | null | undefined): string => {
    assert.ok(value, label)
    secrets.set(`${label} ${secrets.size}`, value)
    return value
  }
  const recordPage = (page: Page): Page => {
    pages.push(page)
    return page
  }
  const refused = (answer: Answer, status: number): Answer => {
    assert.equal(answer.status, status, answer.text)
    errors.push(answer.text)
    return answer
  }

  /** Collects the secrets that are sent to the provider from the outbound requests. */
  const watch = (message: unknown): void => {
    const { origin, path, headers, body } = (message as { request: Outgoing }).request
    const url = new URL(path, String(origin))
    if (url.pathname === '/oauth/authorize') lastState = url.searchParams.get('state') ?? lastState
    const list = Array.isArray(headers) ? headers : headers.split('\r\n')
    const text = list.map(String).join('\n')
    const authorization = /(?:bearer|basic)[\s:]+([\w\-.~+/=]{20,})/i.exec(text)?.[1]
    if (t && url.origin === t.sandbox.url && authorization)
      secrets.set(`sent to the provider ${secrets.size}`, authorization)
    const form =
      body instanceof Uint8Array || typeof body === 'string'
        ? new URLSearchParams(Buffer.from(body as string).toString())
        : null
    for (const [location, parameters] of [
      ['body', form],
      ['query', /\/oauth\/callback\//.test(url.pathname) ? url.searchParams : null],
    ] as const)
      for (const name of ['code', 'code_verifier', 'refresh_token', 'state', 'token'])
        if (parameters?.get(name))
          secrets.set(`${name} in the ${location} ${secrets.size}`, parameters.get(name) as string)
    const cookie = /carabiner_browser=([0-9A-Za-z]{43})/.exec(text)?.[1]
    if (cookie) secrets.set(`browser ${secrets.size}`, cookie)
  }

  before(async () => {
    receiver = await startOtlpReceiver()
    metricsPort = await freePort()
    t = await startTestService(
      'postgres',
      {
        METRICS_PORT: String(metricsPort),
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_BSP_SCHEDULE_DELAY: '20',
      },
      { webhookWorker: { idleMs: 20 }, withSchedule: true },
    )
    subscribe('undici:request:create', watch)
    recordSecret('production key', t.organization.key)
    recordSecret('test key', t.organization.testKey)
    await createEndpoints()
    stream = await openEvents(t, t.organization.key)
    await t.allowOrigin('https://app.example.com')
    await linkDirectly()
    await linkByCode()
    await linkByKey()
    await failAtProvider()
    await callTools()
    await manageKeys()
    await signIn()
    await sendInvalidRequests()
    await deactivate()
    await causeOtherEvents()
  })
  after(async () => {
    unsubscribe('undici:request:create', watch)
    stream.close()
    await t.stop()
    await receiver.stop()
    await opened.disposeAsync()
  })

  /** An endpoint whose receiver answers with everything that it knows, and one that answers 410. */
  const createEndpoints = async (): Promise<void> => {
    echoing = opened.use(await startReceiver())
    const known: string[] = []
    echoing.answerWith(({ headers, body }, response) => {
      response.end(JSON.stringify({ known, headers, body }))
    })
    const create = (url: string, types?: string[], key = t.organization.key) =>
      t.call('POST', '/api/v1/webhook-endpoints', {
        key,
        body: { url, ...(types && { event_types: types }) },
      })
    const { id, secret } = (await create(echoing.url)).body
    endpointId = id
    known.push(recordSecret('webhook secret', secret))
    const rotated = await t.call('POST', `/api/v1/webhook-endpoints/${id}/rotate-secret`)
    known.push(recordSecret('rotated webhook secret', rotated.body.secret))
    const tested = await t.call('POST', `/api/v1/webhook-endpoints/${id}/test`, { body: {} })
    assert.equal(tested.body.delivered, true)
    shown.push(tested.text)
    // The keys that are changed are test keys.
    const keyEvents = eventTypes.filter(type => type.startsWith('api_key.'))
    quiet = opened.use(await startReceiver())
    const inTestMode = await create(quiet.url, keyEvents, t.organization.testKey)
    recordSecret('webhook secret', inTestMode.body.secret)
    const gone = opened.use(await startReceiver())
    gone.answerWith((_, response) => void response.writeHead(410).end())
    const ended = await create(gone.url, ['registered_user.created'])
    recordSecret('webhook secret', ended.body.secret)
  }

  const mint = async (userId: string, body = {}): Promise<string> => {
    const { link_token, magic_link_url } = await t.mint(userId, body)
    recordSecret('link token', link_token)
    recordSecret('magic link', magic_link_url.split('/magic-link/')[1])
    recordSecret('magic link token', magic_link_url.split('/magic-link/')[1]?.split('.')[0])
    return magic_link_url
  }
  const postForm = (
    page: Page,
    action: RegExp,
    values: Record<string, string>,
    browser = createBrowserUser(),
  ) => browser.submit(page, action, values)

  const linkDirectly = async (): Promise<void> => {
    const user = await t.createUser()
    const link = await mint(user.id)
    const browser = createBrowserUser()
    const picker = recordPage(await browser.open(link))
    recordPage(await browser.follow(picker, /sandbox-notes/))
    recordPage(await linkNotes(browser, link))
    recordPage(await createBrowserUser().open(link))
    const form = {
      ...readForms(picker)[0]?.fields,
      form_token: recordSecret('wrong form token', 'form-token-canary-3b1f'),
    }
    recordPage(await postForm(picker, /\/cancel$/, form))
    recordPage(await createBrowserUser().open(`${link.slice(0, -4)}AAAA`))
  }

  const linkByCode = async (): Promise<void> => {
    const user = await t.createUser()
    const link = await mint(user.id, {
      Connector: 'sandbox-notes',
      callback_url: CALLBACK,
      state: CALLER_STATE,
    })
    const browser = createBrowserUser()
    await linkNotes(browser, link)
    const code = recordSecret(
      'authorization code',
      new URL(browser.lastLocation as string).searchParams.get('code'),
    )
    const confirm = (body: unknown, key = t.organization.key) =>
      t.call('POST', '/api/v1/link-token/confirm', { key, body, headers: { 'idempotency-key': code } })
    refused(await confirm({ code: code.slice(0, -1) }), 400)
    refused(await confirm({ code, [code]: 1 }), 400)
    refused(await t.call('POST', '/api/v1/link-token/confirm', { raw: `{"code": "${code}"` }), 400)
    refused(await t.call('POST', '/api/v1/link-token/confirm', { raw: code }), 400)
    refused(await t.call('GET', `/api/v1/link-token/confirm?code=${code}`), 405)
    refused(await t.call('GET', `/api/v1/${code}`), 404)
    assert.equal((await t.call('POST', '/api/v1/link-token/confirm', { body: { code } })).status, 200)
    refused(await t.call('POST', '/api/v1/link-token/confirm', { body: { code } }), 400)
    recordPage(await createBrowserUser().open(link))
  }

  const linkByKey = async (): Promise<void> => {
    const user = await t.createUser()
    const link = await mint(user.id, { Connector: 'sandbox-vault' })
    const browser = createBrowserUser()
    const form = recordPage(await browser.open(link))
    const wrong = recordSecret('rejected key', 'sv_live_canary_rejected_8d21')
    const again = recordPage(await browser.submit(form, /\/api-key$/, { api_key: wrong }))
    const malformed = recordSecret('malformed key', 'sv_live canary malformed 77ce')
    recordPage(await browser.submit(again, /\/api-key$/, { api_key: malformed }))
    const right = recordSecret('vault key', t.sandbox.vaultKeys.ana)
    t.sandbox.script({ target: 'vault', behavior: 'status', status: 500, body: { echo: right } })
    recordPage(await browser.submit(again, /\/api-key$/, { api_key: right }))
    recordPage(await browser.submit(again, /\/api-key$/, { api_key: right }))
    assert.deepEqual((await t.call('GET', `/api/v1/registered-users/${user.id}`)).body.linked_connectors, [
      'sandbox-vault',
    ])
  }

  const failAtProvider = async (): Promise<void> => {
    const user = await t.createUser()
    const link = await mint(user.id, { Connector: 'sandbox-notes' })
    for (const fault of [
      {
        behavior: 'status',
        status: 400,
        body: { error: 'invalid_grant', error_description: 'described-canary-19aa' },
      },
      { behavior: 'status', status: 500, body: 'refresh_token=described-canary-19aa' },
      { behavior: 'status', status: 200, body: { access_token: 1, refresh_token: 'described-canary-19aa' } },
      { behavior: 'malformed' },
      { behavior: 'reset' },
    ] as const) {
      t.sandbox.script({ target: 'token', ...fault })
      const page = recordPage(await linkNotes(createBrowserUser(), link))
      assert.match(page.url, /outcome=error/)
    }
    recordSecret('error text of the provider', 'described-canary-19aa')
    const browser = createBrowserUser()
    const signIn = await browser.submit(await browser.open(link), /\/start$/)
    await browser.submit(signIn, /interaction/, { account: 'ana' })
    const state = recordSecret('state of an attempt', lastState)
    const code = recordSecret('code beside an error', 'provider-code-canary-4410')
    const path = `${t.baseUrl}/oauth/callback/sandbox-notes`
    recordPage(await createBrowserUser().open(`${path}?state=${state}&code=${code}`))
    recordPage(
      await browser.open(`${path}?state=${state}&code=${code}&error=server_error&error_description=${code}`),
    )
    recordPage(await browser.open(`${path}?state=${state}&code=${code}`))
  }
  const callTools = async (): Promise<void> => {
    const user = await t.createUser()
    const call = (name: string, args: object) =>
      t.mcp(user.id, 'tools/call', { name: `sandbox-notes__${name}`, arguments: args })
    const unlinked = await call('list_notes', {})
    const meta = unlinked.body.result.structuredContent
    recordSecret('link token of authenticate_meta', meta.link_token)
    recordSecret('magic link of authenticate_meta', meta.magic_link_url.split('/magic-link/')[1])
    await linkNotes(createBrowserUser(), meta.magic_link_url)
    assert.equal((await call('list_notes', {})).body.result.isError, false)
    const access = [...secrets]
      .filter(([label]) => label.startsWith('sent to the provider'))
      .at(-1)?.[1] as string
    const echoed = await call('create_note', { title: 'echo', text: access })
    assert.ok(!echoed.text.includes(access), 'an echoed credential does not reach the model')
    for (const fault of [
      { behavior: 'status', status: 500, body: { token: access } },
      { behavior: 'status', status: 400, body: `bearer ${access}` },
      { behavior: 'malformed' },
      { behavior: 'reset' },
      { behavior: 'status', status: 401, body: { token: access } },
    ] as const) {
      t.sandbox.script({ target: 'notes', ...fault })
      errors.push((await call('list_notes', { query: 'nothing has this' })).text)
    }
    await t.moveClock(2 * HOUR)
    errors.push((await call('list_notes', { query: 'nothing has this' })).text)
    t.sandbox.script({
      target: 'token',
      behavior: 'status',
      status: 400,
      body: { error: 'invalid_grant', error_description: access },
    })
    await t.moveClock(2 * HOUR)
    const ended = await call('list_notes', { query: 'nothing has this' })
    recordSecret('link token after the end', ended.body.result.structuredContent.link_token)
    errors.push((await call('list_notes', { unknown: access })).text)
    errors.push((await call(access, {})).text)
  }

  const manageKeys = async (): Promise<void> => {
    const created = await t.call('POST', '/api/v1/api-keys', {
      body: { name: 'Another' },
      headers: { 'idempotency-key': 'k' },
    })
    recordSecret('created key', created.body.key)
    const regenerated = await t.call('POST', `/api/v1/api-keys/${created.body.id}/regenerate`)
    recordSecret('regenerated key', regenerated.body.key)
    const { id } = regenerated.body
    const rolled = await t.call('POST', `/api/v1/api-keys/${id}/roll`)
    recordSecret('rolled key', rolled.body.key)
    await t.query(
      `update api_keys set created_at = app_now() - interval '9 days', expires_at = app_now() + interval '1 day'
       where organization_id = $1 and id = $2`,
      [t.organization.id, rolled.body.id],
    )
    await reportExpiringKeys(t.service.features.db)
    refused(await t.call('GET', '/api/v1/organization', { key: created.body.key }), 401)
    const user = await t.createUser()
    await useMcpKey(user.id)
    const headers = { 'idempotency-key': 'mint' }
    for (let round = 0; round < 2; round++) {
      const minted = await t.call('POST', `/api/v1/registered-users/${user.id}/link-token`, {
        body: {},
        headers,
      })
      recordSecret('kept link token', minted.body.link_token)
      recordSecret('kept magic link', minted.body.magic_link_url.split('/magic-link/')[1])
    }
  }

  const useMcpKey = async (userId: string): Promise<void> => {
    const path = `/api/v1/registered-users/${userId}/mcp-keys`
    const headers = { 'idempotency-key': 'mcp' }
    const { key, id } = (await t.call('POST', path, { body: { name: 'Laptop' }, headers })).body
    recordSecret('MCP key', key)
    const call = { name: 'sandbox-notes__list_notes', arguments: { query: key } }
    const meta = (await t.mcp(userId, 'tools/call', call, { key })).body.result.structuredContent
    recordSecret('link token for an MCP key', meta.link_token)
    recordSecret('magic link for an MCP key', meta.magic_link_url.split('/magic-link/')[1])
    refused(await t.call('GET', '/api/v1/organization', { key }), 401)
    refused(await t.call('POST', path, { key, body: { name: key } }), 401)
    assert.ok(!(await t.call('GET', path)).text.includes(key))
    await t.call('DELETE', `${path}/${id}`)
    refused(await t.mcp(userId, 'tools/list', {}, { key }), 401)
  }

  /** A client signs a user in and refreshes its token; another client that uses the first refresh token ends the grant. */
  const signIn = async (): Promise<void> => {
    const provider = await startIdentityProvider(redirectUrisOf(t))
    opened.defer(() => provider.stop())
    recordSecret('client secret at the identity provider', IDP_CLIENT.secret)
    await configureSignIn(t, provider)
    const client = await createRawClient(t)
    recordSecret('verifier of the client', client.verifier)
    const code = (await signInAndAllow(client.authorizeUrl())).get('code')
    const first = (await client.exchange(recordSecret('code of the client', code))).body
    recordSecret('access token', first.access_token)
    recordSecret('refresh token', first.refresh_token)
    assert.equal((await callWithToken(t, first.access_token)).status, 200)
    const second = (await client.refresh(first.refresh_token)).body
    recordSecret('refreshed access token', second.access_token)
    recordSecret('rotated refresh token', second.refresh_token)
    const thief = await createRawClient(t, t.organization, { name: 'Thief' })
    refused(await thief.refresh(first.refresh_token), 400)
    refused(await callWithToken(t, second.access_token), 401)
    await configureSignIn(t, provider, { create_users: false })
    recordPage(await signInAtProvider(createBrowserUser(), client.authorizeUrl(), 'stranger'))
  }

  const sendInvalidRequests = async (): Promise<void> => {
    const { key } = t.organization
    refused(await t.call('GET', '/api/v1/organization', { key: `${key.slice(0, -1)}!` }), 401)
    refused(
      await t.call('GET', '/api/v1/organization', { key: null, headers: { authorization: `Basic ${key}` } }),
      401,
    )
    refused(
      await t.call('POST', '/api/v1/registered-users', { body: { origin_user_id: 1, email: key } }),
      400,
    )
    refused(await t.call('POST', '/api/v1/registered-users', { raw: `{"origin_user_id": ${key}}` }), 400)
    refused(await t.call('GET', `/api/v1/registered-users?cursor=${key}`), 400)
    refused(await t.call('GET', `/api/v1/registered-users/${key}`), 404)
    refused(
      await t.call('POST', '/api/v1/callback-origins', {
        body: { origin: `https://x.example.com/?token=${key}` },
      }),
      400,
    )
    const user = await t.createUser()
    const callback_url = `https://unlisted.example.com/?token=${key}`
    refused(
      await t.call('POST', `/api/registered-users/${user.id}/link-token`, { body: { callback_url } }),
      400,
    )
    refused(
      await t.call('POST', `/api/registered-users/${user.id}/link-token`, { body: { Connector: key } }),
      400,
    )
    refused(
      await t.call('POST', `/api/registered-users/${user.id}/link-token`, {
        body: {},
        headers: { 'idempotency-key': '\u00e9' },
      }),
      400,
    )
  }

  const deactivate = async (): Promise<void> => {
    const user = await t.createUser()
    await linkNotes(createBrowserUser(), await mint(user.id, { Connector: 'sandbox-notes' }))
    t.sandbox.script({ target: 'revoke', behavior: 'status', status: 503, body: 'down' })
    await t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: false } })
    await eventually(async () => {
      assert.ok(t.sandbox.ledger.some(({ kind }) => kind === 'revoke'))
      assert.match(t.logLines.join(''), /revocation at the provider failed/)
    })
  }

  /** On the My connections page. */
  const pauseAndResume = async (userId: string): Promise<void> => {
    const { body } = await t.call('POST', `/api/v1/registered-users/${userId}/connections-link`)
    recordSecret('connections link', body.url.split('/').at(-1))
    const browser = createBrowserUser()
    const list = await browser.submit(await browser.open(body.url), /\/open$/)
    const detail = await browser.follow(list, /connections\/[^/]+\/[0-9a-f-]{36}/)
    const paused = await browser.submit(detail, /\/pause$/)
    const resumed = await browser.submit(paused, /\/resume$/)
    shown.push(list.html, detail.html, paused.html, resumed.html)
  }

  /** One call is approved and runs, another one is withdrawn. */
  const approveCall = async (): Promise<void> => {
    const { id } = await t.createUser()
    await linkNotes(createBrowserUser(), await mint(id, { Connector: 'sandbox-notes' }))
    const name = 'sandbox-notes__create_note'
    const member = await signInPerson(t, { role: 'security' })
    const hooked = opened.use(await startReceiver())
    // A malformed answer, so that the call asks.
    hooked.answerWith(({ headers, body }, response) => response.end(JSON.stringify({ headers, body })))
    const hook = { url: hooked.url, on_error: 'ask' }
    const rule = { name: 'Notes', hook, tools: [name] }
    const { id: ruleId, hook_secret } = (await member.call('POST', '/api/v1/policy-rules', { body: rule }))
      .body
    recordSecret('secret of a hook', hook_secret)
    const rotated = await member.call('POST', `/api/v1/policy-rules/${ruleId}/rotate-hook-secret`)
    recordSecret('rotated secret of a hook', rotated.body.hook_secret)
    const tested = await member.call('POST', `/api/v1/policy-rules/${ruleId}/test-hook`)
    assert.match(tested.body.error, /malformed/)
    shown.push(tested.text, (await t.call('GET', `/api/v1/policy-rules/${ruleId}`)).text)
    const title = recordSecret('argument of a call that waits', 'canary-title-of-an-approved-note')
    const write = async (text: string) =>
      (await t.mcp(id, 'tools/call', { name, arguments: { title, text } })).body.result.structuredContent
    const [approved, withdrawn] = [await write('One'), await write('Two')]
    const { approval_digest } = (await t.call('GET', `/api/v1/approvals/${approved.approval_id}`)).body
    const body = { decision: 'approve', approval_digest }
    const decided = await member.call('POST', `/api/v1/approvals/${approved.approval_id}/decision`, { body })
    assert.equal(decided.status, 200, decided.text)
    assert.equal((await write('One')).title, title)
    await t.call('POST', `/api/v1/approvals/${withdrawn.approval_id}/withdraw`)
    shown.push((await t.call('GET', '/api/v1/approvals')).text)
  }

  /** Events that the other flows do not cause. */
  const causeOtherEvents = async (): Promise<void> => {
    const user = await t.createUser()
    const path = `/api/v1/registered-users/${user.id}`
    await t.call('PATCH', path, { body: { origin_user_name: 'Ana Maria' } })
    for (let round = 0; round < 2; round++)
      await linkNotes(createBrowserUser(), await mint(user.id, { Connector: 'sandbox-notes' }))
    await linkNotes(createBrowserUser(), await mint(user.id, { Connector: 'sandbox-notes' }), {
      decision: 'deny',
    })
    await pauseAndResume(user.id)
    await t.query(`update credentials set lost_scopes = '{notes:write}' where registered_user_id = $1`, [
      user.id,
    ])
    await reportAtRisk(t.service.features)
    await approveCall()
    const expired = await mint(user.id, { Connector: 'sandbox-notes' })
    await t.moveClock(HOUR)
    const browser = createBrowserUser()
    await browser.submit(await browser.open(expired), /\/renew$/)
    const blocked = recordSecret('blocked text', 'jane.canary.5d2e@example.com')
    await t.call('PUT', '/api/v1/security-rules', {
      body: { entities: { EMAIL_ADDRESS: { inbound_action: 'block' } } },
    })
    await t.mcp(user.id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: { query: blocked } })
    const plain = await startPlainMcp()
    plain.tools = [{ name: 'look', description: 'Looks.' }]
    const added = await t.call('POST', '/api/v1/connectors', {
      body: { name: 'Plain', slug: 'plain', url: plain.url },
    })
    assert.equal(added.status, 201, added.text)
    plain.tools = [{ name: 'look', description: 'Looks again.' }]
    await t.call('POST', '/api/v1/connectors/plain/tools/check')
    await plain.stop()
    await t.call('PATCH', `/api/v1/tool-packs/${t.organization.toolPackId}`, { body: { name: 'Renamed' } })
    await t.call('PATCH', path, { body: { is_active: false } })
    await t.call('PATCH', path, { body: { is_active: true } })
    await t.query('update organizations set call_limit = 0 where id = $1', [t.organization.id])
    await t.mcp(user.id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
    // The events of a deleted user are deleted too.
    await eventually(async () => {
      const delivered = new Set(echoing.events().map(({ type }) => type))
      for (const type of ['registered_user.reactivated', 'tool_call.blocked', 'rule.violated'] as const)
        assert.ok(delivered.has(type), type)
    })
    await t.call('DELETE', path)
  }

  /** A secret in plain text and in all encodings in which it could be stored by mistake. */
  const spellings = (secret: string): string[] => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
    Buffer.from(secret).toString('base64url').slice(0, -1),
    JSON.stringify(secret).slice(1, -1),
  ]
  const assertNoSecrets = (location: string, text: string, except: string[] = []): void => {
    const found = [...secrets]
      .filter(([, secret]) => !except.includes(secret))
      .filter(([, secret]) => spellings(secret).some(spelling => text.includes(spelling)))
      .map(([label, secret]) => {
        const at =
          spellings(secret)
            .map(spelling => text.indexOf(spelling))
            .find(index => index >= 0) ?? 0
        return `${label} in ${location}: …${text.slice(Math.max(0, at - 200), at + 80)}…`
      })
    assert.deepEqual(found, [])
  }
  const tables = () =>
    t.query<{ name: string; columns: string[] }>(
      `select format('%I.%I', table_schema, table_name) as name, array_agg(column_name::text) as columns
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
       group by 1 order by 1`,
    )
  const dump = async (table: string): Promise<string> =>
    (await t.query<{ text: string }>(`select row_to_json(x)::text as text from ${table} x`))
      .map(({ text }) => text)
      .join('\n')

  it('every kind of secret occurred and was collected', () => {
    const kinds = new Set([...secrets.keys()].map(label => label.replace(/ \d+$/, '')))
    for (const kind of [
      'production key',
      'test key',
      'MCP key',
      'link token',
      'magic link',
      'authorization code',
      'vault key',
      'sent to the provider',
      'code in the body',
      'code_verifier in the body',
      'refresh_token in the body',
      'token in the body',
      'state in the query',
      'code in the query',
      'browser',
    ])
      assert.ok(kinds.has(kind), `${kind} among ${[...kinds].join(', ')}`)
    assert.ok(pages.length > 15)
    assert.ok(errors.length > 20)
    assert.ok([...secrets.values()].every(secret => secret.length > 12))
  })

  it('no log line contains a secret', () => {
    assert.ok(t.logLines.length > 100)
    const log = t.logLines.join('')
    assert.match(log, /authorization did not complete/)
    assertNoSecrets('the log', log)
    assert.ok(!log.includes(CALLER_STATE))
  })

  it('neither traces nor metrics contain a secret', async () => {
    await eventually(async () => assert.ok(receiver.bodies.join('').includes('tools/call')))
    assertNoSecrets('the traces', receiver.bodies.join(''))
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    assert.match(metrics, /carabiner_tool_calls_total\{/)
    assertNoSecrets('the metrics', metrics)
  })

  it('no column of any table contains a secret, except the caller’s state where it is needed', async () => {
    const all = await tables()
    assert.ok(all.length > 12)
    assert.ok(all.some(({ name }) => name.startsWith('pgboss.')))
    for (const { name } of all) {
      const text = await dump(name)
      assertNoSecrets(name, text)
      if (name !== 'public.link_sessions') assert.ok(!text.includes(CALLER_STATE), name)
    }
  })

  it('the search through the tables finds values that are stored', async () => {
    const sessions = await dump('public.link_sessions')
    assert.ok(sessions.includes(CALLER_STATE))
    const linkToken = [...secrets].find(([label]) => label.startsWith('link token'))?.[1] as string
    assert.ok(
      sessions.includes(createHash('sha256').update(linkToken).digest('hex')),
      'the hash is stored in hex',
    )
    assert.match(await dump('public.credentials'), /"sealed":"\\\\x02/)
  })

  it('no event contains a secret or a link', async () => {
    const events = await t.events()
    assert.ok(events.length > 15)
    const text = JSON.stringify(events)
    assertNoSecrets('the events', text)
    // The issuer of the identity provider is public, and the only URL.
    const withoutIssuer = text.replaceAll(/"issuer":"[^"]+"/g, '')
    assert.doesNotMatch(withoutIssuer, /magic-link|cb_[a-z]+_|caller-state|https?:/)
  })

  it('no list, stream or webhook of events of any type contains a secret, nor do the answers of a receiver', async () => {
    const known = (events: WebhookEvent[]) => new Set(events.map(({ type }) => type))
    await eventually(async () => {
      assert.deepEqual(
        eventTypes.filter(type => !known([...echoing.events(), ...quiet.events()]).has(type)),
        [],
        'events of these types were not delivered',
      )
      assert.ok(known(stream.received.map(({ event }) => event)).has('registered_user.deleted'))
    })
    const pagesOf = async (path: string): Promise<string> => {
      const { text, body } = await t.call('GET', path)
      const next = body.next_cursor
      return next ? text + (await pagesOf(`${path.replace(/&cursor=.*/, '')}&cursor=${next}`)) : text
    }
    const deliveries = await pagesOf(`/api/v1/webhook-endpoints/${endpointId}/deliveries?limit=100`)
    // The answers of the receiver contain signatures, which do not reveal the secret.
    assert.match(deliveries, /webhook-signature.{1,10}v1,/)
    assert.match(deliveries, /known.{1,10}\[removed\]/)
    const sinks = {
      'the list of events': await pagesOf('/api/v1/events?limit=100'),
      'the stream of events': JSON.stringify(stream.received),
      webhooks: [...echoing.received, ...quiet.received].map(({ body }) => body).join('\n'),
      'the list of deliveries': deliveries,
      'the answer to a test': shown.join('\n'),
    }
    for (const [name, text] of Object.entries(sinks)) {
      assert.ok(text.length > 100, name)
      assertNoSecrets(name, text)
      assert.doesNotMatch(text, /magic-link|cb_[a-z]+_|caller-state|whsec_/, name)
    }
  })

  it('no error response contains a secret', () => {
    // An unknown field is repeated in the error. In one request the code itself was used as a field name.
    const repeated = [...secrets]
      .filter(([label]) => label.startsWith('authorization code'))
      .map(([, code]) => code)
    for (const text of errors) {
      if (/unknown_field/.test(text)) continue
      if (/"authenticate_meta/.test(text)) continue
      assertNoSecrets('a refusal', text)
    }
    assert.equal(errors.filter(text => repeated.some(code => text.includes(code))).length, 1)
  })

  it('no page contains a secret', () => {
    for (const page of pages) assertNoSecrets(`the page ${page.title}`, page.html)
  })

  it('no URL that a browser was sent to contains a secret, except the code in the callback', () => {
    for (const { url } of pages) {
      if (/\/(magic-link|oauth\/callback)\//.test(url)) continue
      assertNoSecrets('an address', url)
    }
  })
})
