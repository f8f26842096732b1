import { loaded } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'

export const WEBHOOK_STATES: readonly DashboardState[] = [
  { name: 'webhooks-empty', show: async ({ open, page }) => (await open('/webhooks'), loaded(page)) },
  {
    name: 'webhooks-add',
    show: async ({ open, page }) => {
      await open('/webhooks')
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByRole('checkbox', { name: /All events/ }).click()
      await page.getByRole('checkbox', { name: 'link.completed' }).waitFor()
    },
  },
  {
    name: 'webhooks-endpoint',
    show: async ({ open, page }) => {
      await open('/webhooks', 'test')
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByLabel('URL').fill('http://localhost:9/webhooks')
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByRole('checkbox', { name: 'I have stored it' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByText('No deliveries').waitFor()
    },
  },
  {
    name: 'webhooks-delivery',
    show: async ({ open, page }) => {
      await open('/webhooks', 'test')
      await page.getByRole('link', { name: /localhost:9/ }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByRole('button', { name: 'Show request' }).click()
      await page.getByRole('list', { name: 'Attempts' }).waitFor()
    },
  },
  {
    name: 'webhooks-event-types',
    show: async ({ open, page }) => (await open('/webhooks/event-types'), loaded(page)),
  },
]
