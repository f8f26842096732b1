import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { drafts, leaveDialog, unsaved } from './support/drafts.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

/** The editors, with one change of each. */
type Editor = {
  name: string
  path: string
  isDrawer?: boolean
  edit: (page: Page) => Promise<void>
  shown: (page: Page) => Promise<boolean>
}
const field = (label: string, text: string): Pick<Editor, 'edit' | 'shown'> => ({
  edit: page => page.getByLabel(label, { exact: true }).fill(text),
  shown: async page => (await page.getByLabel(label, { exact: true }).inputValue()) === text,
})
const vault = (page: Page) => page.getByRole('switch', { name: 'Vault', exact: true })

const editors = (packId: string): Editor[] => [
  {
    name: 'tools of a Tool Pack',
    path: `/tool-packs/${packId}`,
    edit: page => vault(page).click(),
    shown: async page => (await vault(page).getAttribute('aria-checked')) === 'false',
  },
  {
    name: 'settings of a Tool Pack',
    path: `/tool-packs/${packId}?tab=settings`,
    ...field('Description', 'For the support agent'),
  },
  { name: 'Link customization', path: '/settings/link', ...field('Color', '#0b6e4f') },
  { name: 'organization', path: '/settings/organization', ...field('Name', 'Orbit Two') },
  {
    name: 'security rules',
    path: '/security',
    edit: async page => void (await page.getByLabel('Email address, results').selectOption('redact')),
    shown: async page => (await page.getByLabel('Email address, results').inputValue()) === 'redact',
  },
  { name: 'profile', path: '/settings/account', ...field('Name', 'Mia O.') },
  { name: 'user sign-in', path: '/settings/user-sign-in', ...field('Issuer', 'https://id.example.com') },
  {
    name: 'OAuth app',
    path: '/connectors?connector=sandbox-notes&tab=app',
    isDrawer: true,
    ...field('Client ID', 'client-1'),
  },
]

describe('dashboard: unsaved changes of every editor', () => {
  it('every editor keeps its draft on another page and after a reload, until it is discarded', async test => {
    const { page, open } = await dashboard.visit(test)
    const { toolPackId } = dashboard.service.organization
    for (const { name, path, isDrawer, edit, shown } of editors(toolPackId)) {
      await open(path)
      await edit(page)
      await unsaved(page, 1)
      if (!isDrawer) {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Logs' }).click()
        await leaveDialog(page).getByRole('button', { name: 'Stay' }).click()
        await leaveDialog(page).waitFor({ state: 'detached' })
        assert.ok(await shown(page), `${name}: staying keeps it`)
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Logs' }).click()
        await leaveDialog(page).getByRole('button', { name: 'Keep draft and leave' }).click()
        await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
        await page.goBack()
        await unsaved(page, 1)
        assert.ok(await shown(page), `${name}: another page keeps it`)
      }
      await page.reload()
      await unsaved(page, 1)
      assert.ok(await shown(page), `${name}: a reload keeps it`)
      await page.getByRole('button', { name: 'Discard', exact: true }).click()
      await page.getByText('unsaved change').waitFor({ state: 'detached' })
      assert.ok(!(await shown(page)), `${name}: discarded`)
      assert.ok(!(await drafts(page)).includes('carabiner.draft'), `${name}: nothing is left`)
    }
  })
})
