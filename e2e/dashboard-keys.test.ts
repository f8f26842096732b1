import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { DAY } from '../server/src/core/duration.ts'
import { type Dashboard, loaded, PASSWORD, startDashboard } from './support/dashboard.ts'
import { tabTo } from './support/keyboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const newKey = async (body: object): Promise<{ id: string; key: string }> =>
  (await dashboard.service.call('POST', '/api/v1/api-keys', { body: { mode: 'production', ...body } })).body
const statusOf = async (key: string): Promise<number> =>
  (await dashboard.service.call('GET', '/api/v1/organization', { key })).status
const choose = async (page: Page, field: string, option: RegExp): Promise<void> => {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option }).click()
}

describe('dashboard: API keys', () => {
  it('regenerates the production key after its name was typed, and shows the new key once', async test => {
    const { service } = dashboard
    const old = service.organization.key
    assert.equal(await statusOf(old), 200)
    await service.service.features.keyUses.flush()
    const { page, open } = await dashboard.visit(test)
    await open('/settings/api-keys', 'test')
    await loaded(page)
    const row = page.getByRole('row').filter({ hasText: 'cb_sk_live' })
    await row.getByRole('cell').nth(3).getByText('just now').waitFor()
    const testRow = page.getByRole('row').filter({ hasText: 'cb_sk_test' })
    await testRow.getByRole('cell').nth(3).getByText('Never').waitFor()
    await row.getByRole('button', { name: 'More actions for Production' }).click()
    assert.equal(await page.getByRole('menuitem', { name: 'Revoke' }).count(), 0, 'the last production key')
    await page.getByRole('menuitem', { name: 'Regenerate' }).click()
    await page
      .getByText(/^Last used .*Requests with the key cb_sk_live_.* fail as soon as you confirm/)
      .waitFor()
    await page.getByText('Programs that use this key fail until they use the new one.').waitFor()
    await page.getByLabel(/to confirm/).fill('Production')
    await page.getByRole('button', { name: 'Regenerate key' }).click()
    const shown = page.getByRole('dialog', { name: 'Copy your new key “Production”' })
    const created = (await shown.locator('code').textContent()) as string
    service.organization.key = created
    assert.deepEqual([await statusOf(old), await statusOf(created)], [401, 200])
    await page.keyboard.press('Escape')
    assert.ok(await shown.isVisible(), 'the key cannot be closed by accident')
    await page.getByRole('checkbox', { name: 'I have stored the key' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(created))
  })

  it('creates a restricted production key with an expiry, and a request that tries it', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/settings/api-keys')
    await page.getByRole('button', { name: 'Create production key' }).click()
    await page.getByLabel('Name').fill('Reports')
    await choose(page, 'Expires', /90 days/)
    await choose(page, 'Access', /^Restricted/)
    const create = page.getByRole('button', { name: 'Create key' })
    assert.ok(await create.isDisabled(), 'without a group')
    await page.getByRole('checkbox', { name: /^Read/ }).click()
    await create.click()
    const shown = page.getByRole('dialog', { name: 'Copy your new key “Reports”' })
    const curl = (await shown.locator('pre').textContent()) as string
    assert.match((await promisify(execFile)('sh', ['-c', curl])).stdout, /"Orbit"/)
    const key = (await shown.locator('code').textContent()) as string
    const { body } = await dashboard.service.call('POST', '/api/v1/registered-users', { key, body: {} })
    assert.equal(body.error.code, 'key_group_required')
    await shown.getByRole('checkbox').click()
    await shown.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row', { name: /Reports/ })
    const expiry = (await row.getByRole('cell').nth(4).locator('time').getAttribute('datetime')) as string
    assert.equal(Math.round((Date.parse(expiry) - Date.now()) / DAY), 90)
    assert.match(await row.innerText(), /Read[\s\S]*by Mia Olsen[\s\S]*Never/)
    await row.getByRole('button', { name: /More actions/ }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByLabel(/to confirm/).fill('Reports')
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await row.waitFor({ state: 'detached' })
    assert.equal(await statusOf(key), 401)
  })

  it('rolls a key with the keyboard alone, and ends the old one', async test => {
    const { key: old } = await newKey({ name: 'Backend' })
    const { page, open } = await dashboard.visit(test)
    await open('')
    await loaded(page)
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Roll Backend' }).waitFor()
    await tabTo(page, 'Roll Backend')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Roll Backend?' }).waitFor()
    await tabTo(page, '1 hour')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: '6 hours' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('option').first().waitFor({ state: 'detached' })
    await tabTo(page, 'Roll key')
    await page.keyboard.press('Enter')
    const shown = page.getByRole('dialog', { name: 'Copy your new key “Backend”' })
    await shown.waitFor()
    const fresh = (await shown.locator('code').textContent()) as string
    await tabTo(page, /stored/)
    await page.keyboard.press('Space')
    await tabTo(page, 'Done')
    await page.keyboard.press('Enter')
    await shown.waitFor({ state: 'detached' })
    const row = page.getByRole('row', { name: /Old key/ })
    await row.getByText(/^Valid for [56] hours$/).waitFor()
    assert.deepEqual([await statusOf(old), await statusOf(fresh)], [200, 200])
    // The row of the key was replaced, so the focus is on the heading, and not at the start of the page.
    await tabTo(page, /^End now/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'End the old key now?' }).waitFor()
    await tabTo(page, 'End old key')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await row.waitFor({ state: 'detached' })
    assert.deepEqual([await statusOf(old), await statusOf(fresh)], [401, 200])
  })

  it('asks for a new sign-in before a key gets the group of approvals', async test => {
    const { page, open, email } = await dashboard.visit(test)
    await open('/settings/api-keys')
    await page.getByRole('button', { name: 'Create production key' }).click()
    await page.getByLabel('Name').fill('Approver')
    await choose(page, 'Access', /^Restricted/)
    await page.getByRole('checkbox', { name: /^Approvals/ }).click()
    await dashboard.service.query(
      `with person as (select id from people where email = $1), links as (
         update people_sign_in_links set used_at = used_at - interval '1 hour' where person_id in (select id from person))
       update people_sessions set created_at = created_at - interval '1 hour' where user_id in (select id from person)`,
      [email],
    )
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    const shown = page.getByRole('dialog', { name: 'Copy your new key “Approver”' })
    await shown.waitFor()
    assert.equal(await shown.locator('pre').count(), 0, 'it may make no request that changes nothing')
  })

  it('shows whole keys on a phone, and the current page in the settings list', async test => {
    const { id } = await newKey({ name: 'A backend with a long name', groups: ['read', 'users', 'tools'] })
    await dashboard.service.call('POST', `/api/v1/api-keys/${id}/roll`)
    const width = 390
    const { page, open } = await dashboard.visit(test, { viewport: { width, height: 844 } })
    await open('/settings/api-keys')
    await loaded(page)
    const rows = page.getByRole('row').filter({ hasText: 'cb_sk_' })
    const card = rows.filter({ hasText: 'A backend with a long name' })
    await card.getByText('Read, Users and links, Tools').waitFor()
    for (const text of await rows.locator('code, dd, button').all()) {
      const box = await text.boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= width, await text.innerText())
    }
    const current = await page.locator('nav[aria-label="Settings"] [aria-current="page"]').boundingBox()
    assert.ok(current && current.x >= 0 && current.x + current.width <= width, JSON.stringify(current))
  })
})
