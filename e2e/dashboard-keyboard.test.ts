import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, loaded, startDashboard } from './support/dashboard.ts'
import { tabTo } from './support/keyboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const goTo = async (page: Page, shortcut: string, title: string): Promise<void> => {
  await page.keyboard.press('g')
  await page.keyboard.press(shortcut)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await loaded(page)
}

/** Presses Enter on a control. */
const press = async (page: Page, name: string | RegExp): Promise<void> => {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

// Rolling an API key is in dashboard-keys.test.ts.
describe('dashboard: with the keyboard alone', () => {
  it('creates a Tool Pack, adds a connector, and changes a security rule', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    const get = async (path: string) => (await dashboard.service.call('GET', `/api/v1${path}`)).body
    await open('')
    await goTo(page, 't', 'Tool Packs')
    await press(page, 'Create Tool Pack')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'By keyboard' }).waitFor()
    await loaded(page)
    await page.keyboard.press('/')
    await page.keyboard.type('vault')
    await page.getByRole('switch', { name: 'Notes' }).waitFor({ state: 'detached' })
    await tabTo(page, /^Vault$/)
    await page.keyboard.press('Space')
    await press(page, /^Save/)
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const { data: packs } = await get('/tool-packs')
    const pack = packs.find(({ name }: { name: string }) => name === 'By keyboard')
    assert.ok(pack.connectors.some(({ slug }: { slug: string }) => slug === 'sandbox-vault'))

    await page.getByRole('heading', { level: 1 }).focus()
    await goTo(page, 'x', 'Security Gateway')
    await page.keyboard.press('/')
    await page.keyboard.type('credit')
    await page.getByLabel('Email address, arguments').waitFor({ state: 'detached' })
    await tabTo(page, 'Credit card, arguments')
    await page.keyboard.type('bl')
    await press(page, 'Review and save')
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    await press(page, /^Save$/)
    await page.getByText('Rules saved').waitFor()
    assert.equal((await get('/security-rules')).entities.CREDIT_CARD.inbound_action, 'block')
    assert.deepEqual(browserErrors, [])
  })
})
