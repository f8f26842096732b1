import { type DashboardVisitor, loaded } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'

const openOrganization = async ({ openInstallation, page }: DashboardVisitor): Promise<void> => {
  await openInstallation('/organizations')
  await page.getByRole('table').getByRole('link', { name: 'Orbit' }).click()
  await page.getByRole('button', { name: 'Change plan' }).waitFor()
}

const ask = async (visitor: DashboardVisitor, name: string, title: string): Promise<void> => {
  await openOrganization(visitor)
  await visitor.page.getByRole('button', { name, exact: true }).click()
  await visitor.page.getByRole('dialog', { name: title }).waitFor()
}

/** The sample health, changed so that every look of the page is shown. */
const showHealth = async (
  { openInstallation, page }: DashboardVisitor,
  status: 'ok' | 'warning' | 'problem',
): Promise<void> => {
  await page.route('**/dashboard/installation/health', async route => {
    const health = await (await route.fetch()).json()
    await route.fulfill({ json: { ...health, ...HEALTH[status] } })
  })
  await openInstallation('/health')
  await loaded(page)
  await page.getByText('Largest tables').waitFor()
}

const HEALTH = {
  ok: { status: 'ok', checks: [{ name: 'jobs', status: 'ok', found: '8 jobs run on schedule', fix: null }] },
  warning: {
    status: 'warning',
    checks: [
      {
        name: 'webhooks',
        status: 'warning',
        found: 'Webhook deliveries are delayed: 1204 waiting, the oldest for 12 minutes.',
        fix: 'Add a worker process (ROLE=worker), and check the latency of the database.',
      },
      { name: 'migrations', status: 'ok', found: '13 applied, none pending', fix: null },
    ],
  },
  problem: {
    status: 'problem',
    checks: [
      {
        name: 'jobs',
        status: 'problem',
        found: 'These jobs are not running: revoke-tokens, retention.',
        fix: 'Check that a process is running with ROLE=worker or ROLE=all, and search its log for “job failed” and “queue”.',
      },
      {
        name: 'disk',
        status: 'problem',
        found: '0.4 GB free at /var/lib/carabiner',
        fix: 'Free or add disk space. Deletions and the embedded database stop when the disk is full.',
      },
      {
        name: 'webhooks',
        status: 'warning',
        found: 'Webhook deliveries are delayed: 1204 waiting, the oldest for 12 minutes.',
        fix: 'Add a worker process (ROLE=worker), and check the latency of the database.',
      },
    ],
  },
} as const

const states: readonly DashboardState[] = [
  {
    name: 'operator-organizations',
    show: async ({ openInstallation, page }) => (await openInstallation('/organizations'), loaded(page)),
  },
  {
    name: 'operator-organizations-nothing-found',
    show: async ({ openInstallation, page }) => {
      await openInstallation('/organizations?q=nothing&state=suspended')
      await page.getByText('No organization found').waitFor()
    },
  },
  {
    name: 'operator-organizations-error',
    show: async ({ openInstallation, page }) => {
      await page.route('**/dashboard/installation/organizations**', route =>
        route.fulfill({
          status: 400,
          json: { error: { code: 'x', message: 'Rejected.', request_id: 'req_hL8sQIQPLLrn' } },
        }),
      )
      await openInstallation('/organizations')
      await page.getByText('req_hL8sQIQPLLrn').waitFor()
    },
  },
  {
    name: 'operator-create',
    show: async ({ openInstallation, page }) => {
      await openInstallation('/organizations')
      await page.getByRole('button', { name: 'Create organization' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'operator-keys',
    show: async ({ openInstallation, page }) => {
      await page.route('**/dashboard/installation/organizations', route =>
        route.request().method() === 'POST'
          ? route.fulfill({
              status: 201,
              json: {
                id: '0190a5c1-7b1e-7f00-8000-00000000c0de',
                name: 'Kepler',
                state: 'active',
                plan: 'business',
                call_limit: null,
                created_at: '2026-03-01T10:00:00.000Z',
                production_key: `cb_sk_live_${'x'.repeat(53)}`,
                test_key: `cb_sk_test_${'x'.repeat(53)}`,
              },
            })
          : route.fallback(),
      )
      await openInstallation('/organizations')
      await page.getByRole('button', { name: 'Create organization' }).click()
      await page.getByLabel('Name').fill('Kepler')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByText('Kepler created').waitFor()
    },
  },
  { name: 'operator-organization', show: openOrganization },
  { name: 'operator-plan', show: visitor => ask(visitor, 'Change plan', 'Plan of Orbit') },
  { name: 'operator-suspend', show: visitor => ask(visitor, 'Suspend', 'Suspend Orbit?') },
  { name: 'operator-delete', show: visitor => ask(visitor, 'Delete', 'Delete Orbit?') },
  {
    name: 'operator-people',
    show: async ({ openInstallation, page }) => (await openInstallation('/people'), loaded(page)),
  },
  {
    name: 'operator-sign-out',
    show: async ({ openInstallation, page }) => {
      await openInstallation('/people')
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'operator-health', show: visitor => showHealth(visitor, 'ok') },
  { name: 'operator-health-warning', show: visitor => showHealth(visitor, 'warning') },
  { name: 'operator-health-problem', show: visitor => showHealth(visitor, 'problem') },
]

export const OPERATOR_STATES: readonly DashboardState[] = [
  ...states.map(state => ({ ...state, isOperator: true })),
  {
    name: 'suspended',
    show: async ({ open, page }) => {
      await page.route('**/dashboard/session', async route => {
        const session = await (await route.fetch()).json()
        const organizations = session.organizations.map((each: object) => ({ ...each, suspended: true }))
        await route.fulfill({ json: { ...session, organizations } })
      })
      await open('/users')
      await loaded(page)
      await page.getByText('Orbit is suspended.').waitFor()
    },
  },
  {
    name: 'no-organization-deleted',
    show: async ({ page, open }) => {
      await open('/users')
      await page.goto(`${new URL(page.url()).origin}/dashboard/no-organization?deleted=Orbit`)
      await page.getByRole('heading', { name: 'Orbit is being deleted' }).waitFor()
    },
  },
]
