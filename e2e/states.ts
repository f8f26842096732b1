import assert from 'node:assert/strict'
import type { LinkLanguage } from '@carabiner/contract'
import type { BrowserContext, Page } from 'playwright-core'
import type { OrganizationState } from '../server/src/core/organization-state.ts'
import { catalogs, type Words } from '../server/src/features/pages/views/words/index.ts'
import { connectionStates } from './connection-states.ts'
import { AREAS, type Brand, SITES, type Stage } from './proof/stage.ts'
import {
  continueToNotes,
  linkNotes,
  linkVault,
  openConsent,
  openDialog,
  openFramed,
  openHosted,
  openProviderConsent,
  openVault,
  prepare,
  press,
  read,
  skipLongDelays,
  submitKey,
  waitForTitle,
} from './proof/steps.ts'
import { signInStates } from './sign-in-states.ts'
import { allow, deny, signIn, waitForHeading, waitForText } from './support/user-steps.ts'

/** The page that a state is opened in, its environment and its language. */
export type TestPage = {
  stage: Stage
  page: Page
  context: BrowserContext
  words: Words
  /** Registers a function that undoes a change of shared state after the check. */
  onCleanup: (undo: () => unknown) => void
}

export type State = {
  name: string
  reach: (testPage: TestPage) => Promise<unknown>
  /** Differs from another state in its text, not in its layout or colors. */
  variant?: true
  /** Checked in this language only. Other states are checked in a left-to-right and a right-to-left language. */
  language?: LinkLanguage
  /** Similar to a state that `npm test` checks, so only `npm run proof:matrix` checks it. */
  matrixOnly?: true
  /** Checked in this viewport size only. */
  size?: 'phone' | 'desktop'
}

/** Opens a link of an organization that is in this state. */
const openLinkOf = async ({ stage, page }: TestPage, state: OrganizationState): Promise<void> => {
  const organization = await stage.service.createOrganization('Harbor')
  const { link } = await stage.createLink({ connector: 'sandbox-notes' }, organization)
  await stage.service.query('update organizations set state = $1 where id = $2', [state, organization.id])
  await page.goto(link)
}

const LONG_NAME = 'Donaudampfschifffahrtsgesellschaft für Elektrizitätswirtschaft und Maschinenbau'
const APP = { connector: 'sandbox-notes', callback_url: 'myapp://done', state: 'mine' }
const VAULT = { connector: 'sandbox-vault' }
const INSTAGRAM =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/22A Instagram 350.0'

/** Replaces the connectors of Orbit's Tool Pack while `act` runs. */
const withPack = async ({ service }: Stage, connectors: string[], act: () => Promise<unknown>) => {
  const replace = (slugs: string[]) =>
    service.query('update tool_packs set connectors = $1 where organization_id = $2', [
      slugs,
      service.organization.id,
    ])
  await replace(connectors)
  await act()
  await replace(['sandbox-notes', 'sandbox-vault', AREAS])
}

const expire = ({ service }: Stage, userId: string) =>
  service.query(`update link_sessions set expires_at = app_now() where registered_user_id = $1`, [userId])

const openMany = async (testPage: TestPage): Promise<void> => {
  const { stage, words } = testPage
  await openHosted(testPage, (await stage.createLink({}, stage.allConnectorsOrganization)).token)
  await waitForTitle(testPage.page, words.picker.title)
}

const openExpired = async ({ stage, page, words }: TestPage): Promise<void> => {
  const { userId, link } = await stage.createLink()
  await expire(stage, userId)
  await page.goto(link)
  await waitForTitle(page, words.expired.title)
}

const hosted: State[] = [
  {
    name: 'hosted-opening',
    reach: async ({ page, stage, words }) => {
      await page.route('**/link/sessions', () => undefined)
      await page.goto(`${stage.service.baseUrl}/link/#link_token=any`)
      await waitForTitle(page, words.opening.title)
    },
  },
  {
    name: 'hosted-slow',
    variant: true,
    reach: async testPage => {
      const { page, stage } = testPage
      await skipLongDelays(testPage)
      await page.route('**/link/sessions', () => undefined)
      await page.goto(`${stage.service.baseUrl}/link/#link_token=any`)
      await page.locator('.slow').waitFor()
    },
  },
  {
    name: 'hosted-invalid',
    reach: async ({ page, stage, words }) => {
      await page.goto(`${stage.service.baseUrl}/link/#link_token=nonsense`)
      await waitForTitle(page, words.refused.invalid_link.title)
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
      await waitForTitle(page, words.picker.title)
    },
  },
  {
    name: 'picker-connected',
    reach: async testPage => {
      const { stage, page } = testPage
      const { userId, link } = await stage.createLink(VAULT)
      await page.goto(link)
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await waitForTitle(page, testPage.words.connected.title('Vault'))
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
      await waitForTitle(page, words.picker.noneTitle)
    },
  },
  { name: 'picker-many', reach: openMany },
  {
    name: 'picker-searched',
    variant: true,
    reach: async testPage => {
      await openMany(testPage)
      await testPage.page.locator('[type=search]').fill('ar')
    },
  },
  {
    name: 'picker-no-match',
    reach: async testPage => {
      await openMany(testPage)
      await testPage.page.locator('[type=search]').fill('qqq')
      await testPage.page.locator('.none').waitFor()
    },
  },
  {
    name: 'picker-category',
    reach: async testPage => {
      await openMany(testPage)
      await press(testPage.page, '.chips [data-category=files]')
      await testPage.page.locator('.chips [data-category=files][aria-current]').waitFor()
    },
  },
  {
    name: 'picker-category-hover',
    // A change of the size would move the chip away from the mouse.
    size: 'desktop',
    reach: async testPage => {
      await openMany(testPage)
      const chip = testPage.page.locator('.chips [data-category=files]')
      await chip.click()
      await testPage.page.locator('.chips [data-category=files][aria-current]').waitFor()
      await chip.hover()
    },
  },
  {
    name: 'picker-framed',
    reach: async testPage => {
      const { token } = await testPage.stage.createLink({}, testPage.stage.allConnectorsOrganization)
      await waitForTitle(await openFramed(testPage, token), testPage.words.picker.title)
    },
  },
]

const consents: State[] = [
  {
    name: 'consent',
    reach: async testPage => openConsent(testPage, (await testPage.stage.createLink()).link),
  },
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
    reach: async testPage => {
      const { stage } = testPage
      const { userId, link } = await stage.createLink()
      await linkNotes(testPage, link)
      await openConsent(
        testPage,
        (await stage.service.mint(userId, { connector: 'sandbox-notes' })).magic_link_url,
      )
    },
  },
  {
    name: 'consent-hosted',
    variant: true,
    reach: async testPage => {
      await openMany(testPage)
      await testPage.page.getByRole('link', { name: /^Notes/ }).click()
      await waitForTitle(testPage.page, testPage.words.consent.title('Notes', 'Orbit'))
    },
  },
  {
    name: 'consent-languages',
    reach: async testPage => {
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      await press(testPage.page, 'summary')
      await testPage.page.locator('.languages ul').waitFor()
    },
  },
  {
    name: 'consent-in-app-browser',
    reach: async testPage => {
      const debugging = await testPage.context.newCDPSession(testPage.page)
      testPage.onCleanup(() => debugging.detach())
      await debugging.send('Emulation.setUserAgentOverride', { userAgent: INSTAGRAM })
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      await testPage.page.locator('.browser').waitFor()
    },
  },
  {
    name: 'consent-offline',
    reach: async testPage => {
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      testPage.onCleanup(() => testPage.context.setOffline(false))
      await testPage.context.setOffline(true)
      await testPage.page.locator('.offline').waitFor()
    },
  },
  {
    name: 'consent-framed',
    reach: async testPage => {
      const frame = await openFramed(testPage, (await testPage.stage.createLink()).token)
      await waitForTitle(frame, testPage.words.consent.title('Notes', 'Orbit'))
    },
  },
  { name: 'waiting', reach: async testPage => openWaiting(testPage) },
  {
    name: 'waiting-still',
    variant: true,
    reach: async testPage => {
      await skipLongDelays(testPage)
      await waitForTitle(await openWaiting(testPage), testPage.words.waiting.stillTitle)
    },
  },
  {
    name: 'popup-blocked',
    reach: async testPage => {
      await prepare(testPage, 'window.open = () => null')
      const frame = await openFramed(testPage, (await testPage.stage.createLink()).token)
      await press(frame, '.primary')
      await waitForTitle(frame, testPage.words.waiting.blockedTitle)
    },
  },
]

/** Opens and closes the provider's window, and returns the frame, which waits for the result. */
async function openWaiting(testPage: TestPage) {
  const frame = await openFramed(testPage, (await testPage.stage.createLink()).token)
  const opened = testPage.context.waitForEvent('page')
  await press(frame, '.primary')
  await (await opened).close()
  await frame.locator('.waiting').waitFor()
  return frame
}

/** Goes from the link to the page on which the user chooses a site. */
const openSites = async ({ stage, page, words }: TestPage): Promise<void> => {
  await page.goto((await stage.createLink({ connector: SITES }, stage.allConnectorsOrganization)).link)
  await continueToNotes(page)
  await signIn(page)
  await allow(page)
  await waitForTitle(page, words.chooseSite.site.title)
}

const sites: State[] = [
  { name: 'choose-site', reach: openSites },
  {
    name: 'choose-site-unlisted',
    variant: true,
    reach: async testPage => {
      await openSites(testPage)
      await testPage.page.evaluate(`document.querySelector('.rows button').value = 'elsewhere'`)
      await press(testPage.page, '.rows button')
      await testPage.page.getByRole('alert').waitFor()
    },
  },
]

const openAreas = async ({ page, stage }: TestPage): Promise<void> => {
  await page.goto((await stage.createLink({ connector: AREAS })).link)
  await page.locator('.with-suffix').waitFor()
}

const keys: State[] = [
  { name: 'consent-address', reach: openAreas },
  {
    name: 'api-key-invalid-address',
    reach: async testPage => {
      const { page } = testPage
      await openAreas(testPage)
      await page.locator('a.instead').click()
      await page.locator('[name="tenant.area"]').fill('Not an area')
      await page.locator('[name="tenant.region"][value=eu]').check()
      await page.locator('[name=email]').fill('ana@example.com')
      // Disables validation in the browser, so that the server rejects the field.
      await page.evaluate(
        `document.querySelectorAll('[data-pattern]').forEach(input => delete input.dataset.pattern)`,
      )
      await submitKey(page, 'of-ana')
      await page.locator('#problem').waitFor()
    },
  },
  {
    name: 'api-key-wrong-format',
    reach: async testPage => {
      const { page } = testPage
      await openAreas(testPage)
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
    reach: async testPage => {
      await openVault(testPage)
      await testPage.page.locator('[name=api_key]').fill('sv_live_any')
      await press(testPage.page, '.toggle')
      await press(testPage.page, '.steps summary')
      await testPage.page.locator('[name=api_key][type=text]').waitFor()
    },
  },
  { name: 'api-key', reach: async testPage => openVault(testPage) },
  {
    name: 'api-key-rejected',
    reach: async testPage => {
      await openVault(testPage)
      await submitKey(testPage.page, 'sv_live_wrong')
      await testPage.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'api-key-unchecked',
    variant: true,
    reach: async testPage => {
      const { sandbox } = testPage.stage.service
      sandbox.script({ target: 'vault', behavior: 'status', status: 503 })
      await openVault(testPage)
      await submitKey(testPage.page, sandbox.vaultKeys.ana)
      await testPage.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'api-key-checking',
    variant: true,
    reach: async testPage => {
      await openVault(testPage)
      // The request is never sent, because the checks would wait for its response.
      await testPage.page.evaluate(`addEventListener('submit', event => event.preventDefault())`)
      await submitKey(testPage.page, 'sv_live_any')
      await testPage.page.locator('[aria-busy]').waitFor()
    },
  },
]

const endings: State[] = [
  {
    name: 'connected',
    reach: async testPage => linkNotes(testPage, (await testPage.stage.createLink()).link),
  },
  {
    name: 'connected-another',
    reach: async testPage => {
      const { stage, page, words } = testPage
      await page.goto((await stage.createLink({})).link)
      await page.getByRole('link', { name: /Vault/ }).click()
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await page.getByRole('button', { name: read(words.connected.another) }).waitFor()
    },
  },
  {
    name: 'connected-framed',
    reach: async testPage => {
      const frame = await openFramed(testPage, (await testPage.stage.createLink(VAULT)).token)
      await submitKey(frame, testPage.stage.service.sandbox.vaultKeys.ana)
      await waitForTitle(frame, testPage.words.connected.title('Vault'))
    },
  },
  {
    name: 'awaiting-confirmation',
    reach: async testPage => {
      const { stage, page, words } = testPage
      const callback = { ...VAULT, callback_url: stage.application.callbackUrl, state: 'mine' }
      const { link, token } = await stage.createLink(callback)
      await page.goto(link)
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await page.waitForURL(/\/application\/done/)
      await waitForTitle(await openFramed(testPage, token, '/done'), words.connected.awaiting('Orbit'))
    },
  },
  {
    name: 'cancelled',
    reach: async testPage => {
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      await press(testPage.page, '#cancel button')
      await waitForTitle(testPage.page, testPage.words.cancelled.title)
    },
  },
  {
    name: 'not-expected',
    variant: true,
    reach: async testPage => {
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      await press(testPage.page, '[name=unexpected]')
      await waitForTitle(testPage.page, testPage.words.cancelled.unexpectedTitle)
    },
  },
  {
    name: 'failed',
    reach: async testPage => {
      const { page } = testPage
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      await page.goto(`${page.url()}/ended?outcome=error&reason=provider_unavailable`)
      await waitForTitle(page, testPage.words.failed.title('Notes'))
    },
  },
  {
    name: 'failed-unknown-callback',
    variant: true,
    reach: async ({ page, stage, words }) => {
      await page.goto(`${stage.service.baseUrl}/oauth/callback/sandbox-notes?state=unknown&code=x`)
      await waitForTitle(page, words.failed.title(null))
    },
  },
  { name: 'expired', reach: openExpired },
  {
    name: 'renewal-requested',
    reach: async testPage => {
      await openExpired(testPage)
      await press(testPage.page, '.primary')
      await waitForTitle(testPage.page, testPage.words.expired.askedTitle)
    },
  },
  {
    name: 'used',
    reach: async testPage => {
      const { stage, page, words } = testPage
      const { link } = await stage.createLink(VAULT)
      await page.goto(link)
      await submitKey(page, stage.service.sandbox.vaultKeys.ana)
      await waitForTitle(page, words.connected.title('Vault'))
      await page.goto(link)
      await waitForTitle(page, words.used.title)
    },
  },
  {
    name: 'rejected-invalid-link',
    variant: true,
    reach: async ({ page, stage, words }) => {
      await page.goto(`${stage.service.baseUrl}/magic-link/nonsense`)
      await waitForTitle(page, words.refused.invalid_link.title)
    },
  },
  {
    name: 'rejected-organization-moving',
    variant: true,
    reach: async testPage => {
      // The page reloads itself, which would interrupt the check.
      await testPage.page.route('**/magic-link/**', async route => {
        const response = await route.fetch()
        const { refresh, ...headers } = response.headers()
        assert.equal(refresh?.slice(0, 2), '5;')
        await route.fulfill({ response, headers })
      })
      await openLinkOf(testPage, 'leaving')
      await waitForTitle(testPage.page, testPage.words.refused.organization_moving.title)
    },
  },
  {
    name: 'rejected-organization-suspended',
    variant: true,
    reach: async testPage => {
      await openLinkOf(testPage, 'suspended')
      await waitForTitle(testPage.page, testPage.words.refused.organization_suspended.title)
    },
  },
  {
    name: 'rejected-wrong-cell',
    variant: true,
    reach: async testPage => {
      await openLinkOf(testPage, 'moved')
      await waitForTitle(testPage.page, testPage.words.refused.wrong_cell.title)
    },
  },
  {
    name: 'rejected-user-inactive',
    variant: true,
    reach: async ({ stage, page, words }) => {
      const { userId, link } = await stage.createLink()
      await stage.service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
      await page.goto(link)
      await waitForTitle(page, words.refused.user_inactive.title)
    },
  },
  {
    name: 'rejected-unauthorized-origin',
    variant: true,
    reach: async ({ stage: { service, createLink }, page, words }) => {
      await service.allowOrigin('goneapp://')
      const { link } = await createLink({ connector: 'sandbox-notes', callback_url: 'goneapp://done' })
      await service.call('DELETE', '/api/v1/callback-origins', { body: { origin: 'goneapp://' } })
      await page.goto(link)
      await waitForTitle(page, words.refused.unauthorized_origin.title)
    },
  },
  {
    name: 'rejected-other-browser',
    variant: true,
    reach: async testPage => {
      await openProviderConsent(testPage, (await testPage.stage.createLink()).link)
      await testPage.context.clearCookies({ name: 'carabiner_browser' })
      await allow(testPage.page)
      await waitForTitle(testPage.page, testPage.words.refused.other_browser.title)
    },
  },
  {
    name: 'rejected-cookies-blocked',
    variant: true,
    reach: async testPage => {
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      await testPage.context.clearCookies({ name: 'carabiner_browser' })
      await press(testPage.page, '.primary')
      await waitForTitle(testPage.page, testPage.words.refused.cookies_blocked.title)
    },
  },
  {
    name: 'rejected-too-many',
    variant: true,
    reach: async ({ stage, page, words }) => {
      const { userId, link } = await stage.createLink(VAULT)
      await stage.service.query('update link_sessions set key_checks = 10 where registered_user_id = $1', [
        userId,
      ])
      await page.goto(link)
      await submitKey(page, 'sv_live_wrong')
      await waitForTitle(page, words.refused.too_many_requests.title)
    },
  },
  {
    name: 'rejected-connector-removed',
    variant: true,
    reach: async ({ stage, page, words }) => {
      const { link } = await stage.createLink()
      await withPack(stage, ['sandbox-vault'], () => page.goto(link))
      await waitForTitle(page, words.refused.connector_gone.title)
    },
  },
  {
    name: 'app-success',
    reach: async testPage => {
      await openProviderConsent(testPage, (await testPage.stage.createLink(APP)).link)
      await allow(testPage.page)
      await waitForText(testPage.page, read(testPage.words.returning.button))
    },
  },
  {
    name: 'app-exit',
    variant: true,
    reach: async testPage => {
      await openConsent(testPage, (await testPage.stage.createLink(APP)).link)
      await press(testPage.page, '#cancel button')
      await waitForText(testPage.page, read(testPage.words.returning.button))
    },
  },
  {
    name: 'app-error',
    variant: true,
    reach: async testPage => {
      await openProviderConsent(testPage, (await testPage.stage.createLink(APP)).link)
      testPage.stage.service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
      await allow(testPage.page)
      await waitForText(testPage.page, read(testPage.words.returning.button))
    },
  },
]

const LINKS = {
  support_url: 'https://example.com/help',
  privacy_url: 'https://example.com/privacy',
  terms_url: 'https://example.com/terms',
}
/** Colors that have too little contrast for text, and the smallest and largest radius. */
const BRANDS = {
  Sunny: { primary_color: '#ffe600', radius: 0 },
  Ink: { primary_color: '#000000', radius: 24, ...LINKS },
  Snow: { primary_color: '#ffffff', logos: { light: '#14171f', dark: '#eceef3' }, ...LINKS },
  Blossom: { primary_color: '#e91e63', radius: 12, co_branding: false, ...LINKS },
} satisfies Record<string, Brand>
type BrandName = keyof typeof BRANDS

const brandedOrganization = (name: BrandName, { stage }: TestPage) => stage.branded(name, BRANDS[name])

const brandConsent = (name: BrandName): State => ({
  name: `brand-${name.toLowerCase()}-consent`,
  ...((name === 'Ink' || name === 'Blossom') && { matrixOnly: true }),
  reach: async testPage => {
    const organization = await brandedOrganization(name, testPage)
    const { link } = await testPage.stage.createLink({ connector: 'sandbox-notes' }, organization)
    await openConsent(testPage, link, name)
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
    reach: async testPage => openVault(testPage, await brandedOrganization('Sunny', testPage)),
  },
  {
    name: 'brand-snow-picker',
    reach: async testPage => {
      const { token } = await testPage.stage.createLink({}, await brandedOrganization('Snow', testPage))
      await openHosted(testPage, token)
    },
  },
  {
    name: 'brand-blossom-connected',
    matrixOnly: true,
    variant: true,
    reach: async testPage => linkVault(testPage, await brandedOrganization('Blossom', testPage)),
  },
  {
    name: 'brand-ink-failed',
    matrixOnly: true,
    variant: true,
    reach: async testPage => {
      const { stage, page, words } = testPage
      const { token } = await stage.createLink(
        { connector: 'sandbox-notes' },
        await brandedOrganization('Ink', testPage),
      )
      await page.goto(`${await stage.exchangeToken(token)}/ended?outcome=error&reason=provider_unavailable`)
      await waitForTitle(page, words.failed.title('Notes'))
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
      reach: async testPage => openConsent(testPage, (await testPage.stage.createLink()).link),
    },
    { name: `picker-${language}`, variant: true, language, reach: openMany },
    { name: `connected-${language}`, variant: true, language, reach: async testPage => linkVault(testPage) },
  ])
  // German has the longest words, so a layout that fits German fits the other languages.
  .map(state => (state.language === 'de' ? state : { ...state, matrixOnly: true as const }))

const openNotesDialog = async (testPage: TestPage): Promise<void> => {
  const frame = await openDialog(testPage, (await testPage.stage.createLink()).token)
  await waitForTitle(frame, testPage.words.consent.title('Notes', 'Orbit'))
}

const inApplications: State[] = [
  { name: 'dialog-desktop', size: 'desktop', reach: openNotesDialog },
  { name: 'dialog-phone', size: 'phone', reach: openNotesDialog },
  {
    name: 'dialog-loading',
    variant: true,
    size: 'desktop',
    language: 'en',
    reach: async testPage => {
      await skipLongDelays(testPage)
      await testPage.page.route('**/link/s/*?*', () => undefined)
      await openDialog(testPage, (await testPage.stage.createLink()).token)
      await waitForText(testPage.page, 'Still loading…')
    },
  },
  {
    name: 'preview',
    variant: true,
    language: 'en',
    reach: async testPage => {
      const { key } = await brandedOrganization('Blossom', testPage)
      const { body } = await testPage.stage.service.call('POST', '/api/v1/link-customization/preview', {
        key,
        body: {},
      })
      await testPage.page.goto(body.preview_url, { waitUntil: 'load' })
      await testPage.page.locator('figure').first().waitFor()
    },
  },
]

/** Pages of the sandbox providers, which are in English only. */
const sandbox: State[] = [
  {
    name: 'sandbox-sign-in',
    language: 'en',
    reach: async testPage => {
      await openConsent(testPage, (await testPage.stage.createLink()).link)
      await continueToNotes(testPage.page)
      await waitForHeading(testPage.page, 'Sign in to Notes')
    },
  },
  {
    name: 'sandbox-consent',
    language: 'en',
    reach: async testPage => openProviderConsent(testPage, (await testPage.stage.createLink()).link),
  },
  {
    name: 'sandbox-ended',
    variant: true,
    language: 'en',
    reach: async testPage => {
      const { page } = testPage
      await openProviderConsent(testPage, (await testPage.stage.createLink()).link)
      const address = page.url()
      await deny(page)
      await waitForTitle(page, testPage.words.cancelled.title)
      await page.goto(address)
      await waitForHeading(page, 'This did not work')
    },
  },
  {
    name: 'sandbox-vault-keys',
    language: 'en',
    reach: async ({ page, stage: { service } }) => {
      service.sandbox.revokeVaultKey('ben')
      await page.goto(`${service.sandbox.url}/vault/keys`)
      await waitForHeading(page, 'Your API keys')
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
  ...signInStates,
  ...connectionStates,
]
