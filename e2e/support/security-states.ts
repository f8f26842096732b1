import { loaded } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'
import { recordViolation } from './violations.ts'

export const SECURITY_STATES: readonly DashboardState[] = [
  { name: 'security-rules', show: async ({ open, page }) => (await open('/security'), loaded(page)) },
  {
    name: 'security-save',
    show: async ({ open, page }) => {
      await open('/security')
      await page.getByLabel('Email address, results').selectOption('redact')
      await page.getByRole('button', { name: 'Review and save' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'security-custom-rule',
    show: async ({ open, page }) => {
      await open('/security')
      await page.getByRole('button', { name: 'Add rule' }).click()
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
      await page.getByRole('button', { name: 'Test text' }).click()
      await page.getByRole('heading', { name: 'As result' }).waitFor()
    },
  },
  {
    name: 'security-presets',
    show: async ({ open, page }) => {
      await open('/security')
      await page.getByRole('button', { name: 'Turn on all: Finance' }).click()
      await page.getByText(/unsaved changes/).waitFor()
      await page.getByRole('button', { name: 'Apply a preset' }).click()
      await page.getByRole('menuitem', { name: /^Secrets/ }).waitFor()
    },
  },
  {
    name: 'security-tune',
    show: async ({ open, page }) => {
      await open('/security')
      await page.getByRole('button', { name: 'Tune Email address' }).click()
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
      await page.getByRole('button', { name: 'Test JSON' }).click()
      await page.getByRole('heading', { name: 'As result' }).waitFor()
    },
  },
  {
    name: 'security-violations',
    show: async ({ open, page, service }) => {
      const { id: userId } = (await service.call('GET', '/api/v1/registered-users')).body.data[0]
      await recordViolation(service, { entity: 'CREDIT_CARD', days: 0, userId })
      await recordViolation(service, { entity: 'EMAIL_ADDRESS', days: 3, userId })
      await open('/security?tab=violations')
      await page.getByRole('table', { name: 'Violations' }).getByText('Ana Ruiz').first().waitFor()
    },
  },
]
