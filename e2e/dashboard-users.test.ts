import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { allow, continueToNotes, linkNotes, openConsent, signIn } from './support/user-steps.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

describe('dashboard: one Registered User', () => {
  it('is created, sent a link, connected, tested and disconnected', async test => {
    const { page, open, context, browserErrors } = await dashboard.visit(test)
    await open('/users')
    await page.getByRole('button', { name: 'Create a user' }).click()
    await page.getByLabel('Your ID').fill('made-here')
    await page.getByLabel('Name (optional)').fill('Ana Ruiz')
    await page.getByLabel('E-mail (optional)').fill('ana@orbit.example')
    await page.getByRole('button', { name: 'Create user' }).click()
    const drawer = page.getByRole('dialog', { name: 'Ana Ruiz', exact: true })
    await drawer.getByText('No link was created for this user.').waitFor()
    await drawer.getByRole('button', { name: 'Send a link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send a link to Ana Ruiz' })
    await dialog.getByLabel('Connector').click()
    await page.getByRole('option', { name: 'Notes', exact: true }).click()
    await dialog.getByRole('button', { name: 'Create the link' }).click()
    await dialog.getByRole('img', { name: /QR code/ }).waitFor()
    const mail = await dialog.getByRole('link', { name: 'E-mail' }).getAttribute('href')
    assert.match(mail ?? '', /^mailto:ana%40orbit\.example\?subject=Connect%20Notes&body=/)
    const link = (await dialog.getByRole('link', { name: 'Open' }).getAttribute('href')) as string
    const other = await context.newPage()
    await openConsent(other, link)
    await continueToNotes(other)
    await signIn(other)
    await allow(other)
    await other.getByRole('heading', { name: 'Notes is connected' }).waitFor()

    await page.reload()
    const shown = page.getByRole('dialog', { name: 'Ana Ruiz', exact: true })
    await shown.getByRole('button', { name: /sandbox-notes.*Connected/ }).click()
    const timeline = shown.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('The account was connected.').waitFor()
    assert.match((await timeline.textContent()) ?? '', /^The link was created.*A person opened the link/)
    await shown.getByRole('button', { name: 'Test sandbox-notes' }).click()
    await shown
      .getByRole('status')
      .getByText(/Account:/)
      .waitFor()
    await shown.getByRole('button', { name: 'Disconnect sandbox-notes' }).click()
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
    await shown.getByText('Nothing is connected.').or(shown.getByText('Revoked')).first().waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('has links that say why they did not work, and MCP keys and clients that can be revoked', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'unlucky', origin_user_name: 'Jun Sato' })
    await service.mint(user.id, { connector_slug: 'sandbox-notes' })
    const denied = await service.mint(user.id, { connector_slug: 'sandbox-notes' })
    const person = await dashboard.visit(test, { isSignedIn: false })
    await openConsent(person.page, denied.magic_link_url)
    await continueToNotes(person.page)
    await signIn(person.page)
    await person.page.getByRole('button', { name: 'Don’t allow' }).click()
    const linked = await service.mint(user.id, { connector_slug: 'sandbox-notes' })
    await linkNotes((await dashboard.visit(test, { isSignedIn: false })).page, linked.magic_link_url)
    const key = await service.call('POST', `/api/v1/registered-users/${user.id}/mcp-keys`, {
      body: { name: 'Laptop' },
    })
    assert.equal(key.status, 201)
    const { id: organizationId, toolPackId } = service.organization
    await service.query(
      `insert into client_grants (organization_id, id, registered_user_id, tool_pack_id, client_id, client_name, expires_at)
       values ($1, uuid_v7(), $2, $3, 'https://client.example/', 'Desktop client', app_now() + interval '1 day')`,
      [organizationId, user.id, toolPackId],
    )

    const { page, open } = await dashboard.visit(test)
    await open(`/users?user=${user.id}`)
    await page
      .getByText(/The person did not allow access at the provider\..*The link still works\./)
      .waitFor()
    await page.getByText('Nobody has opened the link yet.').waitFor()
    await page.getByRole('button', { name: 'Revoke Laptop' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('No key. Create one').waitFor()
    await page.getByRole('button', { name: 'Revoke Desktop client' }).click()
    await page.getByRole('button', { name: 'Revoke client' }).click()
    await page.getByText('Signed-in clients').waitFor({ state: 'detached' })

    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open(`/users?user=${user.id}`)
    await reader.page.getByText('Connected accounts').waitFor()
    for (const name of [/^Test/, /^Disconnect/, 'Send a link', 'Delete', 'Create a user'])
      assert.equal(await reader.page.getByRole('button', { name }).count(), 0, String(name))
  })
})
