import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser } from '../server/test/support/browser-user.ts'
import {
  configureSignIn,
  createRawClient,
  IDP_CLIENT,
  redirectUrisOf,
  resourceOf,
  signInAndAllow,
  signInAtProvider,
  startIdentityProvider,
} from '../server/test/support/sign-in.ts'
import { checkAppearance } from './support/check-page.ts'
import { type Dashboard, PASSWORD, startDashboard, untilTrue } from './support/dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const settingsOf = async (key: string) =>
  (await dashboard.service.call('GET', '/api/v1/sign-in', { key })).body

describe('dashboard: user sign-in', () => {
  it('a provider is registered with the shown redirect URI, configured, changed and turned off', async test => {
    const { service } = dashboard
    const { testKey } = service.organization
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/settings/user-sign-in', 'test')
    await page.getByText('Not configured').waitFor()
    const redirectUri = (await page.locator('main code').first().textContent()) as string
    assert.equal(redirectUri, (await settingsOf(testKey)).redirect_uri)
    const provider = await startIdentityProvider([redirectUri])
    test.after(() => provider.stop())

    const save = page.getByRole('button', { name: 'Save', exact: true })
    await page.getByLabel('Issuer', { exact: true }).fill(`${provider.issuer}/wrong`)
    await page.getByLabel('Client ID').fill(IDP_CLIENT.id)
    assert.ok(await save.isDisabled(), 'a client has a secret, or is marked as public')
    await page.getByLabel('Client secret').fill(IDP_CLIENT.secret)
    await save.click()
    await page.getByRole('alert').getByText('The identity provider cannot be used').waitFor()
    await untilTrue(page, `document.querySelector('input[aria-invalid=true]')?.value.endsWith('/wrong')`)
    await page.getByLabel('Issuer', { exact: true }).fill(provider.issuer)
    await page.getByRole('switch', { name: 'Create users at their first sign-in' }).click()
    await save.click()
    await page.getByText('On', { exact: true }).waitFor()
    assert.deepEqual((await settingsOf(testKey)).identity_provider, {
      issuer: provider.issuer,
      client_id: IDP_CLIENT.id,
      has_client_secret: true,
      scopes: ['profile', 'email'],
      user_claim: 'sub',
      trust_email: false,
      accept_assertions: false,
    })
    assert.equal((await settingsOf(service.organization.key)).updated_at, null, 'modes are separate')

    const claim = page.getByLabel('Claim that identifies the user')
    await claim.fill('aud')
    await save.click()
    await page.getByRole('alert').getByText('does not identify a person').waitFor()
    await claim.fill('email')
    await page.getByRole('switch', { name: 'Trust this issuer’s email addresses' }).click()
    await page.getByText('they can sign in as someone else').waitFor()
    await save.click()
    await page.getByText('User sign-in saved').last().waitFor()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    assert.equal((await settingsOf(testKey)).identity_provider.trust_email, true)
    const client = await createRawClient(service)
    const resource = resourceOf(service, service.organization, 'test')
    const code = (await signInAndAllow(client.authorizeUrl({ resource }), 'ana')).get('code') ?? ''
    const tokens = await client.exchange(code, { resource })
    assert.equal(tokens.status, 200, 'the stored secret is still used')
    const users = await service.call('GET', '/api/v1/registered-users?origin_user_id=ana@example.com', {
      key: testKey,
    })
    assert.equal(users.body.data.length, 1)

    await page.getByRole('switch', { name: 'All Tool Packs allow sign-in' }).click()
    const pack = page.getByRole('group', { name: 'Tool Packs that allow sign-in' }).getByRole('checkbox')
    await pack.first().click()
    assert.ok(await save.isDisabled(), 'at least one pack is chosen')
    await pack.first().click()
    await save.click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    assert.deepEqual((await settingsOf(testKey)).tool_pack_ids, [service.organization.toolPackId])

    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('Not configured').waitFor()
    assert.equal((await settingsOf(testKey)).updated_at, null)
    assert.deepEqual(
      browserErrors.filter(error => !/status of 400/.test(error)),
      [],
    )
  })

  it('rejected sign-ins: listed with cause, fix and client; the page is readable in both themes and sizes', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    const provider = await startIdentityProvider(redirectUrisOf(service))
    test.after(() => provider.stop())
    const resource = resourceOf(service, service.organization, 'test')
    for (const [user_claim, login] of [
      ['sub', 'stranger'],
      ['oid', 'ana'],
    ] as const) {
      const identity_provider = {
        issuer: provider.issuer,
        client_id: IDP_CLIENT.id,
        client_secret: IDP_CLIENT.secret,
        user_claim,
        trust_email: true,
      }
      const changes = { identity_provider, create_users: false }
      await configureSignIn(service, provider, changes, service.organization.testKey)
      const client = await createRawClient(service, service.organization, { name: 'Claude Code' })
      await signInAtProvider(createBrowserUser(), client.authorizeUrl({ resource }), login)
    }
    await open('/settings/user-sign-in', 'test')
    await page.getByRole('heading', { name: 'Claim oid is missing' }).waitFor()
    await page.getByRole('heading', { name: 'No such user' }).waitFor()
    await page.getByText(`Claude Code · ${provider.issuer}`).first().waitFor()
    for (const theme of ['light', 'dark'] as const)
      for (const size of ['desktop', 'phone'] as const) {
        const path = join(tmpdir(), 'carabiner-user-sign-in', `${theme}-${size}.png`)
        const always = process.env.SCREENSHOTS !== undefined
        assert.deepEqual(await checkAppearance(page, { theme, size, motion: 'reduce' }, path, { always }), [])
      }
    await service.call('DELETE', '/api/v1/sign-in', { key: service.organization.testKey })
  })

  it('a provider that a key has saved counts for approvals once a member with a recent sign-in saves it again', async test => {
    const { service } = dashboard
    const { testKey } = service.organization
    const provider = await startIdentityProvider(redirectUrisOf(service))
    test.after(() => provider.stop())
    await configureSignIn(service, provider, {}, testKey)
    assert.equal((await settingsOf(testKey)).for_approvals, false)
    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open('/settings/user-sign-in', 'test')
    await reader.page.getByText('Users cannot sign in for approvals').waitFor()
    const again = (page: typeof reader.page) => page.getByRole('button', { name: 'Save provider again' })
    assert.equal(await again(reader.page).count(), 0)

    const { page, open } = await dashboard.visit(test)
    await open('/settings/user-sign-in', 'test')
    await page.getByRole('region', { name: 'Approvals' }).getByText(provider.issuer).waitFor()
    await service.query("update people_sessions set created_at = created_at - interval '1 hour'")
    await again(page).click()
    const signIn = page.getByRole('dialog', { name: 'Sign in again' })
    await signIn.getByRole('button', { name: 'Close' }).click()
    assert.equal((await settingsOf(testKey)).for_approvals, false, 'the person has declined')
    await again(page).click()
    await signIn.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Users cannot sign in for approvals').waitFor({ state: 'detached' })
    const settings = await settingsOf(testKey)
    assert.deepEqual([settings.for_approvals, settings.identity_provider.has_client_secret], [true, true])
    await service.call('DELETE', '/api/v1/sign-in', { key: testKey })
  })

  it('an application signs users in; a person who may not manage reads the settings', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    await open('/settings/user-sign-in')
    await page.getByRole('combobox', { name: 'Users sign in' }).click()
    await page.getByRole('option', { name: /In your application/ }).click()
    await page.getByLabel('Sign-in URL').fill('http://app.example.com/connect')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('must be an https URL').waitFor()
    await page.getByLabel('Sign-in URL').fill('https://app.example.com/connect')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('On', { exact: true }).waitFor()
    assert.equal((await settingsOf(service.organization.key)).sign_in_url, 'https://app.example.com/connect')

    const reader = await dashboard.visit(test, { role: 'developer' })
    await reader.open('/settings/user-sign-in')
    await untilTrue(reader.page, `document.querySelector('fieldset')?.disabled`)
    assert.equal(await reader.page.getByLabel('Sign-in URL').inputValue(), 'https://app.example.com/connect')
    for (const name of ['Save', 'Turn off'])
      assert.equal(await reader.page.getByRole('button', { name }).count(), 0, name)
    await reader.open('/settings/user-sign-in', 'test')
    await reader.page.getByText('An administrator can configure it.').waitFor()
    assert.equal(await reader.page.locator('fieldset').count(), 0)
  })

  it('the page of a Tool Pack shows the address of the mode and whether sign-in is configured', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    await open(`/tool-packs/${service.organization.toolPackId}?tab=connect`, 'test')
    await page.getByText(resourceOf(service, service.organization, 'test'), { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy sign-in address' }).waitFor()
    await page.getByRole('link', { name: 'Configure user sign-in' }).click()
    await page.getByRole('heading', { level: 1, name: 'User sign-in' }).waitFor()
    await open(`/tool-packs/${service.organization.toolPackId}?tab=connect`)
    await page.getByText(resourceOf(service), { exact: true }).waitFor()
  })
})
