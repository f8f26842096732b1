import type { FrameLocator, Page } from 'playwright-core'
import type { Sentence } from '../../server/src/features/pages/views/words/sentence.ts'
import type { TestOrganization } from '../../server/test/support/test-service.ts'
import type { TestPage } from '../states.ts'
import { allow, signIn } from '../support/user-steps.ts'

/** Steps of a user, located by structure instead of text, because the pages are tested in every language. */
type Place = Page | FrameLocator

/** Text on the page, in which names are wrapped in an element for bidirectional isolation. */
export const read = ({ texts, names }: Sentence): string =>
  texts.map((text, i) => text + (names[i] ?? '')).join('')

export const waitForTitle = (place: Place, sentence: Sentence): Promise<void> =>
  place
    .locator('h1', { hasText: read(sentence) })
    .filter({ visible: true })
    .waitFor()

export const press = (place: Place, selector: string): Promise<void> =>
  place.locator(selector).filter({ visible: true }).first().click()

export const openConsent = async ({ page, words }: TestPage, link: string, name = 'Orbit'): Promise<void> => {
  await page.goto(link)
  await waitForTitle(page, words.consent.title('Notes', name))
}

export const continueToNotes = async (page: Page): Promise<void> => {
  await press(page, '.primary')
  await page.waitForURL(/\/oauth\/interaction\//)
}

/** Goes from the link to the consent page of the provider. */
export const openProviderConsent = async (testPage: TestPage, link: string): Promise<void> => {
  await openConsent(testPage, link)
  await continueToNotes(testPage.page)
  await signIn(testPage.page)
}

export const linkNotes = async (testPage: TestPage, link: string): Promise<void> => {
  await openProviderConsent(testPage, link)
  await allow(testPage.page)
  await waitForTitle(testPage.page, testPage.words.connected.title('Notes'))
}

export const openVault = async (testPage: TestPage, organization?: TestOrganization): Promise<void> => {
  await testPage.page.goto(
    (await testPage.stage.createLink({ connector: 'sandbox-vault' }, organization)).link,
  )
  await waitForTitle(testPage.page, testPage.words.apiKey.title('Vault'))
}

export const submitKey = async (place: Place, key: string): Promise<void> => {
  await place.locator('[name=api_key]').fill(key)
  await press(place, '.primary')
}

export const linkVault = async (testPage: TestPage, organization?: TestOrganization): Promise<void> => {
  await openVault(testPage, organization)
  await submitKey(testPage.page, testPage.stage.service.sandbox.vaultKeys.ana)
  await waitForTitle(testPage.page, testPage.words.connected.title('Vault'))
}

/** Opens the hosted page with the token in its fragment and waits for the session. */
export const openHosted = async ({ page, stage }: TestPage, token: string): Promise<void> => {
  await page.goto(`${stage.service.baseUrl}/link/#link_token=${token}`)
  await page.waitForURL(/\/link\/s\//)
  await page.locator('main').waitFor()
}

/** Embeds Link in an application's page, as the component does. */
export const openFramed = async (
  { page, stage, words }: TestPage,
  token: string,
  path = '',
): Promise<FrameLocator> => {
  const { application } = stage
  const query = new URLSearchParams({
    opener: application.origin,
    nonce: 'looked-at-12',
    lang: words.language,
  })
  application.serve(
    '/embedding',
    `<style>${FRAME_STYLES}</style><main><h1>Settings</h1><iframe title="Connect an account" src="${await stage.exchangeToken(token)}${path}?${query.toString().replaceAll('&', '&amp;')}"></iframe></main>`,
  )
  await page.goto(`${application.origin}/embedding`)
  const frame = page.frameLocator('iframe')
  await frame.locator('main').waitFor()
  return frame
}

const FRAME_STYLES = `:root { color-scheme: light dark; font: 15px system-ui } body { margin: 24px }
iframe { position: fixed; inset: 0; margin: auto; border: 0; width: min(440px, 100%); height: min(720px, 100%) }`

/** Opens the dialog of the component in an application's page. */
export const openDialog = async ({ page, stage, words }: TestPage, token: string): Promise<FrameLocator> => {
  const { application, service } = stage
  const options = JSON.stringify({
    linkToken: token,
    linkUrl: `${service.baseUrl}/link`,
    lang: words.language,
  })
  application.serve(
    '/dialog',
    `<style>:root { color-scheme: light dark; font: 15px system-ui } body { margin: 24px } button { min-height: 44px }</style><main><h1>Settings</h1><p>Accounts that the assistant may use.</p><button>Connect</button></main>
<script>${await stage.component()}
const link = CarabinerLink.createLink({ ...${options}, onLoad: () => link.open() })</script>`,
  )
  await page.goto(`${application.origin}/dialog`)
  await page.locator('dialog iframe').waitFor()
  return page.frameLocator('dialog iframe')
}

/** Fires timers of ten seconds or more immediately. */
export const skipLongDelays = (testPage: TestPage): Promise<void> =>
  prepare(
    testPage,
    `{
    const wait = setTimeout
    window.setTimeout = (act, delay, ...rest) => wait(act, delay >= 10_000 ? 1 : delay, ...rest)
  }`,
  )

/** Runs a script before the scripts of every page that this state opens. */
export const prepare = async ({ page, onCleanup }: TestPage, script: string): Promise<void> => {
  const added = await page.addInitScript(script)
  onCleanup(() => added.dispose())
}
