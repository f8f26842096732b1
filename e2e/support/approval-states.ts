import type { TestService } from '../../server/test/support/test-service.ts'
import { CREATE_NOTE, HOSTILE, PAY, startApprovals } from './approvals.ts'
import { type DashboardVisitor, loaded } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'

/** IDs of pending approvals. */
type Asked = { harmless: string; destructive: string; hostile: string; signed: string }
const asked = new WeakMap<TestService, Promise<Asked>>()

const askForAll = (service: TestService): Promise<Asked> => {
  const known = asked.get(service)
  if (known) return known
  const asking = ask(service)
  asked.set(service, asking)
  return asking
}

const ask = async (service: TestService): Promise<Asked> => {
  const { server, ask: askAbout } = await startApprovals(service, 'Kim Larsen')
  const harmless = await askAbout(CREATE_NOTE, {
    title: 'Launch',
    text: 'We ship on Friday at 10:00. Release notes are in the doc.',
  })
  const payment = {
    to: 'CH93 0076 2011 6238 5295 7',
    amount: 480.5,
    currency: 'CHF',
    tags: ['rent', 'november'],
  }
  const destructive = await askAbout(PAY, payment)
  const hostile = await askAbout(PAY, {
    ...HOSTILE,
    amount: 9,
    comment: 'A long comment. '.repeat(2500),
    attachment: 'iVBORw0KGgo'.repeat(50),
  })
  const { body } = await service.call('GET', '/api/v1/policy-rules')
  const rule = body.data.find(({ name }: { name: string }) => name === 'Writes')
  await service.call('PATCH', `/api/v1/policy-rules/${rule.id}`, { body: { step_up: true } })
  const signed = await askAbout(CREATE_NOTE, { title: 'Launch', text: 'With a passkey.' })
  // Nothing is carried out.
  await server.stop()
  return { harmless, destructive, hostile, signed }
}

const openApproval = async ({ open, page, service }: DashboardVisitor, name: keyof Asked): Promise<void> => {
  await open(`/approvals?approval=${(await askForAll(service))[name]}`)
  await page.getByRole('dialog').getByText('Kim Larsen').first().waitFor()
}

export const APPROVAL_STATES: readonly DashboardState[] = [
  { name: 'approvals-empty', show: async ({ open, page }) => (await open('/approvals'), loaded(page)) },
  {
    name: 'approvals',
    show: async ({ open, page, service }) => {
      await askForAll(service)
      await open('/approvals')
      await page.getByRole('table', { name: 'Approvals' }).getByText('Kim Larsen').first().waitFor()
    },
  },
  { name: 'approval-harmless', show: visitor => openApproval(visitor, 'harmless') },
  { name: 'approval-destructive', show: visitor => openApproval(visitor, 'destructive') },
  {
    name: 'approval-passkey',
    show: async visitor => {
      await openApproval(visitor, 'signed')
      await visitor.page.getByText('and you have none').waitFor()
    },
  },
  { name: 'approval-folded', show: visitor => openApproval(visitor, 'hostile') },
  {
    name: 'approval-hostile',
    show: async visitor => {
      await openApproval(visitor, 'hostile')
      const { page } = visitor
      await page.getByRole('button', { name: 'Show all of comment' }).click()
      await page.getByRole('button', { name: 'Show all of attachment' }).click()
      await page.getByRole('button', { name: 'Request as it will be sent' }).click()
      await page.getByText('MCP server', { exact: true }).waitFor()
    },
  },
  {
    name: 'approvals-deny-all',
    show: async ({ open, page, service }) => {
      await askForAll(service)
      await open('/approvals')
      await page.getByRole('button', { name: 'Deny all…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'approval-denied',
    // Deciding needs a recent sign-in.
    needsOwnPerson: true,
    show: async visitor => {
      await openApproval(visitor, 'harmless')
      await visitor.page.getByLabel('Reason for denying (optional)').fill('Use the team notebook')
      await visitor.page.getByRole('button', { name: 'Deny', exact: true }).click()
      await visitor.page.getByText('Denied. The call was not made.').waitFor()
    },
  },
]
