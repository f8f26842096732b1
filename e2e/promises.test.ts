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
  seesHeading,
  seesText,
  signIn,
  walkToQuestion,
} from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const MINUTE = 60_000
const LATE = 31 * MINUTE

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.stop())

const NOTHING_SHARED = 'Nothing was connected, and nothing was shared.'

/** Stops the browser on its way back from the third party, and says where it was to go. */
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

/** The grant that a person gave in vain does not stay at the third party. */
const seesRevocation = (activeBefore: number): Promise<void> =>
  until('the fresh token is revoked', async () => {
    const { activeGrants, ledger } = world
    return (await activeGrants()) === activeBefore && ledger('revoke').at(-1)?.detail?.found === true
  })

describe('started in one browser, finished in another', () => {
  it('the third party’s page, passed on to somebody else, connects nothing; whoever started can finish', async test => {
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
    await seesHeading(other.page, 'Continue in the browser you started in')
    await seesText(other.page, NOTHING_SHARED)
    assert.deepEqual(await linkedConnectors(userId), [])

    await signIn(starter.page)
    await allow(starter.page)
    await seesText(starter.page, 'ana@example.com')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
  })

  it('the way back, copied into another browser, connects nothing; the right one can still take it, once', async test => {
    const { browser, createLink, linkedConnectors } = world
    const { userId, link } = await createLink()
    const starter = await createVisitor(browser, test)
    const other = await createVisitor(browser, test)
    await walkToQuestion(starter.page, link)
    const wayBack = await interceptReturn(starter.context, starter.page)
    await allow(starter.page)
    const address = await wayBack.address

    // The other browser has a cookie of its own, having seen the same link's page.
    await openConsent(other.page, link)
    await other.page.goto(address)
    await seesHeading(other.page, 'Continue in the browser you started in')
    assert.deepEqual(await linkedConnectors(userId), [])

    await starter.page.goto(address)
    await seesHeading(starter.page, 'Notes is connected')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])

    await other.page.goto(address)
    await seesHeading(other.page, 'Continue in the browser you started in')
  })

  it('the way back, taken twice, connects once and does not say that nothing was connected', async test => {
    const { browser, createLink, attempts, ledger } = world
    const { userId, link } = await createLink()
    const { page, context } = await createVisitor(browser, test)
    await walkToQuestion(page, link)
    const wayBack = await interceptReturn(context, page)
    await allow(page)
    const address = await wayBack.address
    await page.goto(address)
    await seesHeading(page, 'Notes is connected')
    const exchanges = ledger('token').length
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.getByText(NOTHING_SHARED).count(), 0)
    assert.deepEqual(await attempts(userId), ['completed'])
    assert.equal(ledger('token').length, exchanges, 'the code is not sent a second time')
  })

  it('the completion page tells nobody else which account was connected', async test => {
    const { browser, createLink } = world
    const owner = await createVisitor(browser, test)
    await linkNotes(owner.page, (await createLink()).link)
    const { page } = await createVisitor(browser, test)
    await page.goto(owner.page.url())
    await seesHeading(page, 'This link has already been used')
    assert.equal(await page.getByText('ana@example.com').count(), 0)
  })
})

describe('opened by a machine first', () => {
  const hrefs = (page: Page): Promise<string[]> =>
    page.evaluate(
      '[...document.querySelectorAll("[href],[action]")].map(element => element.href ?? element.action)',
    )

  it('scanners and unfurlers use nothing up, and the link counts as opened when a person goes on', async test => {
    const { service, browser, createLink, eventTypes, attempts, linkedConnectors } = world
    const { userId, link } = await createLink({})
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => fetch(link, { method: index % 2 ? 'HEAD' : 'GET' })),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))

    const scanner = await createVisitor(browser, test)
    const seen = new Set<string>()
    const waiting = [link]
    for (let address = waiting.pop(); address; address = waiting.pop()) {
      seen.add(address)
      await scanner.page.goto(address)
      for (const found of await hrefs(scanner.page)) {
        if (found.startsWith(service.baseUrl) && !seen.has(found)) waiting.push(found)
      }
    }
    assert.ok(seen.size >= 6, [...seen].join('\n'))
    const untouched = await eventTypes(userId)
    assert.ok(!untouched.some(type => type.startsWith('link.')), untouched.join())
    assert.deepEqual(await attempts(userId), [])

    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await page.getByRole('link', { name: /Notes/ }).click()
    await seesHeading(page, 'Connect Notes to Orbit')
    assert.ok(!(await eventTypes(userId)).includes('link.opened'))
    await continueToNotes(page)
    assert.ok((await eventTypes(userId)).includes('link.opened'))
    await signIn(page)
    await allow(page)
    await seesHeading(page, 'Notes is connected')
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
    await service.moveClock(LATE)
    test.after(() => service.moveClock(-LATE))
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await seesHeading(page, 'This link has expired')
    await page.goto(link)
    await seesHeading(page, 'This link has expired')
    await page.getByRole('button', { name: 'Ask Orbit for a new link' }).waitFor()
    await seesText(page, NOTHING_SHARED)
  })

  it('used', async test => {
    const { browser, createLink, attempts } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, link)
    await page.goto(link)
    await seesHeading(page, 'This link has already been used')
    await seesText(page, 'It was used to connect Notes')
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
      await seesHeading(page, 'This link does not work')
      assert.equal(await page.getByText('Orbit').count(), 0, 'nothing is said of anybody')
    }
  })

  it('made for a user who is no longer active', async test => {
    const { service, browser, createLink } = world
    const { userId, link } = await createLink()
    await service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await seesHeading(page, 'This link is paused')
    await seesText(page, 'Ask Orbit to activate it.')
  })

  it('for an application whose origin was taken off the list', async test => {
    const { application, browser, createLink } = world
    const { link } = await createLink({ connector: 'sandbox-notes', callback_url: application.callbackUrl })
    await unlist(test)
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    await seesText(page, /unauthorized origin/)
    await seesText(page, NOTHING_SHARED)
  })
})

const unlist = async (test: { after(act: () => Promise<void>): void }): Promise<void> => {
  const { service, application } = world
  const answer = await service.call('DELETE', '/api/v1/callback-origins', {
    body: { origin: application.origin },
  })
  assert.equal(answer.status, 204, answer.text)
  test.after(() => service.allowOrigin(application.origin))
}

describe('whatever address is opened', () => {
  it('a person reads a page', async test => {
    const { browser, createLink } = world
    const { link } = await createLink({})
    const { page } = await createVisitor(browser, test)
    await page.goto(link)
    const own = page.url()
    const amiss: string[] = []
    for (const address of ['/start', '/api-key', '/cancel', '/ended?connector=a%20b', '/done', '/nonsense']) {
      const answer = await page.goto(own + address)
      assert.ok(answer)
      const type = answer.headers()['content-type'] ?? ''
      const heading = await page.getByRole('heading', { level: 1 }).count()
      if (!type.startsWith('text/html') || answer.status() >= 500 || heading !== 1)
        amiss.push(`${address}: ${answer.status()} ${type}`)
    }
    assert.deepEqual(amiss, [])
  })

  it('what answered a form can be opened again', async test => {
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

describe('what changes while the person is at the third party', () => {
  it('too late: nothing is stored, and the fresh token is revoked', async test => {
    const { service, browser, createLink, linkedConnectors, callNotes } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await walkToQuestion(page, link)
    const active = await world.activeGrants()
    await service.moveClock(LATE)
    test.after(() => service.moveClock(-LATE))
    await allow(page)
    await seesHeading(page, 'This link has expired')
    assert.deepEqual(await linkedConnectors(userId), [])
    assert.equal((await callNotes(userId)).type, 'authenticate_meta')
    await seesRevocation(active)
  })

  it('an origin taken off the list: the application hears nothing, and nothing is stored', async test => {
    const { application, browser, createLink, linkedConnectors, service } = world
    const { userId, link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    const { page } = await createVisitor(browser, test)
    await walkToQuestion(page, link)
    const active = await world.activeGrants()
    const heard = application.received.length
    await unlist(test)
    await allow(page)
    await seesText(page, /unauthorized origin/)
    assert.equal(application.received.length, heard)
    assert.deepEqual(await linkedConnectors(userId), [])
    const waiting = await service.query(
      `select id from link_sessions where registered_user_id = $1 and status <> 'minted'`,
      [userId],
    )
    assert.deepEqual(waiting, [])
    await seesRevocation(active)
  })

  it('an origin taken off the list: a refusal does not reach it either', async test => {
    const { application, browser, createLink } = world
    const { link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    const { page } = await createVisitor(browser, test)
    await walkToQuestion(page, link)
    const heard = application.received.length
    await unlist(test)
    await deny(page)
    await seesText(page, /unauthorized origin/)
    assert.equal(application.received.length, heard)
  })

  it('the user is deactivated: the page says so, and nothing is stored', async test => {
    const { service, browser, createLink, linkedConnectors } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await walkToQuestion(page, link)
    await service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
    await allow(page)
    await seesHeading(page, 'This link is paused')
    assert.deepEqual(await linkedConnectors(userId), [])
  })
})

describe('framing', () => {
  it('another site that frames our pages shows nothing of them', async test => {
    const { service, application, browser, createLink } = world
    const { link } = await createLink()
    const { page, complaints } = await createVisitor(browser, test)
    await openConsent(page, link)
    for (const framed of [link, page.url(), `${service.baseUrl}/oauth/callback/sandbox-notes?state=x`]) {
      application.serve('/frame', `<h1>Outer</h1><iframe src="${framed}"></iframe>`)
      complaints.length = 0
      await page.goto(`${application.foreignOrigin}/frame`)
      await seesHeading(page, 'Outer')
      const frame = page.frames()[1]
      assert.ok(frame)
      await until('the frame is refused', () => complaints.some(text => /frame/i.test(text)))
      assert.match(frame.url(), /^chrome-error:|^about:blank|^$/)
      assert.equal(await frame.getByRole('button').count(), 0)
      assert.equal(await frame.getByText('Orbit').count(), 0)
    }
  })
})

describe('one link, one connection', () => {
  it('going back after completion meets a link that was used, and changes nothing', async test => {
    const { browser, createLink, attempts } = world
    const { userId, link } = await createLink()
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, link)
    for (let steps = 0; steps < 5 && !/\/connect\/[\w-]+$/.test(page.url()); steps++) {
      await page.goBack()
      assert.equal(await page.getByText(NOTHING_SHARED).count(), 0, `told at ${page.url()}, after completion`)
    }
    await seesHeading(page, 'This link has already been used')
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
    await seesHeading(page, 'Notes is connected')
    assert.equal((await attempts(userId)).filter(outcome => outcome === 'completed').length, 1)
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
  })

  for (const javaScriptEnabled of [true, false]) {
    const title = javaScriptEnabled ? 'is none' : 'without JavaScript is a second attempt'
    it(`a second click while the third party is slow ${title}, and completes once`, async test => {
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
      await seesHeading(page, 'Notes is connected')
      assert.deepEqual(await attempts(userId), javaScriptEnabled ? ['completed'] : [null, 'completed'])
      assert.equal((await eventTypes(userId)).filter(type => type === 'link.opened').length, 1)
    })
  }

  it('two tabs: the second to finish finds the link used, and its token revoked', async test => {
    const { browser, createLink, callNotes } = world
    const { userId, link } = await createLink()
    const visitor = await createVisitor(browser, test)
    const second = await visitor.context.newPage()
    await walkToQuestion(visitor.page, link)
    await openConsent(second, link)
    await continueToNotes(second)
    await seesHeading(second, /^Allow/)
    const active = await world.activeGrants()

    await allow(visitor.page)
    await seesHeading(visitor.page, 'Notes is connected')
    await allow(second)
    await seesHeading(second, 'This link has already been used')
    await seesRevocation(active + 1)
    assert.equal((await callNotes(userId)).notes?.length, 2)
  })

  it('two tabs: a refusal in the second does not take back what the first has told the application', async test => {
    const { application, browser, createLink } = world
    const { link } = await createLink({
      connector: 'sandbox-notes',
      callback_url: application.callbackUrl,
      state: 'mine',
    })
    const visitor = await createVisitor(browser, test)
    const second = await visitor.context.newPage()
    await walkToQuestion(visitor.page, link)
    await openConsent(second, link)
    await continueToNotes(second)
    await allow(visitor.page)
    await seesHeading(visitor.page, 'Back in the application')
    const heard = application.received.length
    await deny(second)
    await seesHeading(second, 'This link has already been used')
    assert.equal(application.received.length, heard)
  })

  it('two tabs: the page of the second says "used" when the first is done', async test => {
    const { browser, createLink } = world
    const { link } = await createLink()
    const visitor = await createVisitor(browser, test)
    const second = await visitor.context.newPage()
    await openConsent(second, link)
    await linkNotes(visitor.page, link)
    await second.getByRole('button', { name: 'Continue to Notes' }).click()
    await seesHeading(second, 'This link has already been used')
  })
})

describe('two organizations with the same connector', () => {
  it('each asks for itself, on our page and at the third party', async test => {
    const { service, browser, createLink, ledger } = world
    const kepler = await service.createOrganization('Kepler')
    const user = await service.createUser({ origin_user_id: 'shared' }, kepler.key)
    const { magic_link_url } = await service.mint(user.id, { connector: 'sandbox-notes' }, kepler.key)
    const { page } = await createVisitor(browser, test)
    await linkNotes(page, (await createLink()).link)

    const consents = ledger('authorize').length
    await openConsent(page, magic_link_url, 'Kepler')
    await seesText(page, 'Kepler’s assistant asks to use your Notes account.')
    assert.equal(await page.getByText('Orbit').count(), 0)
    await continueToNotes(page)
    await seesHeading(page, /^Allow/)
    assert.equal(ledger('authorize').length, consents, 'nothing is granted before the person says so')
    await allow(page)
    await seesHeading(page, 'Notes is connected')
    await seesText(page, 'Kepler’s assistant can pick up where it left off.')
  })
})
