import type { LinkLanguage } from '@carabiner/contract'
import { catalogs } from '../server/src/features/pages/views/words/index.ts'
import type { RevocationState } from '../server/src/features/pages/views/words/reasons.ts'
import { createBrowserUser, linkNotes } from '../server/test/support/browser-user.ts'
import { AREAS } from './proof/stage.ts'
import { press, waitForTitle } from './proof/steps.ts'
import { signInClient } from './sign-in-states.ts'
import type { State, TestPage } from './states.ts'

const LONG_ACCOUNT = 'anastasia.konstantinopoulou-papadimitriou@subsidiary.long-company-name.example.com'

/** Links accounts of a new user without a browser window. */
const linkAccounts = async ({ stage: { service } }: TestPage): Promise<string> => {
  const { id } = await service.createUser()
  await linkNotes(
    createBrowserUser(),
    (await service.mint(id, { connector: 'sandbox-notes' })).magic_link_url,
  )
  const browser = createBrowserUser()
  const form = await browser.open((await service.mint(id, { connector: 'sandbox-vault' })).magic_link_url)
  await browser.submit(form, /\/api-key$/, { api_key: service.sandbox.vaultKeys.ana })
  return id
}

const LONG_LABEL = 'Mailbox of the department for accounting and procurement'
const LONG_CLIENT = 'Document administration assistant of a client with an unusually long name'

const linkSecond = async ({ stage: { service } }: TestPage, userId: string): Promise<void> => {
  const { magic_link_url } = await service.mint(userId, { connector: 'sandbox-notes', account: 'add' })
  await linkNotes(createBrowserUser(), magic_link_url, { account: 'ben' })
}

const mintLink = async ({ stage: { service } }: TestPage, userId: string): Promise<string> => {
  const { body } = await service.call('POST', `/api/v1/registered-users/${userId}/connections-link`)
  return body.url
}

const openList = async (testPage: TestPage, userId: string): Promise<void> => {
  await testPage.page.goto(await mintLink(testPage, userId))
  await press(testPage.page, '.primary')
}

const callNotes = async ({ stage: { service } }: TestPage, userId: string): Promise<void> => {
  for (const name of ['list_notes', 'list_notes'])
    await service.mcp(userId, 'tools/call', { name: `sandbox-notes__${name}`, arguments: {} })
  service.sandbox.script({ target: 'notes', behavior: 'status', status: 400 })
  await service.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
  service.sandbox.clearFaults()
}

/** Opens the page of a connection in this state. */
const openConnection = async (
  testPage: TestPage,
  { slug = 'sandbox-notes', change = '' }: { slug?: string; change?: string } = {},
): Promise<string> => {
  const { stage, page } = testPage
  const userId = await linkAccounts(testPage)
  if (slug === 'sandbox-notes') await callNotes(testPage, userId)
  if (change !== '')
    await stage.service.query(
      `update credentials set ${change} where registered_user_id = $1 and connector_slug = $2`,
      [userId, slug],
    )
  await openList(testPage, userId)
  await press(page, `.rows li:nth-child(${slug === 'sandbox-notes' ? 1 : 2}) a`)
  await page.locator('.facts').waitFor()
  return userId
}

const PAUSED = `paused_until = app_now() + interval '1 hour'`
const REJECTED = `status = 'needs_reauth', status_reason = 'expired'`

const openConfirmation = async (testPage: TestPage): Promise<string> => {
  const userId = await openConnection(testPage)
  await press(testPage.page, 'a.quiet')
  await waitForTitle(testPage.page, testPage.words.connections.confirmTitle('Notes'))
  return userId
}

const disconnected =
  (outcome: RevocationState): State['reach'] =>
  async testPage => {
    const { stage, page, words } = testPage
    const userId = await openConfirmation(testPage)
    await press(page, '.primary')
    await waitForTitle(page, words.connections.doneTitle('Notes'))
    // The job must not change the outcome again.
    await stage.service.query(
      outcome === 'pending'
        ? `update revocations set outcome = null, sealed = '\\x00', finished_at = null, due_at = app_now() + interval '1 day'
         where registered_user_id = $1`
        : `update revocations set outcome = '${outcome}', sealed = null, finished_at = app_now() where registered_user_id = $1`,
      [userId],
    )
    await page.reload()
    await waitForTitle(page, words.connections.doneTitle('Notes'))
  }

const pages: State[] = [
  {
    name: 'connections-open',
    reach: async testPage => {
      await testPage.page.goto(await mintLink(testPage, await linkAccounts(testPage)))
      await waitForTitle(testPage.page, testPage.words.connections.title)
    },
  },
  {
    name: 'connections-list',
    reach: async testPage => {
      const { stage, page, words } = testPage
      const userId = await linkAccounts(testPage)
      await stage.service.query(
        `insert into credentials (organization_id, id, registered_user_id, connector_slug, status, status_reason, secret_id, sealed,
           method, scopes, account, oauth_app)
         select organization_id, gen_random_uuid(), registered_user_id, $2, 'needs_reauth', 'expired', gen_random_uuid(), sealed, method, scopes,
           $3, null
         from credentials where registered_user_id = $1 and connector_slug = 'sandbox-vault'`,
        [userId, AREAS, LONG_ACCOUNT],
      )
      await stage.service.query(
        `update credentials set ${PAUSED} where registered_user_id = $1 and connector_slug = 'sandbox-vault'`,
        [userId],
      )
      await openList(testPage, userId)
      await waitForTitle(page, words.connections.title)
      await page.locator('.rows').waitFor()
    },
  },
  {
    name: 'connections-several',
    reach: async testPage => {
      const { stage, page } = testPage
      const userId = await linkAccounts(testPage)
      await linkSecond(testPage, userId)
      await stage.service.query(
        `update credentials set label = case when account like 'ana%' then 'Work' else $2 end
         where registered_user_id = $1 and connector_slug = 'sandbox-notes'`,
        [userId, LONG_LABEL],
      )
      for (const name of ['Claude Code', LONG_CLIENT]) await signInClient(testPage, userId, name)
      await openList(testPage, userId)
      await page.locator('.rows li:nth-child(3)').waitFor()
    },
  },
  {
    name: 'connections-shared',
    reach: async testPage => {
      const { stage, page } = testPage
      const owner = await linkAccounts(testPage)
      const { id } = await stage.service.createUser()
      const { body } = await stage.service.call('GET', `/api/v1/registered-users/${owner}/credentials`)
      for (const { credential_id: credentialId } of body.data)
        await stage.service.call(
          'PUT',
          `/api/v1/registered-users/${owner}/credentials/${credentialId}/access`,
          {
            body: { registered_user_ids: [id] },
          },
        )
      await openList(testPage, id)
      await page.locator('.activity li:nth-child(2)').waitFor()
    },
  },
  {
    name: 'connection-of-several',
    reach: async testPage => {
      const { page } = testPage
      const userId = await linkAccounts(testPage)
      await linkSecond(testPage, userId)
      await callNotes(testPage, userId)
      await openList(testPage, userId)
      await press(page, '.rows li:nth-child(2) a')
      await page.locator('.facts').waitFor()
    },
  },
  {
    name: 'connections-none',
    reach: async testPage => {
      await openList(testPage, (await testPage.stage.service.createUser()).id)
      await waitForTitle(testPage.page, testPage.words.connections.noneTitle)
    },
  },
  { name: 'connection', reach: async testPage => openConnection(testPage) },
  {
    name: 'connection-unused',
    variant: true,
    reach: async testPage => openConnection(testPage, { slug: 'sandbox-vault' }),
  },
  { name: 'connection-paused', reach: async testPage => openConnection(testPage, { change: PAUSED }) },
  {
    name: 'connection-paused-for-days',
    variant: true,
    reach: async testPage =>
      openConnection(testPage, { change: `paused_until = app_now() + interval '9 days'` }),
  },
  { name: 'connection-rejected', reach: async testPage => openConnection(testPage, { change: REJECTED }) },
  { name: 'connection-disconnect', reach: openConfirmation },
  { name: 'disconnected-pending', reach: disconnected('pending') },
  { name: 'disconnected-revoked', reach: disconnected('revoked') },
  { name: 'disconnected-not-supported', variant: true, reach: disconnected('not_supported') },
  { name: 'disconnected-shared', variant: true, reach: disconnected('kept_shared') },
  { name: 'disconnected-unconfirmed', variant: true, reach: disconnected('gave_up') },
  {
    name: 'connections-opened-elsewhere',
    variant: true,
    reach: async testPage => {
      const link = await mintLink(testPage, await linkAccounts(testPage))
      const other = createBrowserUser()
      await other.submit(await other.open(link), /\/open$/)
      await testPage.page.goto(link)
      await waitForTitle(testPage.page, testPage.words.refused.opened_elsewhere.title)
    },
  },
  {
    name: 'connections-expired',
    variant: true,
    reach: async testPage => {
      const userId = await linkAccounts(testPage)
      const link = await mintLink(testPage, userId)
      await testPage.stage.service.query(
        'update connections_links set expires_at = app_now() where registered_user_id = $1',
        [userId],
      )
      await testPage.page.goto(link)
      await waitForTitle(testPage.page, testPage.words.expired.title)
    },
  },
]

const languages: State[] = (Object.keys(catalogs) as LinkLanguage[])
  .filter(language => language !== 'en' && language !== 'ar')
  .flatMap((language): State[] => [
    {
      name: `connection-paused-${language}`,
      variant: true,
      language,
      reach: async testPage => openConnection(testPage, { change: PAUSED }),
    },
    {
      name: `disconnected-not-supported-${language}`,
      variant: true,
      language,
      reach: disconnected('not_supported'),
    },
  ])
  // German has the longest words, so a layout that fits German fits the other languages.
  .map(state => (state.language === 'de' ? state : { ...state, matrixOnly: true as const }))

/** The pages of My connections. */
export const connectionStates: State[] = [...pages, ...languages]
