import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Frame, Page, Route } from 'playwright-core'
import { freePort } from '../scripts/postgres-cluster.ts'
import { startTestService, type TestService } from '../server/test/support/test-service.ts'
import { createVisitor, type Visitor } from './support/browser.ts'
import {
  connectsOnce,
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
import { pressDone, seesHeading, signIn } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

const LATE = 31 * 60_000
const A_WHILE = 500
/** Each has a browser of its own, and what they share does not care. */
const TOGETHER = { concurrency: 2 }

let world: World
before(async () => {
  world = await startWorld()
  await prepareEmbedding(world)
  await serveReactPages(world.application)
})
after(() => world?.stop())

const visit = (test: TestContext): Promise<Visitor> => createVisitor(world.browser, test)

const isTold = ({ calls }: Embedding, expected: RecordedCallback[]): Promise<void> =>
  until(`the page is told ${JSON.stringify(expected)}`, async () => (await calls()).length >= expected.length)

const ends = async (embedding: Embedding, expected: RecordedCallback[]): Promise<void> => {
  await isTold(embedding, expected)
  await delay(A_WHILE)
  assert.deepEqual(await embedding.calls(), expected)
}

const focused = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.id')

describe('the symptoms of the specification', () => {
  it('expired: open() does nothing', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await world.service.moveClock(LATE)
    test.after(() => world.service.moveClock(-LATE))
    const embedding = await embed(world, page, linkToken)
    await until('the token is judged', async () => (await embedding.eventNames()).includes('error'))
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

  it('expires while it waits on the page: it is told, and open() does nothing', async test => {
    const { page } = await visit(test)
    await page.clock.install()
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await until('Link is ready', embedding.isReady)
    await page.clock.fastForward(LATE)
    await until('Link is not ready', async () => !(await embedding.isReady()))
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.deepEqual(await embedding.eventNames(), ['loaded', 'error', 'open_ignored'])
    assert.equal(await page.evaluate('link.error.code'), 'link_token_expired')
    assert.equal(await page.locator('dialog').count(), 0)
  })

  it('expires while it is shown: closing it tells so, and it does not open again', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await world.service.moveClock(LATE)
    test.after(() => world.service.moveClock(-LATE))
    await page.evaluate('link.exit()')
    await ends(embedding, [['exit', 'link_token_expired']])
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual((await embedding.events()).at(-1), ['open_ignored', { code: 'link_token_expired' }])
  })

  it('one link for several apps: told of each, and closed by Done', async test => {
    const { page, complaints } = await visit(test)
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
    await ends(embedding, [SUCCESS, ['success', { Connector: 'sandbox-vault', scopes: [] }]])
    assert.deepEqual((await world.linkedConnectors(userId)).toSorted(), ['sandbox-notes', 'sandbox-vault'])
    assert.deepEqual(complaints, [])
  })

  it('used: Link flashes and closes, and no second success comes', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await signInAndAllow(await continueInWindow(embedding))
    await connectsOnce(world, embedding, { userId })
    assert.deepEqual(complaints, [])

    // On the same page, and on one that is loaded anew.
    for (const again of [false, true]) {
      if (again) await embed(world, page, linkToken)
      const earlier = await embedding.calls()
      await embedding.open()
      await page.locator('dialog').waitFor()
      await ends(embedding, [...earlier, ['exit', 'link_token_used']])
      assert.equal(await page.locator('dialog').count(), 0)
      assert.equal((await embedding.eventNames()).at(-1), 'close')
    }
  })

  it('a page that is not listed: told why, and never ready', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { origin: world.application.unlistedOrigin })
    await until('the token is judged', async () => (await embedding.eventNames()).includes('error'))
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.equal(await embedding.isReady(), false)
    assert.equal(await page.evaluate('link.error.code'), 'unauthorized_origin')
    assert.match(await page.evaluate<string>('link.error.message'), /http:\/\/unlisted\.localhost/)
    assert.match(await page.evaluate<string>('String(link.error.requestId)'), /.{8}/)
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await embedding.eventNames(), ['error', 'open_ignored'])
  })

  it('a token of nobody: told so', async test => {
    const { page } = await visit(test)
    const embedding = await embed(world, page, 'nonsense')
    await until('the token is judged', async () => (await embedding.eventNames()).includes('error'))
    assert.equal(await page.evaluate('link.error.code'), 'invalid_link_token')
  })

  it('open() before isReady does nothing', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const held = Promise.withResolvers<void>()
    await page.route('**/link/sessions', async route => {
      await held.promise
      await route.continue()
    })
    const embedding = await embed(world, page, linkToken)
    await page.waitForFunction('window.link')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    assert.deepEqual(await embedding.events(), [['open_ignored', { code: 'not_ready' }]])
    assert.equal(await page.locator('dialog').count(), 0)
    held.resolve()
    await until('Link is ready', embedding.isReady)
    await delay(A_WHILE)
    assert.equal(await page.locator('dialog').count(), 0, 'it does not open later either')
    assert.deepEqual(await page.evaluate('told.calls'), [['load', true]])
  })
})

describe('inside the dialog', TOGETHER, () => {
  it('without a header of the test’s own: no preflight, no cookie, and no word of which page it is', async test => {
    const { page, complaints } = await createVisitor(world.browser, test, { extraHTTPHeaders: {} })
    const seen: string[] = []
    page.on('request', request => {
      if (!request.url().includes('/link/')) return
      const { referer = '', cookie = '' } = request.headers()
      seen.push(`${request.method()} ${new URL(request.url()).pathname.split('/')[2]} ${referer}${cookie}`)
    })
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await signInAndAllow(await continueInWindow(embedding))
    await connectsOnce(world, embedding, { userId })
    assert.ok(!seen.some(line => line.startsWith('OPTIONS')), seen.join('\n'))
    // The stream names the page's origin, as it must; nothing names the page.
    assert.ok(!seen.some(line => line.includes('/embed')), seen.join('\n'))
    assert.ok(!seen.some(line => line.includes('=')), seen.join('\n'))
    assert.deepEqual(complaints, [])
  })

  it('the picker leads to the end, and there is a way back', async test => {
    const { page, complaints } = await visit(test)
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
    await connectsOnce(world, embedding, { userId })
    assert.deepEqual(complaints, [])
  })

  it('an API key is refused with a reason, then accepted', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault' })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const field = embedding.frame.getByLabel('API key', { exact: true })
    const submit = embedding.frame.getByRole('button', { name: 'Check and connect' })
    await field.fill('sv_live_wrong')
    // By the keyboard: the dialog may still be on its way to its place, and a click would meet what was there before.
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
    await connectsOnce(world, embedding, {
      userId,
      success: ['success', { Connector: 'sandbox-vault', scopes: [] }],
    })
    // The browser counts the answer to a wrong key as one that failed.
    assert.deepEqual(
      complaints.filter(text => !text.includes('status of 422')),
      [],
    )
  })

  it('fewer scopes than were asked for: told which', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    await popup.getByRole('checkbox').last().uncheck()
    await popup.getByRole('button', { name: 'Allow', exact: true }).click()
    await isTold(embedding, [SUCCESS])
    assert.deepEqual(await embedding.calls(), [
      ['success', { Connector: 'sandbox-notes', scopes: ['notes:read'] }],
    ])
  })

  it('language and theme are the application’s to choose', async test => {
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

describe('closing it', TOGETHER, () => {
  const closed: [title: string, close: (embedding: Embedding) => Promise<void>][] = [
    ['exit()', ({ page }) => page.evaluate('link.exit()')],
    ['Escape inside the frame', ({ page }) => page.keyboard.press('Escape')],
    ['Cancel inside the frame', ({ frame }) => frame.getByRole('button', { name: 'Cancel' }).click()],
  ]
  for (const [title, close] of closed) {
    it(`${title}: an exit without an error, and the focus is where it was`, async test => {
      const { page, complaints } = await visit(test)
      const { linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken)
      await embedding.open()
      await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
      await until('the page inside has arrived', async () => (await embedding.eventNames()).includes('ready'))
      await close(embedding)
      await ends(embedding, [['exit', null]])
      assert.equal(await page.locator('dialog').count(), 0)
      assert.equal(await focused(page), 'connect')
      assert.equal((await embedding.eventNames()).at(-1), 'close')
      assert.deepEqual(complaints, [])
    })
  }

  it('after a clean exit the same token may be opened again', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await page.evaluate('link.exit()')
    await isTold(embedding, [['exit', null]])
    await embedding.open()
    await signInAndAllow(await continueInWindow(embedding))
    await ends(embedding, [['exit', null], SUCCESS])
  })

  it('Escape and the cross outside the frame, while the page inside is on its way', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    await page.context().route('**/link/s/*?*', async (route: Route) => {
      await delay(2_000)
      await route.continue().catch(() => undefined)
    })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await page.keyboard.press('Escape')
    await ends(embedding, [['exit', null]])
    assert.equal(await focused(page), 'connect')
    await embedding.open()
    await page.getByRole('button', { name: 'Close' }).click()
    await ends(embedding, [
      ['exit', null],
      ['exit', null],
    ])
    assert.equal(await page.locator('dialog').count(), 0)
    assert.equal(await page.evaluate('document.documentElement.style.overflow'), '')
  })

  it('the page behind is inert while it is shown', async test => {
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

/** Counts what a page has open: event streams, and listeners for messages. */
const watchLeftovers = async (page: Page): Promise<() => Promise<{ streams: number; listeners: number }>> => {
  await page.addInitScript(`
    window.streams = []
    const Real = EventSource
    window.EventSource = class extends Real { constructor(...given) { super(...given); streams.push(this) } }`)
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

const NOTHING_LEFT = { streams: 0, listeners: 0 }

describe('React', TOGETHER, () => {
  it('19, strict mode: one frame, one success, nothing left', async test => {
    const { page, complaints } = await visit(test)
    const leftovers = await watchLeftovers(page)
    const trades: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/link/sessions') && request.method() === 'POST') trades.push(request.url())
    })
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { path: REACT_19 })
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    assert.equal(await page.locator('iframe').count(), 1)
    assert.deepEqual(await leftovers(), { streams: 1, listeners: 1 })
    await signInAndAllow(await continueInWindow(embedding))
    await connectsOnce(world, embedding, { userId })
    assert.equal(trades.length, 1)
    assert.deepEqual(await leftovers(), NOTHING_LEFT)
    assert.deepEqual(complaints, [])
  })

  it('18, strict mode: one frame, one success', async test => {
    const { application, service, linkedConnectors } = world
    const { page, complaints } = await visit(test)
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
    assert.deepEqual(complaints, [])
  })

  it('unmounted while it is shown: nothing is left, and nothing is called', async test => {
    const { page, complaints } = await visit(test)
    const leftovers = await watchLeftovers(page)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { path: REACT_19 })
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    await page.evaluate(`show({ kind: 'nothing' })`)
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await leftovers(), NOTHING_LEFT)
    assert.equal(await page.evaluate('document.documentElement.style.overflow'), '')
    await popup.getByRole('button', { name: 'Allow', exact: true }).click()
    await until('it is stored all the same', async () => (await world.linkedConnectors(userId)).length === 1)
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    assert.ok(!(await embedding.eventNames()).includes('close'))
    assert.deepEqual(complaints, [])
  })

  it('another token: the old one is gone, the new one loads', async test => {
    const { page } = await visit(test)
    const leftovers = await watchLeftovers(page)
    const first = await mintFor(world)
    const second = await mintFor(world, { connector: 'sandbox-vault' })
    const embedding = await embed(world, page, first.linkToken, { path: REACT_19 })
    await embedding.open()
    await embedding.frame.getByRole('heading', { name: 'Connect Notes to Orbit' }).waitFor()
    await page.evaluate(`show({ linkToken: ${JSON.stringify(second.linkToken)} })`)
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await leftovers(), NOTHING_LEFT)
    await embedding.open()
    await embedding.frame.getByRole('heading', { name: 'Connect with your Vault API key' }).waitFor()
    assert.deepEqual(await embedding.calls(), [])
    await page.evaluate('show({ linkToken: null })')
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.equal(await embedding.isReady(), false)
  })

  it('LinkButton: disabled until it can open, and the application’s to style', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const held = Promise.withResolvers<void>()
    await page.route('**/link/sessions', async route => {
      await held.promise
      await route.continue()
    })
    await embed(world, page, linkToken, { path: REACT_19, kind: 'button' })
    const button = page.getByRole('button', { name: 'Connect', exact: true })
    assert.ok(await button.isDisabled())
    assert.equal(await button.getAttribute('class'), 'own')
    held.resolve()
    await button.click()
    const embedding = embeddingOn(page)
    await signInAndAllow(await continueInWindow(embedding))
    await connectsOnce(world, embedding, { userId })
    assert.deepEqual(complaints, [])
  })
})

describe('without React', TOGETHER, () => {
  it('<account-link>: the same, as events', async test => {
    const { application, service, linkedConnectors } = world
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    application.serve(
      '/element',
      `<h1>Settings</h1><account-link link-token="${linkToken}" link-url="${service.baseUrl}/link">Connect Notes</account-link>
<script type="module">
import '/carabiner-link/element.js'
window.told = []
const element = document.querySelector('account-link')
for (const type of ['success', 'exit']) element.addEventListener(type, ({ detail }) => told.push([type, detail]))
</script>`,
    )
    await page.goto(`${application.foreignOrigin}/element`)
    await page.getByRole('button', { name: 'Connect Notes' }).click()
    await signInAndAllow(await continueInWindow(embeddingOn(page)))
    await page.waitForFunction('told.length > 0')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    await pressDone(page)
    assert.deepEqual(await page.evaluate('told'), [SUCCESS])
    assert.deepEqual(complaints, [])
  })

  it('<account-link> that is taken away takes everything with it', async test => {
    const { application, service } = world
    const { page } = await visit(test)
    const leftovers = await watchLeftovers(page)
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
    assert.deepEqual(await leftovers(), NOTHING_LEFT)
  })

  it('destroy() takes everything away, and nothing is called', async test => {
    const { page } = await visit(test)
    const leftovers = await watchLeftovers(page)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Continue to Notes' }).waitFor()
    await page.evaluate('link.destroy()')
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await leftovers(), NOTHING_LEFT)
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    assert.equal(await focused(page), 'connect')
  })

  it('mode redirect: this tab goes there, and ends connected', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'redirect' })
    await embedding.open()
    await seesHeading(page, 'Connect Notes to Orbit')
    assert.ok(!page.url().includes(linkToken))
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(complaints, [])
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
    const answer = await world.service.call('POST', '/api/v1/link-token/confirm/', { body: { code } })
    assert.equal(answer.status, 200, answer.text)
  }

  it('the window brings the code to the application, and success waits for its confirmation', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-notes', ...request() })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signInAndAllow(popup)
    await seesHeading(popup, 'Back in the application')
    const code = lastCode()
    await embedding.frame.getByRole('heading', { name: 'Orbit is finishing the connection' }).waitFor()
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    assert.deepEqual(await world.linkedConnectors(userId), [])
    await confirm(code)
    await connectsOnce(world, embedding, { userId })
    const told = JSON.stringify(await embedding.events())
    assert.match(told, /awaiting_confirmation/)
    assert.ok(!told.includes(code), 'the code is in the callback and nowhere else')
    assert.deepEqual(complaints, [])
  })

  it('a key given inside the frame: the window around it goes to the application', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world, { connector: 'sandbox-vault', ...request() })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByLabel('API key', { exact: true }).fill(world.service.sandbox.vaultKeys.ana)
    await embedding.frame.getByRole('button', { name: 'Check and connect' }).click()
    await seesHeading(page, 'Back in the application')
    await confirm(lastCode())
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-vault'])
    assert.deepEqual(complaints, [])
  })

  it('closing Link inside the application stays there', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world, { connector: 'sandbox-notes', ...request() })
    const heard = world.application.received.length
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    await embedding.frame.getByRole('button', { name: 'Cancel' }).click()
    await ends(embedding, [['exit', null]])
    assert.equal(world.application.received.length, heard)
  })
})

describe('Link on a host of its own', TOGETHER, () => {
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

  it('the third party’s step is on the other host, and its cookie with it', async test => {
    const { page, context, complaints } = await visit(test)
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
    await connectsOnce({ linkedConnectors }, embedding, { userId })
    assert.deepEqual(complaints, [])
  })

  it('a key goes to Link’s own host, and no cookie is needed', async test => {
    const { page, context, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor({ service }, { connector: 'sandbox-vault' })
    const { origin } = world.application
    const embedding = await embed(world, page, linkToken, { origin, linkUrl })
    await embedding.open()
    await embedding.frame.getByLabel('API key', { exact: true }).fill(service.sandbox.vaultKeys.ana)
    await embedding.frame.getByRole('button', { name: 'Check and connect' }).click()
    await connectsOnce({ linkedConnectors }, embedding, {
      userId,
      success: ['success', { Connector: 'sandbox-vault', scopes: [] }],
    })
    assert.deepEqual(await context.cookies(), [])
    assert.deepEqual(complaints, [])
  })

  it('the hosted page too', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor({ service })
    await page.goto(`${linkUrl}/#link_token=${linkToken}`)
    await seesHeading(page, 'Connect Notes to Orbit')
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
    assert.deepEqual(await linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(complaints, [])
  })
})

describe('while an agent runs', TOGETHER, () => {
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

  it('a tool result that asks for the account opens Link, and the same call succeeds after it', async test => {
    const { page, complaints } = await visit(test)
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
    assert.deepEqual(complaints, [])
  })

  it('a stream of events is read up to the one that asks, and no further', async test => {
    const { page, complaints } = await visit(test)
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
    assert.deepEqual(complaints, [])
  })

  it('a person who closes Link: told so', async test => {
    const { page } = await visit(test)
    const { result } = await prepareAgent(page)
    serveAgent('/agent-closed', JSON.stringify(result))
    await page.goto(`${world.application.foreignOrigin}/agent-closed`)
    await embeddingOn(page).frame.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForFunction('outcome')
    assert.equal(await page.evaluate('outcome.error'), 'exited')
  })

  it('a result that asks for nothing: null, and nothing is shown', async test => {
    const { page } = await visit(test)
    await prepareAgent(page)
    serveAgent('/agent-content', JSON.stringify({ structuredContent: { notes: [] } }))
    await page.goto(`${world.application.foreignOrigin}/agent-content`)
    await page.waitForFunction('outcome')
    assert.deepEqual(await page.evaluate('outcome'), { connected: null, items: [], result: null })
    assert.equal(await page.locator('dialog').count(), 0)
  })
})

describe('where event streams do not come through', TOGETHER, () => {
  const cut = async (context: BrowserContext, how: (route: Route) => Promise<void>): Promise<void> => {
    await context.route('**/events', route =>
      route.request().headers().accept?.includes('text/event-stream') ? how(route) : route.fallback(),
    )
  }
  const ways: [string, (route: Route) => Promise<void>][] = [
    ['refused', route => route.fulfill({ status: 503, body: '' })],
    ['broken', route => route.abort()],
    // A proxy that waits for the end of an answer before it passes it on.
    ['held back', () => delay(60_000, undefined, { ref: false })],
  ]
  for (const [title, how] of ways) {
    it(`${title}: the outcome is asked for instead, and told once`, async test => {
      const { context, page } = await visit(test)
      await cut(context, how)
      const { userId, linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken)
      await embedding.open()
      await signInAndAllow(await continueInWindow(embedding))
      await connectsOnce(world, embedding, { userId })
    })
  }
})
