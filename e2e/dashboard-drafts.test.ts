import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright'
import { type Dashboard, PASSWORD, startDashboard } from './support/dashboard.ts'
import { drafts, leaveDialog, unsaved } from './support/drafts.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const vault = (page: Page) => page.getByRole('switch', { name: 'Vault', exact: true })

describe('dashboard: unsaved changes', () => {
  it('the tabs of a Tool Pack share a page: no question between them, and both drafts are kept', async test => {
    const { page, open } = await dashboard.visit(test)
    await open(`/tool-packs/${dashboard.service.organization.toolPackId}`)
    await vault(page).click()
    await unsaved(page, 1)
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Description', { exact: true }).fill('Changed')
    await page.getByRole('tab', { name: 'Connect a client' }).click()
    await page.getByRole('tab', { name: 'Tools' }).click()
    await unsaved(page, 1)
    await page.getByRole('tab', { name: 'Connect a client' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click()
    await leaveDialog(page).getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    assert.ok(!(await drafts(page)).includes('carabiner.draft'), 'both are discarded')
  })

  it('a saved change asks nothing, and what is typed while it is being saved stays', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/settings/link')
    await page.getByLabel('Color', { exact: true }).fill('#0b6e4f')
    const arrived = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    await page.route('**/link-customization', async route => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      arrived.resolve()
      await answered.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await arrived.promise
    await page.getByLabel('Support', { exact: true }).fill('https://orbit.example/help')
    answered.resolve()
    await page.getByText('Link customization saved').waitFor()
    await unsaved(page, 1)
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  })

  it('a field that is changed back while it is being saved stays changed, and can be saved again', async test => {
    const { page, open } = await dashboard.visit(test)
    const { body: pack } = await dashboard.service.call('POST', '/api/v1/tool-packs', {
      body: { name: 'Limited', connectors: [] },
    })
    await open(`/tool-packs/${pack.id}?tab=settings`)
    const limit = page.getByLabel('Daily call limit')
    const save = page.getByRole('button', { name: 'Save settings' })
    const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(`**/tool-packs/${pack.id}`, async route => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      arrived.resolve()
      await answered.promise
      await route.continue()
    })
    await limit.fill('20')
    await save.click()
    await arrived.promise
    await limit.fill('')
    answered.resolve()
    await page.getByText('Tool Pack saved').waitFor()
    await unsaved(page, 1)
    assert.equal(await limit.inputValue(), '')
    await save.click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const stored = await dashboard.service.call('GET', `/api/v1/tool-packs/${pack.id}`)
    assert.equal(stored.body.daily_call_limit, null)
  })

  it('secrets are never part of a draft, and leaving asks about them', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/settings/user-sign-in')
    await page.getByLabel('Client secret', { exact: true }).fill('never-stored')
    await unsaved(page, 1)
    assert.ok(!(await drafts(page)).includes('never-stored'))
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click()
    await leaveDialog(page).getByRole('button', { name: 'Keep draft and leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.goBack()
    assert.equal(await page.getByLabel('Client secret', { exact: true }).inputValue(), '')
  })

  it('the same person finds the draft after signing in again, and another person does not', async test => {
    const first = await dashboard.visit(test)
    const second = await dashboard.visit(test, { isSignedIn: false })
    const { page } = first
    const signIn = async (email: string): Promise<void> => {
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor()
    }
    await first.open('/settings/organization')
    await page.getByLabel('Name', { exact: true }).fill('Typed by the first person')
    await unsaved(page, 1)
    await first.expireSession()
    await page.reload()
    await signIn(first.email)
    await unsaved(page, 1)
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed by the first person')

    await first.expireSession()
    await page.reload()
    await signIn(second.email)
    await first.open('/settings/organization')
    assert.notEqual(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed by the first person')
    assert.ok(!(await drafts(page)).includes('Typed by the first person'))
  })
})
