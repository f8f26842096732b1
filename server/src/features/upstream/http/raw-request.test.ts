import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import { isRefusal } from '../../../core/refusal.ts'
import { buildRawRequest, type RequestRules, rawRequestAddress, toolsOfRequest } from './raw-request.ts'

const connector = (urls: string[], more: object = {}): ConnectorFile =>
  ({
    slug: 'acme',
    headers: { 'X-Version': '1' },
    credential_origins: ['https://other.example', 'https://api.example.com'],
    tools: urls.map((url, index) => ({ name: `tool_${index}`, request: { method: 'GET', url } })),
    ...more,
  }) as unknown as ConnectorFile
const api = connector(['https://api.example.com/v1/items/{id}'])
const rules: RequestRules = { methods: ['GET', 'POST', 'DELETE'], paths: ['/v1/**'] }
const build = (args: Record<string, unknown>, of = api, tenant: Record<string, string> = {}) =>
  buildRawRequest(of, rules, args, tenant)
const rejects = (args: Record<string, unknown>, param: string) =>
  assert.throws(
    () => build(args),
    error => isRefusal(error, 'invalid_arguments') && error.param === param,
    JSON.stringify(args),
  )

describe('a raw request', () => {
  it('goes to the address that most tools of the connector use, up to the last tenant value', () => {
    for (const [urls, address] of [
      [['https://api.example.com/v1/items/{id}'], 'https://api.example.com'],
      [
        [
          'https://id.example.com/me',
          'https://{tenant.site}.example.com/a',
          'https://{tenant.site}.example.com/b',
        ],
        'https://{tenant.site}.example.com',
      ],
      [
        [
          'https://api.example.com/ex/{tenant.cloud}/rest/{id}',
          'https://api.example.com/ex/{tenant.cloud}/rest',
        ],
        'https://api.example.com/ex/{tenant.cloud}',
      ],
      [['https://api.example.com/t-{tenant.cloud}.x/rest'], 'https://api.example.com/t-{tenant.cloud}.x'],
      [[], 'https://other.example'],
    ] as const)
      assert.equal(rawRequestAddress(connector([...urls])), address)
    assert.equal(rawRequestAddress(connector([], { mcp: { url: 'https://api.example.com' } })), null)
    assert.equal(rawRequestAddress(connector([], { tools: [{ name: 'request' }] })), null)
  })

  it('takes a few headers of its caller, which replace those of the connector', () => {
    const headers = { Accept: 'text/csv', 'If-Match': '"1"', 'content-type': 'application/merge-patch+json' }
    const { headers: sent } = build({ method: 'POST', path: '/v1/items', body: {}, headers })
    assert.deepEqual(sent, {
      accept: 'text/csv',
      'x-version': '1',
      'if-match': '"1"',
      'content-type': 'application/merge-patch+json',
    })
    for (const [name, value] of [
      ['authorization', 'Bearer x'],
      ['x-version', '2'],
      ['Host', 'evil.example'],
      ['transfer-encoding', 'chunked'],
      ['x-http-method-override', 'DELETE'],
      ['accept ', '*/*'],
      ['__proto__', 'x'],
      ['accept', ''],
      ['accept', 'a\r\nb: c'],
      ['accept', 'é'],
      ['accept', 'x'.repeat(1001)],
      ['content-type', 'text/plain'],
      ['content-type', 'multipart/form-data; boundary=x'],
    ] as const)
      rejects({ path: '/v1/items', headers: Object.fromEntries([[name, value]]) }, `headers.${name}`)
  })

  it('is built from method, path, query and body, with the headers of the connector', () => {
    assert.deepEqual(build({ path: '/v1/items', query: { q: 'a&b=c', n: 2, tag: ['x', 'y'] } }), {
      method: 'GET',
      url: 'https://api.example.com/v1/items?q=a%26b%3Dc&n=2&tag=x&tag=y',
      headers: { accept: 'application/json', 'x-version': '1' },
      body: null,
    })
    const sent = build({ method: 'POST', path: '/v1/items', body: { text: '{id} {tenant.site}' } })
    assert.equal(sent.body, '{"text":"{id} {tenant.site}"}')
    assert.equal(sent.headers['content-type'], 'application/json')
  })

  it('stays below the address of the tenant', () => {
    const tenants = connector(['https://api.example.com/ex/{tenant.cloud}/rest'])
    assert.equal(
      build({ path: '/v1/x' }, tenants, { cloud: 'c-1' }).url,
      'https://api.example.com/ex/c-1/v1/x',
    )
    assert.throws(() => build({ path: '/v1/x' }, tenants, { cloud: '..' }), /not a valid part/)
  })

  it('is rejected if the pack does not allow its method or path, or the method has no body', () => {
    rejects({ method: 'PUT', path: '/v1/items' }, 'method')
    rejects({ method: 'get', path: '/v1/items' }, 'method')
    rejects({ method: 'DELETE', path: '/v1/items', body: {} }, 'body')
    rejects({ path: '/v1/items', body: 'x' }, 'body')
    for (const path of [
      '/v2/items',
      '/v1',
      '/',
      '/v1/../v2',
      '//v1/items',
      '/v1/%2e%2e/v2',
      'https://evil.example/v1/x',
      '/v1/a\\..\\b',
      5,
      null,
    ])
      rejects({ path }, 'path')
  })
})

describe('the tools of a raw request', () => {
  const named = (name: string, method: string, path: string, readOnly = false) => ({
    name,
    read_only: readOnly,
    request: { method, url: `https://api.example.com${path}` },
  })
  const acme = connector([], {
    tools: [
      named('send', 'POST', '/v1/users/me/messages'),
      named('reply', 'POST', '/v1/users/{user}/messages?reply={id}'),
      named('read', 'GET', '/v1/items/{id}', true),
      named('export', 'GET', '/v1/exports/{id}.csv'),
      named('delete', 'DELETE', '/v1/items/{id}'),
    ],
  })
  const toolsOf = (args: Record<string, unknown>) => {
    const { isRead, tools } = toolsOfRequest(acme, rules, args)
    return [isRead, ...tools.map(({ name }) => name)]
  }

  it('are those with the same method and path, whatever their parameters and the case of the path', () => {
    for (const [args, expected] of [
      [{ method: 'POST', path: '/v1/users/me/messages' }, [false, 'send', 'reply']],
      [{ method: 'POST', path: '/V1/Users/ME/messages/' }, [false, 'send', 'reply']],
      [{ method: 'POST', path: '/v1/users/7/messages' }, [false, 'reply']],
      [{ method: 'POST', path: '/v1/users/%6De/messages' }, [false, 'send', 'reply']],
      [{ path: '/v1/items/7' }, [true, 'read']],
      [{ method: 'DELETE', path: '/v1/items/7' }, [false, 'delete']],
      [{ method: 'GET', path: '/v1/exports/7.csv' }, [false, 'export']],
      [{ path: '/v1/items/7/8' }, [true]],
      [{ path: '/v1/../v1/items/7' }, [true]],
    ] as const)
      assert.deepEqual(toolsOf(args), expected, JSON.stringify(args))
  })
})
