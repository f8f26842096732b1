import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startReceiver } from '../server/test/support/webhook-receiver.ts'
import { type Dashboard, loaded, PASSWORD, startDashboard } from './support/dashboard.ts'
import { type PolicyStage, startPolicies } from './support/policy-states.ts'

let dashboard: Dashboard
let stage: PolicyStage
before(async () => {
  dashboard = await startDashboard()
  stage = await startPolicies(dashboard.service)
})
after(async () => {
  await stage.server.stop()
  await dashboard.stop()
})

type Rule = {
  id: string
  name: string
  effect: string
  tools: string[]
  when: string | null
  approvers: string[]
}

const rules = async (): Promise<Rule[]> =>
  (await dashboard.service.call('GET', '/api/v1/policy-rules')).body.data
const ruleNamed = async (name: string): Promise<Rule | undefined> =>
  (await rules()).find(rule => rule.name === name)
const makeSignInOld = () =>
  dashboard.service.query("update people_sessions set created_at = created_at - interval '1 hour'")

describe('dashboard: policies', () => {
  it('builds a rule, shows what it would have done, and the rule applies to the next call', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test, { role: 'security' })
    await open('/policies')
    await page.getByText('No rules yet').waitFor()
    await page.getByRole('link', { name: 'Ask above an amount' }).click()
    await page.getByRole('heading', { level: 1, name: 'New rule' }).waitFor()
    const impact = page.getByRole('complementary', { name: 'What it would have done' })
    await impact.getByText('Choose the tools that the rule is for.').waitFor()
    const add = page.getByRole('button', { name: 'Add rule' })
    assert.ok(await add.isDisabled())
    await page.getByRole('combobox', { name: 'Tools' }).fill('pay')
    await page.getByRole('option', { name: /Send money/ }).click()
    await impact.getByText('The rule matches 2 of 4 calls of its tools').waitFor()
    await impact.getByText('would have waited for an approval').waitFor()
    await page.getByLabel('Number').fill('500')
    await impact.getByText('The rule matches 1 of 4 calls of its tools').waitFor()
    assert.equal(await impact.getByRole('link', { name: 'bank__pay' }).count(), 1)
    await page.getByLabel('Effect', { exact: true }).click()
    await page.getByRole('option', { name: /^Deny/ }).click()
    await impact.getByText('would have been denied').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Large payments')
    assert.deepEqual(await rules(), [], 'nothing is saved yet')
    await add.click()
    await page.getByRole('table', { name: 'Rules' }).getByText('Large payments').waitFor()
    const [rule] = await rules()
    assert.deepEqual(
      [rule?.effect, rule?.tools, rule?.when],
      ['deny', ['bank__pay'], 'has(args.amount) && args.amount > 500.0'],
    )
    assert.equal((await stage.pay({ amount: 501 })).error?.code, 'policy_denied')
    assert.equal((await stage.pay({ amount: 500 })).error, undefined)
    assert.deepEqual(browserErrors, [])
  })

  it('checks an expression while it is typed, and keeps the draft over a reload', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/policies/new')
    await page.getByRole('combobox', { name: 'Tools' }).fill('bank__pay')
    await page.getByRole('combobox', { name: 'Tools' }).press('Enter')
    await page.getByRole('button', { name: 'Expression' }).click()
    const expression = page.getByLabel('Expression')
    await expression.fill('has(args.urgnet) && args.urgnet')
    await page.getByText(/has no field "urgnet"\. Did you mean "urgent"\?/).waitFor()
    assert.equal(await page.locator('mark').first().textContent(), 'urgnet')
    await page.getByLabel('Name', { exact: true }).fill('Urgent')
    assert.ok(await page.getByRole('button', { name: 'Add rule' }).isDisabled())
    await page.reload()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Urgent')
    await page.getByRole('button', { name: 'Expression' }).click()
    assert.equal(await expression.inputValue(), 'has(args.urgnet) && args.urgnet')
    await expression.fill('has(args.urgent) && args.urgent')
    await page.getByText(/has no field/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Builder' }).click()
    await page.getByText('forms that the builder does not know').waitFor()
    await page.getByRole('button', { name: 'Expression' }).click()
    await expression.fill('has(args.urgent) && args.urgent == true')
    await page.getByRole('button', { name: 'Builder' }).click()
    assert.equal(await page.getByLabel('Argument').inputValue(), 'urgent')
    await page.getByRole('link', { name: 'Approvals' }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor()
    assert.equal(await ruleNamed('Urgent'), undefined)
  })

  it('asks for a recent sign-in before a change lets more calls run, and keeps it if the person declines', async test => {
    const { service } = dashboard
    const { body: rule } = await service.call('POST', '/api/v1/policy-rules', {
      body: {
        name: 'Loosened',
        effect: 'deny',
        tools: ['bank__pay'],
        when: 'has(args.urgent) && args.urgent',
      },
    })
    const { page, open } = await dashboard.visit(test)
    await open(`/policies/${rule.id}`)
    await page.getByLabel('Effect', { exact: true }).click()
    await page.getByRole('option', { name: /^Allow/ }).click()
    await makeSignInOld()
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    const signIn = page.getByRole('dialog', { name: 'Sign in again' })
    await signIn.getByText('within the last ten minutes').waitFor()
    await signIn.getByRole('button', { name: 'Close' }).click()
    await page.getByText('Not saved. This change can let more calls run').waitFor()
    assert.equal((await ruleNamed('Loosened'))?.effect, 'deny')
    await save.click()
    await signIn.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    assert.equal((await ruleNamed('Loosened'))?.effect, 'allow')
    // Stricter again: that needs no recent sign-in.
    await makeSignInOld()
    await page.getByLabel('Effect', { exact: true }).click()
    await page.getByRole('option', { name: /^Deny/ }).click()
    await save.click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    assert.equal((await ruleNamed('Loosened'))?.effect, 'deny')

    await page.getByRole('button', { name: 'Delete rule' }).click()
    const confirm = page.getByRole('dialog', { name: 'Delete “Loosened”?' })
    await confirm.getByRole('button', { name: 'Delete rule' }).click()
    await signIn.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor()
    assert.equal(await ruleNamed('Loosened'), undefined)
  })

  it('sets approvers and the default, and says when users cannot sign in for approvals', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    await open('/policies/new?starter=destructive')
    await page.getByRole('checkbox', { name: /^The user/ }).click()
    await page.getByText('Users cannot sign in for approvals in production mode').waitFor()
    await page.getByRole('checkbox', { name: /^Members/ }).click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByRole('table', { name: 'Rules' }).getByText('Ask before destructive calls').waitFor()
    const rule = await ruleNamed('Ask before destructive calls')
    assert.deepEqual([rule?.effect, rule?.approvers, rule?.when], ['ask', ['user'], 'tool.destructive'])

    await page.getByRole('button', { name: 'Change default' }).click()
    // A message of the page is a dialog, too.
    const changing = page.getByRole('dialog', { name: 'Change the default' })
    await changing.getByLabel('Default').click()
    await page.getByRole('option', { name: /^Deny/ }).click()
    await changing.getByRole('button', { name: 'Change default' }).click()
    await page.locator('#main').getByText('is denied. Only what a rule allows runs.').waitFor()
    assert.equal((await service.call('GET', '/api/v1/policy')).body.default, 'deny')

    await page.getByRole('button', { name: 'Change how users decide' }).click()
    const binding = page.getByRole('dialog', { name: 'Change how users decide' })
    await binding.getByLabel('How users decide').click()
    await page.getByRole('option', { name: /^Anyone with the link/ }).click()
    await binding.getByText('you must have signed in within the last ten minutes').waitFor()
    await binding.getByRole('button', { name: 'Change how users decide' }).click()
    await page.locator('#main').getByText('Destructive calls still need an identified user').waitFor()
    const { body: policy } = await service.call('GET', '/api/v1/policy')
    assert.deepEqual([policy.default, policy.approval_binding], ['deny', 'link'])
  })

  it('adds a rule with a hook, shows its secret once, and sends a test request', async test => {
    await using endpoint = await startReceiver()
    endpoint.answerWith((_, response) => void response.end('{"decision":"ask","reason":"Look twice."}'))
    const { page, open } = await dashboard.visit(test)
    await open('/policies/new')
    await page.getByLabel('Name', { exact: true }).fill('Budget')
    await page.getByRole('combobox', { name: 'Tools' }).fill('bank__pay')
    await page.getByRole('combobox', { name: 'Tools' }).press('Enter')
    await page.getByLabel('Effect', { exact: true }).click()
    await page.getByRole('option', { name: /^Hook/ }).click()
    const impact = page.getByRole('complementary', { name: 'What it would have done' })
    await impact.getByText('Enter the URL of the hook.').waitFor()
    await page.getByLabel('Hook URL').fill('https://10.0.0.1/')
    await impact.getByText('would have been decided by a hook').waitFor()
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('Calls to 10.0.0.1 are not allowed.').first().waitFor()
    await page.getByLabel('Hook URL').fill(endpoint.url)
    await page.getByRole('button', { name: 'Add rule' }).click()
    const secret = page.getByRole('dialog', { name: 'Copy the signing secret' })
    await secret.getByText(/^whsec_/).waitFor()
    await secret.getByRole('checkbox').click()
    await secret.getByRole('button', { name: 'Done' }).click()
    await page
      .getByRole('table', { name: 'Rules' })
      .getByRole('link', { name: /Budget/ })
      .click()
    await page.getByRole('button', { name: 'Send test request' }).click()
    const testing = page.getByRole('dialog', { name: 'Send a test request' })
    await testing.getByRole('button', { name: 'Send', exact: true }).click()
    await testing.getByText('Look twice.').waitFor()
    await testing.getByRole('button', { name: 'Close' }).first().click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    const rotating = page.getByRole('dialog', { name: 'Rotate the signing secret?' })
    await rotating.getByRole('button', { name: 'Rotate secret' }).click()
    await secret.getByText('signed with both the old and the new secret').waitFor()
    const { hook } = (await ruleNamed('Budget')) as unknown as { hook: object }
    assert.deepEqual(hook, { url: endpoint.url, on_error: 'deny' })
  })

  it('limits how often something happens, from a starter policy', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/policies/new?starter=rate')
    await page.getByLabel('Number of calls').fill('5')
    await page.getByLabel('Period').click()
    await page.getByRole('option', { name: 'within 24 hours' }).click()
    await page.getByLabel('Counted calls').click()
    await page.getByRole('option', { name: 'Same tool' }).click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    const name = 'Deny more than 20 messages an hour'
    await page.getByRole('table', { name: 'Rules' }).getByText(name).waitFor()
    assert.equal((await ruleNamed(name))?.when, '"sends" in tool.effects && count("24h") >= 5')
  })

  it('shows the policy of a Tool Pack, and nothing to change to those who may not', async test => {
    const { service } = dashboard
    const { toolPackId } = service.organization
    const { body: rule } = await service.call('POST', '/api/v1/policy-rules', {
      body: {
        name: 'In the pack',
        effect: 'deny',
        tools: ['*'],
        when: 'tool.destructive',
        tool_pack_id: toolPackId,
      },
    })
    const { page, open } = await dashboard.visit(test, { role: 'developer' })
    await open(`/policies?pack=${toolPackId}`)
    await page.getByRole('link', { name: 'In the pack' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Change default' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Add rule' }).count(), 0)
    await page.getByRole('link', { name: 'In the pack' }).click()
    await page.getByText(/^The rule matches/).waitFor()
    assert.match(page.url(), new RegExp(rule.id))
    await loaded(page)
    assert.ok(await page.getByLabel('Name', { exact: true }).isDisabled())
    assert.equal(await page.getByRole('button', { name: /Delete rule|Save/ }).count(), 0)
    await page.getByRole('link', { name: 'Policies' }).last().click()
    await page.getByRole('button', { name: /^Rules for/ }).waitFor()
  })
})
