import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createVisitor } from './support/browser.ts'
import { tabTo } from './support/keyboard.ts'
import {
  allow,
  continueToNotes,
  deny,
  linkNotes,
  openConsent,
  openProviderConsent,
  signIn,
  waitForHeading,
  waitForText,
} from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.stop())

const assertNoToken = (page: Page, link: string): void => {
  const token = link.split('/').at(-1) as string
  assert.match(page.url(), /\/connect\/[\w-]+$/)
  for (const part of token.split('.')) assert.ok(!page.url().includes(part), page.url())
}

const parametersOf = (url: URL): Record<string, string[]> =>
  Object.fromEntries([...url.searchParams.keys()].map(name => [name, url.searchParams.getAll(name)]))

for (const javaScriptEnabled of [true, false]) {
  describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    it('a tool call requests the account, the user connects it, and the same call succeeds', async test => {
      const { service, browser, callNotes, ledger } = world
      const user = await service.createUser()
      const { type, magic_link_url = '' } = await callNotes(user.id)
      assert.equal(type, 'authenticate_meta')

      const { page, browserErrors } = await createVisitor(browser, test, { javaScriptEnabled })
      await openConsent(page, magic_link_url)
      assertNoToken(page, magic_link_url)
      await waitForText(page, 'Orbit’s assistant wants to use your Notes account.')
      await waitForText(page, 'For Ana Ruiz')
      await continueToNotes(page)
      await signIn(page)
      await allow(page)
      await waitForHeading(page, 'Notes is connected')
      await waitForText(page, 'ana@example.com')
      assert.deepEqual(browserErrors, [])

      const countBefore = ledger('notes.list').length
      assert.equal((await callNotes(user.id)).notes?.length, 2)
      assert.deepEqual(
        ledger('notes.list')
          .slice(countBefore)
          .map(({ account, outcome }) => [account, outcome]),
        [['ana', 'ok']],
      )
    })

    it('in code mode the application receives the code, and nothing is stored until it confirms', async test => {
      const { service, application, browser, callNotes, linkedConnectors, createLink } = world
      const { userId, link } = await createLink({
        connector: 'sandbox-notes',
        callback_url: `${application.callbackUrl}?tenant=7&note=a%20b&tenant=8#there`,
        state: 'st at&e',
      })
      const { page, browserErrors } = await createVisitor(browser, test, { javaScriptEnabled })
      const countBefore = application.received.length
      await openProviderConsent(page, link)
      await allow(page)
      await waitForHeading(page, 'Back in the application')
      assert.equal(new URL(page.url()).hash, '#there')
      assert.deepEqual(browserErrors, [])

      const [callback, ...others] = application.received.slice(countBefore)
      assert.equal(others.length, 0)
      assert.ok(callback)
      const { code, ...rest } = parametersOf(callback.url)
      assert.deepEqual(rest, { tenant: ['7', '8'], note: ['a b'], status: ['success'], state: ['st at&e'] })
      assert.equal(code?.length, 1)
      assert.doesNotMatch(callback.headers.referer ?? '', /magic-link|connect|oauth/)

      assert.deepEqual(await linkedConnectors(userId), [])
      assert.equal((await callNotes(userId)).type, 'authenticate_meta')
      const confirmed = await service.call('POST', '/api/v1/link-token/confirm/', { body: { code: code[0] } })
      assert.equal(confirmed.status, 200, confirmed.text)
      assert.equal((await callNotes(userId)).notes?.length, 2)
    })
  })
}

describe('cancellations and failures', () => {
  it('a denied consent reaches the application as an exit, without a code', async test => {
    const { application, browser, linkedConnectors, createLink, eventTypes } = world
    const { userId, link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    const { page } = await createVisitor(browser, test)
    await openProviderConsent(page, link)
    await deny(page)
    await waitForHeading(page, 'Back in the application')
    const { url } = application.received.at(-1) as { url: URL }
    assert.deepEqual(parametersOf(url), { status: ['exit'], state: ['mine'] })
    assert.deepEqual(await linkedConnectors(userId), [])
    assert.ok((await eventTypes(userId)).includes('link.exited'))
  })

  it('a denied consent without a callback shows a page from which the user can try again', async test => {
    const { browser, linkedConnectors, createLink } = world
    const { userId, link } = await createLink()
    const { page, browserErrors } = await createVisitor(browser, test)
    await openProviderConsent(page, link)
    await deny(page)
    await waitForHeading(page, 'You canceled')
    await waitForText(page, 'Nothing was connected or shared.')
    assert.deepEqual(browserErrors, [])
    await page.getByRole('link', { name: 'Try again' }).click()
    await continueToNotes(page)
    await allow(page)
    await waitForHeading(page, 'Notes is connected')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
  })

  it('signing in at the provider can be cancelled', async test => {
    const { browser, createLink } = world
    const { link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await openConsent(page, link)
    await continueToNotes(page)
    await page.getByRole('button', { name: /^Cancel and go back/ }).click()
    await waitForHeading(page, 'You canceled')
  })

  it('cancelling on our page connects nothing, and the link can still be used', async test => {
    const { browser, linkedConnectors, createLink, eventTypes, attempts } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await openConsent(page, link)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await waitForHeading(page, 'You canceled')
    assert.deepEqual(await attempts(userId), [])
    assert.deepEqual((await eventTypes(userId)).slice(-2), ['link.opened', 'link.exited'])
    await linkNotes(page, link)
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
  })

  it('cancelling on our page returns to the application with the status exit', async test => {
    const { application, browser, createLink } = world
    const { link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
    })
    const { page, browserErrors } = await createVisitor(browser, test)
    await openConsent(page, link)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await waitForHeading(page, 'Back in the application')
    assert.deepEqual(parametersOf((application.received.at(-1) as { url: URL }).url), { status: ['exit'] })
    assert.deepEqual(browserErrors, [])
  })

  it('a user who did not expect the link gets advice and no way to continue', async test => {
    const { browser, createLink } = world
    const { link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await openConsent(page, link)
    await page.getByRole('button', { name: 'Not Ana, or not expecting this?' }).click()
    await waitForHeading(page, 'We stopped this request')
    await waitForText(page, 'tell Orbit if you get another one')
    assert.equal(await page.getByRole('link').count(), 0)
  })

  it('a failing provider is named on the page, and the application receives an error', async test => {
    const { service, application, browser, createLink } = world
    const { page } = await createVisitor(browser, test)
    service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
    await openProviderConsent(page, (await createLink()).link)
    await allow(page)
    await waitForHeading(page, 'Notes could not be connected')
    await waitForText(page, 'Notes cannot be reached right now.')
    await page.getByRole('link', { name: 'Try again' }).waitFor()

    service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
    const { link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    await openConsent(page, link)
    await continueToNotes(page)
    await allow(page)
    await waitForHeading(page, 'Back in the application')
    assert.deepEqual(parametersOf((application.received.at(-1) as { url: URL }).url), {
      status: ['error'],
      state: ['mine'],
    })
  })
})

describe('an API key', () => {
  it('is rejected with a reason beside the field if invalid, and accepted if valid', async test => {
    const { service, browser, linkedConnectors, createLink } = world
    const { userId, link } = await createLink({ connector: 'sandbox-vault' })
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await waitForHeading(page, 'Connect with your Vault API key')
    const field = page.getByLabel('API key', { exact: true })
    assert.equal(await field.getAttribute('aria-invalid'), null)

    await field.fill('sv_live_wrong')
    await page.getByRole('button', { name: 'Check and connect' }).click()
    const problem = page.getByRole('alert')
    await problem.waitFor()
    assert.match(await problem.innerText(), /^Vault did not accept this key/)
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.ok((await field.getAttribute('aria-describedby'))?.split(' ').includes('problem'))
    assert.equal(await field.inputValue(), '', 'a key is never written back into the page')
    assert.equal(await page.evaluate('document.activeElement.name'), 'api_key', 'the field has the focus')
    assert.deepEqual(await linkedConnectors(userId), [])

    await page.keyboard.type(service.sandbox.vaultKeys.ana)
    await page.keyboard.press('Enter')
    await waitForHeading(page, 'Vault is connected')
    await waitForText(page, 'ana@example.com')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-vault'])
  })
})

describe('the picker', () => {
  it('is shown if the link names no connector, and the whole flow works by keyboard', async test => {
    const { browser, linkedConnectors, createLink } = world
    const { userId, link } = await createLink({})
    const { page, browserErrors } = await createVisitor(browser, test)
    await page.goto(link)
    await waitForHeading(page, 'What would you like to connect?')
    const rows = await page.getByRole('list', { name: 'Apps' }).getByRole('link').allInnerTexts()
    assert.equal(rows.length, 2)
    assert.match(rows[0] as string, /Notes/)
    assert.match(rows[1] as string, /Vault.*Needs an API key/s)
    const press = async (name: string | RegExp, leadsTo: string | RegExp) => {
      await tabTo(page, name)
      await page.keyboard.press('Enter')
      await waitForHeading(page, leadsTo)
    }
    await press('Notes', 'Connect Notes to Orbit')
    await press('Back', 'What would you like to connect?')
    await press('Notes', 'Connect Notes to Orbit')
    await press('Continue to Notes', 'Sign in to Notes')
    await press('ana@example.com', /^Allow/)
    await press(/^Allow$/, 'Notes is connected')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(browserErrors, [])
  })

  it('marks connected apps', async test => {
    const { service, browser, createLink } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, link)
    await page.goto((await service.mint(userId)).magic_link_url)
    await page.getByRole('link', { name: /Notes.*Connected/s }).waitFor()
    assert.equal(await page.getByText('Connected', { exact: true }).count(), 1)
  })

  it('connecting again names the account that will be replaced', async test => {
    const { service, browser, createLink } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, link)
    await openConsent(page, (await service.mint(userId, { connector: 'sandbox-notes' })).magic_link_url)
    await waitForText(page, 'Already connected as ana@example.com. Continuing replaces that connection.')
  })
})

describe('an app with a custom URL scheme', () => {
  it('is opened automatically, with a button as a fallback', async test => {
    const { service, browser, createLink } = world
    await service.allowOrigin('myapp://')
    const { link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: 'myapp://done?tenant=7',
      state: 'mine',
    })
    const { page, context, browserErrors } = await createVisitor(browser, test)
    const session = await context.newCDPSession(page)
    const navigations: string[] = []
    await session.send('Page.enable')
    session.on('Page.frameRequestedNavigation', ({ url }) => void navigations.push(url))
    session.on('Page.frameScheduledNavigation', ({ url }) => void navigations.push(url))
    await openProviderConsent(page, link)
    await allow(page)
    await waitForHeading(page, 'Taking you back to Orbit')
    const button = page.getByRole('link', { name: 'Return to the app' })
    const href = (await button.getAttribute('href')) as string
    const { code, ...rest } = parametersOf(new URL(href))
    assert.ok(href.startsWith('myapp://done?'))
    assert.deepEqual(rest, { tenant: ['7'], status: ['success'], state: ['mine'] })
    assert.equal(code?.length, 1)
    assert.ok(await button.isVisible())
    await until('the browser tries to open the app', () => navigations.includes(href))
    assert.deepEqual(browserErrors, [])
    const confirmed = await service.call('POST', '/api/v1/link-token/confirm/', { body: { code: code[0] } })
    assert.equal(confirmed.status, 200, confirmed.text)
  })

  it('receives a cancellation in the same way', async test => {
    const { service, browser, createLink } = world
    await service.allowOrigin('myapp://')
    const { link } = await createLink({ connector: 'sandbox-notes', callback_url: 'myapp://done' })
    const { page } = await createVisitor(browser, test)
    await openConsent(page, link)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await waitForText(page, 'You stopped before anything was connected.')
    const href = await page.getByRole('link', { name: 'Return to the app' }).getAttribute('href')
    assert.equal(href, 'myapp://done?status=exit')
  })
})
