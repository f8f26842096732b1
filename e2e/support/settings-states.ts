import { loaded, PASSWORD } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'

export const SETTINGS_STATES: readonly DashboardState[] = [
  {
    name: 'settings-origins',
    show: async ({ open, page }) => {
      await open('/settings/callback-origins?url=https%3A%2F%2Fother.example.com%2Fx')
      await page.getByText('Rejected').waitFor()
    },
  },
  {
    name: 'settings-link',
    show: async ({ open, page }) => {
      await open('/settings/link?device=phone')
      await page.getByLabel('Color', { exact: true }).fill('#ffe680')
      await page.getByText('#ffe680').waitFor()
    },
  },
  { name: 'settings-team', show: async ({ open, page }) => (await open('/settings/team'), loaded(page)) },
  {
    name: 'settings-team-invite',
    show: async ({ open, page }) => {
      await open('/settings/team')
      await page.getByRole('button', { name: 'Invite member' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'settings-team-link',
    show: async ({ open, page }) => {
      await open('/settings/team')
      await page.getByRole('button', { name: 'Invite member' }).click()
      await page.getByLabel('Email').fill(`kai-${Date.now()}@orbit.example`)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByRole('button', { name: 'Copy link' }).waitFor()
    },
  },
  {
    name: 'settings-account',
    show: async ({ open, page }) => {
      await open('/settings/account')
      await loaded(page)
      await page.getByText('This session').waitFor()
    },
  },
  {
    name: 'settings-second-factor',
    needsOwnPerson: true,
    show: async ({ open, page }) => {
      await open('/settings/account')
      await page.getByRole('button', { name: 'Set up' }).click()
      await page.getByLabel('Your password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('img', { name: /QR code/ }).waitFor()
    },
  },
  {
    name: 'settings-single-sign-on',
    show: async ({ open, page }) => (await open('/settings/single-sign-on'), loaded(page)),
  },
  {
    name: 'settings-user-sign-in',
    show: async ({ open, page }) => {
      await open('/settings/user-sign-in', 'test')
      await page.getByLabel('Issuer', { exact: true }).fill('https://login.invalid')
      await page.getByLabel('Client ID').fill('carabiner')
      await page.getByRole('checkbox', { name: /Public client/ }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'settings-user-sign-in-on',
    show: async ({ open, page, service }) => {
      await service.call('PUT', '/api/v1/sign-in', {
        body: {
          sign_in_url: 'https://app.example.com/connect-client',
          tool_pack_ids: [service.organization.toolPackId],
        },
      })
      await open('/settings/user-sign-in')
      await page.getByRole('group', { name: 'Tool Packs that allow sign-in' }).waitFor()
    },
  },
  {
    name: 'settings-user-sign-in-off',
    show: async ({ open, page }) => {
      await open('/settings/user-sign-in')
      await page.getByRole('button', { name: 'Turn off' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'settings-organization',
    show: async ({ open, page }) => (await open('/settings/organization'), loaded(page)),
  },
  {
    name: 'settings-export',
    show: async ({ open, page }) => {
      await open('/settings/organization')
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'settings-delete-organization',
    show: async ({ open, page }) => {
      await open('/settings/organization')
      await page.getByRole('button', { name: 'Delete organization' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'settings-audit',
    show: async ({ open, page }) => {
      await open('/settings/audit-trail')
      await loaded(page)
      await page.getByRole('button', { name: 'Verify chain' }).click()
      await page.getByText(/intact/).waitFor()
    },
  },
  {
    name: 'settings-audit-entry',
    show: async ({ open, page }) => {
      await open('/settings/audit-trail')
      await page.getByRole('table').getByRole('link').first().click()
      await page.getByText('Previous hash').waitFor()
    },
  },
]
