import { loaded } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'

export const SECURITY_STATES: readonly DashboardState[] = [
  { name: 'security-rules', show: async ({ open, page }) => (await open('/security'), loaded(page)) },
  {
    name: 'security-save',
    show: async ({ open, page }) => {
      await open('/security')
      await page.getByLabel('E-mail address, results').selectOption('redact')
      await page.getByRole('button', { name: 'Review and save' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'security-custom-rule',
    show: async ({ open, page }) => {
      await open('/security')
      await page.getByRole('button', { name: 'Add a rule' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'security-test',
    show: async ({ open, page }) => {
      await open('/security?tab=test')
      await page
        .getByLabel('Text to test')
        .fill('Key -----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----')
      await page.getByRole('button', { name: 'Test the text' }).click()
      await page.getByRole('heading', { name: 'Result' }).waitFor()
    },
  },
  {
    name: 'security-tune',
    show: async ({ open, page }) => {
      await open('/security')
      await page.getByRole('button', { name: 'Tune E-mail address' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'security-test-json',
    show: async ({ open, page }) => {
      await open('/security?tab=test')
      await page.getByRole('button', { name: /^Format/ }).click()
      await page.getByRole('menuitemradio', { name: 'JSON' }).click()
      await page
        .getByLabel('JSON to test')
        .fill('{"files": ["-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n-----END PRIVATE KEY-----", 42]}')
      await page.getByRole('button', { name: 'Test the JSON' }).click()
      await page.getByRole('heading', { name: 'Result' }).waitFor()
    },
  },
  {
    name: 'security-violations',
    show: async ({ open, page }) => (await open('/security?tab=violations'), loaded(page)),
  },
]
