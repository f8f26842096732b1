import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import { sitesConnector, useOwnApp } from '../server/test/support/acme-connectors.ts'
import { createVisitor } from './support/browser.ts'
import {
  assertConnectedOnce,
  continueInWindow,
  EMBED_PATH,
  embed,
  embeddingPage,
  mintFor,
  prepareEmbedding,
  type RecordedCallback,
  SUCCESS,
  signInAndAllow,
} from './support/embedding.ts'
import { type PlainBrowser, startPlainBrowser, startPlainHeadless } from './support/plain-browser.ts'
import { addHeaders } from './support/server-headers.ts'
import { allow, deny, signIn, waitForHeading } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

/** Enough time for an unwanted callback or window to appear. */
const SETTLE_MS = 700

/** Response headers that providers send in production. */
const POLICIES: Record<string, Record<string, string>> = {
  none: {},
  'unsafe-none': { 'cross-origin-opener-policy': 'unsafe-none' },
  'same-origin-allow-popups': { 'cross-origin-opener-policy': 'same-origin-allow-popups' },
  'noopener-allow-popups': { 'cross-origin-opener-policy': 'noopener-allow-popups' },
  'same-origin': { 'cross-origin-opener-policy': 'same-origin' },
  'same-origin and isolated': {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  },
}
/** The first two have the same effect. */
const SEVERING = Object.keys(POLICIES).slice(2)
/** The policy that most providers send. It is tested in both modes and in the browser that users have. */
const USUAL = 'same-origin'

const MODES = ['iframe', 'popup'] as const
type Mode = (typeof MODES)[number]

/** Every other policy is tested in one mode; `npm run proof:popups` tests all of them in both. */
const modesFor = (position: number, policy: string): readonly Mode[] =>
  policy === USUAL || process.env.TEST_POPUPS === 'all' ? MODES : [MODES[position % 2] as Mode]

const SITES = sitesConnector.slug

/** Selects the policy that the provider sends to this user. */
const POLICY_COOKIE = 'policy'
/** Each test has its own browser context and user. */
const IN_PARALLEL = { concurrency: 3 }

let world: World
/** With a popup blocker. */
let plain: PlainBrowser
/** Without a popup blocker, which is sufficient for windows that a click opens. */
let headless: PlainBrowser
let stopHeaders: () => void
before(async () => {
  world = await startWorld([sitesConnector])
  await useOwnApp(world.service, SITES)
  await prepareEmbedding(world)
  ;[plain, headless] = await Promise.all([startPlainBrowser(), startPlainHeadless()])
  stopHeaders = addHeaders(world.service.sandbox.port, ({ headers }) => {
    const policy = new RegExp(`${POLICY_COOKIE}=([^;]+)`).exec(headers.cookie ?? '')?.[1]
    return POLICIES[decodeURIComponent(policy ?? 'none')] ?? {}
  })
})
after(async () => {
  stopHeaders?.()
  await Promise.all([plain?.stop(), headless?.stop()])
  await world?.stop()
})

/** Opens a new context. Chromium treats it as private browsing, which blocks third-party cookies. */
const visit = async (test: TestContext, policy = 'none', { browser }: PlainBrowser = headless) => {
  const visitor = await createVisitor(browser, test)
  await visitor.context.addCookies([
    { name: POLICY_COOKIE, value: encodeURIComponent(policy), url: world.service.sandbox.url },
  ])
  return visitor
}

const browserFor = (policy: string): PlainBrowser => (policy === USUAL ? plain : headless)

/** Evaluates the expression in the frame without a user gesture. */
const evaluateWithoutGesture = async (
  context: BrowserContext,
  frame: Frame,
  expression: string,
): Promise<unknown> => {
  const session = await context.newCDPSession(frame)
  const { result } = await session.send('Runtime.evaluate', { expression, returnByValue: true })
  return result.value
}

const linkFrame = (page: Page): Frame => {
  const frame = page.frames().find(candidate => candidate.url().includes('/link/s/'))
  assert.ok(frame)
  return frame
}

/** The window may close at any moment, so a failed query counts as false. */
const showsText = async (popup: Page, text: string): Promise<boolean> =>
  (await popup
    .getByText(text)
    .count()
    .catch(() => 0)) > 0

/** Waits until the window has closed or offers to be closed. */
const waitForWindowEnd = async (popup: Page): Promise<void> => {
  await until('the window has closed or can be closed', async () => {
    if (popup.isClosed()) return true
    return showsText(popup, 'You can close this window.')
  })
}

describe('the browsers of these tests', () => {
  const openBare = async (test: TestContext, browser: PlainBrowser) => {
    const { application } = world
    const { context, page } = await visit(test, 'none', browser)
    application.serve(
      '/bare',
      `<h1>Bare</h1><script>document.title = window.open('about:blank') ? 'opened' : 'blocked'</script>
<iframe src="${application.origin}/cookie"></iframe>`,
    )
    application.serve(
      '/cookie',
      `<p></p><script>document.cookie = 'a=b; SameSite=None; Secure'; document.querySelector('p').textContent = document.cookie || 'none'</script>`,
    )
    await page.goto(`${application.foreignOrigin}/bare`)
    assert.equal(await page.frameLocator('iframe').locator('p').innerText(), 'none')
    const stored = await context.cookies(`${application.origin}/cookie`)
    assert.deepEqual(
      stored.filter(({ name }) => name === 'a'),
      [],
    )
    return page.title()
  }

  it('Chromium blocks popups without a click, and third-party cookies', async test => {
    assert.equal(await openBare(test, plain), 'blocked')
    assert.ok(
      world.service.baseUrl.startsWith('http://localhost'),
      'Link is on another site than the application',
    )
  })

  it('headless Chromium blocks third-party cookies', async test => {
    await openBare(test, headless)
  })
})

describe('opener policies of the provider', IN_PARALLEL, () => {
  const byMode: Record<Mode, (test: TestContext, policy: string) => Promise<void>> = {
    iframe: async (test, policy) => {
      const { page, browserErrors } = await visit(test, policy, browserFor(policy))
      const { userId, linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken)
      await embedding.open()
      const popup = await continueInWindow(embedding)
      await waitForHeading(popup, 'Sign in to Notes')
      await assertPolicy(popup, POLICIES[policy])
      await embedding.frame.getByRole('heading', { name: 'Finish in the other window' }).waitFor()
      await signInAndAllow(popup)
      await assertConnectedOnce(world, embedding, { userId })
      await waitForWindowEnd(popup)
      assert.deepEqual(browserErrors, [])
    },
    popup: async (test, policy) => {
      const { page, browserErrors } = await visit(test, policy, browserFor(policy))
      const { userId, linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken, { mode: 'popup' })
      const popup = await embedding.openWindow(embedding.open)
      await popup.getByRole('button', { name: 'Continue to Notes' }).click()
      await waitForHeading(popup, 'Sign in to Notes')
      await assertPolicy(popup, POLICIES[policy])
      if (SEVERING.includes(policy))
        await until('window.closed is true although the window is open', () =>
          page.evaluate<boolean>('window.popup.closed'),
        )
      else assert.equal(await page.evaluate('window.popup.closed'), false)
      await signInAndAllow(popup)
      await assertConnectedOnce(world, embedding, { userId })
      await waitForWindowEnd(popup)
      assert.deepEqual(browserErrors, [])
    },
  }
  // The other tests cover the case without a policy.
  for (const [position, policy] of Object.keys(POLICIES).slice(1).entries())
    for (const mode of modesFor(position, policy))
      it(`${mode}, ${policy}: success is reported once, after the credential is stored`, test =>
        byMode[mode](test, policy))
})

describe('a regular browser profile instead of private browsing', () => {
  it('iframe, same-origin: success is reported once, after the credential is stored', async () => {
    const [context] = plain.browser.contexts()
    assert.ok(context)
    const url = world.service.sandbox.url
    await context.addCookies([{ name: POLICY_COOKIE, value: 'same-origin', url }])
    const page = await context.newPage()
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signInAndAllow(popup)
    await assertConnectedOnce(world, embedding, { userId })
    await waitForWindowEnd(popup)
  })
})

const assertPolicy = async (popup: Page, headers: Record<string, string> = {}): Promise<void> => {
  const response = await popup.reload()
  for (const [name, value] of Object.entries(headers)) assert.equal(response?.headers()[name], value)
}

describe('opener policies of the application', IN_PARALLEL, () => {
  for (const [position, [name, headers]] of Object.entries(POLICIES).slice(2).entries()) {
    for (const mode of modesFor(position, name)) {
      it(`${mode}, ${name}: success is reported once, after the credential is stored`, async test => {
        const path = `${EMBED_PATH}-${name.replaceAll(' ', '-')}`
        world.application.serve(path, embeddingPage(), headers)
        const { page, browserErrors } = await visit(test, 'none', browserFor(name))
        const { userId, linkToken } = await mintFor(world)
        const embedding = await embed(world, page, linkToken, { mode, path })
        // A cross-origin isolated page cannot embed Link.
        const isIsolated = name === 'same-origin and isolated'
        assert.equal(await page.evaluate('crossOriginIsolated'), isIsolated)
        let popup: Page
        if (mode === 'popup' || isIsolated) {
          popup = await embedding.openWindow(embedding.open)
          await popup.getByRole('button', { name: 'Continue to Notes' }).click()
        } else {
          await embedding.open()
          popup = await continueInWindow(embedding)
          // The policy separates the frame from the window it opens, so the user continues in the window itself.
          if (name === 'same-origin') await popup.getByRole('button', { name: 'Continue to Notes' }).click()
        }
        await signIn(popup)
        assert.equal(page.context().pages().length, 2, 'one popup, and no empty one')
        await allow(popup)
        await assertConnectedOnce(world, embedding, { userId })
        await waitForWindowEnd(popup)
        assert.deepEqual(browserErrors, [])
      })
    }
  }
})

describe('blocked popups', IN_PARALLEL, () => {
  it('popup: continues in this tab automatically and connects', async test => {
    const { page, browserErrors } = await visit(test, 'none', plain)
    const { userId, linkToken } = await mintFor(world)
    await embed(world, page, linkToken, { mode: 'popup', autoOpen: true })
    // Waits for the URL only: to the browser, evaluating a script through the debugger is a user gesture.
    await page.waitForURL(/\/link\/s\//)
    await waitForHeading(page, 'Connect Notes to Orbit')
    assert.equal(page.context().pages().length, 1)
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(browserErrors, [])
  })

  it('iframe: the OAuth step continues in this tab automatically and connects', async test => {
    const { context, page } = await visit(test, 'none', plain)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    // The click permits one popup, and the script below uses it up.
    await embedding.frame.getByRole('heading', { name: 'Connect Notes to Orbit' }).click()
    const opened = await evaluateWithoutGesture(
      context,
      linkFrame(page),
      `window.open('about:blank')?.close(); const second = window.open('about:blank'); document.querySelector('form[data-do=leave]').requestSubmit(); String(second)`,
    )
    assert.equal(opened, 'null')
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
  })

  it('iframe: the user can choose to continue in this tab', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await waitForHeading(popup, 'Sign in to Notes')
    await popup.close()
    await embedding.frame.getByRole('button', { name: 'Continue in this tab' }).click()
    await signInAndAllow(page)
    await waitForHeading(page, 'Notes is connected')
    await page.getByRole('link', { name: 'Return to Orbit' }).waitFor()
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
  })
})

describe('an account with several sites', IN_PARALLEL, () => {
  const openChoice = async (page: Page) => {
    const { userId, linkToken } = await mintFor(world, { connector: SITES })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const start = embedding.frame.getByRole('button', { name: 'Continue to Acme Sites' })
    const popup = await embedding.openWindow(() => start.click())
    await signInAndAllow(popup)
    await waitForHeading(popup, 'Choose a site')
    return { userId, embedding, popup }
  }

  it('iframe: the site is chosen in the window by keyboard, and calls go to it', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, embedding, popup } = await openChoice(page)
    await embedding.frame.getByRole('heading', { name: 'Finish in the other window' }).waitFor()
    assert.deepEqual(await embedding.calls(), [])
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await popup.keyboard.press(key)
    const success: RecordedCallback = ['success', { Connector: SITES, scopes: ['notes:read'] }]
    await assertConnectedOnce(world, embedding, { userId, success })
    await waitForWindowEnd(popup)
    const call = { name: `${SITES}__list_pages`, arguments: {} }
    const { body } = await world.service.mcp(userId, 'tools/call', call)
    assert.equal(body.result.structuredContent.site, 'harbour-club')
    assert.deepEqual(browserErrors, [])
  })

  it('iframe: cancelling in the window ends the attempt, and Link can be closed', async test => {
    const { page } = await visit(test)
    const { userId, embedding, popup } = await openChoice(page)
    await popup.getByRole('button', { name: 'Cancel' }).click()
    await embedding.frame.getByRole('heading', { name: 'You canceled' }).waitFor()
    await waitForWindowEnd(popup)
    assert.deepEqual(await world.linkedConnectors(userId), [])
  })
})

describe('the user closes the window before the end', IN_PARALLEL, () => {
  it('iframe: nothing is reported until Link is closed, then an exit', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await waitForHeading(popup, 'Sign in to Notes')
    await popup.close()
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    await embedding.frame.getByRole('heading', { name: 'Finish in the other window' }).waitFor()
    await embedding.frame.getByRole('button', { name: 'Cancel' }).click()
    await until('the page receives a callback', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await world.linkedConnectors(userId), [])
  })

  it('iframe: the window can be opened again and connects', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const first = await continueInWindow(embedding)
    await waitForHeading(first, 'Sign in to Notes')
    await first.close()
    const second = await embedding.openWindow(() =>
      embedding.frame.getByRole('button', { name: 'Open it again' }).click(),
    )
    await signInAndAllow(second)
    await assertConnectedOnce(world, embedding, { userId })
    await waitForWindowEnd(second)
  })

  it('popup: nothing is reported, and open() opens it again', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'popup' })
    const first = await embedding.openWindow(embedding.open)
    await first.getByRole('button', { name: 'Continue to Notes' }).click()
    await waitForHeading(first, 'Sign in to Notes')
    await first.close()
    await delay(SETTLE_MS)
    assert.deepEqual(await embedding.calls(), [])
    const second = await embedding.openWindow(embedding.open)
    await second.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(second)
    await assertConnectedOnce(world, embedding, { userId })
  })

  it('popup: exit() reports an exit and closes the window', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'popup' })
    const popup = await embedding.openWindow(embedding.open)
    await waitForHeading(popup, 'Connect Notes to Orbit')
    await page.evaluate('link.exit()')
    await until('the page receives a callback', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
    await until('the window has closed', () => popup.isClosed())
  })
})

describe('a denied consent', IN_PARALLEL, () => {
  it('iframe: Link shows it, and closing Link reports an exit', async test => {
    const { page, browserErrors } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    await deny(popup)
    await embedding.frame.getByRole('heading', { name: 'You canceled' }).waitFor()
    await waitForWindowEnd(popup)
    assert.deepEqual(await embedding.calls(), [])
    await embedding.frame.getByRole('main').getByRole('button', { name: 'Close' }).click()
    await until('the page receives a callback', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
    assert.deepEqual(await world.linkedConnectors(userId), [])
    assert.deepEqual(browserErrors, [])
  })

  it('iframe: trying again connects and reports one success', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const first = await continueInWindow(embedding)
    await signIn(first)
    await deny(first)
    await embedding.frame.getByRole('link', { name: 'Try again' }).click()
    const second = await continueInWindow(embedding)
    await allow(second)
    await assertConnectedOnce(world, embedding, { userId })
  })

  for (const policy of ['none', 'same-origin']) {
    it(`popup, ${policy}: an exit is reported, or the window stays open and shows it`, async test => {
      const { page } = await visit(test, policy)
      const { linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken, { mode: 'popup' })
      const popup = await embedding.openWindow(embedding.open)
      await popup.getByRole('button', { name: 'Continue to Notes' }).click()
      await signIn(popup)
      await deny(popup)
      await until('the window shows it or the page receives a callback', async () => {
        if ((await embedding.calls()).length > 0) return true
        return showsText(popup, 'You canceled')
      })
      await page.evaluate('link.exit()')
      await until('the page receives a callback', async () => (await embedding.calls()).length > 0)
      assert.deepEqual(await embedding.calls(), [['exit', null]])
    })
  }
})

describe('a failing provider', () => {
  it('iframe: Link shows the failure, and closing Link reports the reason', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    world.service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
    await allow(popup)
    await embedding.frame.getByRole('heading', { name: 'Notes could not be connected' }).waitFor()
    await waitForWindowEnd(popup)
    await embedding.frame.getByRole('main').getByRole('button', { name: 'Close' }).click()
    await until('the page receives a callback', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', 'provider_unavailable']])
    assert.deepEqual(await world.linkedConnectors(userId), [])

    // The failure does not use up the token.
    await embedding.open()
    const second = await continueInWindow(embedding)
    await allow(second)
    await until('the page receives a callback', async () => (await embedding.calls()).length > 1)
    assert.deepEqual((await embedding.calls()).at(-1), SUCCESS)
  })

  it('popup: the reason is reported, or the window stays open and shows it', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'popup' })
    const popup = await embedding.openWindow(embedding.open)
    await popup.getByRole('button', { name: 'Continue to Notes' }).click()
    await signIn(popup)
    world.service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
    await allow(popup)
    await until('the window shows it or the page receives a callback', async () => {
      if ((await embedding.calls()).length > 0) return true
      return showsText(popup, 'Notes could not be connected')
    })
    await page.evaluate('link.exit()')
    await until('the page receives a callback', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', 'provider_unavailable']])
  })
})
