// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createBrowserUser } from '../support/browser-user.ts'
import {
  callWithToken,
  configureSignIn,
  createRawClient,
  errorAtPage,
  joinSignInService,
  resourceOf,
  type SignInService,
  signInAndAllow,
} from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

describe('resource of an authorization request', () => {
  let t: TestService
  let provider: SignInService['provider']
  let stop: SignInService['stop']
  let second: { id: string; handle: string }
  before(async () => {
    ;({ t, provider, stop } = await joinSignInService())
    second = (await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Support' } })).body
  })
  after(() => stop?.())

  const resource = null
  const nameAt = async (url: string): Promise<string> => {
    const metadata = url.replace('/mcp/', '/.well-known/oauth-protected-resource/mcp/')
    return (await t.call('GET', metadata, { key: null })).body.resource_name
  }

  test('resource_name: the organization, with the name of a pack that is not the default one', async () => {
    assert.equal(await nameAt(resourceOf(t)), 'Orbit')
    assert.equal(await nameAt(`${t.baseUrl}/mcp/${second.handle}`), 'Orbit: Support')
  })

  test('no resource and several packs: invalid_target says what is missing', async () => {
    const client = await createRawClient(t)
    const browser = createBrowserUser()
    const error = errorAtPage(browser, await browser.open(client.authorizeUrl({ resource })))
    assert.equal(error.get('error'), 'invalid_target')
    assert.match(error.get('error_description') ?? '', /^resource is missing/)
  })

  test('no resource and one pack that allows sign-in: the client gets a token for its address', async () => {
    const { id: packId } = second
    await configureSignIn(t, provider, { tool_pack_ids: [packId] })
    const client = await createRawClient(t)
    const code = (await signInAndAllow(client.authorizeUrl({ resource }), 'rob')).get('code') ?? ''
    const tokens = await client.exchange(code, { resource })
    assert.equal(tokens.status, 200, tokens.text)
    const { access_token: token } = tokens.body
    assert.equal((await callWithToken(t, token, `${t.baseUrl}/mcp/${second.handle}`)).status, 200)
    assert.equal((await callWithToken(t, token)).status, 401)
  })

  test('no resource and two modes: invalid_target', async () => {
    await configureSignIn(t, provider, { tool_pack_ids: [second.id] }, t.organization.testKey)
    const client = await createRawClient(t)
    const browser = createBrowserUser()
    const error = errorAtPage(browser, await browser.open(client.authorizeUrl({ resource })))
    assert.equal(error.get('error'), 'invalid_target')
  })
})
