import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { findHeadlessChromium } from '../../scripts/machine.ts'

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
/** Nothing here takes a second on an idle machine. Only a test that hangs waits this long. */
const PATIENCE = 120_000

export const startBrowser = (): Promise<Browser> => {
  const executablePath = findHeadlessChromium()
  if (!executablePath) throw new Error('no Chromium found')
  return chromium.launch({ executablePath, args: ARGUMENTS })
}

/** A person with a browser of their own: no cookies, no history, nothing shared with anybody. */
export type Visitor = {
  context: BrowserContext
  page: Page
  /** What the browser complained of: console errors, uncaught exceptions, violations of a content security policy. */
  complaints: string[]
}

let people = 0
/** An address of its own for everybody (RFC 2544's range, which nobody has). */
export const newAddress = (): Record<string, string> => {
  people++
  return { 'x-forwarded-for': `198.18.${people >> 8}.${people & 255}` }
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
    extraHTTPHeaders: newAddress(),
    // Drawing animations takes a sixth of a core for each open page.
    reducedMotion: 'reduce',
    ...options,
  })
  test.after(() => context.close())
  context.setDefaultTimeout(PATIENCE)
  await context.addInitScript(REPORT_VIOLATIONS)
  const complaints: string[] = []
  context.on('console', message => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', error => complaints.push(String(error.error())))
  return { context, page: await context.newPage(), complaints }
}
