import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { freePort } from '../scripts/postgres-cluster.ts'
import { addPerson } from '../server/src/features/members/add-person.ts'
import { signInPerson } from '../server/test/support/person-session.ts'
import {
  IDP_CLIENT,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../server/test/support/sign-in.ts'
import { totp } from '../server/test/support/totp.ts'
import { type Dashboard, PASSWORD, startDashboard } from './support/dashboard.ts'

/** Calls a route of the dashboard from its own page, with the session of the browser. */
const post = (page: Page, path: string, body: object): Promise<any> =>
  page.evaluate(
    async ([target, content]) => {
      const response = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(content),
      })
      if (!response.ok) throw new Error(await response.text())
      return response.json()
    },
    [path, body] as const,
  )

describe('dashboard: other ways to sign in', () => {
  let dashboard: Dashboard
  let provider: TestIdentityProvider
  before(async () => {
    const port = await freePort()
    provider = await startIdentityProvider([`http://localhost:${port}/dashboard/auth/callback/sso`])
    dashboard = await startDashboard({
      PORT: String(port),
      SSO_NAME: 'Acme ID',
      SSO_ISSUER: provider.issuer,
      SSO_CLIENT_ID: IDP_CLIENT.id,
      SSO_CLIENT_SECRET: IDP_CLIENT.secret,
    })
  })
  after(async () => {
    await dashboard.stop()
    await provider.stop()
  })

  const signInAt = async (page: Page, name: string): Promise<void> => {
    await page.goto(`${dashboard.service.baseUrl}/dashboard`)
    await page.getByRole('button', { name: 'Continue with Acme ID' }).click()
    await page.locator('input[name=login]').fill(name)
    await page.locator('input[name=password]').fill('anything')
    await page.locator('button[type=submit]').click()
    await page.locator('button[type=submit]', { hasText: 'Continue' }).click()
  }

  it('signs an invited person in at the identity provider, and nobody else', async test => {
    const { service } = dashboard
    await addPerson(service.service.features, {
      email: 'lena@example.com',
      name: 'Lena',
      membership: { organizationId: service.organization.id, role: 'read_only' },
    })
    const { page } = await dashboard.visit(test, { isSignedIn: false })
    await signInAt(page, 'lena')
    await page.getByRole('button', { name: 'Account: Lena' }).waitFor()

    const stranger = await dashboard.visit(test, { isSignedIn: false })
    await signInAt(stranger.page, 'stranger')
    await stranger.page.getByText('Sign-in failed.').waitFor()
    assert.deepEqual(await service.query(`select 1 from people where email = 'stranger@example.com'`), [])
  })

  it('asks for the second factor after the password, and accepts a backup code once', async test => {
    const { page, email, open, expireSession } = await dashboard.visit(test)
    await open('/users')
    const { totpURI, backupCodes } = await post(page, '/dashboard/auth/two-factor/enable', {
      password: PASSWORD,
    })
    const secret = new URL(totpURI).searchParams.get('secret') as string
    await post(page, '/dashboard/auth/two-factor/verify-totp', { code: totp(secret, Date.now()) })

    const start = async () => {
      await expireSession()
      await page.goto(`${dashboard.service.baseUrl}/dashboard/sign-in`)
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    }
    const answer = async (code: string) => {
      await page.getByLabel('Code').fill(code)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await start()
    await answer('000000')
    await page.getByText('This code is wrong or has expired.').waitFor()
    await answer(totp(secret, Date.now()))
    await page.getByRole('button', { name: 'Account: Mia Olsen' }).waitFor()
    await start()
    await answer(backupCodes[0])
    await page.getByRole('button', { name: 'Account: Mia Olsen' }).waitFor()
    await start()
    await answer(backupCodes[0])
    await page.getByText('This code is wrong or has expired.').waitFor()
  })

  it('a person with an account is sent to the usual sign-in by an invitation link, and joins after it', async test => {
    const { service } = dashboard
    const other = await service.createOrganization('Kepler Labs')
    const admin = await signInPerson(service, { role: 'admin', organizationId: other.id })
    const { page, email } = await dashboard.visit(test)
    const invited = await admin.call('POST', '/api/v1/members', { body: { email, role: 'security' } })
    const fresh = await dashboard.visit(test, { isSignedIn: false })
    await fresh.page.goto(invited.body.sign_in_url)
    await fresh.page.getByRole('heading', { name: 'Join Kepler Labs' }).waitFor()
    await fresh.page.getByText(/ invited you to Kepler Labs as Security\./).waitFor()
    await fresh.page.getByRole('button', { name: 'Continue to the dashboard' }).click()
    await fresh.page.getByText('This address already has an account').waitFor()
    await fresh.page.getByRole('button', { name: 'Sign in as usual' }).click()
    await fresh.page.getByLabel('Password').waitFor()

    await page.goto(`${service.baseUrl}/dashboard`)
    const invitation = page.getByRole('region', { name: 'Invitation to Kepler Labs' })
    await invitation.getByText('as a security member').waitFor()
    await invitation.getByRole('button', { name: 'Join Kepler Labs' }).click()
    await page.waitForURL(`**/o/${other.id}/**`)
    assert.equal(await invitation.count(), 0)
  })

  it('single sign-on ends what someone else has set up for the address before', async test => {
    const { service } = dashboard
    const admin = await signInPerson(service, { role: 'admin' })
    const invited = await admin.call('POST', '/api/v1/members', {
      body: { email: 'marta@example.com', role: 'read_only' },
    })
    const impostor = await dashboard.visit(test, { isSignedIn: false })
    await impostor.page.goto(invited.body.sign_in_url)
    await impostor.page.getByRole('button', { name: 'Continue to the dashboard' }).click()
    await impostor.page.getByRole('link', { name: 'Choose a password' }).click()
    await impostor.page.getByLabel('New password').fill(PASSWORD)
    await impostor.page.getByRole('button', { name: 'Save password' }).click()
    await impostor.page.getByRole('heading', { name: 'Home' }).waitFor()

    const { page } = await dashboard.visit(test, { isSignedIn: false })
    await signInAt(page, 'marta')
    await page.getByRole('button', { name: /^Account: / }).waitFor()
    const accounts = await service.query(
      `select a.provider_id from people_accounts a join people p on p.id = a.user_id where p.email = 'marta@example.com'`,
    )
    assert.deepEqual(accounts, [{ provider_id: 'sso' }])
    await impostor.page.reload()
    await impostor.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('signs in with a passkey', async test => {
    const { page, open, expireSession } = await dashboard.visit(test)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await open('/users')
    // As a text, because the types of browsers are not available here.
    await page.evaluate(`(async () => {
      const options = await (await fetch('/dashboard/auth/passkey/generate-register-options')).json()
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const credential = await navigator.credentials.create({ publicKey })
      const answer = await fetch('/dashboard/auth/passkey/verify-registration', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ response: credential.toJSON(), name: 'Laptop' }),
      })
      if (!answer.ok) throw new Error(await answer.text())
    })()`)
    await expireSession()
    await page.goto(`${dashboard.service.baseUrl}/dashboard/sign-in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'Account: Mia Olsen' }).waitFor()
  })
})
