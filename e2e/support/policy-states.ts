import assert from 'node:assert/strict'
import { type PlainMcp, startPlainMcp } from '../../server/test/support/plain-mcp.ts'
import type { TestService } from '../../server/test/support/test-service.ts'
import { type DashboardVisitor, loaded } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'

export type PolicyStage = {
  server: PlainMcp
  userId: string
  pay: (args: object) => Promise<{ error?: { code: string } }>
}

/** An MCP server with a tool that pays, and recorded calls of it. */
export const startPolicies = async (service: TestService, slug = 'bank'): Promise<PolicyStage> => {
  const server = await startPlainMcp()
  const properties = {
    amount: { type: 'number' },
    to: { type: 'string' },
    cc: { type: 'array', items: { type: 'string' } },
    urgent: { type: 'boolean' },
  }
  server.tools = [
    {
      name: 'pay',
      description: 'Pays.',
      title: 'Send money',
      inputSchema: { type: 'object', properties, additionalProperties: false },
    } as unknown as PlainMcp['tools'][number],
  ]
  const must = async (method: string, path: string, body: object) => {
    const answer = await service.call(method, `/api/v1${path}`, { body })
    assert.ok(answer.status < 300, answer.text)
  }
  await must('POST', '/connectors', { name: 'Bank', slug, url: server.url })
  await must('PATCH', '/organization', { capture: 'on' })
  const { id: userId } = await service.createUser({ origin_user_name: 'Kim Larsen' })
  const pay = async (args: object) => {
    const { body } = await service.mcp(userId, 'tools/call', { name: `${slug}__pay`, arguments: args })
    return body.result?.structuredContent ?? {}
  }
  for (const amount of [20, 80, 250, 900]) await pay({ amount, to: 'ana@example.com' })
  return { server, userId, pay }
}

const stages = new WeakMap<TestService, Promise<PolicyStage>>()

const prepare = (service: TestService): Promise<PolicyStage> => {
  const preparing = stages.get(service) ?? startStage(service)
  stages.set(service, preparing)
  return preparing
}

const startStage = async (service: TestService): Promise<PolicyStage> => {
  const stage = await startPolicies(service, 'states-bank')
  const rules = [
    { name: 'No test accounts', effect: 'deny', when: 'has(args.to) && args.to.startsWith("test-")' },
    { name: 'Large transfers', effect: 'ask', when: 'has(args.amount) && args.amount > 100.0' },
  ]
  for (const rule of rules) {
    const created = await service.call('POST', '/api/v1/policy-rules', {
      body: { ...rule, tools: ['states-bank__pay'], reason: 'Ask Finance.' },
    })
    assert.equal(created.status, 201, created.text)
  }
  await stage.server.stop()
  return stage
}

const openRule = async ({ open, page, service }: DashboardVisitor): Promise<void> => {
  await prepare(service)
  await open('/policies')
  await page.getByRole('link', { name: 'Large transfers' }).click()
  await page.getByText(/^The rule matches/).waitFor()
}

export const POLICY_STATES: readonly DashboardState[] = [
  { name: 'policies-empty', show: async ({ open, page }) => (await open('/policies'), loaded(page)) },
  {
    name: 'policies',
    show: async ({ open, page, service }) => {
      await prepare(service)
      await open('/policies')
      await page.getByRole('link', { name: 'Large transfers' }).waitFor()
    },
  },
  { name: 'policy-rule', show: openRule },
  {
    name: 'policy-rule-expression',
    show: async visitor => {
      await openRule(visitor)
      const { page } = visitor
      await page.getByRole('button', { name: 'Expression' }).click()
      await page.getByLabel('Expression').fill('has(args.amuont) && args.amuont > 100.0')
      await page
        .getByText(/Did you mean "amount"/)
        .first()
        .waitFor()
    },
  },
  {
    name: 'policy-starter',
    show: async ({ open, page, service }) => {
      await prepare(service)
      await open('/policies/new?starter=hours')
      await page.getByText(/^The rule matches/).waitFor()
    },
  },
  {
    name: 'policy-count',
    show: async ({ open, page, service }) => {
      await prepare(service)
      await open('/policies/new?starter=rate')
      await page.getByLabel('Number of calls').waitFor()
    },
  },
  {
    name: 'policy-approvers',
    show: async ({ open, page, service }) => {
      await prepare(service)
      await open('/policies/new?starter=domain')
      await page.getByLabel('Effect', { exact: true }).click()
      await page.getByRole('option', { name: /^Ask/ }).click()
      await page.getByLabel('The user', { exact: false }).first().click()
      await page.getByText('Users cannot sign in for approvals').waitFor()
    },
  },
  {
    name: 'policy-hook',
    show: async ({ open, page, service }) => {
      await prepare(service)
      await open('/policies/new?starter=domain')
      await page.getByLabel('Effect', { exact: true }).click()
      await page.getByRole('option', { name: /^Hook/ }).click()
      await page.getByLabel('Hook URL').fill('https://example.com/webhooks/budget')
    },
  },
  {
    name: 'policy-default',
    show: async ({ open, page }) => {
      await open('/policies')
      await page.getByRole('button', { name: 'Change default' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
]
