import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { callNotes, LIST_NOTES } from './support/tool-calls.ts'
import { allow, continueToNotes, linkNotes, openConsent, signIn } from './support/user-steps.ts'

let dashboard: Dashboard
/** Creates a key in the open drawer, and returns it. */
const createMcpKey = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Create MCP key' }).click()
  const form = page.getByRole('dialog', { name: 'Create an MCP key for Jun Sato' })
  await form.getByLabel('Name').fill('Laptop')
  await form.getByRole('button', { name: 'Create key' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy your new MCP key “Laptop”' })
  const key = (await shown.getByText(/^cb_mcp_/).textContent()) ?? ''
  const configuration = await shown
    .getByRole('figure', { name: 'Configuration with the new key' })
    .textContent()
  assert.ok(configuration?.includes(`Authorization: Bearer ${key}`), configuration ?? '')
  await shown.getByRole('checkbox', { name: 'I have stored the key' }).click()
  await shown.getByRole('button', { name: 'Done' }).click()
  await shown.waitFor({ state: 'detached' })
  return key
}

before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

describe('dashboard: one Registered User', () => {
  it('is created, sent a link, connected, tested and disconnected', async test => {
    const { page, open, context, browserErrors } = await dashboard.visit(test)
    await open('/users')
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByLabel('Your ID').fill('made-here')
    await page.getByLabel('Name (optional)').fill('Ana Ruiz')
    await page.getByLabel('Email (optional)').fill('ana@orbit.example')
    await page.getByRole('button', { name: 'Create user' }).click()
    const drawer = page.getByRole('dialog', { name: 'Ana Ruiz', exact: true })
    await drawer.getByText('No links created for this user yet.').waitFor()
    await drawer.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a link for Ana Ruiz' })
    await dialog.getByLabel('Connector').click()
    await page.getByRole('option', { name: 'Notes', exact: true }).click()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('img', { name: /QR code/ }).waitFor()
    const mail = await dialog.getByRole('link', { name: 'Email' }).getAttribute('href')
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
    await shown.getByRole('button', { name: '1 link', exact: true }).click()
    await shown.getByRole('button', { name: /Notes.*Connected/ }).click()
    const timeline = shown.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('The account was connected.').waitFor()
    assert.match((await timeline.textContent()) ?? '', /^The link was created.*A person opened the link/)
    await shown.getByRole('button', { name: 'Test Notes' }).click()
    await shown
      .getByRole('status')
      .getByText(/Account:/)
      .waitFor()
    await shown.getByRole('button', { name: 'Disconnect Notes' }).click()
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
    await shown.getByText('Nothing connected yet.').or(shown.getByText('Revoked')).first().waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('a link offers what its pack contains; another connector is added to the pack first', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'packed', origin_user_name: 'Kim Lee' })
    const pack = await service.call('POST', '/api/v1/tool-packs', {
      body: { name: 'Support', connectors: ['sandbox-notes'] },
    })
    const { page, open } = await dashboard.visit(test)
    await open(`/users?user=${user.id}`)
    await page.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a link for Kim Lee' })
    const choose = async (label: string, option: string) => {
      await dialog.getByLabel(label).click()
      await page.getByRole('option', { name: option }).click()
    }
    await choose('Tool Pack', 'Support')
    await dialog.getByLabel('Connector').click()
    assert.deepEqual(await page.getByRole('option').allTextContents(), [
      'The user chooses',
      'Notes',
      'VaultNot in this pack yet',
    ])
    await page.getByRole('option', { name: 'Vault' }).click()
    await dialog.getByText('Vault is not in Support yet.').waitFor()
    await dialog.getByLabel('Account label (optional)').fill('Work')
    await dialog.getByRole('button', { name: 'Add to pack and create link' }).click()
    await dialog.getByRole('img', { name: /QR code/ }).waitFor()
    const saved = await service.call('GET', `/api/v1/tool-packs/${pack.body.id}`)
    assert.deepEqual(
      saved.body.connectors.map(({ slug }: { slug: string }) => slug),
      ['sandbox-notes', 'sandbox-vault'],
    )
    const [session] = await service.query(
      'select tool_pack_id, locked_connector, account_label from link_sessions where registered_user_id = $1',
      [user.id],
    )
    assert.deepEqual(session, {
      tool_pack_id: pack.body.id,
      locked_connector: 'sandbox-vault',
      account_label: 'Work',
    })
  })

  it('has links that say why they did not work, calls, and MCP keys and clients that can be revoked', async test => {
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
    const { id: organizationId, toolPackId } = service.organization
    await service.query(
      `insert into client_grants (organization_id, id, registered_user_id, tool_pack_id, client_id, client_name, expires_at)
       values ($1, uuid_v7(), $2, $3, 'https://client.example/', 'Desktop client', app_now() + interval '1 day')`,
      [organizationId, user.id, toolPackId],
    )

    await service.query(
      `insert into approval_grants (organization_id, id, registered_user_id, approver_id, approval_id, mode, tool_pack_id, connector_slug, tool,
         caller_type, caller_id, frees_texts, grant_hash, max_uses, expires_at)
       select $1, uuid_v7(), id, id, uuid_v7(), mode, $3, 'sandbox-notes', 'create_note', 'api_key', '1', true, '', 10, app_now() + interval '1 day'
       from registered_users where organization_id = $1 and id = $2`,
      [organizationId, user.id, toolPackId],
    )

    const { page, open } = await dashboard.visit(test)
    await open(`/users?user=${user.id}`)
    await page.getByRole('button', { name: '3 links, 2 waiting' }).click()
    await page
      .getByRole('button', {
        name: /The person did not allow access at the provider\..*The link still works\..*Started/,
      })
      .waitFor()
    await page.getByRole('button', { name: /Nobody has opened the link yet\..*Not opened/ }).waitFor()
    const key = await createMcpKey(page)
    await page.getByText('No agent has called a tool for this user yet.').waitFor()
    await callNotes(service, user.id, key)
    await page.reload()
    await page.getByRole('list', { name: 'Recent calls' }).getByRole('link', { name: LIST_NOTES }).click()
    await page.getByRole('button', { name: 'Remove the filter User Jun Sato' }).waitFor()
    await page.getByRole('heading', { name: 'Timing' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Revoke Laptop' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('No MCP keys.').waitFor()
    await page.getByRole('button', { name: 'Revoke Desktop client' }).click()
    await page.getByRole('button', { name: 'Revoke client' }).click()
    await page.getByText('Signed-in clients').waitFor({ state: 'detached' })
    await page.getByText('any text · 0 of 10 calls').waitFor()
    await page.getByRole('button', { name: 'Revoke Notes: create_note' }).click()
    await page.getByRole('button', { name: 'Revoke approval' }).click()
    await page.getByText('Remembered approvals').waitFor({ state: 'detached' })

    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open(`/users?user=${user.id}`)
    await reader.page.getByText('Connected accounts').waitFor()
    for (const name of [/^Test/, /^Disconnect/, 'Create link', 'Delete', 'Create user'])
      assert.equal(await reader.page.getByRole('button', { name }).count(), 0, String(name))
  })
})
