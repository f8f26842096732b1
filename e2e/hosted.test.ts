import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startTestService, type TestService } from '../server/test/support/test-service.ts'
import { createVisitor, type Visitor } from './support/browser.ts'
import { mintFor, signInAndAllow } from './support/embedding.ts'
import { writeManyConnectors } from './support/many-connectors.ts'
import { checkLayout } from './support/check-page.ts'
import { continueToNotes, deny, seesHeading, seesText, signIn } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const LATE = 31 * 60_000

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world?.stop())

const visit = (test: TestContext, options: BrowserContextOptions = {}): Promise<Visitor> =>
  createVisitor(world.browser, test, options)

const hosted = (linkToken: string, query = '', service: TestService = world.service): string =>
  `${service.baseUrl}/link/${query}#link_token=${linkToken}`

/** Every address that the browser could go back to. */
const historyOf = async (page: Page): Promise<string[]> => {
  const session = await page.context().newCDPSession(page)
  const { entries } = await session.send('Page.getNavigationHistory')
  await session.detach()
  return entries.map(({ url }) => url)
}

const NO_TRACE = 'the token is neither in the address bar nor in the history'
const leavesNoTrace = async (page: Page, linkToken: string): Promise<void> => {
  const addresses = [page.url(), ...(await historyOf(page))]
  assert.ok(!addresses.some(address => address.includes(linkToken)), `${NO_TRACE}: ${addresses.join()}`)
}

describe('the token', () => {
  it(`goes from the fragment to the session: ${NO_TRACE}, also after Back`, async test => {
    const { application, linkedConnectors } = world
    const { page, context, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const asked: string[] = []
    context.on('request', request => void asked.push(`${request.url()} ${request.headers().referer ?? ''}`))
    application.serve('/leave', `<h1>Application</h1><a href="${hosted(linkToken)}">Connect</a>`)
    await page.goto(`${application.origin}/leave`)
    await page.getByRole('link', { name: 'Connect' }).click()
    await seesHeading(page, 'Connect Notes to Orbit')
    assert.match(new URL(page.url()).pathname, /^\/link\/s\/[\w-]+$/)
    await leavesNoTrace(page, linkToken)

    await page.goBack()
    await seesHeading(page, 'Application')
    await page.goForward()
    await seesHeading(page, 'Connect Notes to Orbit')
    await leavesNoTrace(page, linkToken)

    await continueToNotes(page)
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
    await leavesNoTrace(page, linkToken)
    assert.ok(!asked.some(line => line.split('#')[0]?.includes(linkToken)), 'it is in no request’s address')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(complaints, [])

    // The browser refuses to close a tab that no script has opened.
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    await seesText(page, 'You can close this window.')
  })

  it('is out of the address bar even where it could not be traded', async test => {
    const { context, page } = await visit(test)
    await context.route('**/link/sessions', route => route.abort())
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await seesText(page, 'The page could not be loaded.')
    await leavesNoTrace(page, linkToken)
  })

  it('the hosted page opened again, without its token, knows nothing', async test => {
    const { page } = await visit(test)
    await page.goto(`${world.service.baseUrl}/link/`)
    await seesHeading(page, 'This link does not work')
  })

  for (const token of ['nonsense', `lt_${'a'.repeat(43)}`, '%00']) {
    it(`unknown (${token.slice(0, 8)}): says so, and names nobody`, async test => {
      const { page } = await visit(test)
      await page.goto(hosted(token))
      await seesHeading(page, 'This link does not work')
      assert.equal(await page.getByText('Orbit').count(), 0)
    })
  }

  it('used: says so', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await continueToNotes(page)
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
    await page.goto(hosted(linkToken))
    await seesHeading(page, 'This link has already been used')
  })

  it('without JavaScript: says what is missing', async test => {
    const { page } = await visit(test, { javaScriptEnabled: false })
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    const said = page.locator('noscript p')
    await said.waitFor()
    assert.match(await said.innerText(), /^This page needs JavaScript\./)
  })
})

describe('where it ends', () => {
  it('redirect and popup: at the organization’s redirect_uri, with the result', async test => {
    const { application, service } = world
    const kepler = await service.createOrganization('Kepler')
    await service.allowOrigin(application.origin, kepler.key)
    const customized = await service.call('PATCH', '/api/v1/link-customization', {
      key: kepler.key,
      body: { redirect_uri: `${application.callbackUrl}?tenant=7` },
    })
    assert.equal(customized.status, 200, customized.text)
    const { page, context, complaints } = await visit(test)

    for (const way of ['redirect', 'popup']) {
      const user = await service.createUser({}, kepler.key)
      const { link_token } = await service.mint(user.id, { connector: 'sandbox-notes' }, kepler.key)
      let place = page
      if (way === 'popup') {
        application.serve(
          '/opens',
          `<h1>Opens</h1><button type="button" onclick="window.open('${hosted(link_token)}', 'link', 'popup,width=480,height=760')">Connect</button>`,
        )
        await page.goto(`${application.origin}/opens`)
        const opened = context.waitForEvent('page')
        await page.getByRole('button', { name: 'Connect' }).click()
        place = await opened
      } else await page.goto(hosted(link_token))
      await seesHeading(place, 'Connect Notes to Kepler')
      await continueToNotes(place)
      if (way === 'redirect') await signInAndAllow(place)
      else await place.getByRole('button', { name: 'Allow', exact: true }).click()
      await seesHeading(place, 'Back in the application')
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
      await leavesNoTrace(place, link_token)
    }
    assert.deepEqual(complaints, [])
  })

  it('cancelled: a page with the way back to try again, and to the application', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await continueToNotes(page)
    await signIn(page)
    await deny(page)
    await seesHeading(page, 'You cancelled')
    await page.getByRole('link', { name: 'Try again' }).click()
    await seesHeading(page, 'Connect Notes to Orbit')
  })

  it('an API key, without a redirect_uri: the completion page', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault' })
    await page.goto(hosted(linkToken))
    await page.getByLabel('API key', { exact: true }).fill(world.service.sandbox.vaultKeys.ana)
    await page.getByRole('button', { name: 'Check and connect' }).click()
    await seesHeading(page, 'Vault is connected')
    await seesText(page, 'ana@example.com')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-vault'])
  })

  it('expired: one request for a new link is recorded, however often it is sent', async test => {
    const { service, eventTypes } = world
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    await service.moveClock(LATE)
    test.after(() => service.moveClock(-LATE))
    for (let asked = 0; asked < 2; asked++) {
      await page.goto(hosted(linkToken))
      await seesHeading(page, 'This link has expired')
      await page.getByRole('button', { name: 'Ask Orbit for a new link' }).click()
      await seesHeading(page, 'Request sent')
    }
    const asked = (await eventTypes(userId)).filter(type => type === 'link.renewal_requested')
    assert.equal(asked.length, 1)
  })
})

describe('a bad connection', () => {
  it('a trade that fails can be tried again', async test => {
    const { context, page } = await visit(test)
    let failures = 0
    await context.route('**/link/sessions', route => {
      failures++
      return failures === 1
        ? route.abort()
        : failures === 2
          ? route.fulfill({ status: 503 })
          : route.continue()
    })
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    for (let tries = 0; tries < 2; tries++) {
      await seesText(page, 'The page could not be loaded. Check your connection and try again.')
      await until('its answer is there', () => failures === tries + 1)
      await page.getByRole('button', { name: 'Try again' }).click()
    }
    await seesHeading(page, 'Connect Notes to Orbit')
  })

  it('a trade that takes long says so', async test => {
    const { context, page } = await visit(test)
    await page.clock.install()
    const held = Promise.withResolvers<void>()
    await context.route('**/link/sessions', async route => {
      await held.promise
      await route.continue()
    })
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await seesHeading(page, 'One moment')
    assert.ok(await page.getByText('This is taking longer than usual.').isHidden())
    await page.clock.fastForward(11_000)
    await seesText(page, 'This is taking longer than usual.')
    held.resolve()
    await seesHeading(page, 'Connect Notes to Orbit')
  })

  it('offline: a banner, nothing is lost, and it goes on when the connection is back', async test => {
    const { context, page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await seesHeading(page, 'Connect Notes to Orbit')
    const banner = page.getByText('You are offline.')
    assert.ok(await banner.isHidden())
    await context.setOffline(true)
    await banner.waitFor()
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await seesHeading(page, 'Connect Notes to Orbit')
    await context.setOffline(false)
    await banner.waitFor({ state: 'hidden' })
    await continueToNotes(page)
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
  })
})

describe('how it looks', () => {
  const language = (page: Page) => page.evaluate<string>('document.documentElement.lang')

  it('in the language that the application names, all the way', async test => {
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

  it('in the browser’s language otherwise', async test => {
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

  it('in the theme that the application names, whatever the system’s', async test => {
    const ground = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const seen: string[] = []
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
      seen.push(await ground(page))
    }
    assert.equal(seen[0], seen[1])
    assert.equal(seen[2], seen[3])
    assert.notEqual(seen[0], seen[2])
  })

  it('inside another app: a hint, and the address to copy', async test => {
    const { page, context } = await visit(test, {
      userAgent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 [FBAN/FBIOS;FBAV/450.0.0.1]',
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { linkToken } = await mintFor(world)
    await page.goto(hosted(linkToken))
    await seesText(page, 'This page was opened inside another app.')
    await page.getByRole('button', { name: 'Copy the address' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), page.url())

    const ordinary = await visit(test)
    await ordinary.page.goto(page.url())
    await seesHeading(ordinary.page, 'Connect Notes to Orbit')
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
    await seesHeading(page, 'What would you like to connect?')
  }
  const names = (page: Page): Promise<string[]> => page.locator('.rows li:not([hidden]) bdi').allInnerTexts()
  const focusedName = (page: Page): Promise<string> =>
    page.evaluate<string>(
      `document.activeElement.type === 'search' ? 'search' : document.activeElement.querySelector('bdi')?.textContent ?? ''`,
    )

  it('typing narrows by name and by what it is, accents or not', async test => {
    const { page, complaints } = await visit(test)
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
    assert.deepEqual(complaints, [])
  })

  it('the keyboard alone: type, arrows, Enter', async test => {
    const { page } = await visit(test)
    await openPicker(page)
    assert.equal(await focusedName(page), 'search', 'the search box has the focus from the start')
    const firstStop = await page.evaluate(
      `document.querySelector('a[href], button, summary, input:not([type=hidden])').type`,
    )
    assert.equal(firstStop, 'search', 'the search box is the first stop of the Tab key')
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
    await seesHeading(page, `Connect with your ${first} API key`)
  })

  it('Enter in the search box opens the first match', async test => {
    const { page } = await visit(test)
    await openPicker(page)
    await page.getByRole('searchbox').fill('t')
    const found = await names(page)
    assert.ok(found.length > 1)
    assert.equal(found[0], 'Tickets', 'a name that begins with it comes first')
    await page.keyboard.press('Enter')
    await seesHeading(page, 'Connect with your Tickets API key')
  })

  it('on a touch screen every target is at least 44 px', async test => {
    const { page } = await visit(test, {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 760 },
    })
    const small = async () => (await checkLayout(page)).snug
    await openPicker(page)
    const picker = page.url()
    assert.deepEqual(await small(), [])
    await page.getByRole('link', { name: /^Vault/ }).click()
    await seesHeading(page, 'Connect with your Vault API key')
    await page.locator('summary').first().click()
    assert.deepEqual(await small(), [])
    await page.goto(picker)
    await page.getByRole('link', { name: /^Notes/ }).click()
    await seesHeading(page, 'Connect Notes to Orbit')
    assert.deepEqual(await small(), [])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await seesHeading(page, 'You cancelled')
    assert.deepEqual(await small(), [])
  })

  it('categories narrow too, together with what is typed', async test => {
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

  it('without JavaScript the server narrows, by the same form and links', async test => {
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
    await seesHeading(page, 'Connect Notes to Orbit')
  })
})
