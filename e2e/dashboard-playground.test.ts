import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Dashboard, startDashboard, untilTrue } from './support/dashboard.ts'
import { allow, continueToNotes, signIn } from './support/user-steps.ts'
import { until } from './support/world.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const TOOL = 'sandbox-notes__create_note'

describe('dashboard: playground', () => {
  it('runs a tool as a user: asks for the account, continues once it is connected, shows the frames', async test => {
    const { service } = dashboard
    const { testKey } = service.organization
    const user = await service.createUser({ origin_user_id: 'player', origin_user_name: 'Ana Ruiz' }, testKey)
    const { page, open, context } = await dashboard.visit(test)
    await open(`/playground?user=${user.id}&tool=${TOOL}`, 'test')
    await page.getByText('As Ana Ruiz, in test mode.').waitFor()

    const run = page.getByRole('button', { name: 'Run tool' })
    await run.click()
    await page.getByText('This input is required.').first().waitFor()
    await page.getByLabel(/^title/).fill('From the playground')
    const text = page.getByLabel(/^(text|body|content)/)
    if ((await text.count()) > 0) await text.first().fill('Hello')
    await run.click()
    await page.getByText('Ana Ruiz needs to connect an account.').waitFor()
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Connect', exact: true }).click(),
    ])
    await page.getByText('Waiting for the account.').waitFor()
    await continueToNotes(popup)
    await signIn(popup)
    await allow(popup)
    await page.getByText('Success').waitFor({ timeout: 60_000 })
    await page.getByRole('tab', { name: 'JSON-RPC' }).click()
    await page.getByRole('group', { name: 'Request' }).getByText('"tools/call"').waitFor()
    const records = (
      await service.call('GET', `/api/v1/tool-calls?registered_user_id=${user.id}`, { key: testKey })
    ).body.data
    assert.deepEqual(
      records.map(({ outcome }: { outcome: string }) => outcome),
      ['success', 'needs_auth'],
    )
    assert.ok(
      !(await page.getByRole('figure', { name: 'The same call in code' }).textContent())?.includes('cb_mcp_'),
    )

    const keys = async () =>
      (await service.call('GET', `/api/v1/registered-users/${user.id}/mcp-keys`, { key: testKey })).body.data
        .length
    assert.equal(await keys(), 1)
    await page.getByRole('link', { name: 'Tool Packs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tool Packs' }).waitFor()
    await until('the key is revoked', async () => (await keys()) === 0)
  })

  it('explains a failing call and invalid JSON, and is closed for people who may only read', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'reader', origin_user_name: 'Jun Sato' })
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    await open(`/playground?user=${user.id}`)
    await page.getByText('You cannot call tools').waitFor()
    const keys = await service.call('GET', `/api/v1/registered-users/${user.id}/mcp-keys`)
    assert.deepEqual(keys.body.data, [])

    const admin = await dashboard.visit(test)
    await admin.open(`/playground?user=nobody`)
    await admin.page.getByText('No user has this ID in this mode.').waitFor()
    await admin.open(`/playground?user=${user.id}`)
    await admin.page.getByText('As Jun Sato, in production.').waitFor()
    await admin.page.getByRole('searchbox', { name: 'Find a tool' }).fill('list_notes')
    await untilTrue(admin.page, `document.querySelectorAll('ul[aria-label=Tools] a').length === 1`)
  })
})
