import type { LinkLanguage } from '@carabiner/contract'
import type { BrowserContext, Page } from 'playwright-core'
import { catalogs, type Words } from '../server/src/features/link/views/words/index.ts'
import { AREAS, type Brand, SITES, type Stage } from './proof/stage.ts'
import {
  continueToNotes,
  linkNotes,
  linkVault,
  openConsent,
  openDialog,
  openFramed,
  openHosted,
  openVault,
  prepare,
  press,
  read,
  sees,
  skipLongDelays,
  submitKey,
  walkToQuestion,
} from './proof/steps.ts'
import { allow, deny, seesHeading, seesText, signIn } from './support/user-steps.ts'

/** Whoever looks, at what, and in which language. */
export type Scene = {
  stage: Stage
  page: Page
  context: BrowserContext
  words: Words
  /** Puts back what a state changed for everybody, once it has been seen. */
  later: (undo: () => unknown) => void
}

export type State = {
  name: string
  reach: (scene: Scene) => Promise<unknown>
  /** Other words in the shape and colours of another state. */
  variant?: true
  /** Spoken in this language only. Every other state is seen from left to right and from right to left. */
  language?: LinkLanguage
  /** One more of a kind that `npm test` sees by another: seen in the whole matrix alone. */
  matrixOnly?: true
  /** Shaped for this size only. */
  size?: 'phone' | 'desktop'
}

const LONG_NAME = 'Donaudampfschifffahrtsgesellschaft für Elektrizitätswirtschaft und Maschinenbau'
const APP = { connector: 'sandbox-notes', callback_url: 'myapp://done', state: 'mine' }
const VAULT = { connector: 'sandbox-vault' }
const INSTAGRAM =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/22A Instagram 350.0'

/** What Orbit's Tool Pack holds until the page has been seen. */
const withPack = async ({ service }: Stage, connectors: string[], act: () => Promise<unknown>) => {
  const change = (to: string[]) =>
    service.query('update tool_packs set connectors = $1 where organization_id = $2', [
      to,
      service.organization.id,
    ])
  await change(connectors)
  await act()
  await change(['sandbox-notes', 'sandbox-vault', AREAS])
}

const expire = ({ service }: Stage, userId: string) =>
  service.query(`update link_sessions set expires_at = app_now() where registered_user_id = $1`, [userId])

const openMany = async (scene: Scene): Promise<void> => {
  const { stage, words } = scene
  await openHosted(scene, (await stage.createLink({}, stage.allConnectorsOrganization)).token)
  await sees(scene.page, words.picker.title)
}

const openExpired = async ({ stage, page, words }: Scene): Promise<void> => {
  const { userId, link } = await stage.createLink()
  await expire(stage, userId)
  await page.goto(link)
  await sees(page, words.expired.title)
}

const hosted: State[] = [
  {
    name: 'hosted-opening',
    reach: async ({ page, stage, words }) => {
      await page.route('**/link/sessions', () => undefined)
      await page.goto(`${stage.service.baseUrl}/link/#link_token=any`)
      await sees(page, words.opening.title)
    },
  },
  {
    name: 'hosted-slow',
    variant: true,
    reach: async scene => {
      const { page, stage } = scene
      await skipLongDelays(scene)
      await page.route('**/link/sessions', () => undefined)
      await page.goto(`${stage.service.baseUrl}/link/#link_token=any`)
      await page.locator('.slow').waitFor()
    },
  },
  {
    name: 'hosted-invalid',
    reach: async ({ page, stage, words }) => {
      await page.goto(`${stage.service.baseUrl}/link/#link_token=nonsense`)
      await sees(page, words.refused.invalid_link.title)
    },
  },
  {
    name: 'hosted-unreachable',
    reach: async ({ page, stage }) => {
      await page.route('**/link/sessions', route => route.abort())
      await page.goto(`${stage.service.baseUrl}/link/#link_token=any`)
      await page.locator('.unreachable').waitFor()
    },
  },
]

const pickers: State[] = [
  {
    name: 'picker',
    reach: async ({ stage, page, words }) => {
      await page.goto((await stage.createLink({})).link)
      await sees(page, words.picker.title)
    },
  },
  {
    name: 'picker-connected',
    reach: async scene => {
      const { stage, page } = scene
      const { userId, link } = await stage.createLink(VAULT)
      await page.goto(link)
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await sees(page, scene.words.connected.title('Vault'))
      await page.goto((await stage.service.mint(userId)).magic_link_url)
      await page.locator('.rows em').waitFor()
    },
  },
  {
    name: 'picker-empty',
    variant: true,
    reach: async ({ stage, page, words }) => {
      const { link } = await stage.createLink({})
      await withPack(stage, [], () => page.goto(link))
      await sees(page, words.picker.noneTitle)
    },
  },
  { name: 'picker-many', reach: openMany },
  {
    name: 'picker-searched',
    variant: true,
    reach: async scene => {
      await openMany(scene)
      await scene.page.locator('[type=search]').fill('ar')
    },
  },
  {
    name: 'picker-no-match',
    reach: async scene => {
      await openMany(scene)
      await scene.page.locator('[type=search]').fill('qqq')
      await scene.page.locator('.none').waitFor()
    },
  },
  {
    name: 'picker-category',
    reach: async scene => {
      await openMany(scene)
      await press(scene.page, '.chips [data-category=files]')
      await scene.page.locator('.chips [data-category=files][aria-current]').waitFor()
    },
  },
  {
    name: 'picker-framed',
    reach: async scene => {
      const { token } = await scene.stage.createLink({}, scene.stage.allConnectorsOrganization)
      await sees(await openFramed(scene, token), scene.words.picker.title)
    },
  },
]

const consents: State[] = [
  { name: 'consent', reach: async scene => openConsent(scene, (await scene.stage.createLink()).link) },
  {
    name: 'consent-long-names',
    reach: async ({ stage: { service }, page }) => {
      const { key } = await service.createOrganization(LONG_NAME)
      const user = await service.createUser({ origin_user_name: `Ana ${LONG_NAME}` }, key)
      await page.goto((await service.mint(user.id, { connector: 'sandbox-notes' }, key)).magic_link_url)
      await page.locator('.primary').waitFor()
    },
  },
  {
    name: 'consent-test-mode',
    reach: async ({ stage: { service }, page }) => {
      const { testKey } = service.organization
      const user = await service.createUser({}, testKey)
      await page.goto((await service.mint(user.id, {}, testKey)).magic_link_url)
      await page.getByRole('link', { name: /Notes/ }).click()
      await page.locator('.permissions').waitFor()
    },
  },
  {
    name: 'consent-again',
    reach: async scene => {
      const { stage } = scene
      const { userId, link } = await stage.createLink()
      await linkNotes(scene, link)
      await openConsent(
        scene,
        (await stage.service.mint(userId, { connector: 'sandbox-notes' })).magic_link_url,
      )
    },
  },
  {
    name: 'consent-hosted',
    variant: true,
    reach: async scene => {
      await openMany(scene)
      await scene.page.getByRole('link', { name: /^Notes/ }).click()
      await sees(scene.page, scene.words.consent.title('Notes', 'Orbit'))
    },
  },
  {
    name: 'consent-languages',
    reach: async scene => {
      await openConsent(scene, (await scene.stage.createLink()).link)
      await press(scene.page, 'summary')
      await scene.page.locator('.languages ul').waitFor()
    },
  },
  {
    name: 'consent-inside-app',
    reach: async scene => {
      const debugging = await scene.context.newCDPSession(scene.page)
      scene.later(() => debugging.detach())
      await debugging.send('Emulation.setUserAgentOverride', { userAgent: INSTAGRAM })
      await openConsent(scene, (await scene.stage.createLink()).link)
      await scene.page.locator('.browser').waitFor()
    },
  },
  {
    name: 'consent-offline',
    reach: async scene => {
      await openConsent(scene, (await scene.stage.createLink()).link)
      scene.later(() => scene.context.setOffline(false))
      await scene.context.setOffline(true)
      await scene.page.locator('.offline').waitFor()
    },
  },
  {
    name: 'consent-framed',
    reach: async scene => {
      const frame = await openFramed(scene, (await scene.stage.createLink()).token)
      await sees(frame, scene.words.consent.title('Notes', 'Orbit'))
    },
  },
  { name: 'waiting', reach: async scene => wait(scene) },
  {
    name: 'waiting-still',
    variant: true,
    reach: async scene => {
      await skipLongDelays(scene)
      await sees(await wait(scene), scene.words.waiting.stillTitle)
    },
  },
  {
    name: 'popup-blocked',
    reach: async scene => {
      await prepare(scene, 'window.open = () => null')
      const frame = await openFramed(scene, (await scene.stage.createLink()).token)
      await press(frame, '.primary')
      await sees(frame, scene.words.waiting.blockedTitle)
    },
  },
]

/** The third party's window is open, and the page waits for what becomes of it. */
async function wait(scene: Scene) {
  const frame = await openFramed(scene, (await scene.stage.createLink()).token)
  const opened = scene.context.waitForEvent('page')
  await press(frame, '.primary')
  await (await opened).close()
  await frame.locator('.waiting').waitFor()
  return frame
}

/** From the link to the page that asks for the site. */
const openSites = async ({ stage, page, words }: Scene): Promise<void> => {
  await page.goto((await stage.createLink({ connector: SITES }, stage.allConnectorsOrganization)).link)
  await continueToNotes(page)
  await signIn(page)
  await allow(page)
  await sees(page, words.chooseSite.title)
}

const sites: State[] = [
  { name: 'choose-site', reach: openSites },
  {
    name: 'choose-site-unlisted',
    variant: true,
    reach: async scene => {
      await openSites(scene)
      await scene.page.evaluate(`document.querySelector('.rows button').value = 'elsewhere'`)
      await press(scene.page, '.rows button')
      await scene.page.getByRole('alert').waitFor()
    },
  },
]

const openAreas = async ({ page, stage }: Scene): Promise<void> => {
  await page.goto((await stage.createLink({ connector: AREAS })).link)
  await page.locator('.with-suffix').waitFor()
}

const keys: State[] = [
  { name: 'consent-address', reach: openAreas },
  {
    name: 'api-key-address-unfit',
    reach: async scene => {
      const { page } = scene
      await openAreas(scene)
      await page.locator('a.instead').click()
      await page.locator('[name="tenant.area"]').fill('Not an area')
      await page.locator('[name="tenant.region"][value=eu]').check()
      await page.locator('[name=email]').fill('ana@example.com')
      // As it is answered where no script has checked the field first.
      await page.evaluate(
        `document.querySelectorAll('[data-pattern]').forEach(input => delete input.dataset.pattern)`,
      )
      await submitKey(page, 'of-ana')
      await page.locator('#problem').waitFor()
    },
  },
  {
    name: 'api-key-wrong-format',
    reach: async scene => {
      const { page } = scene
      await openAreas(scene)
      await page.locator('a.instead').click()
      await page.locator('[name="tenant.area"]').fill('Not an area')
      await page.locator('[name="tenant.region"][value=eu]').check()
      await page.locator('[name=email]').fill('ana@example.com')
      await submitKey(page, 'of-ana')
      await page.locator('.unfit').waitFor()
    },
  },
  {
    name: 'api-key-shown',
    variant: true,
    reach: async scene => {
      await openVault(scene)
      await scene.page.locator('[name=api_key]').fill('sv_live_any')
      await press(scene.page, '.toggle')
      await press(scene.page, '.steps summary')
      await scene.page.locator('[name=api_key][type=text]').waitFor()
    },
  },
  { name: 'api-key', reach: async scene => openVault(scene) },
  {
    name: 'api-key-refused',
    reach: async scene => {
      await openVault(scene)
      await submitKey(scene.page, 'sv_live_wrong')
      await scene.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'api-key-unchecked',
    variant: true,
    reach: async scene => {
      const { sandbox } = scene.stage.service
      sandbox.script({ target: 'vault', behavior: 'status', status: 503 })
      await openVault(scene)
      await submitKey(scene.page, sandbox.vaultKeys.ana)
      await scene.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'api-key-checking',
    variant: true,
    reach: async scene => {
      await openVault(scene)
      // An answer that never comes would be waited for by whoever looks, too.
      await scene.page.evaluate(`addEventListener('submit', event => event.preventDefault())`)
      await submitKey(scene.page, 'sv_live_any')
      await scene.page.locator('[aria-busy]').waitFor()
    },
  },
]

const endings: State[] = [
  { name: 'connected', reach: async scene => linkNotes(scene, (await scene.stage.createLink()).link) },
  {
    name: 'connected-another',
    reach: async scene => {
      const { stage, page, words } = scene
      await page.goto((await stage.createLink({})).link)
      await page.getByRole('link', { name: /Vault/ }).click()
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await page.getByRole('button', { name: read(words.connected.another) }).waitFor()
    },
  },
  {
    name: 'connected-framed',
    reach: async scene => {
      const frame = await openFramed(scene, (await scene.stage.createLink(VAULT)).token)
      await submitKey(frame, scene.stage.service.sandbox.vaultKeys.ana)
      await sees(frame, scene.words.connected.title('Vault'))
    },
  },
  {
    name: 'awaiting-confirmation',
    reach: async scene => {
      const { stage, page, words } = scene
      const callback = { ...VAULT, callback_url: stage.application.callbackUrl, state: 'mine' }
      const { link, token } = await stage.createLink(callback)
      await page.goto(link)
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await page.waitForURL(/\/application\/done/)
      await sees(await openFramed(scene, token, '/done'), words.connected.awaiting('Orbit'))
    },
  },
  {
    name: 'cancelled',
    reach: async scene => {
      await openConsent(scene, (await scene.stage.createLink()).link)
      await press(scene.page, '#cancel button')
      await sees(scene.page, scene.words.cancelled.title)
    },
  },
  {
    name: 'not-expected',
    variant: true,
    reach: async scene => {
      await openConsent(scene, (await scene.stage.createLink()).link)
      await press(scene.page, '[name=unexpected]')
      await sees(scene.page, scene.words.cancelled.unexpectedTitle)
    },
  },
  {
    name: 'failed',
    reach: async scene => {
      const { page } = scene
      await openConsent(scene, (await scene.stage.createLink()).link)
      await page.goto(`${page.url()}/ended?outcome=error&reason=provider_unavailable`)
      await sees(page, scene.words.failed.title('Notes'))
    },
  },
  {
    name: 'failed-unknown-return',
    variant: true,
    reach: async ({ page, stage, words }) => {
      await page.goto(`${stage.service.baseUrl}/oauth/callback/sandbox-notes?state=unknown&code=x`)
      await sees(page, words.failed.title(null))
    },
  },
  { name: 'expired', reach: openExpired },
  {
    name: 'renewal-asked',
    reach: async scene => {
      await openExpired(scene)
      await press(scene.page, '.primary')
      await sees(scene.page, scene.words.expired.askedTitle)
    },
  },
  {
    name: 'used',
    reach: async scene => {
      const { stage, page, words } = scene
      const { link } = await stage.createLink(VAULT)
      await page.goto(link)
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await sees(page, words.connected.title('Vault'))
      await page.goto(link)
      await sees(page, words.used.title)
    },
  },
  {
    name: 'refused-invalid-link',
    variant: true,
    reach: async ({ page, stage, words }) => {
      await page.goto(`${stage.service.baseUrl}/magic-link/nonsense`)
      await sees(page, words.refused.invalid_link.title)
    },
  },
  {
    name: 'refused-user-inactive',
    variant: true,
    reach: async ({ stage, page, words }) => {
      const { userId, link } = await stage.createLink()
      await stage.service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
      await page.goto(link)
      await sees(page, words.refused.user_inactive.title)
    },
  },
  {
    name: 'refused-unauthorized-origin',
    variant: true,
    reach: async ({ stage: { service, createLink }, page, words }) => {
      await service.allowOrigin('goneapp://')
      const { link } = await createLink({ connector: 'sandbox-notes', callback_url: 'goneapp://done' })
      await service.call('DELETE', '/api/v1/callback-origins', { body: { origin: 'goneapp://' } })
      await page.goto(link)
      await sees(page, words.refused.unauthorized_origin.title)
    },
  },
  {
    name: 'refused-other-browser',
    variant: true,
    reach: async scene => {
      await walkToQuestion(scene, (await scene.stage.createLink()).link)
      await scene.context.clearCookies({ name: 'carabiner_browser' })
      await allow(scene.page)
      await sees(scene.page, scene.words.refused.other_browser.title)
    },
  },
  {
    name: 'refused-cookies-blocked',
    variant: true,
    reach: async scene => {
      await openConsent(scene, (await scene.stage.createLink()).link)
      await scene.context.clearCookies({ name: 'carabiner_browser' })
      await press(scene.page, '.primary')
      await sees(scene.page, scene.words.refused.cookies_blocked.title)
    },
  },
  {
    name: 'refused-too-many',
    variant: true,
    reach: async ({ stage, page, words }) => {
      const { userId, link } = await stage.createLink(VAULT)
      await stage.service.query('update link_sessions set key_checks = 10 where registered_user_id = $1', [
        userId,
      ])
      await page.goto(link)
      await submitKey(page, 'sv_live_wrong')
      await sees(page, words.refused.too_many_requests.title)
    },
  },
  {
    name: 'refused-connector-gone',
    variant: true,
    reach: async ({ stage, page, words }) => {
      const { link } = await stage.createLink()
      await withPack(stage, ['sandbox-vault'], () => page.goto(link))
      await sees(page, words.refused.connector_gone.title)
    },
  },
  {
    name: 'app-success',
    reach: async scene => {
      await walkToQuestion(scene, (await scene.stage.createLink(APP)).link)
      await allow(scene.page)
      await seesText(scene.page, read(scene.words.returning.button))
    },
  },
  {
    name: 'app-exit',
    variant: true,
    reach: async scene => {
      await openConsent(scene, (await scene.stage.createLink(APP)).link)
      await press(scene.page, '#cancel button')
      await seesText(scene.page, read(scene.words.returning.button))
    },
  },
  {
    name: 'app-error',
    variant: true,
    reach: async scene => {
      await walkToQuestion(scene, (await scene.stage.createLink(APP)).link)
      scene.stage.service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
      await allow(scene.page)
      await seesText(scene.page, read(scene.words.returning.button))
    },
  },
]

const LINKS = {
  support_url: 'https://example.com/help',
  privacy_url: 'https://example.com/privacy',
  terms_url: 'https://example.com/terms',
}
/** Colours that no text can stand on as they are, and shapes at both ends. */
const BRANDS = {
  Sunny: { primary_color: '#ffe600', radius: 0 },
  Ink: { primary_color: '#000000', radius: 24, ...LINKS },
  Snow: { primary_color: '#ffffff', logos: { light: '#14171f', dark: '#eceef3' }, ...LINKS },
  Blossom: { primary_color: '#e91e63', radius: 12, co_branding: false, ...LINKS },
} satisfies Record<string, Brand>
type BrandName = keyof typeof BRANDS

const dressed = (name: BrandName, { stage }: Scene) => stage.branded(name, BRANDS[name])

const brandConsent = (name: BrandName): State => ({
  name: `brand-${name.toLowerCase()}-consent`,
  ...((name === 'Ink' || name === 'Blossom') && { matrixOnly: true }),
  reach: async scene => {
    const organization = await dressed(name, scene)
    const { link } = await scene.stage.createLink({ connector: 'sandbox-notes' }, organization)
    await openConsent(scene, link, name)
  },
})

const brands: State[] = [
  brandConsent('Sunny'),
  brandConsent('Ink'),
  brandConsent('Snow'),
  brandConsent('Blossom'),
  {
    name: 'brand-sunny-api-key',
    matrixOnly: true,
    reach: async scene => openVault(scene, await dressed('Sunny', scene)),
  },
  {
    name: 'brand-snow-picker',
    reach: async scene => {
      const { token } = await scene.stage.createLink({}, await dressed('Snow', scene))
      await openHosted(scene, token)
    },
  },
  {
    name: 'brand-blossom-connected',
    matrixOnly: true,
    variant: true,
    reach: async scene => linkVault(scene, await dressed('Blossom', scene)),
  },
  {
    name: 'brand-ink-failed',
    matrixOnly: true,
    variant: true,
    reach: async scene => {
      const { stage, page, words } = scene
      const { token } = await stage.createLink({ connector: 'sandbox-notes' }, await dressed('Ink', scene))
      await page.goto(`${await stage.trade(token)}/ended?outcome=error&reason=provider_unavailable`)
      await sees(page, words.failed.title('Notes'))
    },
  },
]

const languages: State[] = (Object.keys(catalogs) as LinkLanguage[])
  .filter(language => language !== 'en' && language !== 'ar')
  .flatMap((language): State[] => [
    {
      name: `consent-${language}`,
      variant: true,
      language,
      reach: async scene => openConsent(scene, (await scene.stage.createLink()).link),
    },
    { name: `picker-${language}`, variant: true, language, reach: openMany },
    { name: `connected-${language}`, variant: true, language, reach: async scene => linkVault(scene) },
  ])
  // German has the longest words; what fits it fits the others.
  .map(state => (state.language === 'de' ? state : { ...state, matrixOnly: true as const }))

const openNotesDialog = async (scene: Scene): Promise<void> => {
  const frame = await openDialog(scene, (await scene.stage.createLink()).token)
  await sees(frame, scene.words.consent.title('Notes', 'Orbit'))
}

const inApplications: State[] = [
  { name: 'dialog-desktop', size: 'desktop', reach: openNotesDialog },
  { name: 'dialog-phone', size: 'phone', reach: openNotesDialog },
  {
    name: 'dialog-loading',
    variant: true,
    size: 'desktop',
    language: 'en',
    reach: async scene => {
      await skipLongDelays(scene)
      await scene.page.route('**/link/s/*?*', () => undefined)
      await openDialog(scene, (await scene.stage.createLink()).token)
      await seesText(scene.page, 'Still loading…')
    },
  },
  {
    name: 'preview',
    variant: true,
    language: 'en',
    reach: async scene => {
      const { key } = await dressed('Blossom', scene)
      const { body } = await scene.stage.service.call('POST', '/api/v1/link-customization/preview', {
        key,
        body: {},
      })
      await scene.page.goto(body.preview_url, { waitUntil: 'load' })
      await scene.page.locator('figure').first().waitFor()
    },
  },
]

/** The third parties that everything is tried with speak English. */
const sandbox: State[] = [
  {
    name: 'sandbox-sign-in',
    language: 'en',
    reach: async scene => {
      await openConsent(scene, (await scene.stage.createLink()).link)
      await continueToNotes(scene.page)
      await seesHeading(scene.page, 'Sign in to Notes')
    },
  },
  {
    name: 'sandbox-question',
    language: 'en',
    reach: async scene => walkToQuestion(scene, (await scene.stage.createLink()).link),
  },
  {
    name: 'sandbox-ended',
    variant: true,
    language: 'en',
    reach: async scene => {
      const { page } = scene
      await walkToQuestion(scene, (await scene.stage.createLink()).link)
      const address = page.url()
      await deny(page)
      await sees(page, scene.words.cancelled.title)
      await page.goto(address)
      await seesHeading(page, 'This did not work')
    },
  },
  {
    name: 'sandbox-vault-keys',
    language: 'en',
    reach: async ({ page, stage: { service } }) => {
      service.sandbox.revokeVaultKey('ben')
      await page.goto(`${service.sandbox.url}/vault/keys`)
      await seesHeading(page, 'Your API keys')
    },
  },
]

export const states: State[] = [
  ...hosted,
  ...pickers,
  ...consents,
  ...keys,
  ...endings,
  ...brands,
  ...languages,
  ...inApplications,
  ...sandbox,
  ...sites,
]
