import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { totp } from '../server/test/support/totp.ts'
import { type Dashboard, loaded, PASSWORD, startDashboard, untilTrue } from './support/dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

describe('dashboard: settings', () => {
  it('allowed callback origins: tests a URL, allows its origin, and removes it', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/settings/callback-origins')
    await page.getByText('No origins allowed yet').waitFor()
    await page.getByLabel('Callback URL').fill('https://shop.example.com/linked?tab=1')
    await page.getByRole('button', { name: 'Test', exact: true }).last().click()
    await page.getByText('unauthorized_origin').waitFor()
    await page.getByRole('button', { name: 'Allow https://shop.example.com' }).click()
    await page.getByText('Allowed', { exact: true }).waitFor()
    await page.getByLabel('Callback URL').fill('https://shop.example.com/linked?state=1')
    await page.keyboard.press('Enter')
    await page.getByText('reserved_callback_parameter').waitFor()
    await page.getByLabel('Origin', { exact: true }).fill('https://shop.example.com/path')
    await page.getByRole('button', { name: 'Allow origin' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Remove https://shop.example.com' }).click()
    await page.getByRole('button', { name: 'Remove origin' }).click()
    await page.getByText('No origins allowed yet').waitFor()
  })

  it('Link customization: previews a change before it is saved, warns about contrast, saves logos with everything else', async test => {
    const { service } = dashboard
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/settings/link?state=connected')
    const preview = page.frameLocator('iframe[title="Preview of the Link page"]')
    await preview.getByRole('heading').first().waitFor()
    const title = page.getByLabel('Connected, title')
    assert.equal(await title.getAttribute('placeholder'), '{connector} is connected')
    await title.fill('{connector} is ready')
    await preview.getByRole('heading', { name: 'Notes is ready' }).waitFor()
    await page.getByLabel('Color', { exact: true }).fill('#ffffff')
    await page.getByText(/too little contrast/).waitFor()
    await page.getByLabel('Color', { exact: true }).fill('#0b6e4f')
    await page.getByText('2 unsaved changes').waitFor()
    const unsaved = await service.call('GET', '/api/v1/link-customization')
    assert.deepEqual(unsaved.body.texts, {})
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const saved = await service.call('GET', '/api/v1/link-customization')
    assert.equal(saved.body.primary_color, '#0b6e4f')
    assert.deepEqual(saved.body.texts, { en: { 'connected.title': '{connector} is ready' } })

    const png = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } })
    await page
      .getByLabel('Logo file, light theme')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png })
    await page.getByText('1 unsaved change', { exact: true }).waitFor()
    await page.getByText('No dark version: dark pages show the light logo.').waitFor()
    await page.reload()
    const logo = page.getByRole('img', { name: 'Logo, light theme' })
    assert.match((await logo.getAttribute('src')) ?? '', /^data:image\/png;base64,/, 'the draft has the logo')
    await untilTrue(page, `document.querySelector('img[alt="Logo, light theme"]').naturalWidth > 0`)
    const readLogos = async () => (await service.call('GET', '/api/v1/link-customization')).body.logo
    assert.deepEqual(await readLogos(), { light: null, dark: null })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const { light } = await readLogos()
    assert.equal(await logo.getAttribute('src'), new URL(light.url).pathname)
    await page
      .getByLabel('Logo file, dark theme')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no image') })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('button', { name: /^Remove.*light theme/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    assert.deepEqual(await readLogos(), { light: null, dark: null })
    assert.deepEqual(
      browserErrors.filter(error => !/status of 4\d\d/.test(error)),
      [],
    )
  })

  it('team: invites a member with a link, changes the role, and removes the member', async test => {
    const { page, open } = await dashboard.visit(test)
    await dashboard.service.query("update people_sessions set created_at = created_at - interval '1 hour'")
    await open('/settings/team')
    await page.getByRole('button', { name: 'Invite member' }).click()
    await page.getByLabel('Email').fill('noa@orbit.example')
    await page.getByLabel('Name').fill('Noa Levi')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('within the last ten minutes').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Send this link to Noa Levi' })
    assert.match((await dialog.locator('code').textContent()) ?? '', /\/dashboard\/sign-in#/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Noa Levi' })
    await row.getByText('Invited').waitFor()
    await row.getByRole('button', { name: 'Actions for Noa Levi' }).click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    await page.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: /Security/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await row.getByRole('cell', { name: 'Security', exact: true }).waitFor()
    await row.getByRole('button', { name: 'Actions for Noa Levi' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Remove member' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('account: sets up a second factor with a QR code, and the next sign-in needs it', async test => {
    const { page, open, email } = await dashboard.visit(test)
    await open('/settings/account')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    const secret = (await page.getByRole('dialog').locator('code').textContent()) as string
    await page.getByLabel('Code', { exact: true }).fill(totp(secret, Date.now()))
    await page.getByRole('button', { name: 'Turn on' }).click()
    const codes = page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')
    const backup = (await codes.first().textContent()) as string
    await page.getByRole('checkbox', { name: 'I have stored the codes' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'New backup codes' }).waitFor()

    const again = await dashboard.visit(test, { isSignedIn: false })
    await again.page.goto(`${dashboard.service.baseUrl}/dashboard/sign-in`)
    await again.page.getByLabel('Email').fill(email)
    await again.page.getByLabel('Password').fill(PASSWORD)
    await again.page.getByRole('button', { name: 'Sign in' }).click()
    await again.page.getByLabel(/code/i).fill(backup)
    await again.page.keyboard.press('Enter')
    await again.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  })

  it('account: changes name and password, and ends another session', async test => {
    const { page, open, email } = await dashboard.visit(test)
    const other = await dashboard.visit(test, { isSignedIn: false })
    await other.page.goto(`${dashboard.service.baseUrl}/dashboard/sign-in`)
    await other.page.getByLabel('Email').fill(email)
    await other.page.getByLabel('Password').fill(PASSWORD)
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await open('/settings/account')
    await page.getByLabel('Name').fill('Mia Lund')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Account: Mia Lund' }).waitFor()
    await page.getByRole('button', { name: /^End the session/ }).click()
    await page.getByRole('button', { name: /^End the session/ }).waitFor({ state: 'detached' })
    await other.page.reload()
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('New password').fill('another sentence to remember')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
  })

  it('account: adds a passkey and removes it', async test => {
    const { page, context, open } = await dashboard.visit(test)
    const devtools = await context.newCDPSession(page)
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
    await open('/settings/account')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('button', { name: /^Remove Chrome/ }).click()
    await page.getByRole('button', { name: 'Remove passkey' }).click()
    await page.getByText('You have no passkeys.').waitFor()
  })

  it('organization: changes the name and the storage of payloads; the audit trail has who did it', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    await open('/settings/organization')
    await page.getByLabel('Name', { exact: true }).fill('Orbit Labs')
    await page.getByRole('switch', { name: /Store arguments/ }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Organization saved').waitFor()
    const { body } = await service.call('GET', '/api/v1/organization')
    assert.deepEqual([body.name, body.capture], ['Orbit Labs', 'on'])
    await open('/settings/audit-trail?action=organization.updated')
    await page.getByRole('link', { name: 'Organization updated' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Organization updated' })
    await drawer.getByText('Orbit Labs').first().waitFor()
    await drawer.getByText('Mia Olsen').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Verify chain' }).click()
    await page.getByText(/entries are intact/).waitFor()
    await service.query('alter table audit_entries disable trigger user')
    await service.query(`update audit_entries set action = 'x' where organization_id = $1 and sequence = 2`, [
      service.organization.id,
    ])
    await page.getByRole('button', { name: 'Verify chain' }).click()
    await page.getByText('Broken at entry 2 (changed)').waitFor()
  })

  it('hides changes from people who may only read, and the audit trail', async test => {
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    for (const path of ['callback-origins', 'team', 'link', 'organization']) {
      await open(`/settings/${path}`)
      await loaded(page)
      assert.equal(await page.getByRole('button', { name: /^(Save|Allow origin|Invite)/ }).count(), 0, path)
    }
    assert.equal(await page.getByRole('link', { name: 'Audit trail' }).count(), 0)
    await open('/settings/audit-trail')
    await page.getByText('Your role cannot read the audit trail').waitFor()
  })
})
