import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { createVisitor } from './support/browser.ts'
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

const MINUTE = 60_000
const AFTER_EXPIRY = 31 * MINUTE

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.stop())

const NOTHING_SHARED = 'Nothing was connected or shared.'

/** Aborts the redirect from the provider to the callback URL, and returns that URL. */
const interceptReturn = async (
  context: BrowserContext,
  page: Page,
): Promise<{ address: Promise<string> }> => {
  const session = await context.newCDPSession(page)
  const { promise, resolve } = Promise.withResolvers<string>()
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    resolve(request.url)
    void session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    void session.send('Fetch.disable')
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/oauth/callback/*' }] })
  return { address: promise }
}

/** Waits until a grant that could not be stored is revoked at the provider. */
const waitForRevocation = (activeBefore: number): Promise<void> =>
  until('the new token is revoked', async () => {
    const { activeGrants, ledger } = world
    return (await activeGrants()) === activeBefore && ledger('revoke').at(-1)?.detail?.found === true
  })

describe('started in one browser, finished in another', () => {
  it('the provider’s page in another browser connects nothing; the first browser can finish', async test => {
    const { browser, createLink, linkedConnectors } = world
    const { userId, link } = await createLink()
    const starter = await createVisitor(browser, test)
    const other = await createVisitor(browser, test)
    let authorization = ''
    starter.page.on('request', request => {
      if (request.url().includes('/oauth/authorize?')) authorization = request.url()
    })
    await openConsent(starter.page, link)
    await continueToNotes(starter.page)

    await other.page.goto(authorization)
    await signIn(other.page, 'ben')
    await allow(other.page)
    await waitForHeading(other.page, 'Continue in the browser you started in')
    await waitForText(other.page, NOTHING_SHARED)
    assert.deepEqual(await linkedConnectors(userId), [])

    await signIn(starter.page)
    await allow(starter.page)
    await waitForText(starter.page, 'ana@example.com')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
  })

  it('the callback URL in another browser connects nothing; the first browser can use it once', async test => {
    const { browser, createLink, linkedConnectors } = world
    const { userId, link } = await createLink()
    const starter = await createVisitor(browser, test)
    const other = await createVisitor(browser, test)
    await openProviderConsent(starter.page, link)
    const intercepted = await interceptReturn(starter.context, starter.page)
    await allow(starter.page)
    const address = await intercepted.address

    // The other browser has its own cookie from the page of the same link.
    await openConsent(other.page, link)
    await other.page.goto(address)
    await waitForHeading(other.page, 'Continue in the browser you started in')
    assert.deepEqual(await linkedConnectors(userId), [])

    await starter.page.goto(address)
    await waitForHeading(starter.page, 'Notes is connected')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])

    await other.page.goto(address)
    await waitForHeading(other.page, 'Continue in the browser you started in')
  })

  it('the callback URL opened twice connects once and does not say that nothing was connected', async test => {
    const { browser, createLink, attempts, ledger } = world
    const { userId, link } = await createLink()
    const { page, context } = await createVisitor(browser, test)
    await openProviderConsent(page, link)
    const intercepted = await interceptReturn(context, page)
    await allow(page)
    const address = await intercepted.address
    await page.goto(address)
    await waitForHeading(page, 'Notes is connected')
    const exchanges = ledger('token').length
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.getByText(NOTHING_SHARED).count(), 0)
    assert.deepEqual(await attempts(userId), ['completed'])
    assert.equal(ledger('token').length, exchanges, 'the code is not sent a second time')
  })

  it('the completion page does not show the connected account in another browser', async test => {
    const { browser, createLink } = world
    const owner = await createVisitor(browser, test)
    await linkNotes(owner.page, (await createLink()).link)
    const { page } = await createVisitor(browser, test)
    await page.goto(owner.page.url())
    await waitForHeading(page, 'This link has already been used')
    assert.equal(await page.getByText('ana@example.com').count(), 0)
  })
})

describe('opened by a scanner first', () => {
  const hrefs = (page: Page): Promise<string[]> =>
    page.evaluate(
      '[...document.querySelectorAll("[href],[action]")].map(element => element.href ?? element.action)',
    )

  it('scanners do not use up the link, and it counts as opened once a user continues', async test => {
    const { service, browser, createLink, eventTypes, attempts, linkedConnectors } = world
    const { userId, link } = await createLink({})
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => fetch(link, { method: index % 2 ? 'HEAD' : 'GET' })),
    )
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))

    const scanner = await createVisitor(browser, test)
    const visited = new Set<string>()
    /** A page in another language has the same links. */
    const isAnotherPage = (address: string) => !new URL(address).searchParams.has('lang')
    const queue = [link]
    for (let address = queue.pop(); address; address = queue.pop()) {
      visited.add(address)
      await scanner.page.goto(address)
      for (const found of await hrefs(scanner.page)) {
        if (found.startsWith(service.baseUrl) && isAnotherPage(found) && !visited.has(found))
          queue.push(found)
      }
    }
    assert.ok(visited.size >= 6, [...visited].join('\n'))
    const untouched = await eventTypes(userId)
    assert.ok(!untouched.some(type => type.startsWith('link.')), untouched.join())
    assert.deepEqual(await attempts(userId), [])

    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await page.getByRole('link', { name: /Notes/ }).click()
    await waitForHeading(page, 'Connect Notes to Orbit')
    assert.ok(!(await eventTypes(userId)).includes('link.opened'))
    await continueToNotes(page)
    assert.ok((await eventTypes(userId)).includes('link.opened'))
    await signIn(page)
    await allow(page)
    await waitForHeading(page, 'Notes is connected')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    assert.equal((await eventTypes(userId)).filter(type => type === 'link.opened').length, 1)
  })
})

describe('a link that no longer works says why', () => {
  it('expired', async test => {
    const { service, browser, createLink } = world
    const { link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await openConsent(page, link)
    await service.moveClock(AFTER_EXPIRY)
    test.after(() => service.moveClock(-AFTER_EXPIRY))
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await waitForHeading(page, 'This link has expired')
    await page.goto(link)
    await waitForHeading(page, 'This link has expired')
    await page.getByRole('button', { name: 'Ask Orbit for a new link' }).waitFor()
    await waitForText(page, NOTHING_SHARED)
  })

  it('used', async test => {
    const { browser, createLink, attempts } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, link)
    await page.goto(link)
    await waitForHeading(page, 'This link has already been used')
    await waitForText(page, 'It was used to connect Notes')
    assert.deepEqual(await attempts(userId), ['completed'])
  })

  it('tampered with', async test => {
    const { browser, createLink } = world
    const { link } = await createLink()
    const { page } = await createVisitor(browser, test)
    const middle = link.lastIndexOf('.') + 5
    for (const broken of [
      link.slice(0, -3),
      `${link.slice(0, middle)}${link[middle] === 'a' ? 'b' : 'a'}${link.slice(middle + 1)}`,
      `${link}x`,
    ]) {
      await page.goto(broken)
      await waitForHeading(page, 'This link does not work')
      assert.equal(await page.getByText('Orbit').count(), 0, 'the page does not name the organization')
    }
  })

  it('made for a user who is no longer active', async test => {
    const { service, browser, createLink } = world
    const { userId, link } = await createLink()
    await service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await waitForHeading(page, 'This link is paused')
    await waitForText(page, 'Ask Orbit to activate it.')
  })

  it('for an application whose origin is no longer allowed', async test => {
    const { application, browser, createLink } = world
    const { link } = await createLink({ connector: 'sandbox-notes', callback_url: application.callbackUrl })
    await removeOrigin(test)
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await waitForText(page, /unauthorized origin/)
    await waitForText(page, NOTHING_SHARED)
  })
})

const removeOrigin = async (test: { after(act: () => Promise<void>): void }): Promise<void> => {
  const { service, application } = world
  const response = await service.call('DELETE', '/api/v1/callback-origins', {
    body: { origin: application.origin },
  })
  assert.equal(response.status, 204, response.text)
  test.after(() => service.allowOrigin(application.origin))
}

describe('addresses of a session', () => {
  it('every address shows an HTML page with a heading', async test => {
    const { browser, createLink } = world
    const { link } = await createLink({})
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    const sessionUrl = page.url()
    const failures: string[] = []
    for (const address of ['/start', '/api-key', '/cancel', '/ended?connector=a%20b', '/done', '/nonsense']) {
      const response = await page.goto(sessionUrl + address)
      assert.ok(response)
      const type = response.headers()['content-type'] ?? ''
      const heading = await page.getByRole('heading', { level: 1 }).count()
      if (!type.startsWith('text/html') || response.status() >= 500 || heading !== 1)
        failures.push(`${address}: ${response.status()} ${type}`)
    }
    assert.deepEqual(failures, [])
  })

  it('the URL of a form response can be opened again', async test => {
    const { browser, createLink } = world
    const { link } = await createLink({ connector: 'sandbox-vault' })
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await page.getByLabel('API key', { exact: true }).fill('sv_live_wrong')
    await page.getByRole('button', { name: 'Check and connect' }).click()
    await page.getByRole('alert').waitFor()
    await page.goto(page.url())
    const headings = await page.getByRole('heading', { level: 1 }).allInnerTexts()
    assert.deepEqual(headings, ['Connect with your Vault API key'])
  })
})

describe('changes while the user is at the provider', () => {
  it('the link expires: nothing is stored, and the new token is revoked', async test => {
    const { service, browser, createLink, linkedConnectors, callNotes } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await openProviderConsent(page, link)
    const active = await world.activeGrants()
    await service.moveClock(AFTER_EXPIRY)
    test.after(() => service.moveClock(-AFTER_EXPIRY))
    await allow(page)
    await waitForHeading(page, 'This link has expired')
    assert.deepEqual(await linkedConnectors(userId), [])
    assert.equal((await callNotes(userId)).type, 'authenticate_meta')
    await waitForRevocation(active)
  })

  it('the origin is removed: the application receives nothing, and nothing is stored', async test => {
    const { application, browser, createLink, linkedConnectors, service } = world
    const { userId, link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    const { page } = await createVisitor(browser, test)
    await openProviderConsent(page, link)
    const active = await world.activeGrants()
    const receivedBefore = application.received.length
    await removeOrigin(test)
    await allow(page)
    await waitForText(page, /unauthorized origin/)
    assert.equal(application.received.length, receivedBefore)
    assert.deepEqual(await linkedConnectors(userId), [])
    const sessions = await service.query(
      `select id from link_sessions where registered_user_id = $1 and status <> 'minted'`,
      [userId],
    )
    assert.deepEqual(sessions, [])
    await waitForRevocation(active)
  })

  it('the origin is removed: a denied consent is not reported to it either', async test => {
    const { application, browser, createLink } = world
    const { link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    const { page } = await createVisitor(browser, test)
    await openProviderConsent(page, link)
    const receivedBefore = application.received.length
    await removeOrigin(test)
    await deny(page)
    await waitForText(page, /unauthorized origin/)
    assert.equal(application.received.length, receivedBefore)
  })

  it('the user is deactivated: the page says so, and nothing is stored', async test => {
    const { service, browser, createLink, linkedConnectors } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await openProviderConsent(page, link)
    await service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
    await allow(page)
    await waitForHeading(page, 'This link is paused')
    assert.deepEqual(await linkedConnectors(userId), [])
  })
})

describe('framing', () => {
  it('another site cannot embed our pages', async test => {
    const { service, application, browser, createLink } = world
    const { link } = await createLink()
    const { page, browserErrors } = await createVisitor(browser, test)
    await openConsent(page, link)
    for (const framed of [link, page.url(), `${service.baseUrl}/oauth/callback/sandbox-notes?state=x`]) {
      application.serve('/frame', `<h1>Outer</h1><iframe src="${framed}"></iframe>`)
      browserErrors.length = 0
      await page.goto(`${application.foreignOrigin}/frame`)
      await waitForHeading(page, 'Outer')
      const frame = page.frames()[1]
      assert.ok(frame)
      await until('the frame is blocked', () => browserErrors.some(text => /frame/i.test(text)))
      assert.match(frame.url(), /^chrome-error:|^about:blank|^$/)
      assert.equal(await frame.getByRole('button').count(), 0)
      assert.equal(await frame.getByText('Orbit').count(), 0)
    }
  })
})

describe('one link, one connection', () => {
  it('going back after completion shows that the link was used, and changes nothing', async test => {
    const { browser, createLink, attempts } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, link)
    for (let steps = 0; steps < 5 && !/\/connect\/[\w-]+$/.test(page.url()); steps++) {
      await page.goBack()
      assert.equal(await page.getByText(NOTHING_SHARED).count(), 0, `shown at ${page.url()} after completion`)
    }
    await waitForHeading(page, 'This link has already been used')
    assert.deepEqual(await attempts(userId), ['completed'])
  })

  it('a double click on Continue starts one attempt and completes once', async test => {
    const { browser, createLink, attempts, linkedConnectors } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await openConsent(page, link)
    await page.getByRole('button', { name: 'Continue to Notes' }).dblclick()
    await signIn(page)
    await allow(page)
    await waitForHeading(page, 'Notes is connected')
    assert.equal((await attempts(userId)).filter(outcome => outcome === 'completed').length, 1)
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
  })

  for (const javaScriptEnabled of [true, false]) {
    const title = javaScriptEnabled ? 'is ignored' : 'without JavaScript starts a second attempt'
    it(`a second click while the provider is slow ${title}, and the link completes once`, async test => {
      const { service, browser, createLink, attempts, eventTypes } = world
      const { userId, link } = await createLink()
      const { page } = await createVisitor(browser, test, { javaScriptEnabled })
      await openConsent(page, link)
      const release = service.sandbox.hold('authorize')
      const box = await page.getByRole('button', { name: 'Continue to Notes' }).boundingBox()
      assert.ok(box)
      const click = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
      await click()
      await until('the first attempt has begun', async () => (await attempts(userId)).length === 1)
      await click()
      release()
      await signIn(page)
      await allow(page)
      await waitForHeading(page, 'Notes is connected')
      assert.deepEqual(await attempts(userId), javaScriptEnabled ? ['completed'] : [null, 'completed'])
      assert.equal((await eventTypes(userId)).filter(type => type === 'link.opened').length, 1)
    })
  }

  it('two tabs: the second to finish shows that the link was used, and its token is revoked', async test => {
    const { browser, createLink, callNotes } = world
    const { userId, link } = await createLink()
    const visitor = await createVisitor(browser, test)
    const second = await visitor.context.newPage()
    await openProviderConsent(visitor.page, link)
    await openConsent(second, link)
    await continueToNotes(second)
    await waitForHeading(second, /^Allow/)
    const active = await world.activeGrants()

    await allow(visitor.page)
    await waitForHeading(visitor.page, 'Notes is connected')
    await allow(second)
    await waitForHeading(second, 'This link has already been used')
    await waitForRevocation(active + 1)
    assert.equal((await callNotes(userId)).notes?.length, 2)
  })

  it('two tabs: a denied consent in the second does not undo the success of the first', async test => {
    const { application, browser, createLink } = world
    const { link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    const visitor = await createVisitor(browser, test)
    const second = await visitor.context.newPage()
    await openProviderConsent(visitor.page, link)
    await openConsent(second, link)
    await continueToNotes(second)
    await allow(visitor.page)
    await waitForHeading(visitor.page, 'Back in the application')
    const receivedBefore = application.received.length
    await deny(second)
    await waitForHeading(second, 'This link has already been used')
    assert.equal(application.received.length, receivedBefore)
  })

  it('two tabs: the second shows that the link was used once the first has finished', async test => {
    const { browser, createLink } = world
    const { link } = await createLink()
    const visitor = await createVisitor(browser, test)
    const second = await visitor.context.newPage()
    await openConsent(second, link)
    await linkNotes(visitor.page, link)
    await second.getByRole('button', { name: 'Continue to Notes' }).click()
    await waitForHeading(second, 'This link has already been used')
  })
})

describe('two organizations with the same connector', () => {
  it('each requests its own consent, on our page and at the provider', async test => {
    const { service, browser, createLink, ledger } = world
    const kepler = await service.createOrganization('Kepler')
    const user = await service.createUser({ origin_user_id: 'shared' }, kepler.key)
    const { magic_link_url } = await service.mint(user.id, { connector: 'sandbox-notes' }, kepler.key)
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, (await createLink()).link)

    const consents = ledger('authorize').length
    await openConsent(page, magic_link_url, 'Kepler')
    await waitForText(page, 'Kepler’s assistant wants to use your Notes account.')
    assert.equal(await page.getByText('Orbit').count(), 0)
    await continueToNotes(page)
    await waitForHeading(page, /^Allow/)
    assert.equal(ledger('authorize').length, consents, 'nothing is granted before the user allows it')
    await allow(page)
    await waitForHeading(page, 'Notes is connected')
    await waitForText(page, 'Kepler’s assistant can pick up where it left off.')
  })
})
