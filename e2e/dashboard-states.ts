import type { Page } from 'playwright-core'
import { newUuid } from '../server/src/core/uuid.ts'
import { signInPerson } from '../server/test/support/person-session.ts'
import type { TestService } from '../server/test/support/test-service.ts'
import { ACCOUNT_STATES } from './support/account-states.ts'
import { APPROVAL_STATES } from './support/approval-states.ts'
import { SIZES } from './support/check-page.ts'
import { loaded } from './support/dashboard.ts'
import type { DashboardState } from './support/dashboard-state.ts'
import { OPERATOR_STATES } from './support/operator-states.ts'
import { POLICY_STATES } from './support/policy-states.ts'
import { SECURITY_STATES } from './support/security-states.ts'
import { SETTINGS_STATES } from './support/settings-states.ts'
import { callNotes, createLinkedUser } from './support/tool-calls.ts'
import { WEBHOOK_STATES } from './support/webhook-states.ts'

/** A user with calls of several outcomes, in test mode. */
const makeCalls = async (service: TestService): Promise<void> => {
  const key = service.organization.testKey
  const linked = await createLinkedUser(service, { origin_user_name: 'Ana Ruiz' }, key)
  const other = await service.createUser({ origin_user_name: 'Jun Sato' }, key)
  for (const args of [{}, {}, { limit: 'many' }]) await callNotes(service, linked.id, key, args)
  await callNotes(service, other.id, key)
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()

/** The states of the dashboard, in the order in which they are shown: some use what earlier ones have recorded. */
export const DASHBOARD_STATES: readonly DashboardState[] = [
  ...SETTINGS_STATES,
  ...OPERATOR_STATES,
  ...WEBHOOK_STATES,
  ...SECURITY_STATES,
  { name: 'users', show: async ({ open, page }) => (await open('/users'), loaded(page)) },
  { name: 'users-empty', show: async ({ open, page }) => (await open('/users', 'test'), loaded(page)) },
  {
    name: 'users-nothing-found',
    show: async ({ open, page }) => (await open('/users?q=none'), loaded(page)),
  },
  {
    name: 'users-error',
    show: async ({ open, page }) => {
      await page.route('**/api/v1/registered-users**', route =>
        route.fulfill({
          status: 400,
          json: { error: { code: 'x', message: 'Rejected.', request_id: 'req_hL8sQIQPLLrn' } },
        }),
      )
      await open('/users')
      await page.getByText('req_hL8sQIQPLLrn').waitFor()
    },
  },
  {
    name: 'user-details',
    show: async ({ open, page }) => {
      await open('/users')
      await page.getByRole('link', { name: 'Ana Ruiz' }).click()
      await page.getByText('Nothing connected yet.').waitFor()
    },
  },
  {
    name: 'user-delete',
    show: async ({ open, page }) => {
      await open('/users')
      await page.getByRole('link', { name: 'Ana Ruiz' }).click()
      await press(page, 'Delete')
      await page.getByLabel(/to confirm/).waitFor()
    },
  },
  {
    name: 'user-create',
    show: async ({ open, page }) => {
      await open('/users')
      await press(page, 'Create user')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'user-link',
    show: async ({ open, page }) => {
      await open('/users')
      await page.getByRole('link', { name: 'Jun Sato' }).click()
      await press(page, 'Create link')
      await page
        .getByRole('dialog', { name: /^Create a link for/ })
        .getByRole('button', { name: 'Create link' })
        .click()
      await page.getByRole('img', { name: /QR code/ }).waitFor()
    },
  },
  {
    name: 'user-timeline',
    show: async ({ open, page }) => {
      await open('/users')
      await page.getByRole('link', { name: 'Lea Brandt' }).click()
      await press(page, /^\d+\+? links?/)
      await press(page, /Any connector|Notes/)
      await page.getByRole('list', { name: 'Timeline' }).waitFor()
    },
  },
  { name: 'tool-packs', show: async ({ open, page }) => (await open('/tool-packs'), loaded(page)) },
  {
    name: 'tool-pack',
    show: async ({ open, page }) => {
      await open('/tool-packs')
      await page.getByRole('link', { name: 'Default' }).click()
      await press(page, /^Notes/)
      await page.getByRole('checkbox', { name: /list_notes/ }).click()
      await page.getByText('unsaved change').waitFor()
    },
  },
  {
    name: 'tool-pack-customize',
    show: async ({ open, page }) => {
      await open('/tool-packs')
      await page.getByRole('link', { name: 'Default' }).click()
      await press(page, /^Notes/)
      await press(page, 'Customize create_note')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'tool-pack-requests',
    show: async ({ open, page }) => {
      await open('/tool-packs')
      await page.getByRole('link', { name: 'Default' }).click()
      await press(page, /^Notes/)
      await press(page, 'Edit requests and accounts for Notes')
      await page.getByRole('switch', { name: /^Raw requests/ }).click()
      await page.getByLabel('Paths').fill('/notes/api/*\n/notes/../api')
      await page.getByRole('combobox', { name: 'Account for calls' }).click()
      await page.getByRole('option', { name: 'Only one account' }).click()
      await page.getByLabel('Label or credential ID').fill('Work')
      await press(page, 'Apply')
      await press(page, 'Save changes')
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
  {
    name: 'tool-pack-connect',
    show: async ({ open, page }) => {
      await open('/tool-packs')
      await page.getByRole('link', { name: 'Default' }).click()
      await page.getByRole('tab', { name: 'Connect a client' }).click()
      await page.getByRole('figure').waitFor()
    },
  },
  {
    name: 'tool-pack-settings',
    show: async ({ open, page }) => {
      await open('/tool-packs')
      await page.getByRole('link', { name: 'Default' }).click()
      await page.getByRole('tab', { name: 'Settings' }).click()
      await page.getByLabel('Result limit in bytes').waitFor()
    },
  },
  {
    name: 'playground-empty',
    show: async ({ open, page }) => (await open('/playground', 'test'), loaded(page)),
  },
  {
    name: 'playground',
    show: async ({ open, page }) => {
      await open('/playground?user=customer-0&tool=sandbox-notes__list_notes')
      await press(page, 'Run tool')
      await page.getByText('needs to connect an account').waitFor()
    },
  },
  { name: 'explain-empty', show: async ({ open, page }) => (await open('/explain'), loaded(page)) },
  {
    name: 'explain',
    show: async ({ open, page }) => {
      await open('/explain?user=customer-0&tool=sandbox-notes__list_notes')
      await page.locator('[aria-current=step]').waitFor()
    },
  },
  { name: 'connectors', show: async ({ open, page }) => (await open('/connectors'), loaded(page)) },
  {
    name: 'connector-app',
    show: async ({ open, page }) => {
      await open('/connectors?connector=sandbox-notes&tab=app')
      await press(page, 'Test app')
      await page.getByText('accepts the client ID').waitFor()
    },
  },
  {
    name: 'connector-add',
    show: async ({ open, page }) => {
      await open('/connectors')
      await press(page, 'Add MCP server')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'connector-changes',
    show: async ({ open, page }) => {
      await open('/connectors?connector=issues&tab=changes')
      await page
        .getByRole('group', { name: /^Changes to/ })
        .first()
        .waitFor()
      await page.getByText('would fail').waitFor()
    },
  },
  {
    name: 'api-keys',
    show: async ({ open, page }) => (await open('/settings/api-keys', 'test'), loaded(page)),
  },
  {
    name: 'api-key-regenerate',
    show: async ({ open, page }) => {
      await open('/settings/api-keys')
      await press(page, /^More actions/)
      await page.getByRole('menuitem', { name: 'Regenerate' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'api-key-create',
    show: async ({ open, page }) => {
      await open('/settings/api-keys')
      await press(page, 'Create production key')
      await page.getByRole('combobox', { name: 'Access' }).click()
      await page.getByRole('option', { name: /^Restricted/ }).click()
      await page.getByRole('checkbox', { name: /^Approvals/ }).waitFor()
    },
  },
  {
    name: 'api-key-roll',
    show: async ({ open, page }) => {
      await open('/settings/api-keys')
      await press(page, /^Roll/)
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'api-key-old',
    show: async ({ open, page, service }) => {
      // One is enough for every theme and size.
      const { body: list } = await service.call('GET', '/api/v1/api-keys')
      const [rolled] = list.data.filter(({ replaced_by }: { replaced_by: string | null }) => replaced_by)
      if (!rolled) {
        const body = { name: 'Backend', mode: 'production', groups: ['read'], expires_in_days: 5 }
        const { id } = (await service.call('POST', '/api/v1/api-keys', { body })).body
        await service.call('POST', `/api/v1/api-keys/${id}/roll`, { body: { overlap_minutes: 1440 } })
      }
      await open('/settings/api-keys')
      await page.getByText('Old key').first().waitFor()
    },
  },
  {
    name: 'palette',
    show: async ({ open, page }) => {
      await open('/users')
      await page.keyboard.press('Control+k')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'user-picker',
    show: async ({ open, page }) => {
      await open('/playground')
      await page.getByRole('combobox', { name: 'Registered User' }).click()
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'shortcuts',
    show: async ({ open, page }) => {
      await open('/users')
      await loaded(page)
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'session-expired',
    needsOwnPerson: true,
    show: async ({ open, page, expireSession }) => {
      await open('/users')
      await loaded(page)
      await expireSession()
      await page.getByRole('searchbox').fill('someone')
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    },
  },
  { name: 'home-first-steps', show: async ({ open, page }) => (await open('', 'test'), loaded(page)) },
  { name: 'logs-empty', show: async ({ open, page }) => (await open('/logs'), loaded(page)) },
  { name: 'usage-empty', show: async ({ open, page }) => (await open('/usage'), loaded(page)) },
  {
    name: 'home',
    show: async ({ open, page, service }) => {
      await makeCalls(service)
      await open('', 'test')
      await page.getByText('Create links for 1 user').waitFor()
      await page.locator('[data-series=error]').first().hover()
    },
  },
  {
    name: 'home-create-links',
    show: async ({ open, page }) => {
      await open('', 'test')
      await press(page, 'Create links for 1 user')
      await page.getByRole('button', { name: 'Create 1 link' }).waitFor()
    },
  },
  { name: 'logs', show: async ({ open, page }) => (await open('/logs', 'test'), loaded(page)) },
  {
    name: 'logs-call',
    show: async ({ open, page }) => {
      await open('/logs?outcome=error', 'test')
      await page.getByRole('table').getByRole('link').first().click()
      await page.getByRole('heading', { name: 'Timing' }).waitFor()
    },
  },
  {
    name: 'logs-compare',
    show: async ({ open, page, service }) => {
      const { body } = await service.call('GET', '/api/v1/tool-calls', {
        key: service.organization.testKey,
      })
      const [first, second] = body.data
      await open(`/logs?call=${first.id}&compare=${second.id}`, 'test')
      await page.getByText('Second call').waitFor()
    },
  },
  {
    name: 'logs-live',
    show: async ({ open, page }) => {
      await open('/logs?live=on', 'test')
      await page.getByText('Waiting for calls').waitFor()
    },
  },
  {
    name: 'logs-deliveries',
    show: async ({ open, page }) => (await open('/logs?tab=deliveries'), loaded(page)),
  },
  { name: 'logs-audit', show: async ({ open, page }) => (await open('/logs?tab=audit'), loaded(page)) },
  { name: 'usage-days', show: async ({ open, page }) => (await open('/usage', 'test'), loaded(page)) },
  { name: 'usage', show: async ({ open, page }) => (await open('/usage?by=tool', 'test'), loaded(page)) },
  {
    name: 'usage-limit',
    show: async ({ open, page }) => {
      await page.route('**/api/v1/usage/cycle', async route => {
        const cycle = { plan: 'starter', limit: 10_000, counted: 10_000, in_flight: 0, left: 0 }
        const dates = { starts_at: '2026-11-01T00:00:00.000Z', ends_at: '2026-12-01T00:00:00.000Z' }
        await route.fulfill({ json: { ...cycle, ...dates } })
      })
      await open('/usage')
      await page.getByText('You have used all 10,000 calls of your plan.').waitFor()
    },
  },
  {
    name: 'palette-found',
    show: async ({ open, page }) => {
      await open('/users')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('jun')
      await page.getByRole('option', { name: /Jun Sato/ }).waitFor()
    },
  },
  {
    name: 'phone-navigation',
    show: async ({ open, page }) => {
      await page.setViewportSize(SIZES.phone)
      await open('/users')
      await press(page, 'Open navigation')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'sign-in',
    isSignedIn: false,
    show: async ({ page, service }) => {
      await page.goto(`${service.baseUrl}/dashboard/sign-in`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    },
  },
  {
    name: 'sign-in-link',
    isSignedIn: false,
    show: async ({ page, service }) => {
      await page.goto(`${service.baseUrl}/dashboard/sign-in#token`)
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'invitation',
    isSignedIn: false,
    show: async ({ page, service }) => {
      const admin = await signInPerson(service, { role: 'admin', name: 'Dana Fox' })
      const email = `${newUuid()}@orbit.example`
      const { body } = await admin.call('POST', '/api/v1/members', { body: { email, role: 'read_only' } })
      await page.goto(body.sign_in_url)
      await page.getByText('Dana Fox invited you to Orbit as Read only.').waitFor()
    },
  },
  {
    name: 'password-reminder',
    isSignedIn: false,
    show: async ({ page, service }) => {
      const admin = await signInPerson(service, { role: 'admin' })
      const email = `${newUuid()}@orbit.example`
      const { body } = await admin.call('POST', '/api/v1/members', { body: { email, role: 'admin' } })
      await page.goto(body.sign_in_url)
      await press(page, 'Continue to the dashboard')
      await page.getByRole('region', { name: 'Choose a password' }).waitFor()
      await loaded(page)
    },
  },
  {
    name: 'password',
    isSignedIn: false,
    show: async ({ page, service }) => {
      await page.goto(`${service.baseUrl}/dashboard/password`)
      await page.getByLabel('New password').fill('short')
      await press(page, 'Save password')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'not-found',
    show: async ({ page, service }) => {
      await page.goto(`${service.baseUrl}/dashboard/nothing`)
      await page.getByText('Page not found').waitFor()
    },
  },
  // Before an account is shared with everyone: calls would then have to name one.
  ...POLICY_STATES,
  ...APPROVAL_STATES,
  ...ACCOUNT_STATES,
  {
    name: 'tool-pack-result-fields',
    show: async ({ open, page }) => {
      await open('/tool-packs', 'test')
      await page.getByRole('link', { name: 'Default' }).click()
      await press(page, /^Notes/)
      await press(page, 'Customize list_notes')
      await page.getByRole('checkbox', { name: /^.notes.*title/ }).click()
      await page.getByText(/The chosen fields make up/).waitFor()
    },
  },
]
