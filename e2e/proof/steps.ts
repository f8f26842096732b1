import type { FrameLocator, Page } from 'playwright-core'
import type { Sentence } from '../../server/src/features/link/views/words/sentence.ts'
import type { TestOrganization } from '../../server/test/support/test-service.ts'
import type { Scene } from '../states.ts'
import { allow, signIn } from '../support/user-steps.ts'

/** Steps of a user, located by structure instead of text, because the pages are tested in every language. */
type Place = Page | FrameLocator

/** Text on the page, in which names are wrapped in an element for bidirectional isolation. */
export const read = ({ texts, names }: Sentence): string =>
  texts.map((text, i) => text + (names[i] ?? '')).join('')

export const sees = (place: Place, sentence: Sentence): Promise<void> =>
  place
    .locator('h1', { hasText: read(sentence) })
    .filter({ visible: true })
    .waitFor()

export const press = (place: Place, selector: string): Promise<void> =>
  place.locator(selector).filter({ visible: true }).first().click()

export const openConsent = async ({ page, words }: Scene, link: string, name = 'Orbit'): Promise<void> => {
  await page.goto(link)
  await sees(page, words.consent.title('Notes', name))
}

export const continueToNotes = async (page: Page): Promise<void> => {
  await press(page, '.primary')
  await page.waitForURL(/\/oauth\/interaction\//)
}

/** Goes from the link to the consent page of the provider. */
export const walkToQuestion = async (scene: Scene, link: string): Promise<void> => {
  await openConsent(scene, link)
  await continueToNotes(scene.page)
  await signIn(scene.page)
}

export const linkNotes = async (scene: Scene, link: string): Promise<void> => {
  await walkToQuestion(scene, link)
  await allow(scene.page)
  await sees(scene.page, scene.words.connected.title('Notes'))
}

export const openVault = async (scene: Scene, organization?: TestOrganization): Promise<void> => {
  await scene.page.goto((await scene.stage.createLink({ connector: 'sandbox-vault' }, organization)).link)
  await sees(scene.page, scene.words.apiKey.title('Vault'))
}

export const submitKey = async (place: Place, key: string): Promise<void> => {
  await place.locator('[name=api_key]').fill(key)
  await press(place, '.primary')
}

export const linkVault = async (scene: Scene, organization?: TestOrganization): Promise<void> => {
  await openVault(scene, organization)
  await submitKey(scene.page, scene.stage.service.sandbox.vaultKeys.ana)
  await sees(scene.page, scene.words.connected.title('Vault'))
}

/** Opens the hosted page with the token in its fragment and waits for the session. */
export const openHosted = async ({ page, stage }: Scene, token: string): Promise<void> => {
  await page.goto(`${stage.service.baseUrl}/link/#link_token=${token}`)
  await page.waitForURL(/\/link\/s\//)
  await page.locator('main').waitFor()
}

/** Embeds Link in an application's page, as the component does. */
export const openFramed = async (
  { page, stage, words }: Scene,
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
    `<style>${AROUND}</style><main><h1>Settings</h1><iframe title="Connect an account" src="${await stage.trade(token)}${path}?${query.toString().replaceAll('&', '&amp;')}"></iframe></main>`,
  )
  await page.goto(`${application.origin}/embedding`)
  const frame = page.frameLocator('iframe')
  await frame.locator('main').waitFor()
  return frame
}

const AROUND = `:root { color-scheme: light dark; font: 15px system-ui } body { margin: 24px }
iframe { position: fixed; inset: 0; margin: auto; border: 0; width: min(440px, 100%); height: min(720px, 100%) }`

/** Opens the dialog of the component in an application's page. */
export const openDialog = async ({ page, stage, words }: Scene, token: string): Promise<FrameLocator> => {
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
export const skipLongDelays = (scene: Scene): Promise<void> =>
  prepare(
    scene,
    `{
    const wait = setTimeout
    window.setTimeout = (act, delay, ...rest) => wait(act, delay >= 10_000 ? 1 : delay, ...rest)
  }`,
  )

/** Runs a script in every page of this scene before the page's own scripts. */
export const prepare = async ({ page, later }: Scene, script: string): Promise<void> => {
  const added = await page.addInitScript(script)
  later(() => added.dispose())
}
