import type { Page } from 'playwright-core'
import { createBrowserUser, linkNotes } from '../../server/test/support/browser-user.ts'
import { loaded } from '../support/dashboard.ts'
import { waitForHeading } from '../support/user-steps.ts'

/** A service that was just started, with its demo organization. */
export type Stage = {
  baseUrl: string
  userId: string
  magicLink: string
  /** Makes a request of the API with the test key. */
  call: <T>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<T>
}

export type Picture = {
  name: string
  /** Pages of Link are as wide as its dialog. */
  size: 'dialog' | 'page'
  show: (page: Page, stage: Stage) => Promise<void>
}

/** Signs in to the demo organization, and opens one of its pages in the test mode. */
const openDashboard = async (page: Page, { baseUrl }: Stage, path: string): Promise<void> => {
  await page.goto(`${baseUrl}/dashboard`)
  await page.getByRole('button', { name: /demo/i }).click()
  await page.waitForURL(/\/dashboard\/o\/[^/]+\/(?:test|production)$/)
  const [, organization = ''] = /\/o\/([^/]+)/.exec(page.url()) ?? []
  await page.goto(`${baseUrl}/dashboard/o/${organization}/test${path}`)
  await loaded(page)
}

const failedCall = async ({ call }: Stage): Promise<string> => {
  const { data } = await call<{ data: { id: string }[] }>('GET', '/tool-calls?outcome=error&limit=1')
  return data[0]?.id ?? ''
}

/** The pictures of the README and of the tour. The last two are taken after Ana has connected an account. */
export const PICTURES: readonly Picture[] = [
  {
    name: 'link',
    size: 'dialog',
    show: async (page, { magicLink }) => {
      await page.goto(magicLink)
      await page.getByRole('link', { name: 'Notes' }).first().click()
      await waitForHeading(page, /Connect Notes/)
    },
  },
  {
    name: 'link-key',
    size: 'dialog',
    show: async (page, { magicLink }) => {
      await page.goto(magicLink)
      await page.getByRole('link', { name: 'Vault' }).first().click()
      await waitForHeading(page, /Vault/)
    },
  },
  {
    name: 'dashboard',
    size: 'page',
    show: async (page, stage) => {
      await openDashboard(page, stage, '')
      await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
      await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })
      await page.getByRole('figure', { name: 'Calls by outcome' }).waitFor()
    },
  },
  {
    name: 'connectors',
    size: 'page',
    show: (page, stage) => openDashboard(page, stage, '/connectors'),
  },
  {
    name: 'tool-pack',
    size: 'page',
    show: async (page, stage) => {
      await openDashboard(page, stage, '/tool-packs')
      await page.getByRole('link', { name: 'Default' }).first().click()
      await waitForHeading(page, 'Default')
      await loaded(page)
    },
  },
  {
    name: 'logs',
    size: 'page',
    show: async (page, stage) => {
      await openDashboard(page, stage, `/logs?call=${await failedCall(stage)}`)
      await page.getByRole('heading', { name: 'Timing' }).waitFor()
    },
  },
  {
    name: 'explain',
    size: 'page',
    show: async (page, stage) => {
      const path = `/explain?user=${stage.userId}&tool=sandbox-notes__list_notes`
      await openDashboard(page, stage, path)
      await page.locator('[aria-current=step]').waitFor()
    },
  },
  {
    name: 'security',
    size: 'page',
    show: (page, stage) => openDashboard(page, stage, '/security'),
  },
  {
    name: 'my-connections',
    size: 'dialog',
    show: async (page, { call, userId }) => {
      const { magic_link_url } = await call<{ magic_link_url: string }>(
        'POST',
        `/registered-users/${userId}/link-token`,
        { connector: 'sandbox-notes' },
      )
      await linkNotes(createBrowserUser(), magic_link_url)
      const { url } = await call<{ url: string }>('POST', `/registered-users/${userId}/connections-link`)
      await page.goto(url)
      await page.getByRole('button', { name: 'Show my connections' }).click()
      await page.getByText('Notes', { exact: true }).first().waitFor()
    },
  },
  {
    name: 'playground',
    size: 'page',
    show: async (page, stage) => {
      const path = `/playground?user=${stage.userId}&tool=sandbox-notes__list_notes`
      await openDashboard(page, stage, path)
      await page.getByRole('button', { name: 'Run tool' }).click()
      await page.getByText('Success', { exact: true }).first().waitFor()
    },
  },
]
