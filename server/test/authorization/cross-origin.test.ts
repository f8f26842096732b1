// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { issuerOf, joinSignInService, resourceOf, type SignInService } from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

const ORIGIN = { origin: 'https://playground.example.com' }

describe('MCP clients that run in a page of another origin', () => {
  let service: SignInService
  let t: TestService
  before(async () => {
    service = await joinSignInService()
    ;({ t } = service)
  })
  after(() => service.stop())
  const open = () => [
    resourceOf(t),
    resourceOf(t).replace('/mcp/', '/.well-known/oauth-protected-resource/mcp/'),
    `${issuerOf(t)}/.well-known/oauth-authorization-server`,
    ...['register', 'token', 'revoke'].map(name => `${issuerOf(t)}/${name}`),
  ]
  const allowed = (headers: Headers) => headers.get('access-control-allow-origin')

  test('preflight of every address that a client calls: any origin and the requested headers are allowed', async () => {
    for (const url of open()) {
      const { status, headers } = await t.call('OPTIONS', url, {
        key: null,
        headers: {
          ...ORIGIN,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
        },
      })
      assert.deepEqual([status, allowed(headers)], [204, '*'], url)
      assert.match(headers.get('access-control-allow-methods') ?? '', /POST/)
      assert.equal(
        headers.get('access-control-allow-headers'),
        'authorization,content-type,mcp-protocol-version',
      )
    }
  })

  test('responses: readable from any origin, errors and the challenge of a 401 included', async () => {
    for (const url of open()) {
      const method = url.includes('.well-known') ? 'GET' : 'POST'
      const { status, headers } = await t.call(method, url, { key: null, headers: ORIGIN })
      assert.equal(allowed(headers), '*', url)
      if (status !== 401) continue
      assert.match(headers.get('access-control-expose-headers') ?? '', /www-authenticate/)
      assert.ok(headers.has('www-authenticate'))
    }
  })

  test('addresses that read a cookie or take keys: pages of other origins cannot read them', async () => {
    const withKey = `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${(await t.createUser()).id}/mcp`
    for (const [method, url, status] of [
      ['GET', `${issuerOf(t)}/authorize`, 400],
      ['POST', `${issuerOf(t)}/requests/any/allow`, 403],
      ['POST', withKey, 403],
      ['GET', '/api/v1/registered-users', 200],
    ] as const) {
      const answer = await t.call(method, url, { headers: ORIGIN })
      assert.deepEqual([answer.status, allowed(answer.headers)], [status, null], url)
    }
    const preflight = await t.call('OPTIONS', withKey, { key: null, headers: ORIGIN })
    assert.equal(allowed(preflight.headers), null)
  })
})
