import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startTestService, type TestService } from '../server/test/support/test-service.ts'
import { createVisitor, type Visitor } from './support/browser.ts'
import { checkLayout } from './support/check-page.ts'
import { mintFor, signInAndAllow } from './support/embedding.ts'
import { writeManyConnectors } from './support/many-connectors.ts'
import { continueToNotes, deny, signIn, waitForHeading, waitForText } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const AFTER_EXPIRY = 31 * 60_000

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world?.stop())

const visit = (test: TestContext, options: BrowserContextOptions = {}): Promise<Visitor> =>
  createVisitor(world.browser, test, options)

const hosted = (linkToken: string, query = '', service: TestService = world.service): string =>
  `${service.baseUrl}/link/${query}#link_token=${linkToken}`

/** Returns all URLs in the history of the tab. */
const historyOf = async (page: Page): Promise<string[]> => {
  const session = await page.context().newCDPSession(page)
  const { entries } = await session.send('Page.getNavigationHistory')
  await session.detach()
  return entries.map(({ url }) => url)
}

const NO_TRACE = 'the token is neither in the address bar nor in the history'
const assertNoTrace = async (page: Page, linkToken: string): Promise<void> => {
  const addresses = [page.url(), ...(await historyOf(page))]
  assert.ok(!addresses.some(address => address.includes(linkToken)), `${NO_TRACE}: ${addresses.join()}`)
}

describe('the token', () => {
  it(`after the exchange, ${NO_TRACE}, also after Back`, async test => {
    const { application, linkedConnectors } = world
    const { page, context, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const requests: string[] = []
    context.on(
      'request',
      request => void requests.push(`${request.url()} ${request.headers().referer ?? ''}`),
    )
    application.serve('/leave', `<h1>Application</h1><a href="${hosted(linkToken)}">Connect</a>`)
    await page.goto(`${application.origin}/leave`)
    await page.getByRole('link', { name: 'Connect' }).click()
    await waitForHeading(page, 'Connect Notes to Orbit')
    assert.match(new URL(page.url()).pathname, /^\/link\/s\/[\w-]+$/)
    await assertNoTrace(page, linkToken)

    await page.goBack()
    await waitForHeading(page, 'Application')
    await page.goForward()
    await waitForHeading(page, 'Connect Notes to Orbit')
    await assertNoTrace(page, linkToken)

    await continueToNotes(page)
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
    await assertNoTrace(page, linkToken)
    assert.ok(
      !requests.some(line => line.split('#')[0]?.includes(linkToken)),
      'no request URL contains the token',
    )
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(browserErrors, [])

    // The browser does not let a script close a tab that no script opened.
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    await waitForText(page, 'You can close this window.')
  })

  it('is removed from the address bar even if the exchange fails', async test => {
    const { context, page } = await visit(test)
    await context.route('**/link/sessions', route => route.abort())
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await waitForText(page, 'The page could not be loaded.')
    await assertNoTrace(page, linkToken)
  })

  it('missing: the hosted page says that the link does not work', async test => {
    const { page } = await visit(test)
    await page.goto(`${world.service.baseUrl}/link/`)
    await waitForHeading(page, 'This link does not work')
  })

  for (const token of ['nonsense', `lt_${'a'.repeat(43)}`, '%00']) {
    it(`unknown (${token.slice(0, 8)}): the page says so and does not name the organization`, async test => {
      const { page } = await visit(test)
      await page.goto(hosted(token))
      await waitForHeading(page, 'This link does not work')
      assert.equal(await page.getByText('Orbit').count(), 0)
    })
  }

  it('used: the page says so', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await continueToNotes(page)
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
    await page.goto(hosted(linkToken))
    await waitForHeading(page, 'This link has already been used')
  })

  it('without JavaScript: the page says that it needs JavaScript', async test => {
    const { page } = await visit(test, { javaScriptEnabled: false })
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    const notice = page.locator('noscript p')
    await notice.waitFor()
    assert.match(await notice.innerText(), /^This page needs JavaScript\./)
  })
})

describe('the end of the flow', () => {
  it('redirect and popup: the organization’s redirect_uri receives the result', async test => {
    const { application, service } = world
    const kepler = await service.createOrganization('Kepler')
    await service.allowOrigin(application.origin, kepler.key)
    const customized = await service.call('PATCH', '/api/v1/link-customization', {
      key: kepler.key,
      body: { redirect_uri: `${application.callbackUrl}?tenant=7` },
    })
    assert.equal(customized.status, 200, customized.text)
    const { page, context, browserErrors } = await visit(test)

    for (const mode of ['redirect', 'popup']) {
      const user = await service.createUser({}, kepler.key)
      const { link_token } = await service.mint(user.id, { connector: 'sandbox-notes' }, kepler.key)
      let linkPage = page
      if (mode === 'popup') {
        application.serve(
          '/opens',
          `<h1>Opens</h1><button type="button" onclick="window.open('${hosted(link_token)}', 'link', 'popup,width=480,height=760')">Connect</button>`,
        )
        await page.goto(`${application.origin}/opens`)
        const opened = context.waitForEvent('page')
        await page.getByRole('button', { name: 'Connect' }).click()
        linkPage = await opened
      } else await page.goto(hosted(link_token))
      await waitForHeading(linkPage, 'Connect Notes to Kepler')
      await continueToNotes(linkPage)
      if (mode === 'redirect') await signInAndAllow(linkPage)
      else await linkPage.getByRole('button', { name: 'Allow', exact: true }).click()
      await waitForHeading(linkPage, 'Back in the application')
      const { url, headers } = application.received.at(-1) as (typeof application.received)[number]
      assert.deepEqual(
        [...url.searchParams].toSorted(([a], [b]) => a.localeCompare(b)),
        [
          ['Connector', 'sandbox-notes'],
          ['scopes', 'notes:read notes:write'],
          ['status', 'success'],
          ['tenant', '7'],
        ],
      )
      assert.doesNotMatch(headers.referer ?? '', /link|connect|oauth/)
      await assertNoTrace(linkPage, link_token)
    }
    assert.deepEqual(browserErrors, [])
  })

  it('cancelled: the page offers to try again', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await continueToNotes(page)
    await signIn(page)
    await deny(page)
    await waitForHeading(page, 'You canceled')
    await page.getByRole('link', { name: 'Try again' }).click()
    await waitForHeading(page, 'Connect Notes to Orbit')
  })

  it('an API key without a redirect_uri: the completion page is shown', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault' })
    await page.goto(hosted(linkToken))
    await page.getByLabel('API key', { exact: true }).fill(world.service.sandbox.vaultKeys.ana)
    await page.getByRole('button', { name: 'Check and connect' }).click()
    await waitForHeading(page, 'Vault is connected')
    await waitForText(page, 'ana@example.com')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-vault'])
  })

  it('expired: one request for a new link is recorded, however often it is sent', async test => {
    const { service, eventTypes } = world
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    await service.moveClock(AFTER_EXPIRY)
    test.after(() => service.moveClock(-AFTER_EXPIRY))
    for (let attempt = 0; attempt < 2; attempt++) {
      await page.goto(hosted(linkToken))
      await waitForHeading(page, 'This link has expired')
      await page.getByRole('button', { name: 'Ask Orbit for a new link' }).click()
      await waitForHeading(page, 'Request sent')
    }
    const requested = (await eventTypes(userId)).filter(type => type === 'link.renewal_requested')
    assert.equal(requested.length, 1)
  })
})

describe('network failures', () => {
  it('a failed exchange can be retried', async test => {
    const { context, page } = await visit(test)
    let requestCount = 0
    await context.route('**/link/sessions', route => {
      requestCount++
      return requestCount === 1
        ? route.abort()
        : requestCount === 2
          ? route.fulfill({ status: 503 })
          : route.continue()
    })
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    for (let attempt = 0; attempt < 2; attempt++) {
      await waitForText(page, 'The page could not be loaded. Check your connection and try again.')
      await until('the response has arrived', () => requestCount === attempt + 1)
      await page.getByRole('button', { name: 'Try again' }).click()
    }
    await waitForHeading(page, 'Connect Notes to Orbit')
  })

  it('a slow exchange shows a notice', async test => {
    const { context, page } = await visit(test)
    await page.clock.install()
    const gate = Promise.withResolvers<void>()
    await context.route('**/link/sessions', async route => {
      await gate.promise
      await route.continue()
    })
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await waitForHeading(page, 'One moment')
    assert.ok(await page.getByText('This is taking longer than usual.').isHidden())
    await page.clock.fastForward(11_000)
    await waitForText(page, 'This is taking longer than usual.')
    gate.resolve()
    await waitForHeading(page, 'Connect Notes to Orbit')
  })

  it('offline: a banner is shown, and the flow continues once the connection is back', async test => {
    const { context, page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await waitForHeading(page, 'Connect Notes to Orbit')
    const banner = page.getByText('You’re offline.')
    assert.ok(await banner.isHidden())
    await context.setOffline(true)
    await banner.waitFor()
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await waitForHeading(page, 'Connect Notes to Orbit')
    await context.setOffline(false)
    await banner.waitFor({ state: 'hidden' })
    await continueToNotes(page)
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
  })
})

describe('language, theme and in-app browsers', () => {
  const language = (page: Page) => page.evaluate<string>('document.documentElement.lang')

  it('all pages are in the language that the application sets', async test => {
    const { page } = await visit(test, { locale: 'fr-FR' })
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken, '?lang=de'))
    await page.waitForURL(/\/link\/s\//)
    assert.equal(await language(page), 'de')
    await page.locator('form[data-do=leave] .primary').click()
    await signInAndAllow(page)
    await page.waitForURL(/\/done/)
    assert.equal(await language(page), 'de')
  })

  it('the default language is the browser’s', async test => {
    for (const [locale, expected] of [
      ['fr-FR', 'fr'],
      ['ja-JP', 'ja'],
      ['xx-XX', 'en'],
    ] as const) {
      const { page } = await visit(test, { locale })
      const { linkToken } = await mintFor(world)
      await page.goto(hosted(linkToken))
      await page.waitForURL(/\/link\/s\//)
      assert.equal(await language(page), expected)
    }
  })

  it('the theme that the application sets overrides the system’s', async test => {
    const background = (page: Page) =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const colors: string[] = []
    for (const [colorScheme, theme] of [
      ['light', 'dark'],
      ['dark', 'dark'],
      ['dark', 'light'],
      ['light', 'light'],
    ] as const) {
      const { page } = await visit(test, { colorScheme })
      const { linkToken } = await mintFor(world)
      await page.goto(hosted(linkToken, `?theme=${theme}`))
      await page.waitForURL(/\/link\/s\//)
      colors.push(await background(page))
    }
    assert.equal(colors[0], colors[1])
    assert.equal(colors[2], colors[3])
    assert.notEqual(colors[0], colors[2])
  })

  it('an in-app browser shows a hint and a button that copies the address', async test => {
    const { page, context } = await visit(test, {
      userAgent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 [FBAN/FBIOS;FBAV/450.0.0.1]',
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await waitForText(page, 'This page was opened inside another app.')
    await page.getByRole('button', { name: 'Copy the address' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), page.url())

    const ordinary = await visit(test)
    await ordinary.page.goto(page.url())
    await waitForHeading(ordinary.page, 'Connect Notes to Orbit')
    assert.equal(await ordinary.page.getByText('This page was opened inside another app.').count(), 0)
  })
})

describe('the picker with fourteen apps', () => {
  let service: TestService
  const connectors = writeManyConnectors()
  before(async () => {
    service = await startTestService('postgres', {
      TRUST_PROXY: 'loopback',
      CONNECTORS_DIRECTORY: connectors.folder,
    })
  })
  after(async () => {
    await service?.stop()
    connectors.remove()
  })

  const openPicker = async (page: Page): Promise<void> => {
    const user = await service.createUser()
    await page.goto(hosted((await service.mint(user.id)).link_token, '', service))
    await waitForHeading(page, 'What would you like to connect?')
  }
  const names = (page: Page): Promise<string[]> => page.locator('.rows li:not([hidden]) bdi').allInnerTexts()
  const focusedName = (page: Page): Promise<string> =>
    page.evaluate<string>(
      `document.activeElement.type === 'search' ? 'search' : document.activeElement.querySelector('bdi')?.textContent ?? ''`,
    )

  it('typing filters by name and summary, ignoring accents', async test => {
    const { page, browserErrors } = await visit(test)
    await openPicker(page)
    assert.equal((await names(page)).length, 14)
    const search = page.getByRole('searchbox', { name: 'Search 14 apps' })
    await search.fill('NOT')
    assert.deepEqual(await names(page), ['Notes'])
    await search.fill('metr')
    assert.deepEqual(await names(page), ['Métrics'])
    await search.fill('and answers')
    assert.deepEqual((await names(page)).toSorted(), ['Forms', 'Tickets'])
    await search.fill('zzz')
    assert.deepEqual(await names(page), [])
    await page.getByText('No apps match “zzz”.').waitFor()
    await search.fill('')
    assert.equal((await names(page)).length, 14)
    assert.ok(await page.locator('.none').isHidden())
    assert.deepEqual(browserErrors, [])
  })

  it('works by keyboard: typing, arrow keys, Enter', async test => {
    const { page } = await visit(test)
    await openPicker(page)
    assert.equal(await focusedName(page), 'search', 'the search box has the initial focus')
    const firstStop = await page.evaluate(
      `document.querySelector('a[href], button, summary, input:not([type=hidden])').type`,
    )
    assert.equal(firstStop, 'search', 'the search box is first in the tab order')
    await page.keyboard.type('and answers')
    const [first, second] = await names(page)
    for (const [key, expected] of [
      ['ArrowDown', first],
      ['ArrowDown', second],
      ['ArrowDown', second],
      ['ArrowUp', first],
      ['ArrowUp', 'search'],
      ['ArrowUp', 'search'],
      ['ArrowDown', first],
    ] as const) {
      await page.keyboard.press(key)
      assert.equal(await focusedName(page), expected)
    }
    await page.keyboard.press('Enter')
    await waitForHeading(page, `Connect with your ${first} API key`)
  })

  it('Enter in the search box opens the first match', async test => {
    const { page } = await visit(test)
    await openPicker(page)
    await page.getByRole('searchbox').fill('t')
    const found = await names(page)
    assert.ok(found.length > 1)
    assert.equal(found[0], 'Tickets', 'names that begin with the text come first')
    await page.keyboard.press('Enter')
    await waitForHeading(page, 'Connect with your Tickets API key')
  })

  it('on a touch screen every target is at least 44 px', async test => {
    const { page } = await visit(test, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 760 },
    })
    const smallTargets = async () => (await checkLayout(page)).smallTargets
    await openPicker(page)
    const picker = page.url()
    assert.deepEqual(await smallTargets(), [])
    await page.getByRole('link', { name: /^Vault/ }).click()
    await waitForHeading(page, 'Connect with your Vault API key')
    await page.locator('summary').first().click()
    assert.deepEqual(await smallTargets(), [])
    await page.goto(picker)
    await page.getByRole('link', { name: /^Notes/ }).click()
    await waitForHeading(page, 'Connect Notes to Orbit')
    assert.deepEqual(await smallTargets(), [])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await waitForHeading(page, 'You canceled')
    assert.deepEqual(await smallTargets(), [])
  })

  it('categories filter in combination with the search text', async test => {
    const { page } = await visit(test)
    await openPicker(page)
    await page.getByRole('link', { name: 'Productivity', exact: true }).click()
    assert.deepEqual((await names(page)).toSorted(), ['Boards', 'Calendar', 'Notes', 'Sheets'])
    assert.equal(await page.locator('.chips [aria-current]').innerText(), 'Productivity')
    await page.getByRole('searchbox').fill('sheet')
    assert.deepEqual(await names(page), ['Sheets'])
    await page.getByRole('link', { name: 'Finance', exact: true }).click()
    assert.deepEqual(await names(page), [])
    await page.getByRole('link', { name: 'All', exact: true }).click()
    assert.deepEqual(await names(page), ['Sheets'])
  })

  it('without JavaScript the server filters, with the same form and links', async test => {
    const scripted = await visit(test)
    await openPicker(scripted.page)
    const address = scripted.page.url()

    const { page } = await visit(test, { javaScriptEnabled: false })
    await page.goto(`${address}?lang=en`)
    await page.getByRole('searchbox').fill('metr')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=metr/)
    assert.deepEqual(await names(page), ['Métrics'])
    assert.match(page.url(), /lang=en/)
    await page.goto(address)
    await page.getByRole('link', { name: 'Communication', exact: true }).click()
    await page.waitForURL(/category=communication/)
    assert.deepEqual((await names(page)).toSorted(), ['Chatter', 'Mail'])
    await page.goto(`${address}?q=zzz`)
    await page.getByText('No apps match “zzz”.').waitFor()
    await page.goto(`${address}?q=notes`)
    await page.getByRole('link', { name: /Notes/ }).click()
    await waitForHeading(page, 'Connect Notes to Orbit')
  })
})
