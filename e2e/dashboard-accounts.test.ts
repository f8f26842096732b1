import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes } from '../server/test/support/browser-user.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import * as steps from './support/user-steps.ts'
import { until } from './support/world.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const linkAccount = async (userId: string, account: 'ana' | 'ben', label: string): Promise<void> => {
  const body = { connector_slug: 'sandbox-notes', account: 'add', account_label: label } as const
  const { magic_link_url } = await dashboard.service.mint(userId, body)
  await linkNotes(createBrowserUser(), magic_link_url, { account })
}

describe('dashboard: accounts', () => {
  it('a user’s accounts are renamed and shared, and the access is read and removed', async test => {
    const { service } = dashboard
    const { toolPackId } = service.organization
    const owner = await service.createUser({ origin_user_id: 'owner', origin_user_name: 'Ana Ruiz' })
    const other = await service.createUser({ origin_user_id: 'colleague', origin_user_name: 'Jun Sato' })
    await linkAccount(owner.id, 'ana', 'Work')
    await linkAccount(owner.id, 'ben', 'Private')
    const accountWith = async (label: string) =>
      (await service.call('GET', `/api/v1/registered-users/${owner.id}/credentials`)).body.data.find(
        (account: { label: string }) => account.label === label,
      )

    const { page, open, browserErrors } = await dashboard.visit(test)
    await open(`/users?user=${owner.id}`)
    await page.getByRole('button', { name: 'Rename Notes (Work)' }).click()
    const rename = page.getByRole('dialog', { name: 'Rename Notes (Work)' })
    await rename.getByLabel('Label').fill('Private')
    await rename.getByRole('button', { name: 'Rename' }).click()
    await rename.getByRole('alert').waitFor()
    assert.equal(await rename.getByLabel('Label').getAttribute('aria-invalid'), 'true')
    await rename.getByLabel('Label').fill('Office')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Access to Notes (Office)' }).click()

    const access = page.getByRole('dialog', { name: 'Access to Notes (Office)' })
    assert.ok(await access.getByRole('button', { name: 'Save access' }).isDisabled())
    const field = access.getByRole('combobox', { name: 'Registered User' })
    await field.fill('colleague')
    await field.press('Enter')
    await access.getByRole('list', { name: 'Users with access' }).getByText('Jun Sato').waitFor()
    await access.getByRole('group', { name: 'Tool Packs with access' }).getByRole('checkbox').first().click()
    await access.getByRole('button', { name: 'Save access' }).click()
    await page.getByText('Shared with 1 user and 1 Tool Pack').waitFor()
    assert.deepEqual((await accountWith('Office')).shared_with, {
      everyone: false,
      registered_user_ids: [other.id],
      tool_pack_ids: [toolPackId],
    })

    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open(`/users?user=${owner.id}`)
    await reader.page.getByRole('button', { name: 'Access to Notes (Office)' }).click()
    const shown = reader.page.getByRole('dialog', { name: 'Access to Notes (Office)' })
    await shown.getByText('Jun Sato').waitFor()
    for (const name of ['Save access', 'Remove user'])
      assert.equal(await shown.getByRole('button', { name }).count(), 0, name)
    assert.equal(await reader.page.getByRole('button', { name: /^Rename/ }).count(), 0)

    await page.getByRole('button', { name: 'Access to Notes (Office)' }).click()
    await access.getByRole('button', { name: 'Remove user' }).click()
    await access.getByRole('group', { name: 'Tool Packs with access' }).getByRole('checkbox').first().click()
    await access.getByRole('button', { name: 'Save access' }).click()
    await page.getByText('Shared with').waitFor({ state: 'detached' })

    const many = [other.id]
    for (let n = 0; n < 8; n++)
      many.push((await service.createUser({ origin_user_name: `Colleague ${n}` })).id)
    const { credential_id: credentialId } = await accountWith('Office')
    await service.call('PUT', `/api/v1/registered-users/${owner.id}/credentials/${credentialId}/access`, {
      body: { registered_user_ids: many },
    })
    await page.reload()
    await page.getByRole('button', { name: 'Access to Notes (Office)' }).click()
    const rows = access.getByRole('list', { name: 'Users with access' }).getByRole('listitem')
    await until('all users are listed', async () => (await rows.count()) === 9)
    await access.getByRole('searchbox', { name: 'Find a user with access' }).fill('sato')
    await until('one user is found', async () => (await rows.count()) === 1)
    await access.getByRole('button', { name: 'Remove user' }).click()
    await access.getByText('No user with access has this name').waitFor()
    await access.getByRole('button', { name: 'Save access' }).click()
    await page.getByText('Shared with 8 users').waitFor()
    assert.ok(!(await accountWith('Office')).shared_with.registered_user_ids.includes(other.id))
    await page.getByRole('button', { name: 'Access to Notes (Private)' }).click()
    await page.getByRole('switch', { name: /^Everyone/ }).click()
    await page.getByRole('button', { name: 'Save access' }).click()
    await page.getByText('Shared with everyone').waitFor()
    assert.equal((await accountWith('Private')).shared_with.everyone, true)
    assert.deepEqual(
      browserErrors.filter(error => !/status of 409/.test(error)),
      [],
    )
  })

  it('an account of the organization is linked, shared, used by a user, renamed and disconnected', async test => {
    const { service } = dashboard
    const key = service.organization.testKey
    const user = await service.createUser({ origin_user_id: 'guest', origin_user_name: 'Lea Brandt' }, key)
    const { page, open, context, browserErrors } = await dashboard.visit(test)
    await open('', 'test')
    await page.getByRole('link', { name: 'Organization accounts' }).click()
    await page.getByRole('button', { name: 'Link account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Link an organization account' })
    await dialog.getByRole('combobox', { name: 'Connector' }).click()
    await page.getByRole('option', { name: 'Notes', exact: true }).click()
    await dialog.getByLabel('Label (optional)').fill('Support')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = await dialog.getByRole('link', { name: 'Open' }).getAttribute('href')
    const own = await context.newPage()
    await steps.linkNotes(own, link as string)
    await own.close()
    await dialog.waitFor({ state: 'detached' })
    const list = page.getByRole('list', { name: 'Organization accounts' })
    await list.getByText('Support', { exact: true }).waitFor()

    const needsAccount = async (): Promise<boolean> => {
      const call = { name: 'sandbox-notes__list_notes', arguments: {} }
      return /authenticate_meta/.test((await service.mcp(user.id, 'tools/call', call, { key })).text)
    }
    assert.equal(await needsAccount(), true)
    await list.getByRole('button', { name: 'Access to Notes' }).click()
    const field = page.getByRole('combobox', { name: 'Registered User' })
    await field.fill('Lea')
    await page.getByRole('option', { name: /Lea Brandt/ }).click()
    await page.getByRole('button', { name: 'Save access' }).click()
    await list.getByText('Shared with 1 user').waitFor()
    assert.equal(await needsAccount(), false)

    await list.getByRole('button', { name: 'Rename Notes' }).click()
    await page.getByLabel('Label', { exact: true }).fill('Help desk')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await list.getByText('Help desk', { exact: true }).waitFor()

    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open('/organization-accounts', 'test')
    await reader.page.getByText('Help desk', { exact: true }).waitFor()
    for (const name of ['Link account', /^Rename/, /^Disconnect/])
      assert.equal(await reader.page.getByRole('button', { name }).count(), 0, String(name))

    await list.getByRole('button', { name: 'Disconnect Notes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect', exact: true }).click()
    await page.getByText('No accounts yet').or(list.getByText('Revoked')).first().waitFor()
    assert.equal(await needsAccount(), true)

    const usedSupport = async (): Promise<string | undefined> => {
      const { body } = await service.call('GET', '/api/v1/tool-calls?limit=20', { key })
      return body.data.find((call: { account_label: string | null }) => call.account_label === 'Support')?.id
    }
    await until('the call is recorded', async () => (await usedSupport()) !== undefined)
    await open(`/logs?call=${await usedSupport()}`, 'test')
    await page
      .getByRole('complementary', { name: 'Tool call' })
      .getByText('Support', { exact: true })
      .waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('the key of an account of the organization is replaced, and no other account takes its place', async test => {
    const { service } = dashboard
    const { ana, ben } = service.sandbox.vaultKeys
    const minted = await service.call('POST', '/api/v1/organization-accounts/link-token', {
      body: { connector_slug: 'sandbox-vault' },
    })
    const browser = createBrowserUser()
    await browser.submit(await browser.open(minted.body.magic_link_url), /\/api-key$/, { api_key: ana })

    const { page, open, context, browserErrors } = await dashboard.visit(test)
    await open('/organization-accounts')
    await page.getByRole('button', { name: 'Replace credentials of Vault' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Open' }).click()
    const connections = await opened
    await connections.getByRole('button').first().click()
    await connections.getByRole('link', { name: /Vault/ }).click()
    await connections.getByRole('link', { name: 'Replace API key' }).click()
    await connections.getByLabel('API key').fill(ben)
    await connections.getByRole('button', { name: 'Check and replace' }).click()
    await connections.getByText('belongs to another Vault account').waitFor()
    await connections.getByLabel('API key').fill(ana)
    await connections.getByRole('button', { name: 'Check and replace' }).click()
    await connections.getByText('The new credentials are in use').waitFor()
    const unexpected = browserErrors.filter(error => !/status of 422/.test(error))
    assert.deepEqual(unexpected, [])
  })

  it('a user who is chosen or entered while the network is slow is not lost', async test => {
    const { service } = dashboard
    const owner = await service.createUser({ origin_user_id: 'slow-owner', origin_user_name: 'Ida Berg' })
    const chosen = await service.createUser({ origin_user_id: 'slow-guest', origin_user_name: 'Noa Levi' })
    const entered = await service.createUser({ origin_user_id: 'slow-other', origin_user_name: 'Tom Weil' })
    await linkAccount(owner.id, 'ana', 'Slow')
    await linkAccount(owner.id, 'ben', 'Other')
    const { page, open } = await dashboard.visit(test)
    const network = Promise.withResolvers<void>()
    const isSlow = (url: URL) =>
      url.searchParams.get('search') === 'slow' || url.searchParams.get('origin_user_id') === 'slow-other'
    await page.route(isSlow, async route => {
      await network.promise
      await route.continue()
    })
    await open(`/users?user=${owner.id}`)
    await page.getByRole('button', { name: 'Access to Notes (Slow)' }).click()
    const access = page.getByRole('dialog', { name: 'Access to Notes (Slow)' })
    const field = access.getByRole('combobox', { name: 'Registered User' })
    await field.click()
    const option = page.getByRole('option', { name: /Noa Levi/ })
    await option.waitFor()

    // The results of another search are requested between the press and the release.
    const searched = page.waitForRequest(request => request.url().includes('search=slow'))
    await field.fill('slow')
    await option.hover()
    await page.mouse.down()
    await searched
    await page.mouse.up()
    const users = access.getByRole('list', { name: 'Users with access' })
    await users.getByText('Noa Levi').waitFor()

    // An ID is entered, and the dialog must not be saved before its user is known.
    await field.fill('slow-other')
    await field.press('Enter')
    const save = access.getByRole('button', { name: 'Save access' })
    assert.ok(await save.isDisabled())
    network.resolve()
    await users.getByText('Tom Weil').waitFor()
    await save.click()
    await page.getByText('Shared with 2 users').waitFor()
    const { body } = await service.call('GET', `/api/v1/registered-users/${owner.id}/credentials`)
    const shared = body.data.find((account: { label: string }) => account.label === 'Slow')
    assert.deepEqual(shared.shared_with.registered_user_ids.toSorted(), [chosen.id, entered.id].toSorted())
  })
})
