import { type BrowserUser, createBrowserUser, linkNotes } from '../server/test/support/browser-user.ts'
import { createRawClient, type RawClient, REDIRECT_URI, resourceOf } from '../server/test/support/sign-in.ts'
import { continueToNotes, openConsent, press, waitForTitle } from './proof/steps.ts'
import type { State, TestPage } from './states.ts'
import { allow, signIn, waitForHeading } from './support/user-steps.ts'

const CLIENT = 'Claude Code'
const LONG_CLIENT = 'Document administration assistant of a client with an unusually long name'

/** The application signs the user in: it is the page that a client's request is sent to. */
const startRequest = async (
  { stage: { service, application } }: TestPage,
  client: { name: string; redirectUri?: string },
) => {
  application.serve('/sign-in', '<h1>Sign in to Orbit</h1>')
  const configured = await service.call('PUT', '/api/v1/sign-in', {
    body: { sign_in_url: `${application.origin}/sign-in` },
  })
  if (configured.status !== 200) throw new Error(configured.text)
  return createRawClient(service, service.organization, client)
}

/** `address`: of the application's page. Returns the address at which the sign-in continues. */
const approve = async (
  { stage: { service } }: TestPage,
  address: string,
  userId: string,
): Promise<string> => {
  const request = new URL(address).searchParams.get('request')
  const { status, text, body } = await service.call('POST', `/api/v1/sign-in/requests/${request}/approve`, {
    body: { registered_user_id: userId },
  })
  if (status !== 200) throw new Error(text)
  return body.url
}

const openRequest = async (
  testPage: TestPage,
  { name = CLIENT, redirectUri = REDIRECT_URI } = {},
): Promise<string> => {
  const { page, stage } = testPage
  const client = await startRequest(testPage, { name, redirectUri })
  const { id } = await stage.service.createUser()
  await page.goto(client.authorizeUrl())
  await page.goto(await approve(testPage, page.url(), id))
  await waitForTitle(page, testPage.words.signIn.title(name, 'Orbit'))
  return id
}

/** Signs a user in without a browser window. */
export const signInClient = async (testPage: TestPage, userId: string, clientName: string): Promise<void> => {
  const client: RawClient = await startRequest(testPage, { name: clientName })
  const browser: BrowserUser = createBrowserUser()
  const { url } = await browser.open(client.authorizeUrl())
  const consent = await browser.open(await approve(testPage, url, userId))
  await browser.submit(consent, /\/allow/)
  const code = new URL(browser.lastLocation ?? 'http://no-redirect.invalid').searchParams.get('code') ?? ''
  const { status, text } = await client.exchange(code)
  if (status !== 200) throw new Error(text)
}

/** Another account than the linked one, so that Link asks what to do with it. */
const openAccountChoice = async (testPage: TestPage): Promise<void> => {
  const { page, stage, words } = testPage
  const { userId, link } = await stage.createLink()
  await linkNotes(createBrowserUser(), link)
  const again = await stage.service.mint(userId, { connector: 'sandbox-notes' })
  await openConsent(testPage, again.magic_link_url)
  await continueToNotes(page)
  await signIn(page, 'ben')
  await allow(page)
  await waitForTitle(page, words.chooseAccount.title)
}

/** A client with its own URL scheme, which a page leads back to. */
const answered =
  (decision: 'allow' | 'deny'): State['reach'] =>
  async testPage => {
    const { page, words } = testPage
    await openRequest(testPage, { redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback' })
    await press(page, decision === 'allow' ? '.primary' : '.quiet')
    await waitForTitle(page, words.returning.title[decision === 'allow' ? 'success' : 'exit'](CLIENT, null))
  }

export const signInStates: State[] = [
  { name: 'choose-account', reach: openAccountChoice },
  { name: 'sign-in-consent', reach: async testPage => openRequest(testPage) },
  {
    name: 'sign-in-consent-long-name',
    variant: true,
    reach: async testPage => openRequest(testPage, { name: LONG_CLIENT }),
  },
  { name: 'sign-in-allowed', reach: answered('allow') },
  { name: 'sign-in-denied', variant: true, reach: answered('deny') },
  {
    name: 'sign-in-address',
    language: 'en',
    reach: async ({ page, stage: { service } }) => {
      await page.goto(resourceOf(service))
      await waitForHeading(page, 'This address is for an MCP client')
    },
  },
  {
    name: 'sign-in-not-allowed',
    variant: true,
    reach: async testPage => {
      const { page, stage, words } = testPage
      const userId = await openRequest(testPage)
      await stage.service.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
      await page.reload()
      await waitForTitle(page, words.refused.sign_in_not_allowed.title)
    },
  },
  {
    name: 'sign-in-provider-failed',
    variant: true,
    reach: async testPage => {
      const { page, stage, words } = testPage
      const userId = await openRequest(testPage)
      await stage.service.query(
        `update sign_in_requests set rejection = 'provider_failed' where registered_user_id = $1`,
        [userId],
      )
      await page.reload()
      await waitForTitle(page, words.refused.sign_in_failed.title)
    },
  },
  {
    name: 'sign-in-expired',
    variant: true,
    reach: async testPage => {
      const { page, stage, words } = testPage
      const userId = await openRequest(testPage)
      await stage.service.query(
        'update sign_in_requests set expires_at = app_now() where registered_user_id = $1',
        [userId],
      )
      await page.reload()
      await waitForTitle(page, words.refused.sign_in_invalid.title)
    },
  },
]
