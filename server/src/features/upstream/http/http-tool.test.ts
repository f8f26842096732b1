import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { Secret } from '../../../core/secret.ts'
import { allowLoopback, createEgress } from '../../../platform/egress/egress.ts'
import type { CredentialSecret } from '../authorization-kinds/authorization-kinds.ts'
import { callHttpTool } from './http-tool.ts'
import { fetchAccount } from './identity.ts'
import { learnValues } from './learned-values.ts'

type ReceivedRequest = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

describe('http tool', () => {
  const egress = createEgress({ [allowLoopback]: true })
  const requests: ReceivedRequest[] = []
  let respond: (res: ServerResponse) => void = res => res.end('{}')
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk as Buffer))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      requests.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body })
      respond(res)
    })
  })
  let origin = ''
  before(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    await egress.close()
    server.close()
  })

  const connectorAt = (rest: Partial<ConnectorFile> = {}): ConnectorFile => ({
    slug: 'acme',
    name: 'Acme',
    summary: 'Parts',
    categories: ['other'],
    documentation_url: 'https://acme.example/docs',
    authorization: [
      {
        type: 'api_key',
        fields: [
          { name: 'email', label: 'Email', secret: false },
          { name: 'token', label: 'Token', secret: true },
        ],
        headers: { 'X-Account': '{tenant.account}' },
        basic: { username: '{email}', password: '{token}' },
      },
    ],
    identity: { url: `${origin}/me`, account: ['/name', '/email'], id: '/id', ok: '/id' },
    credential_origins: [origin],
    tools: [],
    ...rest,
  })
  const secret: CredentialSecret = {
    kind: 'api_key',
    tenant: { account: 'a1' },
    fields: { email: new Secret('ana@example.com'), token: new Secret('tok_123456') },
  }
  const toolAt = (request: Partial<ConnectorTool['request']>): ConnectorTool => ({
    name: 'do_it',
    title: 'Do it',
    description: 'Does it.',
    input_schema: { type: 'object' },
    scopes: [],
    request: { method: 'GET', url: `${origin}/things/{id}`, ...request },
    read_only: true,
  })
  const json =
    (value: unknown, status = 200) =>
    (res: ServerResponse) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }

  it('sends the request that the connector file describes, with the credential', async () => {
    respond = json({ done: true })
    const tool = toolAt({ method: 'PATCH', query: { q: '{q}' }, body: { text: '{text}' } })
    const args = { id: 'a/b', q: 'x y', text: 'Grüße' }
    const answer = await callHttpTool({ egress }, { connector: connectorAt(), tool, args, secret })
    assert.deepEqual(answer, { kind: 'result', value: { done: true } })
    const { method, url, headers, body } = requests.at(-1) as ReceivedRequest
    assert.deepEqual([method, url, body], ['PATCH', '/things/a%2Fb?q=x%20y', '{"text":"Grüße"}'])
    assert.equal(
      headers.authorization,
      `Basic ${Buffer.from('ana@example.com:tok_123456').toString('base64')}`,
    )
    assert.equal(headers['x-account'], 'a1')
    assert.equal(headers['content-type'], 'application/json')
  })

  it('sends an idempotency key only in the header that the connector file declares', async () => {
    respond = json({})
    const call = { connector: connectorAt(), args: { id: '1' }, secret }
    const options = { idempotencyKey: 'k-1' }
    const writes = { ...toolAt({ method: 'POST' }), read_only: false }
    const declared = { ...writes, idempotency_header: 'X-Request-Token' }
    await callHttpTool({ egress }, { ...call, tool: declared }, options)
    assert.equal(requests.at(-1)?.headers['x-request-token'], 'k-1')
    const newKey = async () => {
      await callHttpTool({ egress }, { ...call, tool: declared })
      return requests.at(-1)?.headers['x-request-token']
    }
    const key = await newKey()
    assert.match(String(key), /^[0-9a-f-]{36}$/, 'a provider may require the header')
    assert.notEqual(await newKey(), key)
    await callHttpTool({ egress }, { ...call, tool: writes }, options)
    assert.ok(!JSON.stringify(requests.at(-1)?.headers).includes('k-1'))
  })

  it('sends the trace context only if there is one', async () => {
    respond = json({})
    const call = { connector: connectorAt(), tool: toolAt({}), args: { id: '1' }, secret }
    await callHttpTool({ egress }, call, { traceparent: '00-a-b-01' })
    assert.equal(requests.at(-1)?.headers.traceparent, '00-a-b-01')
    await callHttpTool({ egress }, call)
    assert.equal(requests.at(-1)?.headers.traceparent, undefined)
  })

  it('ends when its caller disconnects and when it times out', async () => {
    respond = () => undefined
    const call = { connector: connectorAt(), tool: toolAt({}), args: { id: '1' }, secret }
    const late = await callHttpTool({ egress }, call, { timeoutMs: 100 })
    assert.ok(late.kind === 'failed' && late.outage === 'timeout')
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 50)
    const cut = await callHttpTool({ egress }, call, { signal: controller.signal })
    assert.equal(cut.kind, 'failed')
  })

  it('follows no redirect', async () => {
    respond = res => void res.writeHead(307, { location: `${origin}/things/elsewhere` }).end()
    const answer = await callHttpTool(
      { egress },
      { connector: connectorAt(), tool: toolAt({}), args: { id: 'moved' }, secret },
    )
    assert.equal(answer.kind, 'failed')
    // Filtered by URL, because a request that an earlier test aborted may still arrive.
    const paths = requests.map(({ url }) => url).filter(url => /moved|elsewhere/.test(url))
    assert.deepEqual(paths, ['/things/moved'])
  })

  it('redacts a credential that the provider echoes in an error, in any encoding', async () => {
    const basic = Buffer.from('ana@example.com:tok_123456').toString('base64')
    respond = json({ message: `bad tok_123456 or Basic ${basic}` }, 400)
    const answer = await callHttpTool(
      { egress },
      { connector: connectorAt(), tool: toolAt({}), args: { id: '1' }, secret },
    )
    assert.ok(answer.kind === 'failed')
    assert.match(answer.refusal.message, /"bad \[credential\] or Basic \[credential\]"/)
  })

  it('sends no credential to an origin that the connector does not declare', async () => {
    const connector = connectorAt({ credential_origins: ['https://api.acme.example'] })
    await assert.rejects(
      callHttpTool({ egress }, { connector, tool: toolAt({}), args: { id: '1' }, secret }),
      /must not be sent to/,
    )
  })

  it('identity: returns the account, and distinguishes a wrong key from an outage', async () => {
    const fetchIdentity = (rest?: Partial<ConnectorFile>) =>
      fetchAccount({ egress }, connectorAt(rest), secret)
    respond = json({ id: 7, name: null, email: 'ana@example.com' })
    const account = await fetchIdentity()
    assert.ok(account.kind === 'account')
    assert.deepEqual([account.account, account.accountId], ['ana@example.com', '7'])
    const statuses: [number, string][] = [
      [401, 'rejected'],
      [400, 'rejected'],
      [404, 'rejected'],
      [429, 'unavailable'],
      [500, 'unavailable'],
      [302, 'unavailable'],
    ]
    for (const [status, kind] of statuses) {
      respond = json({}, status)
      assert.equal((await fetchIdentity()).kind, kind, String(status))
    }
    respond = json({ errors: [{ message: 'no' }] })
    assert.equal((await fetchIdentity()).kind, 'rejected')
    respond = res => void res.end('<html>')
    assert.equal((await fetchIdentity()).kind, 'unavailable')
  })

  it('identity: a restricted key that must not read the account is valid, if the vendor says 403', async () => {
    const { identity } = connectorAt()
    assert.ok(identity)
    respond = json({ error: { message: 'not permitted' } }, 403)
    assert.deepEqual(await fetchAccount({ egress }, connectorAt(), secret), {
      kind: 'rejected',
      because: 'other',
    })
    const lenient = connectorAt({ identity: { ...identity, accepts_forbidden: true } })
    assert.deepEqual(await fetchAccount({ egress }, lenient, secret), {
      kind: 'account',
      account: null,
      accountId: null,
      endsAt: null,
      answer: null,
    })
    respond = json({ error: { message: 'wrong key' } }, 401)
    assert.deepEqual(await fetchAccount({ egress }, lenient, secret), {
      kind: 'rejected',
      because: 'unauthorized',
    })
  })

  it('identity: an error value that the file declares as a revocation is one, with any status', async () => {
    const { identity } = connectorAt()
    assert.ok(identity)
    const errors = { code: '/error', revoked: ['token_revoked'], unauthorized: ['invalid_auth'] }
    const reasonOf = async (body: object, status: number) => {
      respond = json(body, status)
      const declared = connectorAt({ errors, identity: { ...identity, ok: '/ok' } })
      const answer = await fetchAccount({ egress }, declared, secret)
      return answer.kind === 'rejected' ? answer.because : answer.kind
    }
    assert.equal(await reasonOf({ error: 'token_revoked' }, 401), 'revoked')
    assert.equal(await reasonOf({ ok: false, error: 'token_revoked' }, 200), 'revoked')
    assert.equal(await reasonOf({ ok: false, error: 'invalid_auth' }, 200), 'unauthorized')
    assert.equal(await reasonOf({ ok: false, error: 'fatal_error' }, 200), 'other')
    assert.equal(await reasonOf({ error: 'expired' }, 401), 'unauthorized')
    assert.equal(await reasonOf({ error: 'token_revoked' }, 503), 'unavailable')
  })

  it('identity: rejects a key that no header can carry without a request', async () => {
    const requestsBefore = requests.length
    const connector = connectorAt({
      authorization: [
        {
          type: 'api_key',
          fields: [{ name: 'token', label: 'Token', secret: true }],
          headers: { authorization: 'Bearer {token}' },
        },
      ],
    })
    const pasted: CredentialSecret = {
      kind: 'api_key',
      tenant: {},
      fields: { token: new Secret('abc\r\nx: y') },
    }
    assert.deepEqual(await fetchAccount({ egress }, connector, pasted), {
      kind: 'rejected',
      because: 'other',
    })
    assert.equal(requests.length, requestsBefore)
  })

  it('identity: is requested before the rest of the address is known', async () => {
    const connector = connectorAt({
      authorization: [
        {
          type: 'oauth2',
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          client_authentication: 'client_secret_basic',
          pkce: 'S256',
          scopes: [],
          learned_values: [
            {
              name: 'site',
              from: 'identity',
              at: '/sites/0/url',
              pattern: '^https://(?<value>[a-z0-9-]+)\\.acme\\.example$',
            },
          ],
        },
      ],
      credential_origins: [origin, 'https://{tenant.site}.acme.example'],
    })
    const token: CredentialSecret = {
      kind: 'oauth2',
      tenant: {},
      accessToken: new Secret('at_123456'),
      refreshToken: null,
    }
    respond = json({ id: 1, email: 'ana@example.com', sites: [{ url: 'https://eu-1.acme.example' }] })
    const account = await fetchAccount({ egress }, connector, token)
    assert.ok(account.kind === 'account')
    assert.equal(requests.at(-1)?.headers.authorization, 'Bearer at_123456')
    const [method] = connector.authorization
    assert.ok(method?.type === 'oauth2')
    assert.deepEqual(learnValues(method, { identity: account.answer }), {
      values: { site: 'eu-1' },
      missing: [],
    })
    for (const url of [
      'https://evil.example',
      'https://a.acme.example.evil.example',
      'https://a/b.acme.example',
      7,
      null,
    ])
      assert.deepEqual(learnValues(method, { identity: { sites: [{ url }] } }), {
        values: {},
        missing: ['site'],
      })
    assert.deepEqual(learnValues(method, {}), { values: {}, missing: [] })
  })

  const redirectTo = (location: string) => (res: ServerResponse) => {
    const isFirst = requests.at(-1)?.url.startsWith('/things/')
    if (isFirst) res.writeHead(302, { location }).end()
    else res.writeHead(200, { 'content-type': 'text/plain' }).end('The text.')
  }
  const download = (redirect_hosts: string[]) =>
    callHttpTool(
      { egress },
      { connector: connectorAt(), tool: toolAt({ redirect_hosts }), args: { id: '1' }, secret },
    )

  it('follows a redirect to a declared host once, without the credential', async () => {
    requests.length = 0
    respond = redirectTo('/download?sig=1')
    assert.deepEqual(await download(['*.example.com', '127.0.0.1']), {
      kind: 'result',
      value: { text: 'The text.' },
    })
    assert.deepEqual(
      requests.map(({ url }) => url),
      ['/things/1', '/download?sig=1'],
    )
    assert.ok(requests[0]?.headers.authorization)
    assert.equal(requests[1]?.headers.authorization, undefined)
    assert.equal(requests[1]?.headers['x-account'], undefined)
  })

  it('does not follow a second redirect or one to another host', async () => {
    for (const [hosts, location] of [
      [[], '/download'],
      [['*.example.com'], '/download'],
      [['*.0.0.1x', '0.0.1'], '/download'],
      [['127.0.0.1'], `http://user:pass@${new URL(origin).host}/download`],
      [['127.0.0.1'], 'javascript:alert(1)'],
    ] as const) {
      requests.length = 0
      respond = redirectTo(location)
      assert.equal((await download([...hosts])).kind, 'failed', location)
      assert.equal(requests.length, 1, location)
    }
    requests.length = 0
    respond = res => void res.writeHead(302, { location: '/again' }).end()
    assert.equal((await download(['127.0.0.1'])).kind, 'failed')
    assert.equal(requests.length, 2)
  })

  it('a 401 from a download address does not invalidate the credential', async () => {
    respond = res =>
      requests.at(-1)?.url === '/things/1'
        ? void res.writeHead(302, { location: '/download' }).end()
        : void res.writeHead(401).end()
    assert.equal((await download(['127.0.0.1'])).kind, 'failed')
  })
})
