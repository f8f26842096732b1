import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { createVisitor, newAddress, type Visitor } from './support/browser.ts'
import { judgeLooks } from './support/picture.ts'
import {
  allow,
  continueToNotes,
  deny,
  linkNotes,
  openConsent,
  seesHeading,
  seesText,
  walkToQuestion,
} from './support/walk.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let visitor: Visitor
before(async () => {
  world = await startWorld()
  // One person looks at everything, and leaves with the browser. Colours that fade would be judged half-way.
  const leavesLast = { after: () => undefined }
  visitor = await createVisitor(world.browser, leavesLast, { reducedMotion: 'reduce' })
})
after(() => world.stop())

const LONG_NAME = 'Donaudampfschifffahrtsgesellschaft für Elektrizitätswirtschaft und Maschinenbau'
const APP = { connector: 'sandbox-notes', callback_url: 'myapp://done', state: 'mine' }

type State = {
  name: string
  reach: (page: Page, context: BrowserContext) => Promise<unknown>
  /** Other words in the shape and colours of another state. */
  variant?: true
}

const openVault = async (page: Page): Promise<void> => {
  await page.goto((await world.createLink({ connector: 'sandbox-vault' })).link)
  await seesHeading(page, 'Connect with your Vault API key')
}
const submitKey = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Check and connect' }).click()
}
/** What a Tool Pack holds until the page has been seen. */
const withPack = async (connectors: string[], act: () => Promise<unknown>): Promise<void> => {
  const change = (to: string[] | null) =>
    world.service.query('update tool_packs set connectors = $1 where organization_id = $2', [
      to,
      world.service.organization.id,
    ])
  await change(connectors)
  await act()
  await change(null)
}

const states: State[] = [
  { name: 'consent', reach: async page => openConsent(page, (await world.createLink()).link) },
  {
    name: 'consent-long-names',
    reach: async page => {
      const { service } = world
      const { key } = await service.createOrganization(LONG_NAME)
      const user = await service.createUser({ origin_user_name: `Ana ${LONG_NAME}` }, key)
      await page.goto((await service.mint(user.id, { connector: 'sandbox-notes' }, key)).magic_link_url)
      await seesText(page, 'Continue to Notes')
    },
  },
  {
    name: 'consent-test-mode',
    variant: true,
    reach: async page => {
      const { service } = world
      const { testKey } = service.organization
      const user = await service.createUser({}, testKey)
      await page.goto((await service.mint(user.id, {}, testKey)).magic_link_url)
      await page.getByRole('link', { name: /Notes/ }).click()
      await seesText(page, 'Test mode')
    },
  },
  {
    name: 'consent-again',
    reach: async page => {
      const { userId, link } = await world.createLink()
      await linkNotes(page, link)
      await openConsent(
        page,
        (await world.service.mint(userId, { connector: 'sandbox-notes' })).magic_link_url,
      )
    },
  },
  {
    name: 'picker',
    reach: async page => {
      await page.goto((await world.createLink({})).link)
      await seesHeading(page, 'What would you like to connect?')
    },
  },
  {
    name: 'picker-connected',
    reach: async page => {
      const { userId, link } = await world.createLink({ connector: 'sandbox-vault' })
      await page.goto(link)
      await submitKey(page, world.service.sandbox.vaultKeys.ana)
      await seesHeading(page, 'Vault is connected')
      await page.goto((await world.service.mint(userId)).magic_link_url)
      await seesText(page, 'Connected')
    },
  },
  {
    name: 'picker-empty',
    variant: true,
    reach: async page => {
      const { link } = await world.createLink({})
      await withPack([], () => page.goto(link))
      await seesText(page, 'Nothing to connect yet')
    },
  },
  { name: 'api-key', reach: openVault },
  {
    name: 'api-key-refused',
    reach: async page => {
      await openVault(page)
      await submitKey(page, 'sv_live_wrong')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'api-key-unchecked',
    variant: true,
    reach: async page => {
      world.service.sandbox.script({ target: 'vault', behavior: 'status', status: 503 })
      await openVault(page)
      await submitKey(page, world.service.sandbox.vaultKeys.ana)
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'connected', reach: async page => linkNotes(page, (await world.createLink()).link) },
  {
    name: 'cancelled',
    reach: async page => {
      await openConsent(page, (await world.createLink()).link)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await seesHeading(page, 'You cancelled')
    },
  },
  {
    name: 'not-expected',
    variant: true,
    reach: async page => {
      await openConsent(page, (await world.createLink()).link)
      await page.getByRole('button', { name: /not expecting this/ }).click()
      await seesHeading(page, 'We stopped this request')
    },
  },
  {
    name: 'failed',
    reach: async page => {
      await openConsent(page, (await world.createLink()).link)
      await page.goto(`${page.url()}/ended?outcome=error&reason=provider_unavailable`)
      await seesHeading(page, 'Notes could not be connected')
    },
  },
  {
    name: 'failed-unknown-return',
    variant: true,
    reach: async page => {
      await page.goto(`${world.service.baseUrl}/oauth/callback/sandbox-notes?state=unknown&code=x`)
      await seesHeading(page, 'The account could not be connected')
    },
  },
  {
    name: 'expired',
    reach: async page => {
      const { userId, link } = await world.createLink()
      await world.service.query(
        `update link_sessions set expires_at = app_now() where registered_user_id = $1`,
        [userId],
      )
      await page.goto(link)
      await seesHeading(page, 'This link has expired')
    },
  },
  {
    name: 'used',
    reach: async page => {
      const { link } = await world.createLink({ connector: 'sandbox-vault' })
      await page.goto(link)
      await submitKey(page, world.service.sandbox.vaultKeys.ana)
      await seesHeading(page, 'Vault is connected')
      await page.goto(link)
      await seesHeading(page, 'This link has already been used')
    },
  },
  {
    name: 'refused-invalid-link',
    variant: true,
    reach: async page => {
      await page.goto(`${world.service.baseUrl}/magic-link/nonsense`)
      await seesHeading(page, 'This link does not work')
    },
  },
  {
    name: 'refused-user-inactive',
    variant: true,
    reach: async page => {
      const { userId, link } = await world.createLink()
      await world.service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
      await page.goto(link)
      await seesHeading(page, 'This link is paused')
    },
  },
  {
    name: 'refused-unauthorized-origin',
    variant: true,
    reach: async page => {
      const { service, createLink } = world
      await service.allowOrigin('goneapp://')
      const { link } = await createLink({ connector: 'sandbox-notes', callback_url: 'goneapp://done' })
      await service.call('DELETE', '/api/v1/callback-origins', { body: { origin: 'goneapp://' } })
      await page.goto(link)
      await seesText(page, /unauthorized origin/)
    },
  },
  {
    name: 'refused-other-browser',
    variant: true,
    reach: async (page, context) => {
      await walkToQuestion(page, (await world.createLink()).link)
      await context.clearCookies({ name: 'carabiner_browser' })
      await allow(page)
      await seesHeading(page, 'Finish where you started')
    },
  },
  {
    name: 'refused-cookies-blocked',
    variant: true,
    reach: async (page, context) => {
      await openConsent(page, (await world.createLink()).link)
      await context.clearCookies({ name: 'carabiner_browser' })
      await page.getByRole('button', { name: 'Continue to Notes' }).click()
      await seesHeading(page, 'Your browser blocks cookies')
    },
  },
  {
    name: 'refused-too-many',
    variant: true,
    reach: async page => {
      const { userId, link } = await world.createLink({ connector: 'sandbox-vault' })
      await world.service.query('update link_sessions set key_checks = 10 where registered_user_id = $1', [
        userId,
      ])
      await page.goto(link)
      await submitKey(page, 'sv_live_wrong')
      await seesHeading(page, 'Too many attempts')
    },
  },
  {
    name: 'refused-connector-gone',
    variant: true,
    reach: async page => {
      const { link } = await world.createLink()
      await withPack(['sandbox-vault'], () => page.goto(link))
      await seesHeading(page, 'This app is no longer offered')
    },
  },
  {
    name: 'app-success',
    reach: async page => {
      await world.service.allowOrigin('myapp://')
      await walkToQuestion(page, (await world.createLink(APP)).link)
      await allow(page)
      await seesText(page, 'Return to the app')
    },
  },
  {
    name: 'app-exit',
    variant: true,
    reach: async page => {
      await world.service.allowOrigin('myapp://')
      await openConsent(page, (await world.createLink(APP)).link)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await seesText(page, 'Return to the app')
    },
  },
  {
    name: 'app-error',
    variant: true,
    reach: async page => {
      await world.service.allowOrigin('myapp://')
      await walkToQuestion(page, (await world.createLink(APP)).link)
      world.service.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
      await allow(page)
      await seesText(page, 'Return to the app')
    },
  },
  {
    name: 'sandbox-sign-in',
    reach: async page => {
      await openConsent(page, (await world.createLink()).link)
      await continueToNotes(page)
      await seesHeading(page, 'Sign in to Notes')
    },
  },
  {
    name: 'sandbox-question',
    reach: async page => walkToQuestion(page, (await world.createLink()).link),
  },
  {
    name: 'sandbox-ended',
    variant: true,
    reach: async page => {
      await walkToQuestion(page, (await world.createLink()).link)
      const address = page.url()
      await deny(page)
      await seesHeading(page, 'You cancelled')
      await page.goto(address)
      await seesHeading(page, 'This did not work')
    },
  },
  {
    name: 'sandbox-vault-keys',
    reach: async page => {
      world.service.sandbox.revokeVaultKey('ben')
      await page.goto(`${world.service.sandbox.url}/vault/keys`)
      await seesHeading(page, 'Your API keys')
    },
  },
]

describe('readable for everybody, light and dark, on a desk and in a hand, and never wider than a small phone', () => {
  for (const [position, { name, reach, variant = false }] of states.entries()) {
    it(name, async test => {
      const { context } = visitor
      const page = await context.newPage()
      test.after(() => page.close())
      await context.clearCookies()
      await context.setExtraHTTPHeaders(newAddress())
      await reach(page, context)
      await judgeLooks(page, { name, position, variant })
    })
  }
})
