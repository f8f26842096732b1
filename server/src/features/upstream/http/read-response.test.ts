import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectorFile, type ConnectorTool, describeError } from '@carabiner/contract'
import { type RequestContext, readResponse } from './read-response.ts'

const connector = {
  name: 'Acme',
  errors: {
    unauthorized: ['token_revoked'],
    insufficient_scope: ['missing_scope'],
    missing_scopes: '/needed',
  },
} as ConnectorFile
const tool = (rest: Partial<ConnectorTool> = {}): ConnectorTool => ({
  name: 'list',
  title: 'List',
  description: 'Lists.',
  input_schema: { type: 'object' },
  scopes: [],
  request: { method: 'GET', url: 'https://api.example.com/things' },
  read_only: true,
  ...rest,
})
const context: RequestContext = {
  url: 'https://api.example.com/things',
  cursor: undefined,
  secrets: ['sk_live_12345'],
}

type Sent = { status?: number; type?: string; body?: string | Buffer; headers?: Record<string, string> }
const read = (sent: Sent, rest: Partial<ConnectorTool> = {}, file: Partial<ConnectorFile> = {}) => {
  const { status = 200, type = 'application/json', body = '', headers = {} } = sent
  const answer = {
    status,
    headers: { ...(type && { 'content-type': type }), ...headers },
    body: Buffer.from(body as string),
  }
  return readResponse({ ...connector, ...file }, tool(rest), answer, context)
}
const valueOf = (sent: Sent, rest?: Partial<ConnectorTool>): unknown => {
  const answer = read(sent, rest)
  assert.equal(answer.kind, 'result')
  return answer.kind === 'result' ? answer.value : null
}
const messageOf = (sent: Sent, rest?: Partial<ConnectorTool>): string => {
  const answer = read(sent, rest)
  assert.equal(answer.kind, 'failed')
  return answer.kind === 'failed' ? answer.refusal.message : ''
}

const bodies: [name: string, Sent, unknown][] = [
  ['JSON', { body: '{"a":1}' }, { a: 1 }],
  ['a JSON list', { body: '[1,2]' }, { items: [1, 2] }],
  ['a JSON scalar', { body: 'true' }, { value: true }],
  ['JSON null', { body: 'null' }, {}],
  ['an empty response', { status: 204, type: '', body: '' }, {}],
  [
    'JSON with a vendor content type',
    { type: 'application/vnd.acme+json; charset=utf-8', body: '{"a":1}' },
    { a: 1 },
  ],
  [
    'a raw file with a vendor content type',
    { type: 'application/vnd.github.raw+json', body: '# Read me' },
    { text: '# Read me' },
  ],
  ['text', { type: 'text/plain; charset=utf-8', body: 'Grüße' }, { text: 'Grüße' }],
  [
    'text in an old charset',
    { type: 'text/plain; charset=iso-8859-1', body: Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]) },
    { text: 'Grüße' },
  ],
  ['text in an unknown charset', { type: 'text/csv; charset=klingon', body: 'a,b' }, { text: 'a,b' }],
  ['JSON labeled as text', { type: 'text/plain', body: '{"a":1}' }, { a: 1 }],
  ['text that looks like JSON', { type: 'text/plain', body: '[draft] hello' }, { text: '[draft] hello' }],
  ['a raw file of text', { type: 'application/octet-stream', body: '# Grüße' }, { text: '# Grüße' }],
  ['no content type', { type: '', body: 'hello' }, { text: 'hello' }],
  [
    'no content type, and not text',
    { type: '', body: Buffer.from([1, 0, 2]) },
    {
      note: 'Acme returned a file, which cannot be shown.',
      content_type: 'application/octet-stream',
      bytes: 3,
    },
  ],
  [
    'a file',
    { type: 'application/pdf', body: '%PDF-' },
    {
      note: 'Acme returned a file, which cannot be shown.',
      content_type: 'application/pdf',
      bytes: 5,
    },
  ],
]
for (const [name, sent, expected] of bodies)
  test(`${name}: the result is an object`, () => assert.deepEqual(valueOf(sent), expected))

test('response: malformed JSON is an error', () => {
  assert.equal(messageOf({ body: '<html>' }), 'Acme returned invalid JSON.')
})

test('response: the declared fields of each item are kept, including nested lists', () => {
  const result = {
    at: '/data',
    fields: { id: '/id', labels: '/labels/*/name', owner: '/owner/login', gone: '/x/y' },
  }
  const body = JSON.stringify({
    data: [
      { id: 1, labels: [{ name: 'a' }, { x: 1 }, { name: 'b' }], owner: { login: 'ana' }, secret: 's' },
      null,
    ],
  })
  assert.deepEqual(valueOf({ body }, { result }), {
    items: [{ id: 1, labels: ['a', 'b'], owner: 'ana' }, null],
  })
  assert.deepEqual(valueOf({ body: '{"data":{"id":2}}' }, { result }), { id: 2 })
  assert.deepEqual(valueOf({ body: '{}' }, { result }), {})
})

test('response: declared base64 is decoded, and binary content is omitted', () => {
  const encode = (bytes: string | Buffer): string => Buffer.from(bytes as string).toString('base64url')
  const body = JSON.stringify({
    body: encode('Grüße ÿ?>'),
    parts: [
      { data: encode('plain') },
      { data: encode(Buffer.from([0x89, 0x50, 0xff, 0])) },
      { x: 1 },
      { data: 7 },
    ],
  })
  const fields = { body: 'base64:/body', texts: 'base64:/parts/*/data', none: 'base64:/gone' }
  assert.deepEqual(valueOf({ body }, { result: { fields } }), { body: 'Grüße ÿ?>', texts: ['plain'] })
})

test('response: texts of several locations are joined if declared', () => {
  const body = '{"parts":[{"runs":[{"t":"a"},{"t":"b"}]},{},{"runs":[{"t":7},{"t":"c"}]}]}'
  const fields = { text: 'text:/parts/*/runs/*/t', none: 'text:/gone', empty: 'text:/parts/*/gone' }
  assert.deepEqual(valueOf({ body }, { result: { fields } }), { text: 'abc', empty: '' })
})

test('response: a paginated tool returns items and the cursor of the next page', () => {
  const paged: Partial<ConnectorTool> = {
    result: { at: '/data', fields: { id: '/id' } },
    pagination: { type: 'cursor', parameter: 'after', next: '/next' },
  }
  assert.deepEqual(valueOf({ body: '{"data":[{"id":1,"x":2}],"next":"n"}' }, paged), {
    items: [{ id: 1 }],
    next_cursor: 'n',
  })
  assert.deepEqual(valueOf({ body: '{}' }, paged), { items: [], next_cursor: null })
})

test('response: an error with status 200 is detected, and declared error codes are mapped', () => {
  const result = { ok: '/ok', error: '/error' }
  assert.match(
    messageOf({ body: '{"ok":false,"error":"channel_not_found"}' }, { result }),
    /^Acme rejected the request: "channel_not_found"/,
  )
  assert.match(messageOf({ body: '{"ok":false}' }, { result }), /without a reason/)
  assert.equal(read({ body: '{"ok":false,"error":"token_revoked"}' }, { result }).kind, 'unauthorized')
  assert.deepEqual(read({ body: '{"ok":false,"error":"missing_scope"}' }, { result }), {
    kind: 'insufficient_scope',
    scopes: [],
  })
  assert.deepEqual(
    read({ body: '{"ok":false,"error":"missing_scope","needed":"groups:read,im:read"}' }, { result }),
    { kind: 'insufficient_scope', scopes: ['groups:read', 'im:read'] },
  )
  assert.deepEqual(valueOf({ body: '{"ok":true}' }, { result }), { ok: true })
  const graphql = { at: '/data', error: '/errors/0/message' }
  assert.match(
    messageOf({ body: '{"data":null,"errors":[{"message":"No such issue"}]}' }, { result: graphql }),
    /No such issue/,
  )
  assert.deepEqual(valueOf({ body: '{"data":{"a":1}}' }, { result: graphql }), { a: 1 })
})

test('response: an error without a text at the declared location uses one found elsewhere', () => {
  const result = { ok: '/data/update/item', error: '/data/update/userErrors/0/message' }
  const body = '{"data":{"update":null},"errors":[{"message":"Access denied for sk_live_12345"}]}'
  assert.match(
    messageOf({ body }, { result }),
    /^Acme rejected the request: "Access denied for \[credential\]"/,
  )
  // Text from another location is shown, but does not decide whether the credential is invalid.
  const code = '{"data":null,"errors":[{"message":"token_revoked"}]}'
  assert.match(messageOf({ body: code }, { result }), /^Acme rejected the request: "token_revoked"/)
})

test('response: a revocation that the file declares is distinguished from 401', () => {
  const errors = { code: '/code', revoked: ['revoked'] }
  assert.equal(read({ status: 401, body: '{"code":"revoked"}' }, {}, { errors }).kind, 'revoked')
  assert.equal(read({ status: 401, body: '{"code":"expired"}' }, {}, { errors }).kind, 'unauthorized')
  assert.equal(read({ status: 401, body: 'revoked' }, {}, { errors }).kind, 'unauthorized')
  const result = { ok: '/ok', error: '/error' }
  assert.equal(read({ body: '{"ok":false,"error":"revoked"}' }, { result }, { errors }).kind, 'revoked')
  assert.equal(read({ status: 401, body: '{"error":"revoked"}' }, { result }, { errors }).kind, 'revoked')
})

test('response: 401 and insufficient_scope are distinguished from other errors', () => {
  assert.equal(read({ status: 401, body: '{}' }).kind, 'unauthorized')
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope"' }
  assert.deepEqual(read({ status: 403, headers, body: '{}' }), { kind: 'insufficient_scope', scopes: [] })
  const naming = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="a:read b:write"' }
  assert.deepEqual(read({ status: 403, headers: naming, body: '{}' }), {
    kind: 'insufficient_scope',
    scopes: ['a:read', 'b:write'],
  })
  assert.equal(read({ status: 403, body: '{}' }).kind, 'failed')
})

const messages: [body: string, message: string][] = [
  ['{"message":"Validation Failed","errors":[{"field":"title"}]}', 'Validation Failed'],
  ['{"error":{"code":404,"message":"Not found."}}', 'Not found.'],
  ['{"errorMessages":["No project"],"errors":{}}', 'No project'],
  ['{"errors":[{"message":"Bad gid"}]}', 'Bad gid'],
  ['{"error":"invalid_grant","error_description":"It ended"}', 'It ended'],
  ['[{"message":"Unknown field","errorCode":"X"}]', 'Unknown field'],
  ['{"error":"nope"}', 'nope'],
  ['"just a text"', 'just a text'],
]
for (const [body, message] of messages)
  test(`response: the error message of ${body} is ${message}`, () => {
    assert.equal(
      messageOf({ status: 422, body }),
      `Acme responded with status 422: "${message}". Change the arguments; the same call will fail again.`,
    )
  })

test('response: a 4xx is for the caller to correct, and a 5xx is a failure of the provider', () => {
  const typeOf = (status: number) => {
    const answer = read({ status, body: '{}' })
    assert.ok(answer.kind === 'failed')
    const { code, retryable, carriedOut } = answer.refusal
    return [code, describeError(code).type, retryable, carriedOut].join(' ')
  }
  for (const status of [400, 405, 409, 413, 415, 422])
    assert.equal(typeOf(status), 'third_party_rejected validation_error false no', String(status))
  for (const status of [402, 403, 451])
    assert.equal(typeOf(status), 'third_party_forbidden permission_error false no', String(status))
  for (const status of [404, 410])
    assert.equal(typeOf(status), 'third_party_not_found not_found false no', String(status))
  assert.equal(typeOf(429), 'third_party_rate_limited rate_limit true no')
  assert.equal(typeOf(408), 'third_party_error internal_error true no')
  assert.equal(typeOf(302), 'third_party_error internal_error false no')
  for (const status of [500, 502, 503, 599])
    assert.equal(typeOf(status), 'third_party_error internal_error true unknown', String(status))
})

test('response: the quoted provider message is one short line without the credential', () => {
  const long = messageOf({
    status: 400,
    body: JSON.stringify({ message: `key sk_live_12345 is\r\n\u202ebad ${'x'.repeat(1000)}` }),
  })
  assert.match(long, /"key \[credential\] is bad x+…"/)
  assert.ok(long.length < 400)
  assert.equal(
    messageOf({ status: 502, type: 'text/html', body: '<html><h1>Bad gateway' }),
    'Acme responded with status 502. Trying again later may help.',
  )
  assert.equal(
    messageOf({ status: 400, type: 'text/plain', body: 'Missing x' }),
    'Acme responded with status 400: "Missing x". Change the arguments; the same call will fail again.',
  )
})

test('response: Retry-After is reported, as seconds or as a date', () => {
  const wait = (headers: Record<string, string>) => read({ status: 429, headers, body: '{}' })
  const refusals = [
    wait({ 'retry-after': '30' }),
    wait({ 'retry-after': 'Sun, 15 Nov 2026 08:00:30 GMT', date: 'Sun, 15 Nov 2026 08:00:00 GMT' }),
  ]
  for (const answer of refusals) {
    assert.ok(answer.kind === 'failed')
    assert.equal(
      answer.refusal.message,
      'Acme responded with status 429. Wait at least 30 seconds before you retry.',
    )
    assert.equal(answer.refusal.retryAfterSeconds, 30)
  }
  for (const invalid of ['soon', '-5', '99999999999999999999', '']) {
    const answer = wait({ 'retry-after': invalid })
    assert.ok(answer.kind === 'failed')
    assert.match(answer.refusal.message, /Trying again later may help/)
  }
})

test('response: a redirect is reported without its location', () => {
  const message = messageOf({ status: 302, headers: { location: 'https://evil.example/' }, body: '' })
  assert.match(message, /status 302, a redirect, which is not followed/)
  assert.doesNotMatch(message, /evil/)
})
