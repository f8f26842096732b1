import assert from 'node:assert/strict'
import { createHash, createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import type { TokenRequestMethod } from '@carabiner/contract'
import { EgressError, type EgressRequest, type EgressResponse } from '../../../../platform/egress/egress.ts'
import { makeToken } from './make-token.ts'

const NOW = new Date('2026-11-19T12:00:00Z')
const MOMENT = { now: NOW, id: '0198f000-0000-7000-8000-000000000000' }
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

const CLIENT_CREDENTIALS: TokenRequestMethod = {
  type: 'token_request',
  fields: [
    { name: 'client_id', label: 'Client ID', secret: false },
    { name: 'client_secret', label: 'Client secret', secret: true },
  ],
  token_origins: ['https://login.example'],
  requests: [
    {
      url: 'https://login.example/token',
      basic: { username: '{client_id}', password: '{client_secret}' },
      form: { grant_type: 'client_credentials' },
      values: { token: '/access_token', lifetime: '/expires_in' },
    },
  ],
  token: {
    value: '{value.token}',
    expires_in: { value: 'lifetime', unit: 'seconds' },
    lifetime_seconds: 3600,
  },
}
const FIELDS = { client_id: 'id-1', client_secret: 's&=cret' }

type Reply = { status?: number; body?: unknown; headers?: Record<string, string> } | EgressError

const run = async (
  method: TokenRequestMethod,
  replies: Reply[],
  { fields = FIELDS, tenant = {} }: { fields?: Record<string, string>; tenant?: Record<string, string> } = {},
) => {
  const sent: EgressRequest[] = []
  const send = async (request: EgressRequest): Promise<EgressResponse> => {
    const reply = replies[sent.length] ?? {}
    sent.push(request)
    if (reply instanceof EgressError) throw reply
    const { status = 200, body = '', headers = {} } = reply
    return { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }
  }
  return { made: await makeToken({ send, moment: MOMENT }, method, { fields, tenant }), sent }
}

const first = (method: TokenRequestMethod, changes: object): TokenRequestMethod => ({
  ...method,
  requests: [{ ...(method.requests[0] as TokenRequestMethod['requests'][number]), ...changes }],
})

describe('requests', () => {
  it('a value between two texts of XML, and none if one of them is missing', async () => {
    const method = first(CLIENT_CREDENTIALS, {
      response: 'text',
      values: { token: { between: ['<sessionid>', '</sessionid>'] }, lifetime: { between: ['<s>', '</s>'] } },
    })
    const { made } = await run(method, [{ body: '<a><sessionid>t-1</sessionid><s>60</s></a>' }])
    assert.deepEqual(made.kind === 'made' && [made.token, made.expiresInSeconds], ['t-1', 60])
    for (const body of ['<a></a>', '<sessionid>t-1', '</sessionid><sessionid>'])
      assert.equal((await run(method, [{ body }])).made.kind, 'unavailable')
  })

  it('client credentials: Basic and a form, and the lifetime that the response states', async () => {
    const { made, sent } = await run(CLIENT_CREDENTIALS, [
      { body: { access_token: 'at-1', expires_in: 600 } },
    ])
    assert.equal(sent[0]?.headers?.authorization, `Basic ${Buffer.from('id-1:s&=cret').toString('base64')}`)
    assert.equal(sent[0]?.body, 'grant_type=client_credentials')
    assert.ok(made.kind === 'made')
    assert.deepEqual([made.token, made.expiresInSeconds], ['at-1', 600])
  })

  it('two steps: a value of the first response is used by the second, escaped in addresses', async () => {
    const method: TokenRequestMethod = {
      ...CLIENT_CREDENTIALS,
      requests: [
        { url: 'https://login.example/start', json: { user: '{client_id}' }, values: { nonce: '/nonce' } },
        {
          url: 'https://login.example/finish/{value.nonce}',
          query: { proof: '{computed.proof}' },
          method: 'GET',
          values: { token: { header: 'X-Token' } },
        },
      ],
      computed: { proof: { text: '{value.nonce}', hmac: 'sha256', key: '{client_secret}', encoding: 'hex' } },
      token: { value: '{value.token}', lifetime_seconds: 3600 },
    }
    const { made, sent } = await run(method, [{ body: { nonce: 'a/b' } }, { headers: { 'x-token': 'at-2' } }])
    const proof = createHmac('sha256', FIELDS.client_secret).update('a/b').digest('hex')
    assert.equal(sent[1]?.url, `https://login.example/finish/a%2Fb?proof=${proof}`)
    assert.ok(made.kind === 'made' && made.token === 'at-2')
  })

  it('a token in a text, a JSON string, a cookie, and XML', async () => {
    const cases = [
      [{ response: 'text', values: { token: '' } }, { body: ' at-text\n' }, 'at-text'],
      [{ values: { token: '' } }, { body: '"at-string"' }, 'at-string'],
      [
        { values: { token: { cookie: 'sid' } } },
        { headers: { 'set-cookie': 'a=b; Expires=Thu, 01 Jan 2027 00:00:00 GMT,sid=at-cookie; Path=/' } },
        'at-cookie',
      ],
      [
        { response: 'text', values: { token: { at: '', pattern: '[^]*<id>(?<value>[^<]+)</id>[^]*' } } },
        { body: '<r><id>at-xml</id></r>' },
        'at-xml',
      ],
    ] as const
    for (const [changes, reply, expected] of cases) {
      const { made } = await run(first(CLIENT_CREDENTIALS, changes), [reply])
      assert.equal(made.kind === 'made' && made.token, expected)
    }
  })

  it('a value that becomes a host must match its pattern, and is part of the tenant', async () => {
    const method = first(CLIENT_CREDENTIALS, {
      values: {
        token: '/access_token',
        instance: { at: '/instance_url', pattern: 'https://(?<value>[a-z]+)\\.example', address: true },
      },
    })
    const linked = await run(method, [{ body: { access_token: 'at', instance_url: 'https://acme.example' } }])
    assert.ok(linked.made.kind === 'made')
    assert.deepEqual(linked.made.tenant, { instance: 'acme' })
    const stray = await run(method, [
      { body: { access_token: 'at', instance_url: 'https://acme.example.evil' } },
    ])
    assert.equal(stray.made.kind, 'unavailable')
  })

  it('never sends anything to an origin that the file does not allow', async () => {
    const method = first(CLIENT_CREDENTIALS, { url: 'https://{tenant.host}/token' })
    await assert.rejects(run(method, [], { tenant: { host: 'evil.example' } }), /must not be requested from/)
  })
})

describe('assertions', () => {
  const fields = { client_id: 'issuer', key: PEM }
  const method: TokenRequestMethod = {
    type: 'token_request',
    fields: [
      { name: 'client_id', label: 'Client ID', secret: false },
      { name: 'key', label: 'Key', secret: true, private_key: { type: 'rsa' } },
    ],
    assertions: {
      login: {
        algorithm: 'RS256',
        key: 'key',
        claims: {
          iss: '{client_id}.{fingerprint.key}',
          iat: '{jwt.issued_at}',
          exp: '{jwt.expires_at}',
          jti: '{jwt.id}',
        },
        lifetime_seconds: 300,
        backdate_seconds: 60,
      },
    },
    requests: [],
    token: { value: '{assertion.login}', lifetime_seconds: 240 },
  }

  it('without requests, the assertion is the token; its claims are signed with the key', async () => {
    const { made } = await run(method, [], { fields })
    assert.ok(made.kind === 'made')
    const [header = '', claims = '', signature = ''] = made.token.split('.')
    const isValid = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      createPublicKey(privateKey),
      Buffer.from(signature, 'base64url'),
    )
    assert.ok(isValid)
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
    const issuedAt = NOW.getTime() / 1000 - 60
    assert.deepEqual(JSON.parse(Buffer.from(claims, 'base64url').toString()), {
      iss: `issuer.SHA256:${createHash('sha256').update(spki).digest('base64')}`,
      iat: issuedAt,
      exp: issuedAt + 300,
      jti: MOMENT.id,
    })
    assert.equal(made.expiresInSeconds, 240)
  })

  it('HS256 decodes a secret that is hexadecimal', async () => {
    const hex: TokenRequestMethod = {
      ...method,
      fields: [{ name: 'key', label: 'Key', secret: true }],
      assertions: {
        login: {
          algorithm: 'HS256',
          key: 'key',
          key_encoding: 'hex',
          claims: { a: 1 },
          lifetime_seconds: 60,
        },
      },
    }
    const { made } = await run(hex, [], { fields: { key: '00ff' } })
    assert.ok(made.kind === 'made')
    const [header, claims, signature] = made.token.split('.')
    const expected = createHmac('sha256', Buffer.from('00ff', 'hex')).update(`${header}.${claims}`)
    assert.equal(signature, expected.digest('base64url'))
  })
})

describe('failures', () => {
  const cases: [string, Reply, object][] = [
    [
      'invalid_client ends the credential',
      { status: 401, body: { error: 'invalid_client' } },
      { kind: 'refused', isFinal: true },
    ],
    [
      'invalid_grant ends it too',
      { status: 400, body: { error: 'invalid_grant' } },
      { kind: 'refused', isFinal: true },
    ],
    ['a bare 401 does not', { status: 401, body: 'nope' }, { kind: 'refused', isFinal: false }],
    [
      'an error with status 200',
      { body: { error: 'locked', access_token: 'x' } },
      { kind: 'refused', isFinal: false },
    ],
    [
      'a server error',
      { status: 500, body: { error: 'invalid_client' } },
      { kind: 'unavailable', timedOut: false },
    ],
    ['a rate limit', { status: 429 }, { kind: 'unavailable', timedOut: false }],
    ['a redirect', { status: 302 }, { kind: 'unavailable', timedOut: false }],
    ['an unreadable response', { body: '<html>' }, { kind: 'unavailable', timedOut: false }],
    ['a response without a token', { body: {} }, { kind: 'unavailable', timedOut: false }],
    [
      'a token that no header can carry',
      { body: { access_token: 'a\nb' } },
      { kind: 'unavailable', timedOut: false },
    ],
    ['a timeout', new EgressError('timeout', 'late'), { kind: 'unavailable', timedOut: true }],
  ]
  for (const [title, reply, expected] of cases)
    it(title, async () => assert.deepEqual((await run(CLIENT_CREDENTIALS, [reply])).made, expected))

  it('errors and statuses that the file declares end the credential', async () => {
    const method = { ...CLIENT_CREDENTIALS, rejections: { statuses: [403], errors: ['key_deleted'] } }
    for (const reply of [{ status: 403 }, { body: { error: 'key_deleted' } }])
      assert.deepEqual((await run(method, [reply])).made, { kind: 'refused', isFinal: true })
  })

  it('a rejected assertion does not end the credential if the clocks differ, which the time of the response shows', async () => {
    const method: TokenRequestMethod = {
      ...first(CLIENT_CREDENTIALS, { form: { assertion: '{assertion.grant}' } }),
      assertions: {
        grant: {
          algorithm: 'HS256',
          key: 'client_secret',
          claims: { exp: '{jwt.expires_at}' },
          lifetime_seconds: 60,
        },
      },
    }
    const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toUTCString()
    const verdict = async (of: TokenRequestMethod, headers: Record<string, string>) => {
      const { made } = await run(of, [{ status: 400, body: { error: 'invalid_grant' }, headers }])
      return made.kind === 'refused' && made.isFinal
    }
    assert.equal(await verdict(method, { date: after(600) }), false)
    assert.equal(await verdict(method, { date: after(-600) }), false)
    assert.equal(await verdict(method, { date: after(5) }), true)
    assert.equal(await verdict(method, {}), true)
    assert.equal(await verdict(method, { date: 'yesterday' }), true)
    assert.equal(await verdict(CLIENT_CREDENTIALS, { date: after(600) }), true, 'no time is signed')
  })

  it('a success flag that is not set', async () => {
    const method = first(CLIENT_CREDENTIALS, { ok: '/success' })
    const { made } = await run(method, [{ body: { success: false, access_token: 'at' } }])
    assert.equal(made.kind, 'refused')
  })
})

describe('lifetimes', () => {
  const lifetimeOf = async (token: Partial<TokenRequestMethod['token']>, stated: unknown) => {
    const { expires_in: _, ...rest } = CLIENT_CREDENTIALS.token
    const method = { ...CLIENT_CREDENTIALS, token: { ...rest, ...token } }
    const { made } = await run(method, [{ body: { access_token: 'at', expires_in: stated } }])
    return made.kind === 'made' && made.expiresInSeconds
  }
  const inSeconds = { expires_in: { value: 'lifetime', unit: 'seconds' } } as const
  const at = (format: 'iso' | 'seconds' | 'milliseconds') => ({ expires_at: { value: 'lifetime', format } })

  it('is at most the maximum of the file', async () => {
    assert.equal(await lifetimeOf(inSeconds, 999_999), 3600)
    assert.equal(await lifetimeOf(at('iso'), '2030-01-01T00:00:00Z'), 3600)
  })

  it('reads seconds, milliseconds, and times in three formats', async () => {
    assert.equal(await lifetimeOf(inSeconds, '120'), 120)
    assert.equal(await lifetimeOf({ expires_in: { value: 'lifetime', unit: 'milliseconds' } }, 120_000), 120)
    assert.equal(await lifetimeOf(at('iso'), '2026-11-19T12:02:00Z'), 120)
    assert.equal(await lifetimeOf(at('seconds'), NOW.getTime() / 1000 + 120), 120)
    assert.equal(await lifetimeOf(at('milliseconds'), NOW.getTime() + 120_000), 120)
  })

  it('ignores what is missing, unreadable or already over, as with a wrong clock', async () => {
    for (const stated of [undefined, 'soon', 0, -5]) assert.equal(await lifetimeOf(inSeconds, stated), 3600)
    assert.equal(await lifetimeOf(at('iso'), '2026-11-19T11:59:00Z'), 3600)
  })
})
