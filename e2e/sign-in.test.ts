import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  callWithToken,
  configureSignIn,
  issuerOf,
  redirectUrisOf,
  resourceOf,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../server/test/support/sign-in.ts'
import { joinTestService, type TestService } from '../server/test/support/test-service.ts'
import { startApplication } from './support/application.ts'
import { createVisitor, startBrowser } from './support/browser.ts'
import { buildPage } from './support/build-page.ts'
import { checkAppearance } from './support/check-page.ts'
import { tabTo } from './support/keyboard.ts'
import { waitForHeading } from './support/user-steps.ts'

let t: TestService
let provider: TestIdentityProvider
let browser: Browser
/** A client on the person's device, which waits for the redirect. */
let client: Server
let redirectUri: string
let received: URLSearchParams[] = []
const verifier = randomBytes(32).toString('base64url')

before(async () => {
  t = await joinTestService()
  provider = await startIdentityProvider(redirectUrisOf(t))
  await configureSignIn(t, provider)
  browser = await startBrowser()
  client = createServer((request, response) => {
    if (request.url?.startsWith('/callback'))
      received.push(new URL(request.url, 'http://127.0.0.1').searchParams)
    response.setHeader('content-type', 'text/html').end('<title>Client</title><h1>Back in the client</h1>')
  })
  await new Promise<void>(resolve => client.listen(0, '127.0.0.1', resolve))
  redirectUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`
})
after(async () => {
  await browser.close()
  client.close()
  await provider.stop()
  await t.stop()
})

const register = async (uri = redirectUri): Promise<string> => {
  const body = { client_name: 'Claude Code', redirect_uris: [uri] }
  return (await t.call('POST', `${issuerOf(t)}/register`, { key: null, body })).body.client_id
}
const addressFor = (clientId: string, uri: string): string => {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: uri,
    state: 'state-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: resourceOf(t),
  })
  return `${issuerOf(t)}/authorize?${parameters.toString()}`
}
/** The identity provider's own pages. */
const signInAtProvider = async (page: Page, login = 'ana'): Promise<void> => {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
}
const signIn = async (page: Page, clientId: string, uri = redirectUri): Promise<void> => {
  await page.goto(addressFor(clientId, uri))
  await signInAtProvider(page)
  await waitForHeading(page, 'Allow Claude Code to use your Orbit tools?')
}

const checkAppearances = async (page: Page, name: string): Promise<void> => {
  for (const theme of ['light', 'dark'] as const)
    for (const size of ['desktop', 'phone'] as const) {
      const path = join(tmpdir(), 'carabiner-sign-in', `${name}-${theme}-${size}.png`)
      const always = process.env.SCREENSHOTS !== undefined
      assert.deepEqual(await checkAppearance(page, { theme, size, motion: 'reduce' }, path, { always }), [])
    }
}

for (const javaScriptEnabled of [true, false])
  describe(`sign-in of an MCP client with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    it('a person signs in and allows the client by keyboard; the client gets tokens', async test => {
      received = []
      const clientId = await register()
      const { page, browserErrors } = await createVisitor(browser, test, { javaScriptEnabled })
      await signIn(page, clientId)
      await tabTo(page, /^Allow$/)
      await page.keyboard.press('Enter')
      await waitForHeading(page, 'Back in the client')
      assert.equal(received.length, 1)
      assert.equal(received[0]?.get('state'), 'state-1')
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code: received[0]?.get('code') ?? '',
        client_id: clientId,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
      const tokens = await t.call('POST', `${issuerOf(t)}/token`, {
        key: null,
        raw: form.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      assert.equal((await callWithToken(t, tokens.body.access_token)).status, 200)
      assert.deepEqual(
        browserErrors.filter(error => error.includes(t.baseUrl)),
        [],
      )
    })

    it('a person who does not allow it is sent back with access_denied', async test => {
      received = []
      const { page } = await createVisitor(browser, test, { javaScriptEnabled })
      await signIn(page, await register())
      await page.getByRole('button', { name: 'Don’t allow' }).click()
      await waitForHeading(page, 'Back in the client')
      assert.equal(received[0]?.get('error'), 'access_denied')
    })
  })

describe('a person who is rejected', () => {
  it('reads what to do, and returns to the client by keyboard with access_denied', async test => {
    received = []
    await configureSignIn(t, provider, { create_users: false })
    test.after(() => configureSignIn(t, provider))
    const { page } = await createVisitor(browser, test)
    await page.goto(addressFor(await register(), redirectUri))
    await signInAtProvider(page, 'stranger')
    await waitForHeading(page, 'You don’t have access')
    await checkAppearances(page, 'rejected')
    await page.reload()
    await tabTo(page, /^Return to the app$/)
    await page.keyboard.press('Enter')
    await waitForHeading(page, 'Back in the client')
    assert.equal(received[0]?.get('error'), 'access_denied')
    assert.match(received[0]?.get('error_description') ?? '', /no account here/)
  })

  it('of a client with its own URL scheme: a last page leads back to it', async test => {
    const uri = 'cursor://anysphere.cursor-mcp/oauth/callback'
    await configureSignIn(t, provider, { create_users: false })
    test.after(() => configureSignIn(t, provider))
    const { page } = await createVisitor(browser, test)
    await page.goto(addressFor(await register(uri), uri))
    await signInAtProvider(page, 'stranger')
    await page.getByRole('button', { name: 'Return to the app' }).click()
    await waitForHeading(page, 'Taking you back to Claude Code')
    const href = await page.getByRole('link', { name: 'Return to the app' }).getAttribute('href')
    assert.match(href ?? '', /^cursor:.*\?error=access_denied&error_description=/)
  })

  it('an invalid request stays here; its button leads to the client, whose host is shown', async test => {
    const uri = 'https://client.example/callback'
    const { page } = await createVisitor(browser, test)
    await page.goto(`${addressFor(await register(uri), uri)}&prompt=none`)
    await waitForHeading(page, 'This sign-in can’t continue')
    await page.getByText('client.example', { exact: true }).waitFor()
    await checkAppearances(page, 'invalid')
    const href = await page.getByRole('link', { name: 'Return to the app' }).getAttribute('href')
    assert.match(href ?? '', /^https:\/\/client\.example\/callback\?error=interaction_required&/)
  })
})

describe('an MCP client with its own URL scheme', () => {
  const uri = 'cursor://anysphere.cursor-mcp/oauth/callback'
  for (const [button, expected] of [
    ['Allow', /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=[^&]+&state=state-1&iss=/],
    ['Don’t allow', /^cursor:.*\?error=access_denied&error_description=[^&]+&state=state-1&iss=/],
  ] as const)
    it(`${button}: a page leads back to it, with a button if nothing opens`, async test => {
      const { page } = await createVisitor(browser, test)
      await signIn(page, await register(uri), uri)
      await page.getByRole('button', { name: button, exact: true }).click()
      await waitForHeading(page, 'Taking you back to Claude Code')
      const href = await page.getByRole('link', { name: 'Return to the app' }).getAttribute('href')
      assert.match(href ?? '', expected)
      await checkAppearances(page, `back-${button}`)
    })
})

describe('an MCP client that runs in a page of another origin', () => {
  it('signs in and lists tools with the official SDK', async test => {
    const application = await startApplication()
    test.after(application.stop)
    application.serveScript('/client.js', await buildPage('mcp-client-page.js'))
    application.serve(
      '/client',
      '<h1>Connecting</h1><ul></ul><script type="module" src="/client.js"></script>',
    )
    const { page } = await createVisitor(browser, test)
    await page.goto(`${application.origin}/client#${resourceOf(t)}`)
    await signInAtProvider(page)
    await waitForHeading(page, 'Allow Web playground to use your Orbit tools?')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await waitForHeading(page, 'Signed in')
    await page.getByText('sandbox-notes__list_notes', { exact: true }).waitFor()
  })
})

describe('the address of an MCP endpoint in a browser', () => {
  it('has no accessibility problems in both themes, on a desktop and a phone', async test => {
    const { page } = await createVisitor(browser, test)
    await page.goto(resourceOf(t))
    await waitForHeading(page, 'This address is for an MCP client')
    await checkAppearances(page, 'address')
  })
})

describe('the consent page of an MCP client', () => {
  it('has no accessibility problems in both themes, on a desktop and a phone', async test => {
    const { page } = await createVisitor(browser, test)
    await signIn(page, await register())
    await checkAppearances(page, 'consent')
  })

  it('cannot be framed by another page', async test => {
    const { page } = await createVisitor(browser, test)
    await signIn(page, await register())
    const consent = page.url()
    await page.goto(redirectUri.replace('/callback', '/frame'))
    await page.evaluate(`document.body.innerHTML = '<iframe src="${consent}"></iframe>'`)
    await page.waitForFunction(`document.querySelector('iframe').contentDocument === null`)
    assert.equal(await page.frames()[1]?.getByText('Allow').count(), 0)
  })
})
