// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { createBrowserUser } from '../support/browser-user.ts'
import { installMcpClients, startMcpClient } from '../support/mcp-clients.ts'
import {
  configureSignIn,
  joinSignInService,
  REDIRECT_URI,
  resourceOf,
  type SignInService,
  signInAndAllow,
  signInAtProvider,
} from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

describe('MCP clients that know only the address', () => {
  let t: TestService
  let provider: SignInService['provider']
  let stop: SignInService['stop']
  before(async () => {
    await installMcpClients()
    ;({ t, provider, stop } = await joinSignInService())
  })
  after(() => stop?.())

  for (const [program, name] of [
    ['sdk-signing-in', 'official SDK, version 1'],
    ['client-signing-in', 'official SDK, version 2'],
  ] as const)
    test(`${name}: signs in, lists tools, and refreshes an expired token`, async () => {
      const client = await startMcpClient(program, {
        address: resourceOf(t),
        key: '',
        environment: { REDIRECT_URI },
      })
      try {
        await assert.rejects(client.request('connect'))
        const { url } = await client.until('authorize')
        const response = await signInAndAllow(url)
        assert.equal(response.get('state'), 'state-of-the-client')
        await client.request('finish', response.toString())
        assert.ok((await client.request('list')).includes('sandbox-notes__list_notes'))
        await t.query(`update access_tokens set expires_at = now() - interval '1 second'`)
        assert.ok((await client.request('list')).includes('sandbox-notes__list_notes'))
        // A client whose stream of messages is interrupted at the same time refreshes for it too.
        const tokens = client.events.filter(({ event }) => event === 'tokens').map(({ count }) => count)
        assert.deepEqual(tokens.slice(0, 2), [1, 2])
      } finally {
        await client.stop()
      }
    })

  for (const [program, name, shownName] of [
    ['mcp-remote-signing-in', 'mcp-remote', /MCP CLI Proxy|mcp-remote/i],
    ['inspector-signing-in', 'MCP Inspector', /inspector/i],
  ] as const)
    test(`${name}: signs in and lists tools`, async () => {
      const CALLBACK_URL = `http://127.0.0.1:${await freePort()}/oauth/callback`
      const client = await startMcpClient(program, {
        address: resourceOf(t),
        key: '',
        environment: { CALLBACK_URL },
      })
      try {
        const { url } = await client.until('authorize')
        const browser = createBrowserUser()
        const consent = await signInAtProvider(browser, url)
        assert.match(consent.html, shownName)
        const done = await browser.submit(consent, /\/allow/)
        assert.equal(done.status, 200)
        assert.ok((await client.request('list')).includes('sandbox-notes__list_notes'))
      } finally {
        await client.request('close').catch(() => undefined)
        await client.stop()
      }
    })

  test('mcp-remote: gets access_denied with a description when a rejected person returns', async () => {
    await configureSignIn(t, provider, { create_users: false })
    const CALLBACK_URL = `http://127.0.0.1:${await freePort()}/oauth/callback`
    const client = await startMcpClient('mcp-remote-signing-in', {
      address: resourceOf(t),
      key: '',
      environment: { CALLBACK_URL },
    })
    try {
      const { url } = await client.until('authorize')
      const browser = createBrowserUser()
      const page = await signInAtProvider(browser, url, 'stranger')
      assert.equal(page.status, 403)
      const returned = await browser.submit(page, /\/deny/)
      assert.match(returned.url, /\?error=access_denied&error_description=The\+user\+has\+no\+account/)
      assert.match(returned.html, /^Authorization failed: The user has no account/, 'the page of mcp-remote')
    } finally {
      await configureSignIn(t, provider)
      await client.request('close').catch(() => undefined)
      await client.stop()
    }
  })
})
