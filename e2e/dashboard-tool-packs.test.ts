import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Dashboard, loaded, startDashboard } from './support/dashboard.ts'
import { callNotes, createLinkedUser, LIST_NOTES } from './support/tool-calls.ts'
import { until } from './support/world.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

describe('dashboard: Tool Packs', () => {
  it('a pack is created, filled, customized, connected to a client and deleted', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'pack-user', origin_user_name: 'Ana Ruiz' })
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/tool-packs')
    await page.getByRole('button', { name: 'Create Tool Pack' }).click()
    await page.getByLabel('Name').fill('Support agent')
    await page.getByRole('button', { name: 'Create and choose tools' }).click()
    await page.getByRole('heading', { level: 1, name: 'Support agent' }).waitFor()

    await page
      .getByRole('button', { name: /^Notes/ })
      .first()
      .click()
    await page.getByRole('checkbox', { name: /list_notes/ }).click()
    await page.getByRole('checkbox', { name: /create_note/ }).click()
    await page.getByRole('button', { name: 'Customize create_note' }).click()
    const dialog = page.getByRole('dialog', { name: 'Customize create_note' })
    await dialog.getByLabel('Description for the model').fill('Writes down what the customer asked for.')
    await dialog.getByLabel('Input title').click()
    await page.getByRole('option', { name: 'Fixed value' }).click()
    await dialog.getByLabel('Value of title').fill('From support')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Customized').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Tool Pack saved').waitFor()

    const packs = (await service.call('GET', '/api/v1/tool-packs')).body.data
    const pack = packs.find(({ name }: { name: string }) => name === 'Support agent')
    assert.deepEqual(pack.connectors, [
      {
        slug: 'sandbox-notes',
        tools: [
          {
            name: 'create_note',
            description: 'Writes down what the customer asked for.',
            inputs: { title: { fixed: 'From support' } },
          },
          { name: 'list_notes' },
        ],
      },
    ])
    const { total_definition_bytes: bytes } = (
      await service.call('GET', `/api/v1/tool-packs/${pack.id}/tools`)
    ).body
    await page.getByText(`${bytes.toLocaleString('en')} bytes of definitions`).waitFor()

    await page.getByRole('tab', { name: 'Connect a client' }).click()
    const field = page.getByRole('combobox', { name: 'Registered User' })
    await field.fill('pack-user')
    await field.press('Enter')
    await page.getByText(`/registered-users/${user.id}/mcp`).first().waitFor()
    await page.getByRole('button', { name: 'Create MCP key' }).click()
    await page
      .getByText(/cb_mcp_/)
      .first()
      .waitFor()
    const snippet =
      (await page
        .getByRole('figure', { name: 'Configuration of Claude Code' })
        .locator('pre')
        .textContent()) ?? ''
    const [, url = '', key = ''] = /"(http[^"]+)"[^"]+"Authorization: Bearer ([^"]+)"/.exec(snippet) ?? []
    const listed = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    const { result } = (await listed.json()) as { result: { tools: { name: string }[] } }
    assert.deepEqual(
      result.tools.map(({ name }) => name),
      ['sandbox-notes__create_note', 'sandbox-notes__list_notes'],
    )

    await page.getByRole('tab', { name: 'Settings' }).click()
    const save = async (fields: Record<string, string>) => {
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
      const saved = page.waitForResponse(response => response.request().method() === 'PATCH')
      await page.getByRole('button', { name: 'Save settings' }).click()
      assert.ok((await saved).ok())
      const { body } = await service.call('GET', `/api/v1/tool-packs/${pack.id}`)
      return [body.result_limit, body.daily_call_limit]
    }
    assert.deepEqual(await save({ 'Result limit in bytes': '5000', 'Daily call limit': '20' }), [5000, 20])
    await page.getByRole('switch', { name: /^Tell agents when a connection is about to end/ }).click()
    assert.deepEqual(await save({ 'Daily call limit': '' }), [5000, null])
    const { body: changed } = await service.call('GET', `/api/v1/tool-packs/${pack.id}`)
    assert.equal(changed.renewal_notices, true)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByLabel(/to confirm/).fill('Support agent')
    await page.getByRole('button', { name: 'Delete Tool Pack' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tool Packs' }).waitFor()
    assert.equal((await service.call('GET', `/api/v1/tool-packs/${pack.id}`)).status, 404)
    assert.deepEqual(browserErrors, [])
  })

  it('raw requests and account rules are set; a rejected path is shown at its field, and corrected', async test => {
    const { service } = dashboard
    const created = await service.call('POST', '/api/v1/tool-packs', {
      body: { name: 'Raw', connectors: [] },
    })
    const path = `/api/v1/tool-packs/${created.body.id}`
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open(`/tool-packs/${created.body.id}`)
    await page
      .getByRole('button', { name: /^Notes/ })
      .first()
      .click()
    const edit = page.getByRole('button', { name: 'Edit requests and accounts for Notes' })
    await edit.click()
    const dialog = page.getByRole('dialog', { name: 'Requests and accounts for Notes' })
    const apply = dialog.getByRole('button', { name: 'Apply' })
    await dialog.getByRole('switch', { name: /^Raw requests/ }).click()
    assert.ok(await apply.isDisabled(), 'paths are required')
    await dialog.getByRole('checkbox', { name: 'POST' }).click()
    await dialog.getByLabel('Paths').fill('/notes/api/*\n/notes/../secret')
    await dialog.getByRole('combobox', { name: 'Account for calls' }).click()
    await page.getByRole('option', { name: 'Only one account' }).click()
    await dialog.getByLabel('Label or credential ID').fill('Work')
    await apply.click()
    await page.getByText('GET, POST /notes/api/* /notes/../secret').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByRole('alert').getByText('Line 2:').waitFor()
    assert.equal(await dialog.getByLabel('Paths').getAttribute('aria-invalid'), 'true')
    await dialog.getByLabel('Paths').fill('/notes/api/*')
    await apply.click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const saved = (await service.call('GET', path)).body
    assert.deepEqual(saved.connectors, [
      {
        slug: 'sandbox-notes',
        tools: [],
        requests: { methods: ['GET', 'POST'], paths: ['/notes/api/*'] },
      },
    ])
    assert.deepEqual(saved.accounts, { 'sandbox-notes': { fixed: 'Work' } })
    await page.getByText('Raw requests only').waitFor()

    await page.getByRole('checkbox', { name: /list_notes/ }).click()
    await edit.click()
    await dialog.getByRole('switch', { name: /^Raw requests/ }).click()
    await dialog.getByRole('combobox', { name: 'Account for calls' }).click()
    await page.getByRole('option', { name: 'Always named' }).click()
    await apply.click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const changed = (await service.call('GET', path)).body
    assert.deepEqual(changed.connectors, [{ slug: 'sandbox-notes', tools: [{ name: 'list_notes' }] }])
    assert.deepEqual(changed.accounts, { 'sandbox-notes': { required: true } })
    assert.deepEqual(
      browserErrors.filter(error => !/status of 400/.test(error)),
      [],
    )

    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open(`/tool-packs/${created.body.id}`)
    await reader.page
      .getByRole('button', { name: /^Notes/ })
      .first()
      .click()
    await reader.page.getByText('always named').waitFor()
    assert.equal(await reader.page.getByRole('button', { name: /^Edit requests/ }).count(), 0)
  })

  it('fields of a result are chosen from recorded results; a rejected one is shown where it is edited', async test => {
    const { service } = dashboard
    await service.call('PATCH', '/api/v1/organization', { body: { capture: 'on' } })
    const user = await createLinkedUser(service, { origin_user_id: 'recorded' })
    await callNotes(service, user.id)
    await until('the call is recorded', async () => {
      const { body } = await service.call('GET', `/api/v1/tool-calls/result-fields?tool=${LIST_NOTES}`)
      return body.results > 0
    })
    const pack = (await service.call('POST', '/api/v1/tool-packs', { body: { name: 'Views' } })).body
    const { page, open } = await dashboard.visit(test)
    await open(`/tool-packs/${pack.id}`)
    await page
      .getByRole('button', { name: /^Notes/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Customize list_notes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Customize list_notes' })
    const view = dialog.getByLabel('Result fields', { exact: true })
    await dialog.getByRole('checkbox', { name: /^\/notes\/\*\/title/ }).click()
    await until('the field is chosen', async () => (await view.inputValue()) === '/notes/*/title')
    await dialog.getByText(/The chosen fields make up \d+% of the bytes/).waitFor()
    await view.fill('/notes/*/title\nnotes')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByRole('alert').getByText('Line 2:').waitFor()
    assert.equal(await view.getAttribute('aria-invalid'), 'true')
    await view.fill('/notes/*/title')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const saved = (await service.call('GET', `/api/v1/tool-packs/${pack.id}`)).body.connectors
    const { tools } = saved.find(({ slug }: { slug: string }) => slug === 'sandbox-notes')
    assert.deepEqual(
      tools.find(({ name }: { name: string }) => name === 'list_notes'),
      { name: 'list_notes', view: ['/notes/*/title'] },
    )
  })

  it('a person who may only read sees the tools and no way to change them', async test => {
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    await open('/tool-packs')
    await loaded(page)
    assert.equal(await page.getByRole('button', { name: 'Create Tool Pack' }).count(), 0)
    await page.getByRole('table', { name: 'Tool Packs' }).getByRole('link').first().click()
    await page.getByRole('switch', { name: /All connectors/ }).waitFor()
    assert.ok(await page.getByRole('switch', { name: /All connectors/ }).isDisabled())
  })
})
