import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import { sitesConnector, useOwnApp } from '../server/test/support/acme-connectors.ts'
import { createVisitor } from './support/browser.ts'
import {
  connectsOnce,
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
import { allow, deny, seesHeading, signIn } from './support/user-steps.ts'
import { startWorld, until, type World } from './support/world.ts'

/** Long enough for a browser to notice anything that it is going to notice. */
const A_WHILE = 700

/** What third parties send with their pages, as one finds it in the wild. */
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

/** Says which policy the third party is to have for this person. */
const POLICY_COOKIE = 'policy'
/** Each has a browser of its own, and what they share does not care. */
const TOGETHER = { concurrency: 3 }

let world: World
/** With a popup blocker. */
let plain: PlainBrowser
/** Without one: enough for every window that a click opens. */
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

/** Runs in the frame as its own script would: nobody has clicked for it. */
const runUnasked = async (context: BrowserContext, frame: Frame, expression: string): Promise<unknown> => {
  const session = await context.newCDPSession(frame)
  const { result } = await session.send('Runtime.evaluate', { expression, returnByValue: true })
  return result.value
}

const linkFrame = (page: Page): Frame => {
  const frame = page.frames().find(candidate => candidate.url().includes('/link/s/'))
  assert.ok(frame)
  return frame
}

/** The window may go away at any moment. */
const says = async (popup: Page, text: string): Promise<boolean> =>
  (await popup
    .getByText(text)
    .count()
    .catch(() => 0)) > 0

/** A window that is over is gone, or says that it may be. */
const isOver = async (popup: Page): Promise<void> => {
  await until('the window is gone or says that it can be closed', async () => {
    if (popup.isClosed()) return true
    return says(popup, 'You can close this window.')
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

  it('Chromium without windows blocks third-party cookies', async test => {
    await openBare(test, headless)
  })
})

describe('whatever opener policy the third party has', TOGETHER, () => {
  const byMode: Record<Mode, (test: TestContext, policy: string) => Promise<void>> = {
    iframe: async (test, policy) => {
      const { page, complaints } = await visit(test, policy, browserFor(policy))
      const { userId, linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken)
      await embedding.open()
      const popup = await continueInWindow(embedding)
      await seesHeading(popup, 'Sign in to Notes')
      await sendsPolicy(popup, POLICIES[policy])
      await embedding.frame.getByRole('heading', { name: 'Finish in the other window' }).waitFor()
      await signInAndAllow(popup)
      await connectsOnce(world, embedding, { userId })
      await isOver(popup)
      assert.deepEqual(complaints, [])
    },
    popup: async (test, policy) => {
      const { page, complaints } = await visit(test, policy, browserFor(policy))
      const { userId, linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken, { mode: 'popup' })
      const popup = await embedding.opensWindow(embedding.open)
      await popup.getByRole('button', { name: 'Continue to Notes' }).click()
      await seesHeading(popup, 'Sign in to Notes')
      await sendsPolicy(popup, POLICIES[policy])
      if (SEVERING.includes(policy))
        await until('the window seems closed though it is open', () =>
          page.evaluate<boolean>('window.popup.closed'),
        )
      else assert.equal(await page.evaluate('window.popup.closed'), false)
      await signInAndAllow(popup)
      await connectsOnce(world, embedding, { userId })
      await isOver(popup)
      assert.deepEqual(complaints, [])
    },
  }
  // Without any: the tests below.
  for (const [position, policy] of Object.keys(POLICIES).slice(1).entries())
    for (const mode of modesFor(position, policy))
      it(`${mode}, ${policy}: told once, when it is stored`, test => byMode[mode](test, policy))
})

describe('an ordinary profile, not a private one', () => {
  it('iframe, same-origin: told once, when it is stored', async () => {
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
    await connectsOnce(world, embedding, { userId })
    await isOver(popup)
  })
})

const sendsPolicy = async (popup: Page, headers: Record<string, string> = {}): Promise<void> => {
  const answer = await popup.reload()
  for (const [name, value] of Object.entries(headers)) assert.equal(answer?.headers()[name], value)
}

describe('whatever opener policy the application has', TOGETHER, () => {
  for (const [position, [name, headers]] of Object.entries(POLICIES).slice(2).entries()) {
    for (const mode of modesFor(position, name)) {
      it(`${mode}, ${name}: told once, when it is stored`, async test => {
        const path = `${EMBED_PATH}-${name.replaceAll(' ', '-')}`
        world.application.serve(path, embeddingPage(), headers)
        const { page, complaints } = await visit(test, 'none', browserFor(name))
        const { userId, linkToken } = await mintFor(world)
        const embedding = await embed(world, page, linkToken, { mode, path })
        // A page that is isolated may frame nobody.
        const isIsolated = name === 'same-origin and isolated'
        assert.equal(await page.evaluate('crossOriginIsolated'), isIsolated)
        let popup: Page
        if (mode === 'popup' || isIsolated) {
          popup = await embedding.opensWindow(embedding.open)
          await popup.getByRole('button', { name: 'Continue to Notes' }).click()
        } else {
          await embedding.open()
          popup = await continueInWindow(embedding)
          // Its frames are cut off from the windows that they open: the person goes on in the window itself.
          if (name === 'same-origin') await popup.getByRole('button', { name: 'Continue to Notes' }).click()
        }
        await signIn(popup)
        assert.equal(page.context().pages().length, 2, 'one window, and no empty one beside it')
        await allow(popup)
        await connectsOnce(world, embedding, { userId })
        await isOver(popup)
        assert.deepEqual(complaints, [])
      })
    }
  }
})

describe('a window that is blocked', TOGETHER, () => {
  it('popup: goes on in this tab by itself, and ends connected', async test => {
    const { page, complaints } = await visit(test, 'none', plain)
    const { userId, linkToken } = await mintFor(world)
    await embed(world, page, linkToken, { mode: 'popup', opensByItself: true })
    // Not by looking at the page: to the browser, whoever looks through its debugger has clicked.
    await page.waitForURL(/\/link\/s\//)
    await seesHeading(page, 'Connect Notes to Orbit')
    assert.equal(page.context().pages().length, 1)
    await page.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
    assert.deepEqual(complaints, [])
  })

  it('iframe: the step to the third party goes on in this tab by itself, and ends connected', async test => {
    const { context, page } = await visit(test, 'none', plain)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    // The click allows one window, and this one takes it.
    await embedding.frame.getByRole('heading', { name: 'Connect Notes to Orbit' }).click()
    const opened = await runUnasked(
      context,
      linkFrame(page),
      `window.open('about:blank')?.close(); const second = window.open('about:blank'); document.querySelector('form[data-do=leave]').requestSubmit(); String(second)`,
    )
    assert.equal(opened, 'null')
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
  })

  it('iframe: whoever prefers it goes on in this tab', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await seesHeading(popup, 'Sign in to Notes')
    await popup.close()
    await embedding.frame.getByRole('button', { name: 'Continue in this tab' }).click()
    await signInAndAllow(page)
    await seesHeading(page, 'Notes is connected')
    await page.getByRole('link', { name: 'Return to Orbit' }).waitFor()
    assert.deepEqual(await world.linkedConnectors(userId), ['sandbox-notes'])
  })
})

describe('an account with several sites', TOGETHER, () => {
  const openChoice = async (page: Page) => {
    const { userId, linkToken } = await mintFor(world, { connector: SITES })
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const start = embedding.frame.getByRole('button', { name: 'Continue to Acme Sites' })
    const popup = await embedding.opensWindow(() => start.click())
    await signInAndAllow(popup)
    await seesHeading(popup, 'Choose a site')
    return { userId, embedding, popup }
  }

  it('iframe: the site is chosen in the window by keyboard, and calls go to it', async test => {
    const { page, complaints } = await visit(test)
    const { userId, embedding, popup } = await openChoice(page)
    await embedding.frame.getByRole('heading', { name: 'Finish in the other window' }).waitFor()
    assert.deepEqual(await embedding.calls(), [])
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await popup.keyboard.press(key)
    const success: RecordedCallback = ['success', { Connector: SITES, scopes: ['notes:read'] }]
    await connectsOnce(world, embedding, { userId, success })
    await isOver(popup)
    const call = { name: `${SITES}__list_pages`, arguments: {} }
    const { body } = await world.service.mcp(userId, 'tools/call', call)
    assert.equal(body.result.structuredContent.site, 'harbour-club')
    assert.deepEqual(complaints, [])
  })

  it('iframe: cancelling in the window ends the attempt, and Link can be closed', async test => {
    const { page } = await visit(test)
    const { userId, embedding, popup } = await openChoice(page)
    await popup.getByRole('button', { name: 'Cancel' }).click()
    await embedding.frame.getByRole('heading', { name: 'You cancelled' }).waitFor()
    await isOver(popup)
    assert.deepEqual(await world.linkedConnectors(userId), [])
  })
})

describe('the person closes the window half-way', TOGETHER, () => {
  it('iframe: nothing is told until Link is closed, and then that it was closed', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await seesHeading(popup, 'Sign in to Notes')
    await popup.close()
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    await embedding.frame.getByRole('heading', { name: 'Finish in the other window' }).waitFor()
    await embedding.frame.getByRole('button', { name: 'Cancel' }).click()
    await until('the page is told', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await world.linkedConnectors(userId), [])
  })

  it('iframe: the window can be opened again, and leads to the end', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const first = await continueInWindow(embedding)
    await seesHeading(first, 'Sign in to Notes')
    await first.close()
    const second = await embedding.opensWindow(() =>
      embedding.frame.getByRole('button', { name: 'Open it again' }).click(),
    )
    await signInAndAllow(second)
    await connectsOnce(world, embedding, { userId })
    await isOver(second)
  })

  it('popup: nothing is told, and open() brings it back', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'popup' })
    const first = await embedding.opensWindow(embedding.open)
    await first.getByRole('button', { name: 'Continue to Notes' }).click()
    await seesHeading(first, 'Sign in to Notes')
    await first.close()
    await delay(A_WHILE)
    assert.deepEqual(await embedding.calls(), [])
    const second = await embedding.opensWindow(embedding.open)
    await second.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(second)
    await connectsOnce(world, embedding, { userId })
  })

  it('popup: exit() says that it was closed', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'popup' })
    const popup = await embedding.opensWindow(embedding.open)
    await seesHeading(popup, 'Connect Notes to Orbit')
    await page.evaluate('link.exit()')
    await until('the page is told', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
    await until('the window is gone', () => popup.isClosed())
  })
})

describe('a refusal at the third party', TOGETHER, () => {
  it('iframe: the page says so, and closing it is an exit', async test => {
    const { page, complaints } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    await deny(popup)
    await embedding.frame.getByRole('heading', { name: 'You cancelled' }).waitFor()
    await isOver(popup)
    assert.deepEqual(await embedding.calls(), [])
    await embedding.frame.getByRole('main').getByRole('button', { name: 'Close' }).click()
    await until('the page is told', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', null]])
    assert.deepEqual(await world.linkedConnectors(userId), [])
    assert.deepEqual(complaints, [])
  })

  it('iframe: trying again leads to the end, with one success', async test => {
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
    await connectsOnce(world, embedding, { userId })
  })

  for (const policy of ['none', 'same-origin']) {
    it(`popup, ${policy}: told as an exit, or the window stays and says so`, async test => {
      const { page } = await visit(test, policy)
      const { linkToken } = await mintFor(world)
      const embedding = await embed(world, page, linkToken, { mode: 'popup' })
      const popup = await embedding.opensWindow(embedding.open)
      await popup.getByRole('button', { name: 'Continue to Notes' }).click()
      await signIn(popup)
      await deny(popup)
      await until('the window says so or the page is told', async () => {
        if ((await embedding.calls()).length > 0) return true
        return says(popup, 'You cancelled')
      })
      await page.evaluate('link.exit()')
      await until('the page is told', async () => (await embedding.calls()).length > 0)
      assert.deepEqual(await embedding.calls(), [['exit', null]])
    })
  }
})

describe('a third party that fails', () => {
  it('iframe: the page says so, and closing it tells why', async test => {
    const { page } = await visit(test)
    const { userId, linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup = await continueInWindow(embedding)
    await signIn(popup)
    world.service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
    await allow(popup)
    await embedding.frame.getByRole('heading', { name: 'Notes could not be connected' }).waitFor()
    await isOver(popup)
    await embedding.frame.getByRole('main').getByRole('button', { name: 'Close' }).click()
    await until('the page is told', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', 'provider_unavailable']])
    assert.deepEqual(await world.linkedConnectors(userId), [])

    // The token is not used up by it.
    await embedding.open()
    const second = await continueInWindow(embedding)
    await allow(second)
    await until('the page is told', async () => (await embedding.calls()).length > 1)
    assert.deepEqual((await embedding.calls()).at(-1), SUCCESS)
  })

  it('popup: told why, or the window stays and says so', async test => {
    const { page } = await visit(test)
    const { linkToken } = await mintFor(world)
    const embedding = await embed(world, page, linkToken, { mode: 'popup' })
    const popup = await embedding.opensWindow(embedding.open)
    await popup.getByRole('button', { name: 'Continue to Notes' }).click()
    await signIn(popup)
    world.service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
    await allow(popup)
    await until('the window says so or the page is told', async () => {
      if ((await embedding.calls()).length > 0) return true
      return says(popup, 'Notes could not be connected')
    })
    await page.evaluate('link.exit()')
    await until('the page is told', async () => (await embedding.calls()).length > 0)
    assert.deepEqual(await embedding.calls(), [['exit', 'provider_unavailable']])
  })
})
