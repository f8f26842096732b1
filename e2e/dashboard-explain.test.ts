import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const failedAt = (page: Page, step: string): Promise<void> =>
  page.locator('[aria-current=step]', { hasText: new RegExp(`^${step}`) }).waitFor()

const TOOL = 'sandbox-notes__list_notes'

describe('dashboard: Explain', () => {
  it('names the first failed step, and its button fixes it', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'mia', origin_user_name: 'Mia Olsen' })
    await service.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: false } })
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/explain')
    await page.getByText('Choose a user and a tool').waitFor()
    const field = page.getByRole('combobox', { name: 'Registered User' })
    await field.fill('mia')
    await field.press('Enter')
    await page.getByRole('combobox', { name: 'Tool', exact: true }).fill(TOOL)
    await page.getByRole('button', { name: 'Explain', exact: true }).click()
    await failedAt(page, 'User is active')
    assert.match(page.url(), new RegExp(`user=${user.id}.*tool=${TOOL}|tool=${TOOL}.*user=${user.id}`))
    await page.getByRole('button', { name: 'Activate user' }).click()
    await failedAt(page, 'Account')
    await page.getByRole('button', { name: 'Create link for Mia Olsen' }).click()
    await page.getByRole('img', { name: 'QR code of the link for Mia Olsen' }).waitFor()
    const link = await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')
    assert.equal((await fetch(link as string)).status, 200)

    const colleague = await dashboard.visit(test, { role: 'read_only' })
    await colleague.page.goto(page.url())
    await failedAt(colleague.page, 'Account')
    assert.equal(await colleague.page.getByRole('button', { name: /Create link/ }).count(), 0)
    assert.deepEqual(browserErrors, [])
  })

  it('rejects arguments that are not an object, and applies the input schema to valid ones', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'lea', origin_user_name: 'Lea Brandt' })
    const { page, open } = await dashboard.visit(test)
    await open(`/explain?user=${user.id}&tool=${TOOL}`)
    await failedAt(page, 'Account')
    const args = page.getByLabel('Arguments (optional)')
    const explain = page.getByRole('button', { name: 'Explain', exact: true })
    for (const text of ['[1]', '{']) {
      await args.fill(text)
      await explain.click()
      await page.getByRole('alert').waitFor()
    }
    await args.fill('{"nothing_like_this": 1}')
    await explain.click()
    await failedAt(page, 'Arguments')
    await open(`/explain?user=${user.id}&tool=unknown__tool`)
    await failedAt(page, 'Connector')
    await page.getByRole('link', { name: 'Edit Tool Pack' }).waitFor()
  })
})
