// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { createBrowserUser } from '../support/browser-user.ts'
import { runAuthorizationScenarios } from '../support/mcp-conformance.ts'
import { installMcpServers } from '../support/mcp-servers.ts'
import {
  issuerOf,
  joinSignInService,
  resourceOf,
  type SignInService,
  signInAtProvider,
} from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

/** All scenarios that the suite has for authorization servers. */
const SCENARIOS = ['authorization-server-metadata-endpoint', 'authorization-code-grant']

describe('official conformance suite, as a client of the authorization server', () => {
  let t: TestService
  let stop: SignInService['stop']
  before(async () => {
    await installMcpServers()
    ;({ t, stop } = await joinSignInService())
  })
  after(() => stop?.())

  test('all scenarios pass', async () => {
    const port = await freePort()
    const registered = await t.call('POST', `${issuerOf(t)}/register`, {
      key: null,
      body: { client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] },
    })
    const server = { issuer: issuerOf(t), clientId: registered.body.client_id, resource: resourceOf(t), port }
    const { passed, output } = await runAuthorizationScenarios(server, address => {
      const browser = createBrowserUser()
      void signInAtProvider(browser, address).then(consent => browser.submit(consent, /\/allow/))
    })
    assert.ok(passed, output)
    for (const scenario of SCENARIOS) assert.match(output, new RegExp(`✓ ${scenario}: `), output)
  })
})
