import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Frame, Page, Route } from 'playwright-core'
import { freePort } from '../scripts/postgres-cluster.ts'
import { startTestService, type TestService } from '../server/test/support/test-service.ts'
import { createVisitor, type Visitor } from './support/browser.ts'
import {
  assertConnectedOnce,
  continueInWindow,
  type Embedding,
  embed,
  embeddingOn,
  mintFor,
  prepareEmbedding,
  type RecordedCallback,
  SUCCESS,
  signInAndAllow,
} from './support/embedding.ts'
import { REACT_18, REACT_19, react18Page, serveReactPages } from './support/react-pages.ts'
import { pressDone, signIn, waitForHeading } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const AFTER_EXPIRY = 31 * 60_000
const SETTLE_MS = 500
/** Each test has its own browser context and user. */
const IN_PARALLEL = { concurrency: 2 }

let world: World
before(async () => {
  world = await startWorld()
  await prepareEmbedding(world)
  await serveReactPages(world.application)
})
after(() => world?.stop())

const visit = (test: TestContext): Promise<Visitor> => createVisitor(world.browser, test)

const waitForCalls = ({ calls }: Embedding, expected: RecordedCallback[]): Promise<void> =>
  until(
    `the page receives ${JSON.stringify(expected)}`,
    async () => (await calls()).length >= expected.length,
  )

const assertFinalCalls = async (embedding: Embedding, expected: RecordedCallback[]): Promise<void> => {
  await waitForCalls(embedding, expected)
  await delay(SETTLE_MS)
  assert.deepEqual(await embedding.calls(), expected)
}

const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.id')

describe('the symptoms of the specification', () => {
  it('expired token: open() does nothing', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await world.service.moveClock(AFTER_EXPIRY)
    test.after(() => world.service.moveClock(-AFTER_EXPIRY))
    const embedding = await embed(world, page, linkToken)
    await until('the token is rejected', async () => (await embedding.eventNames()).includes('error'))
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.equal(await embedding.isReady(), false)
    assert.equal(await page.locator('dialog').count(), 0)
    assert.equal(await page.evaluate('link.error.code'), 'link_token_expired')
    assert.deepEqual(await embedding.events(), [
      ['error', 'link_token_expired'],
      ['open_ignored', { code: 'link_token_expired' }],
    ])
    assert.deepEqual(await embedding.calls(), [])
  })

  it('token expires before open(): an error event is emitted, and open() does nothing', async test => {
    const { page } = await visit(test)
    await page.clock.install()
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await until('Link is ready', embedding.isReady)
    await page.clock.fastForward(AFTER_EXPIRY)
    await until('Link is not ready', async () => !(await embedding.isReady()))
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.deepEqual(await embedding.eventNames(), ['loaded', 'error', 'open_ignored'])
    assert.equal(await page.evaluate('link.error.code'), 'link_token_expired')
    assert.equal(await page.locator('dialog').count(), 0)
  })

  it('token expires while Link is open: exit reports the error, and open() does nothing', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await world.service.moveClock(AFTER_EXPIRY)
    test.after(() => world.service.moveClock(-AFTER_EXPIRY))
    await page.evaluate('link.exit()')
    await assertFinalCalls(embedding, [['exit', 'link_token_expired']])
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual((await embedding.events()).at(-1), ['open_ignored', { code: 'link_token_expired' }])
  })

  it('token for several apps: each connection is reported, and Done closes Link', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world, {})
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('link', { name: /^Notes/ }).click()
    await signInAndAllow(await continueInWindow(embedding))
    await embedding.frame.getByRole('heading', { name: 'Notes is connected' }).waitFor()
    await embedding.frame.getByText('ana@example.com').waitFor()
    await embedding.frame.getByRole('button', { name: 'Connect another app' }).click()
    await embedding.frame.getByRole('link', { name: /^Vault/ }).click()
    await embedding.frame.getByLabel('API key', { exact: true }).fill(world.service.sandbox.vaultKeys.ana)
    await embedding.frame.getByRole('button', { name: 'Check and connect' }).click()
    await embedding.frame.getByRole('heading', { name: 'Vault is connected' }).waitFor()
    await pressDone(page)
    await assertFinalCalls(embedding, [SUCCESS, ['success', { Connector: 'sandbox-vault', scopes: [] }]])
    assert.deepEqual((await world.linkedConnectors(userId)).toSorted(), ['sandbox-notes', 'sandbox-vault'])
    assert.deepEqual(browserErrors, [])
  })

  it('used token: Link flashes and closes, without a second success', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await signInAndAllow(await continueInWindow(embedding))
    await assertConnectedOnce(world, embedding, { userId })
    assert.deepEqual(browserErrors, [])

    // First on the same page, then after a reload.
    for (const isReloaded of [false, true]) {
      if (isReloaded) await embed(world, page, linkToken)
      const earlier = await embedding.calls()
      await embedding.open()
      await page.locator('dialog').waitFor()
      await assertFinalCalls(embedding, [...earlier, ['exit', 'link_token_used']])
      assert.equal(await page.locator('dialog').count(), 0)
      assert.equal((await embedding.eventNames()).at(-1), 'close')
    }
  })

  it('origin not allowed: the error is reported, and Link is never ready', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { origin: world.application.unlistedOrigin })
    await until('the token is rejected', async () => (await embedding.eventNames()).includes('error'))
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.equal(await embedding.isReady(), false)
    assert.equal(await page.evaluate('link.error.code'), 'unauthorized_origin')
    assert.match(await page.evaluate<string>('link.error.message'), /http:\/\/unlisted\.localhost/)
    assert.match(await page.evaluate<string>('String(link.error.requestId)'), /.{8}/)
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await embedding.eventNames(), ['error', 'open_ignored'])
  })

  it('unknown token: the error is reported', async test => {
    const { page } = await visit(test)
    const embedding = await embed(world, page, 'nonsense')
    await until('the token is rejected', async () => (await embedding.eventNames()).includes('error'))
    assert.equal(await page.evaluate('link.error.code'), 'invalid_link_token')
  })

  it('open() before isReady does nothing', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const gate = Promise.withResolvers<void>()
    await page.route('**/link/sessions', async route => {
      await gate.promise
      await route.continue()
    })
    const embedding = await embed(world, page, linkToken)
    await page.waitForFunction('window.link')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.deepEqual(await embedding.events(), [['open_ignored', { code: 'not_ready' }]])
    assert.equal(await page.locator('dialog').count(), 0)
    gate.resolve()
    await until('Link is ready', embedding.isReady)
    await delay(SETTLE_MS)
    assert.equal(await page.locator('dialog').count(), 0, 'Link must not open later either')
    assert.deepEqual(await page.evaluate('recorded.calls'), [['load', true]])
  })
})

describe('inside the dialog', IN_PARALLEL, () => {
  it('requests without test headers: no preflight except for the token, no cookie, no path of the embedding page', async test => {
    const { page, browserErrors } = await createVisitor(world.browser, test, { extraHTTPHeaders: {} })
    const requests: string[] = []
    page.on('request', request => {
      if (!request.url().includes('/link/')) return
      const { referer = '', cookie = '' } = request.headers()
      requests.push(
        `${request.method()} ${new URL(request.url()).pathname.split('/')[2]} ${referer}${cookie}`,
      )
    })
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await signInAndAllow(await continueInWindow(embedding))
    await assertConnectedOnce(world, embedding, { userId })
    assert.ok(!requests.some(line => /^OPTIONS (?!sessions )/.test(line)), requests.join('\n'))
    // The event stream sends the page's origin, but no request sends its path.
    assert.ok(!requests.some(line => line.includes('/embed')), requests.join('\n'))
    assert.ok(!requests.some(line => line.includes('=')), requests.join('\n'))
    assert.deepEqual(browserErrors, [])
  })

  it('the picker: the user can go back, choose another connector and connect it', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world, {})
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const { frame } = embedding
    await frame.getByRole('heading', { name: 'What would you like to connect?' }).waitFor()
    await frame.getByRole('link', { name: /Vault/ }).click()
    await frame.getByRole('heading', { name: 'Connect with your Vault API key' }).waitFor()
    await frame.getByRole('link', { name: 'Back' }).click()
    await frame.getByRole('link', { name: /Notes/ }).click()
    await signInAndAllow(await continueInWindow(embedding))
    await assertConnectedOnce(world, embedding, { userId })
    assert.deepEqual(browserErrors, [])
  })

  it('an invalid API key is rejected with a reason; a valid one is accepted', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault' })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const field = embedding.frame.getByLabel('API key', { exact: true })
    const submit = embedding.frame.getByRole('button', { name: 'Check and connect' })
    await field.fill('sv_live_wrong')
    // Uses the keyboard, because a click could miss the button while the dialog is still moving.
    await field.press('Enter')
    await embedding.frame.getByRole('alert').waitFor()
    assert.deepEqual(await embedding.calls(), [])
    await until('the field has the focus', () =>
      embedding.frame
        .locator('input:focus')
        .count()
        .then(count => count === 1),
    )
    await field.fill(world.service.sandbox.vaultKeys.ana)
    await submit.click()
    await assertConnectedOnce(world, embedding, {
      userId,
      success: ['success', { Connector: 'sandbox-vault', scopes: [] }],
    })
    // The browser logs the response to an invalid key as an error.
    assert.deepEqual(
      browserErrors.filter(text => !text.includes('status of 422')),
      [],
    )
  })

  it('partial consent: success reports the granted scopes', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    await popup.getByRole('checkbox').last().uncheck()
    await popup.getByRole('button', { name: 'Allow', exact: true }).click()
    await waitForCalls(embedding, [SUCCESS])
    assert.deepEqual(await embedding.calls(), [
      ['success', { Connector: 'sandbox-notes', scopes: ['notes:read'] }],
    ])
  })

  it('the application sets the language and the theme', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { lang: 'de', theme: 'dark' })
    await embedding.open()
    await embedding.frame.getByRole('heading', { level: 1 }).waitFor()
    const inside = page.frames().at(-1) as Frame
    const scheme = (selector: string) => `getComputedStyle(document.querySelector('${selector}')).colorScheme`
    assert.equal(await inside.evaluate('document.documentElement.lang'), 'de')
    assert.equal(await page.evaluate(scheme('dialog')), 'dark')
    assert.equal(await inside.evaluate(scheme('html')), 'dark')
  })
})

describe('closing Link', IN_PARALLEL, () => {
  const closed: [title: string, close: (embedding: Embedding) => Promise<void>][] = [
    ['exit()', ({ page }) => page.evaluate('link.exit()')],
    ['Escape inside the frame', ({ page }) => page.keyboard.press('Escape')],
    ['Cancel inside the frame', ({ frame }) => frame.getByRole('button', { name: 'Cancel' }).click()],
  ]
  for (const [title, close] of closed) {
    it(`${title}: exit without an error, and the focus is restored`, async test => {
      const { page, browserErrors } = await visit(test)
      const { linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken)
      await embedding.open()
      await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
      await until('the page in the frame is ready', async () =>
        (await embedding.eventNames()).includes('ready'),
      )
      await close(embedding)
      await assertFinalCalls(embedding, [['exit', null]])
      assert.equal(await page.locator('dialog').count(), 0)
      assert.equal(await focused(page), 'connect')
      assert.equal((await embedding.eventNames()).at(-1), 'close')
      assert.deepEqual(browserErrors, [])
    })
  }

  it('the same token can be opened again after an exit without an error', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await page.evaluate('link.exit()')
    await waitForCalls(embedding, [['exit', null]])
    await embedding.open()
    await signInAndAllow(await continueInWindow(embedding))
    await assertFinalCalls(embedding, [['exit', null], SUCCESS])
  })

  it('Escape and Close work while the page in the frame is loading', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.context().route('**/link/s/*?*', async (route: Route) => {
      await delay(2_000)
      await route.continue().catch(() => undefined)
    })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await page.keyboard.press('Escape')
    await assertFinalCalls(embedding, [['exit', null]])
    assert.equal(await focused(page), 'connect')
    await embedding.open()
    await page.getByRole('button', { name: 'Close' }).click()
    await assertFinalCalls(embedding, [
      ['exit', null],
      ['exit', null],
    ])
    assert.equal(await page.locator('dialog').count(), 0)
    assert.equal(await page.evaluate('document.documentElement.style.overflow'), '')
  })

  it('the page behind the dialog is inert', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await assert.rejects(page.locator('#other').click({ timeout: 500 }))
    await page.evaluate(`document.querySelector('#other').focus()`)
    assert.notEqual(await focused(page), 'other')
    assert.equal(await page.locator('dialog').count(), 1)
    await page.evaluate('link.open()')
    assert.equal(await page.locator('dialog').count(), 1)
  })
})

/** Returns a function that counts the page's open event streams and message listeners. */
const trackResources = async (page: Page): Promise<() => Promise<{ streams: number; listeners: number }>> => {
  await page.addInitScript(`
    window.streams = []
    const Real = EventSource
    window.EventSource = class extends Real { constructor(...parameters) { super(...parameters); streams.push(this) } }`)
  const session = await page.context().newCDPSession(page)
  return async () => {
    const { result } = await session.send('Runtime.evaluate', { expression: 'window' })
    const { listeners } = await session.send('DOMDebugger.getEventListeners', {
      objectId: result.objectId as string,
    })
    return {
      streams: await page.evaluate<number>('streams.filter(stream => stream.readyState !== 2).length'),
      listeners: listeners.filter(({ type }) => type === 'message').length,
    }
  }
}

const NO_RESOURCES = { streams: 0, listeners: 0 }

describe('React', IN_PARALLEL, () => {
  it('19, strict mode: one frame, one success, and all resources are released', async test => {
    const { page, browserErrors } = await visit(test)
    const openResources = await trackResources(page)
    const exchanges: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/link/sessions') && request.method() === 'POST')
        exchanges.push(request.url())
    })
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { path: REACT_19 })
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    assert.equal(await page.locator('iframe').count(), 1)
    assert.deepEqual(await openResources(), { streams: 1, listeners: 1 })
    await signInAndAllow(await continueInWindow(embedding))
    await assertConnectedOnce(world, embedding, { userId })
    assert.equal(exchanges.length, 1)
    assert.deepEqual(await openResources(), NO_RESOURCES)
    assert.deepEqual(browserErrors, [])
  })

  it('18, strict mode: one frame, one success', async test => {
    const { application, service, linkedConnectors } = world
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    application.serve(REACT_18, react18Page(linkToken, `${service.baseUrl}/link`))
    await page.goto(application.foreignOrigin + REACT_18)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.equal(await page.locator('iframe').count(), 1)
    await signInAndAllow(await continueInWindow(embeddingOn(page)))
    await page.getByRole('listitem').waitFor()
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    await pressDone(page)
    assert.deepEqual(await page.getByRole('listitem').allInnerTexts(), ['success sandbox-notes'])
    assert.deepEqual(browserErrors, [])
  })

  it('unmounting closes Link, releases all resources and calls nothing', async test => {
    const { page, browserErrors } = await visit(test)
    const openResources = await trackResources(page)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { path: REACT_19 })
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    await page.evaluate(`show({ kind: 'nothing' })`)
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await openResources(), NO_RESOURCES)
    assert.equal(await page.evaluate('document.documentElement.style.overflow'), '')
    await popup.getByRole('button', { name: 'Allow', exact: true }).click()
    await until(
      'the credential is stored anyway',
      async () => (await world.linkedConnectors(userId)).length === 1,
    )
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    assert.ok(!(await embedding.eventNames()).includes('close'))
    assert.deepEqual(browserErrors, [])
  })

  it('a new token closes the old session and loads the new one', async test => {
    const { page } = await visit(test)
    const openResources = await trackResources(page)
    const first = await mintFor(world)
    const second = await mintFor(world, { connector: 'sandbox-vault' })
    const embedding = await embed(world, page, first.linkToken, { path: REACT_19 })
    await embedding.open()
    await embedding.frame.getByRole('heading', { name: 'Connect Notes to Orbit' }).waitFor()
    await page.evaluate(`show({ linkToken: ${JSON.stringify(second.linkToken)} })`)
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await openResources(), NO_RESOURCES)
    await embedding.open()
    await embedding.frame.getByRole('heading', { name: 'Connect with your Vault API key' }).waitFor()
    assert.deepEqual(await embedding.calls(), [])
    await page.evaluate('show({ linkToken: null })')
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.equal(await embedding.isReady(), false)
  })

  it('LinkButton: disabled until Link is ready, with the class set by the application', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const gate = Promise.withResolvers<void>()
    await page.route('**/link/sessions', async route => {
      await gate.promise
      await route.continue()
    })
    await embed(world, page, linkToken, { path: REACT_19, kind: 'button' })
    const button = page.getByRole('button', { name: 'Connect', exact: true })
    assert.ok(await button.isDisabled())
    assert.equal(await button.getAttribute('class'), 'own')
    gate.resolve()
    await button.click()
    const embedding = embeddingOn(page)
    await signInAndAllow(await continueInWindow(embedding))
    await assertConnectedOnce(world, embedding, { userId })
    assert.deepEqual(browserErrors, [])
  })
})

describe('without React', IN_PARALLEL, () => {
  it('<account-link>: dispatches one success event', async test => {
    const { application, service, linkedConnectors } = world
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    application.serve(
      '/element',
      `<h1>Settings</h1><account-link link-token="${linkToken}" link-url="${service.baseUrl}/link">Connect Notes</account-link>
<script type="module">
import '/carabiner-link/element.js'
window.recorded = []
const element = document.querySelector('account-link')
for (const type of ['success', 'exit']) element.addEventListener(type, ({ detail }) => recorded.push([type, detail]))
</script>`,
    )
    await page.goto(`${application.foreignOrigin}/element`)
    await page.getByRole('button', { name: 'Connect Notes' }).click()
    await signInAndAllow(await continueInWindow(embeddingOn(page)))
    await page.waitForFunction('recorded.length > 0')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    await pressDone(page)
    assert.deepEqual(await page.evaluate('recorded'), [SUCCESS])
    assert.deepEqual(browserErrors, [])
  })

  it('<account-link>: removing the element closes Link and releases all resources', async test => {
    const { application, service } = world
    const { page } = await visit(test)
    const openResources = await trackResources(page)
    const { linkToken } = await mintFor(world)
    application.serve(
      '/element-removed',
      `<h1>Settings</h1><account-link link-token="${linkToken}" link-url="${service.baseUrl}/link">Connect Notes</account-link>
<script type="module" src="/carabiner-link/element.js"></script>`,
    )
    await page.goto(`${application.foreignOrigin}/element-removed`)
    await page.getByRole('button', { name: 'Connect Notes' }).click()
    await embeddingOn(page).frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await page.evaluate(`document.querySelector('account-link').remove()`)
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await openResources(), NO_RESOURCES)
  })

  it('destroy() closes Link, releases all resources and calls nothing', async test => {
    const { page } = await visit(test)
    const openResources = await trackResources(page)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await page.evaluate('link.destroy()')
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await openResources(), NO_RESOURCES)
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    assert.equal(await focused(page), 'connect')
  })

  it('mode redirect: the tab navigates to Link, and the account is connected', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'redirect' })
    await embedding.open()
    await waitForHeading(page, 'Connect Notes to Orbit')
    assert.ok(!page.url().includes(linkToken))
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(browserErrors, [])
  })
})

describe('authorization code mode', () => {
  const request = () => ({ callback_url: world.application.callbackUrl, state: 'mine' })
  const lastCode = (): string => {
    const { url } = world.application.received.at(-1) as { url: URL }
    assert.deepEqual([url.searchParams.get('status'), url.searchParams.get('state')], ['success', 'mine'])
    return url.searchParams.get('code') as string
  }
  const confirm = async (code: string): Promise<void> => {
    const response = await world.service.call('POST', '/api/v1/link-token/confirm/', { body: { code } })
    assert.equal(response.status, 200, response.text)
  }

  it('the popup delivers the code to the application, and success follows the confirmation', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-notes', ...request() })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signInAndAllow(popup)
    await waitForHeading(popup, 'Back in the application')
    const code = lastCode()
    await embedding.frame.getByRole('heading', { name: 'Orbit is finishing the connection' }).waitFor()
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    assert.deepEqual(await world.linkedConnectors(userId), [])
    await confirm(code)
    await assertConnectedOnce(world, embedding, { userId })
    const events = JSON.stringify(await embedding.events())
    assert.match(events, /awaiting_confirmation/)
    assert.ok(!events.includes(code), 'events must not contain the code')
    assert.deepEqual(browserErrors, [])
  })

  it('an API key in the frame: the top-level page navigates to the callback URL', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault', ...request() })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByLabel('API key', { exact: true }).fill(world.service.sandbox.vaultKeys.ana)
    await embedding.frame.getByRole('button', { name: 'Check and connect' }).click()
    await waitForHeading(page, 'Back in the application')
    await confirm(lastCode())
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-vault'])
    assert.deepEqual(browserErrors, [])
  })

  it('closing Link does not navigate to the callback URL', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world, { connector: 'sandbox-notes', ...request() })
    const receivedBefore = world.application.received.length
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Cancel' }).click()
    await assertFinalCalls(embedding, [['exit', null]])
    assert.equal(world.application.received.length, receivedBefore)
  })
})

describe('Link on a separate host', IN_PARALLEL, () => {
  let service: TestService
  let linkUrl: string
  const linkedConnectors = async (userId: string): Promise<string[]> =>
    (await service.call('GET', `/api/v1/registered-users/${userId}`)).body.linked_connectors
  before(async () => {
    const port = String(await freePort())
    linkUrl = `http://127.0.0.1:${port}/link`
    service = await startTestService('postgres', {
      PORT: port,
      HOST: '127.0.0.1',
      LINK_URL: linkUrl,
      TRUST_PROXY: 'loopback',
    })
    await service.allowOrigin(world.application.origin)
  })
  after(() => service?.stop())

  it('the OAuth step and its cookie are on the host of the service', async test => {
    const { page, context, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor({ service })
    const { origin } = world.application
    const embedding = await embed(world, page, linkToken, { origin, linkUrl })
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    const ours = (await context.cookies()).filter(({ name }) => name === 'carabiner_browser')
    assert.deepEqual(
      ours.map(({ domain }) => domain),
      ['localhost'],
    )
    await popup.getByRole('button', { name: 'Allow', exact: true }).click()
    await assertConnectedOnce({ linkedConnectors }, embedding, { userId })
    assert.deepEqual(browserErrors, [])
  })

  it('an API key is sent to the host of Link, without a cookie', async test => {
    const { page, context, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor({ service }, { connector: 'sandbox-vault' })
    const { origin } = world.application
    const embedding = await embed(world, page, linkToken, { origin, linkUrl })
    await embedding.open()
    await embedding.frame.getByLabel('API key', { exact: true }).fill(service.sandbox.vaultKeys.ana)
    await embedding.frame.getByRole('button', { name: 'Check and connect' }).click()
    await assertConnectedOnce({ linkedConnectors }, embedding, {
      userId,
      success: ['success', { Connector: 'sandbox-vault', scopes: [] }],
    })
    assert.deepEqual(await context.cookies(), [])
    assert.deepEqual(browserErrors, [])
  })

  it('the hosted page connects an account', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor({ service })
    await page.goto(`${linkUrl}/#link_token=${linkToken}`)
    await waitForHeading(page, 'Connect Notes to Orbit')
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(browserErrors, [])
  })
})

describe('while an agent runs', IN_PARALLEL, () => {
  const serveAgent = (path: string, source: string): void =>
    world.application.serve(
      path,
      `<h1>Agent</h1><script type="module">
import { onAuthenticateMeta, retryAfterLink } from '/carabiner-link/index.js'
const linkUrl = ${JSON.stringify(`${world.service.baseUrl}/link`)}
const items = []
window.outcome = null
const source = ${source}
onAuthenticateMeta(source, { linkUrl, onItem: item => items.push(item) }).then(
  async connected => {
    const result = connected && (await retryAfterLink(() => callNotes(), { Connector: connected.Connector }))
    window.outcome = { connected, items, result }
  },
  error => { window.outcome = { error: error.code, items } },
)
</script>`,
    )

  const prepareAgent = async (page: Page): Promise<{ result: unknown; userId: string }> => {
    const user = await world.service.createUser()
    const call = async (): Promise<unknown> => {
      const { body } = await world.service.mcp(user.id, 'tools/call', {
        name: 'sandbox-notes__list_notes',
        arguments: { limit: 2 },
      })
      return body.result
    }
    await page.exposeFunction('callNotes', call)
    return { result: await call(), userId: user.id }
  }

  it('a result with authenticate_meta opens Link, and the repeated call succeeds', async test => {
    const { page, browserErrors } = await visit(test)
    const { result, userId } = await prepareAgent(page)
    serveAgent('/agent', JSON.stringify(result))
    await page.goto(`${world.application.foreignOrigin}/agent`)
    await signInAndAllow(await continueInWindow(embeddingOn(page)))
    await page.waitForFunction('outcome')
    const outcome = await page.evaluate<any>('outcome')
    assert.equal(outcome.connected.Connector, 'sandbox-notes')
    assert.equal(outcome.connected.meta.type, 'authenticate_meta')
    assert.equal(outcome.result.structuredContent.notes.length, 2)
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(browserErrors, [])
  })

  it('an event stream is read up to the authenticate_meta, then cancelled', async test => {
    const { page, browserErrors } = await visit(test)
    const { result } = await prepareAgent(page)
    const meta = (result as { structuredContent: unknown }).structuredContent
    serveAgent(
      '/agent-stream',
      `new ReadableStream({
  start(stream) {
    stream.enqueue({ type: 'text', text: 'Looking' })
    stream.enqueue({ type: 'function_call_result', result: ${JSON.stringify(meta)} })
    stream.enqueue({ type: 'text', text: 'never shown' })
  },
  cancel() { window.cancelled = true },
})`,
    )
    await page.goto(`${world.application.foreignOrigin}/agent-stream`)
    await signInAndAllow(await continueInWindow(embeddingOn(page)))
    await page.waitForFunction('outcome')
    const outcome = await page.evaluate<any>('outcome')
    assert.deepEqual(outcome.items, [{ type: 'text', text: 'Looking' }])
    assert.equal(outcome.result.structuredContent.notes.length, 2)
    assert.equal(await page.evaluate('window.cancelled'), true)
    assert.deepEqual(browserErrors, [])
  })

  it('closing Link rejects with the code exited', async test => {
    const { page } = await visit(test)
    const { result } = await prepareAgent(page)
    serveAgent('/agent-closed', JSON.stringify(result))
    await page.goto(`${world.application.foreignOrigin}/agent-closed`)
    await embeddingOn(page).frame.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForFunction('outcome')
    assert.equal(await page.evaluate('outcome.error'), 'exited')
  })

  it('a result without authenticate_meta resolves to null and shows nothing', async test => {
    const { page } = await visit(test)
    await prepareAgent(page)
    serveAgent('/agent-content', JSON.stringify({ structuredContent: { notes: [] } }))
    await page.goto(`${world.application.foreignOrigin}/agent-content`)
    await page.waitForFunction('outcome')
    assert.deepEqual(await page.evaluate('outcome'), { connected: null, items: [], result: null })
    assert.equal(await page.locator('dialog').count(), 0)
  })
})

describe('blocked event streams', IN_PARALLEL, () => {
  const blockStreams = async (
    context: BrowserContext,
    block: (route: Route) => Promise<void>,
  ): Promise<void> => {
    await context.route('**/events', route =>
      route.request().headers().accept?.includes('text/event-stream') ? block(route) : route.fallback(),
    )
  }
  const blocks: [string, (route: Route) => Promise<void>][] = [
    ['rejected', route => route.fulfill({ status: 503, body: '' })],
    ['aborted', route => route.abort()],
    // A proxy that buffers a response until it ends.
    ['buffered', () => delay(60_000, undefined, { ref: false })],
  ]
  for (const [title, block] of blocks) {
    it(`${title}: Link polls the state instead, and success is reported once`, async test => {
      const { context, page } = await visit(test)
      await blockStreams(context, block)
      const { userId, linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken)
      await embedding.open()
      await signInAndAllow(await continueInWindow(embedding))
      await assertConnectedOnce(world, embedding, { userId })
    })
  }
})
