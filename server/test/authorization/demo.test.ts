import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentAtSandbox, createBrowserUser } from '../support/browser-user.ts'
import { callWithToken, createRawClient, resourceOf } from '../support/sign-in.ts'
import { startTestService } from '../support/test-service.ts'

test('demo organization: a client signs in with an account of the sandbox, knowing only the printed address', async () => {
  const t = await startTestService('postgres', {}, { withDemo: true })
  try {
    const demo = t.service.demo
    assert.ok(demo)
    const organization = {
      id: demo.organization_id,
      toolPackId: demo.tool_pack_id,
      key: '',
      testKey: demo.test_key,
    }
    const resource = resourceOf(t, organization, 'test')
    const client = await createRawClient(t, organization)
    const browser = createBrowserUser()
    const signIn = await browser.open(client.authorizeUrl({ resource }))
    const consent = await consentAtSandbox(browser, signIn)
    await browser.submit(consent, /\/allow/)
    const code = new URL(browser.lastLocation ?? '').searchParams.get('code') ?? ''
    const tokens = await client.exchange(code, { resource })
    assert.equal(tokens.status, 200, tokens.text)
    assert.equal((await callWithToken(t, tokens.body.access_token, resource)).status, 200)
  } finally {
    await t.stop()
  }
})
