import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectorTool } from '@carabiner/contract'
import { isRefusal } from '../../../core/refusal.ts'
import { buildRequest } from './tool-request.ts'

const tool = (
  request: Partial<ConnectorTool['request']>,
  rest: Partial<ConnectorTool> = {},
): ConnectorTool => ({
  name: 'do_it',
  title: 'Do it',
  description: 'Does it.',
  input_schema: { type: 'object' },
  scopes: [],
  request: { method: 'GET', url: 'https://api.example.com/v1/things', ...request },
  read_only: true,
  ...rest,
})
const thing = tool({
  method: 'POST',
  url: 'https://api.example.com/v1/{owner}/things/{id}.json',
  query: { q: '{q}' },
  headers: { 'X-From': '{from}' },
  body: { text: '{text}' },
})

/** A deterministic generator, so that every run uses the same hostile texts. */
const hostile = (seed: number): string => {
  const parts = [
    '/',
    '..',
    '.',
    '%2e',
    '%2F',
    '\\',
    '?',
    '#',
    '@',
    ':',
    '//evil.example',
    '&x=1',
    '=',
    ';',
    '+',
    ' ',
    '\t',
    'é',
    '☃',
    '\u202e',
    '😀',
    '{id}',
    '{tenant.site}',
    '\0',
    '\r\n',
    '\ud800',
    '[',
    ']',
    '|',
    '"',
    "'",
    '<',
    'a',
    '0',
  ]
  let state = seed
  const next = (): number => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state
  }
  return Array.from({ length: 1 + (next() % 6) }, () => parts[next() % parts.length]).join('')
}

test('tool request: no argument can change host, path, parameter names or headers', () => {
  let built = 0
  for (let seed = 1; seed <= 3000; seed++) {
    const [owner, id, q, text] = [hostile(seed), hostile(seed + 7), hostile(seed + 13), hostile(seed + 29)]
    let request: ReturnType<typeof buildRequest>
    try {
      request = buildRequest({}, thing, { owner, id, q, text, from: 'me' }, {})
    } catch (error) {
      assert.ok(isRefusal(error, 'invalid_arguments'), String(error))
      continue
    }
    built++
    const url = new URL(request.url)
    assert.equal(url.origin, 'https://api.example.com')
    assert.equal(url.username + url.password + url.hash, '')
    const segments = url.pathname.split('/')
    assert.equal(segments.length, 5, request.url)
    assert.deepEqual([segments[1], segments[3]], ['v1', 'things'])
    assert.equal(decodeURIComponent(segments[2] as string), owner.toWellFormed())
    assert.equal(decodeURIComponent(segments[4] as string), `${id.toWellFormed()}.json`)
    assert.deepEqual([...url.searchParams], [['q', q.toWellFormed()]])
    assert.deepEqual(request.headers, {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-from': 'me',
    })
    assert.deepEqual(JSON.parse(request.body as string), { text })
  }
  assert.ok(built > 2500, `${built} were built`)
})

test('tool request: a header rejects values that cannot be sent', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const from = hostile(seed)
    try {
      const { headers } = buildRequest({}, thing, { owner: 'o', id: '1', from }, {})
      assert.deepEqual(Object.keys(headers).toSorted(), ['accept', 'content-type', 'x-from'])
      assert.doesNotMatch(headers['x-from'] as string, /[\r\n\0]/)
    } catch (error) {
      assert.ok(isRefusal(error, 'invalid_arguments'), String(error))
    }
  }
})

test('tool request: an empty path argument or a dot segment is rejected by name', () => {
  for (const owner of ['.', '..', ''])
    assert.throws(
      () => buildRequest({}, thing, { owner, id: '1' }, {}),
      error => isRefusal(error, 'invalid_arguments') && error.param === 'owner',
    )
})

test('tool request: the query repeats a key for a list and omits missing values', () => {
  const { url } = buildRequest(
    {},
    tool({
      query: {
        'ids[]': '{ids}',
        $top: '{top}',
        on: '{on}',
        none: '{none}',
        'page[size]': '50',
        to: 'a b {q}',
      },
    }),
    { ids: ['a', 'b/c'], top: 5, on: false, q: 'c+d' },
    {},
  )
  assert.equal(
    url,
    'https://api.example.com/v1/things?ids%5B%5D=a&ids%5B%5D=b%2Fc&$top=5&on=false&page%5Bsize%5D=50&to=a%20b%20c%2Bd',
  )
})

test('tool request: a form encodes nested values in brackets', () => {
  const { headers, body } = buildRequest(
    {},
    tool({
      method: 'POST',
      body_type: 'form',
      body: { email: '{email}', on: '{on}', deep: { list: '{list}', gone: '{gone}' } },
    }),
    { email: 'a&b=c@x', on: true, list: ['x', { y: 1 }] },
    {},
  )
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  assert.deepEqual(
    [...new URLSearchParams(body as string)],
    [
      ['email', 'a&b=c@x'],
      ['on', 'true'],
      ['deep[list][0]', 'x'],
      ['deep[list][1][y]', '1'],
    ],
  )
})

test('tool request: a body without values is an empty object; no template means no body', () => {
  assert.equal(buildRequest({}, tool({ method: 'POST', body: { a: '{a}' } }), {}, {}).body, '{}')
  assert.equal(buildRequest({}, tool({ method: 'POST' }), {}, {}).body, null)
})

test('tool request: a header of the file overrides the default, in any case', () => {
  const { headers } = buildRequest({}, tool({ headers: { Accept: 'text/csv' } }), {}, {})
  assert.deepEqual(headers, { accept: 'text/csv' })
})

test('tool request: "cursor" is an ordinary argument of a tool without pagination', () => {
  const { url } = buildRequest({}, tool({ query: { after: '{cursor}' } }), { cursor: 'abc' }, {})
  assert.equal(url, 'https://api.example.com/v1/things?after=abc')
})

test('tool request: connector headers are sent with every request, and tool headers override them', () => {
  const connector = { headers: { Accept: 'text/csv', 'Api-Version': '7', 'Site-Id': '{tenant.site}' } }
  const { headers } = buildRequest(connector, tool({ headers: { 'api-version': '8' } }), {}, { site: 's1' })
  assert.deepEqual(headers, { accept: 'text/csv', 'api-version': '8', 'site-id': 's1' })
  assert.deepEqual(buildRequest(connector, tool({}), {}, {}).headers, {
    accept: 'text/csv',
    'api-version': '7',
  })
})

test('tool request: a text body is sent unchanged, by default as text/plain', () => {
  const request = { method: 'PUT', body_type: 'text', body: '{text}' } as const
  const plain = buildRequest({}, tool(request), { text: 'a "b"\n' }, {})
  assert.deepEqual([plain.headers['content-type'], plain.body], ['text/plain; charset=utf-8', 'a "b"\n'])
  const typed = tool({ ...request, headers: { 'Content-Type': '{type}' } })
  assert.equal(
    buildRequest({}, typed, { text: '', type: 'text/csv' }, {}).headers['content-type'],
    'text/csv',
  )
})

const related = tool({
  method: 'POST',
  body_type: 'related',
  body: [
    { type: 'application/json', content: { name: '{name}', parents: '{parents}' } },
    { type: '{type}', content: '{text}' },
  ],
})

test('tool request: a related body has one part per entry and a deterministic boundary', () => {
  const args = { name: 'a.md', type: 'text/markdown', text: '# Grüße' }
  const { headers, body } = buildRequest({}, related, args, {})
  const [, boundary] =
    /^multipart\/related; boundary=([0-9a-f]{64})$/.exec(headers['content-type'] ?? '') ?? []
  assert.deepEqual(body?.split(`--${boundary}`), [
    '',
    '\r\nContent-Type: application/json\r\n\r\n{"name":"a.md"}\r\n',
    '\r\nContent-Type: text/markdown\r\n\r\n# Grüße\r\n',
    '--\r\n',
  ])
  assert.equal(buildRequest({}, related, args, {}).body, body)
})

test('tool request: no text can add a part or a header to a related body', () => {
  const first = buildRequest({}, related, { name: 'a', type: 'text/plain', text: '' }, {}).body ?? ''
  const [guessed] = first.split('\r\n')
  for (const text of [`\r\n${guessed}--\r\n`, `\r\n${guessed}\r\nContent-Type: text/html\r\n\r\nx`, '\r\n--'])
    for (const name of ['a', text]) {
      const { headers, body } = buildRequest({}, related, { name, type: 'text/plain', text }, {})
      const boundary = headers['content-type']?.split('boundary=')[1]
      assert.equal(body?.split(`--${boundary}`).length, 4)
    }
  for (const type of ['text/plain\r\nX: y', 'text', 'a b/c', 'text/html; boundary=x'])
    assert.throws(
      () => buildRequest({}, related, { name: 'a', type, text: 'x' }, {}),
      error => isRefusal(error, 'invalid_arguments'),
    )
})

test('tool request: a text is encoded in base64 if declared', () => {
  const encoded = tool({ method: 'PUT', body: { content: { $base64: '{text}' }, message: 'm' } })
  const { body } = buildRequest({}, encoded, { text: 'Grüße\n' }, {})
  assert.deepEqual(JSON.parse(body ?? ''), { content: 'R3LDvMOfZQo=', message: 'm' })
})

test('tool request: a path of several segments keeps its slashes and cannot leave its directory', () => {
  const file = tool({
    url: 'https://api.example.com/v1/src/main/{path}',
    path_encoding: { path: 'segments' },
  })
  const built = (path: string): string => buildRequest({}, file, { path }, {}).url
  assert.equal(built('docs/a b?.md'), 'https://api.example.com/v1/src/main/docs/a%20b%3F.md')
  for (const path of ['../x', 'a/../../x', 'a//b', '/a', 'a/', '.', 'a/./b'])
    assert.throws(
      () => built(path),
      error => isRefusal(error, 'invalid_arguments') && error.param === 'path',
      path,
    )
})

test('tool request: a value with a slash is encoded twice where the vendor decodes paths before routing', () => {
  const meeting = tool({
    url: 'https://api.example.com/v1/meetings/{uuid}',
    path_encoding: { uuid: 'slash_twice' },
  })
  const built = (uuid: string): string => buildRequest({}, meeting, { uuid }, {}).url
  assert.equal(built('/a//b=='), 'https://api.example.com/v1/meetings/%252Fa%252F%252Fb%253D%253D')
  assert.equal(built('ab+c=='), 'https://api.example.com/v1/meetings/ab%2Bc%3D%3D')
})
