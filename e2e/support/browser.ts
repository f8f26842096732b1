import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { findHeadlessChromium } from '../../scripts/machine.ts'
import { measured } from '../../scripts/testing/costs.ts'
import { newAddress } from '../../server/test/support/client-address.ts'
import { share } from '../../server/test/support/shared.ts'

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
/** Pages of tests are open for a few seconds: optimizing their code takes longer than it saves. */
const WITHOUT_OPTIMIZING = '--js-flags=--no-opt --no-maglev'
/** Each step takes less than a second on an idle machine. Only a test that hangs reaches this timeout; lower it while writing one. */
const STEP_TIMEOUT_MS = Number(process.env['STEP_TIMEOUT_MS'] ?? 120_000)

type Test = { after(close: () => Promise<void>): void }

export const startBrowser = (...more: string[]): Promise<Browser> => {
  const executablePath = findHeadlessChromium()
  if (!executablePath) throw new Error('no Chromium found')
  return measured('starting a browser', () =>
    chromium.launch({ executablePath, args: [...ARGUMENTS, ...more] }),
  )
}

/** The browser that the test files of this process share. Each visitor has an isolated context. */
export const joinBrowser = async (): Promise<{ browser: Browser; leave: () => Promise<void> }> => {
  const { value: browser, leave } = await share(
    'browser',
    () => startBrowser(WITHOUT_OPTIMIZING),
    each => each.close(),
  )
  return { browser, leave }
}

/** A user with an isolated browser context. */
export type Visitor = {
  context: BrowserContext
  page: Page
  /** Browser errors: console errors, uncaught exceptions, violations of the content security policy. */
  browserErrors: string[]
}

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', event =>
  console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI))`

export const createVisitor = async (
  browser: Browser,
  test: Test,
  options: BrowserContextOptions = {},
): Promise<Visitor> => {
  const context = await openContext(browser, options)
  test.after(() => context.close())
  return { context, page: await context.newPage(), browserErrors: reportErrors(context) }
}

const idle = new WeakMap<Browser, Visitor[]>()

/**
 * Like `createVisitor`, for a page of `origin` with the default options. The window is used again by later tests with the same browser: a
 * new window is a new process, which parses and compiles every script again. A visitor starts without cookies, storage and handlers.
 */
export const borrowVisitor = async (browser: Browser, test: Test, origin: string): Promise<Visitor> => {
  const waiting = idle.get(browser) ?? []
  idle.set(browser, waiting)
  const { context, page } = waiting.pop() ?? (await openWindow(browser))
  await context.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() })
  const isUnchanged = watchChanges(context, page)
  const visitor = { context, page, browserErrors: reportErrors(context) }
  test.after(async () => {
    if (isUnchanged() && (await clean(visitor, origin).catch(() => false))) waiting.push(visitor)
    else await context.close()
  })
  return visitor
}

const openContext = async (browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> => {
  const context = await browser.newContext({
    locale: 'en-GB',
    extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
    // Rendering animations uses a sixth of a core per open page.
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
  await context.addInitScript(REPORT_VIOLATIONS)
  return context
}

const openWindow = async (browser: Browser): Promise<{ context: BrowserContext; page: Page }> => {
  const context = await openContext(browser, {})
  return { context, page: await context.newPage() }
}

const reportErrors = (context: BrowserContext): string[] => {
  const browserErrors: string[] = []
  context.on('console', message => {
    // Chromium warns after a few seconds, which a page needs on a busy machine. `dashboard.test.ts` checks that a preload is used.
    if (/was preloaded using link preload but not used/.test(message.text())) return
    if (['error', 'warning'].includes(message.type()))
      browserErrors.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', error => browserErrors.push(String(error.error())))
  return browserErrors
}

/** Changes of a window that cannot be undone. */
const PERMANENT = ['addInitScript', 'exposeFunction', 'exposeBinding', 'newCDPSession'] as const

/** Returns whether no permanent change has been made since. */
const watchChanges = (context: BrowserContext, page: Page): (() => boolean) => {
  let isUnchanged = true
  for (const target of [context, page] as unknown as Record<string, (...values: unknown[]) => unknown>[])
    for (const name of PERMANENT) {
      const original = Object.getPrototypeOf(target)[name]
      if (!original) continue
      target[name] = (...values) => {
        isUnchanged = false
        return original.apply(target, values)
      }
    }
  return () => isUnchanged
}

/** Returns whether the window is as it was when it was opened. */
const clean = async ({ context, page }: Visitor, origin: string): Promise<boolean> => {
  if (page.isClosed() || new URL(page.url()).origin !== new URL(origin).origin) return false
  for (const event of [
    'console',
    'weberror',
    'page',
    'request',
    'response',
    'requestfailed',
    'dialog',
  ] as const) {
    context.removeAllListeners(event)
    page.removeAllListeners(event)
  }
  await Promise.all([
    context.unrouteAll(),
    page.unrouteAll(),
    context.setOffline(false),
    context.clearPermissions(),
  ])
  for (const each of context.pages()) if (each !== page) await each.close()
  await page.evaluate('sessionStorage.clear(), localStorage.clear()')
  await page.goto(`${origin}/livez`)
  await context.clearCookies()
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: null, forcedColors: null, media: null })
  await page.setViewportSize({ width: 1280, height: 720 })
  return true
}
