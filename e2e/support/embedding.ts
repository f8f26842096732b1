import assert from 'node:assert/strict'
import type { LinkTokenRequest } from '@carabiner/contract'
import type { FrameLocator, Page } from 'playwright-core'
import { buildPackages } from '../../scripts/build-packages.ts'
import { allow, pressDone, signIn } from './user-steps.ts'
import { until, type World } from './world.ts'

/** A recorded callback with its name and argument; an error is recorded as its code. */
export type RecordedCallback = [name: string, detail: unknown]

/** A page of the application that embeds Link. */
export type Embedding = {
  page: Page
  /** Link's page in the dialog. */
  frame: FrameLocator
  /** All calls of `onSuccess` and `onExit`. */
  calls: () => Promise<RecordedCallback[]>
  /** All calls of `onEvent`. */
  events: () => Promise<RecordedCallback[]>
  eventNames: () => Promise<string[]>
  isReady: () => Promise<boolean>
  /** Clicks the button of the page, which calls `open()`. */
  open: () => Promise<void>
  /** Clicks an element that opens a window and returns the window. */
  openWindow: (click: () => Promise<void>) => Promise<Page>
}

export type EmbedOptions = {
  mode?: 'iframe' | 'popup' | 'redirect'
  lang?: string
  theme?: 'light' | 'dark'
  /** Calls `open()` as soon as Link is ready, without a click. */
  autoOpen?: boolean
  origin?: string
  path?: string
  linkUrl?: string
  /** On the React page: uses `LinkButton` instead of `useLink`. */
  kind?: 'button'
}

export const EMBED_PATH = '/embed'

/** The URL contains all options, so that one page serves all tests. */
const SCRIPT = `
const { linkToken, linkUrl, mode, lang, theme, autoOpen } = JSON.parse(decodeURIComponent(location.hash.slice(1)))
const toRecord = detail => (detail instanceof Error ? detail.code : detail)
window.recorded = { calls: [], events: [] }
const open = window.open
window.open = (...parameters) => (window.popup = open(...parameters))
const { createLink } = await import('/carabiner-link/index.js')
window.link = createLink({
  linkToken, linkUrl, mode, lang, theme,
  onSuccess: success => recorded.calls.push(['success', success]),
  onExit: error => recorded.calls.push(['exit', toRecord(error)]),
  onEvent: (name, detail) => recorded.events.push([name, toRecord(detail)]),
  onLoad: () => {
    recorded.calls.push(['load', link.isReady])
    if (autoOpen) link.open()
  },
})
document.querySelector('#connect').onclick = () => link.open()
`

export const embeddingPage = (script = SCRIPT): string =>
  `<h1>Settings</h1><button type="button" id="connect">Connect</button><p><button type="button" id="other">Other</button></p>
<script type="module">${script}</script>`

export const prepareEmbedding = async ({ application, service }: World): Promise<void> => {
  await buildPackages()
  await service.allowOrigin(application.foreignOrigin)
  application.serve(EMBED_PATH, embeddingPage())
}

/** Opens the application's page with a token. By default `origin` is on another site than Link. */
export const embed = async (
  { application, service }: World,
  page: Page,
  linkToken: string,
  { origin = application.foreignOrigin, path = EMBED_PATH, ...options }: EmbedOptions = {},
): Promise<Embedding> => {
  const pageOptions = { linkToken, linkUrl: `${service.baseUrl}/link`, ...options }
  await page.goto(`${origin}${path}#${encodeURIComponent(JSON.stringify(pageOptions))}`)
  return embeddingOn(page)
}

export const embeddingOn = (page: Page): Embedding => {
  const read = (list: string) => page.evaluate<RecordedCallback[]>(`window.recorded?.${list} ?? []`)
  const events = () => read('events')
  const isReady = () => page.evaluate<boolean>('!!window.link?.isReady')
  return {
    page,
    frame: page.frameLocator('dialog iframe'),
    calls: async () => (await read('calls')).filter(([name]) => name !== 'load'),
    events,
    eventNames: async () => (await events()).map(([name]) => name),
    isReady,
    open: async () => {
      await until('Link is ready', isReady)
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
    },
    openWindow: async click => {
      const [popup] = await Promise.all([page.context().waitForEvent('page'), click()])
      return popup
    },
  }
}

export const mintFor = async (
  { service }: Pick<World, 'service'>,
  body: LinkTokenRequest = { connector: 'sandbox-notes' },
): Promise<{ userId: string; linkToken: string }> => {
  const { id: userId } = await service.createUser()
  return { userId, linkToken: (await service.mint(userId, body)).link_token }
}

/** Continues from the consent page in the dialog to the provider, which opens in a window. */
export const continueInWindow = ({ frame, openWindow }: Embedding): Promise<Page> =>
  openWindow(() => frame.getByRole('button', { name: 'Continue to Notes' }).click())

export const signInAndAllow = async (popup: Page): Promise<void> => {
  await signIn(popup)
  await allow(popup)
}

export const SUCCESS: RecordedCallback = [
  'success',
  { Connector: 'sandbox-notes', scopes: ['notes:read', 'notes:write'] },
]

/** Asserts that `onSuccess` is called exactly once, after the credential is stored, and that no callback follows. */
export const assertConnectedOnce = async (
  { linkedConnectors }: Pick<World, 'linkedConnectors'>,
  { page, calls, eventNames }: Embedding,
  { userId, success = SUCCESS }: { userId: string; success?: RecordedCallback },
): Promise<void> => {
  await until('the page receives a callback', async () => (await calls()).length > 0)
  const connector = (success[1] as { Connector: string }).Connector
  assert.deepEqual(
    await linkedConnectors(userId),
    [connector],
    'success was reported before the credential was stored',
  )
  // A dialog stays open until the user closes its last page; a window closes automatically.
  if ((await page.locator('dialog').count()) > 0) await pressDone(page)
  await until('Link has closed', async () => (await eventNames()).includes('close'))
  assert.deepEqual(await calls(), [success])
  assert.equal(await page.locator('dialog').count(), 0)
}
