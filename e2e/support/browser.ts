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
/** Each step takes less than a second on an idle machine. Only a test that hangs reaches this timeout. */
const STEP_TIMEOUT_MS = 120_000

export const startBrowser = (): Promise<Browser> => {
  const executablePath = findHeadlessChromium()
  if (!executablePath) throw new Error('no Chromium found')
  return measured('starting a browser', () => chromium.launch({ executablePath, args: ARGUMENTS }))
}

/** The browser that the test files of this process share. Each visitor has an isolated context. */
export const joinBrowser = async (): Promise<{ browser: Browser; leave: () => Promise<void> }> => {
  const { value: browser, leave } = await share('browser', startBrowser, each => each.close())
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
  test: { after(close: () => Promise<void>): void },
  options: BrowserContextOptions = {},
): Promise<Visitor> => {
  const context = await browser.newContext({
    locale: 'en-GB',
    extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
    // Rendering animations uses a sixth of a core per open page.
    reducedMotion: 'reduce',
    ...options,
  })
  test.after(() => context.close())
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
  await context.addInitScript(REPORT_VIOLATIONS)
  const browserErrors: string[] = []
  context.on('console', message => {
    // On a busy machine, a page needs longer to use what it preloads.
    if (/was preloaded using link preload but not used/.test(message.text())) return
    if (['error', 'warning'].includes(message.type()))
      browserErrors.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', error => browserErrors.push(String(error.error())))
  return { context, page: await context.newPage(), browserErrors }
}
