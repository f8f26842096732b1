import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { startReceiver } from '../server/test/support/webhook-receiver.ts'
import { SIZES } from './support/check-page.ts'
import { type Dashboard, loaded, startDashboard, untilTrue } from './support/dashboard.ts'
import { callNotes, createLinkedUser, LIST_NOTES } from './support/tool-calls.ts'
import { until } from './support/world.ts'

let dashboard: Dashboard
let ana: { id: string }
let jun: { id: string }
before(async () => {
  dashboard = await startDashboard()
  const { service } = dashboard
  await service.call('PATCH', '/api/v1/organization', { body: { capture: 'on' } })
  ana = await createLinkedUser(service, { origin_user_name: 'Ana Ruiz', email: 'ana@orbit.example' })
  jun = await service.createUser({ origin_user_name: 'Jun Sato', origin_user_id: 'jun-7' })
  await callNotes(service, ana.id)
  await callNotes(service, ana.id, service.organization.key, { limit: 'many' })
  await callNotes(service, jun.id)
})
after(() => dashboard.stop())

const calls = async (query = '') =>
  (await dashboard.service.call('GET', `/api/v1/tool-calls${query}`)).body.data

describe('dashboard: logs', () => {
  it('filters calls through the URL, and shows a call with its timing, arguments and result', async test => {
    const { page, open } = await dashboard.visit(test)
    const loadedNames: string[] = []
    page.on('request', request => {
      if (request.url().includes('/registered-users?ids=')) loadedNames.push(request.url())
    })
    await open('/logs')
    await loaded(page)
    const rows = page.getByRole('table', { name: 'Tool calls' }).getByRole('link')
    await until('three calls', async () => (await rows.count()) === 3)
    await page.getByText('Ana Ruiz').first().waitFor()
    await page.getByText('Jun Sato').first().waitFor()
    assert.equal(loadedNames.length, 1, 'names of all rows are loaded with one request')
    await page.getByRole('button', { name: /^Outcome/ }).click()
    await page.getByRole('menuitemradio', { name: 'Needs auth' }).click()
    await page.getByText('Needs auth · never_linked').waitFor()
    await until('one call', async () => (await rows.count()) === 1)
    assert.match(page.url(), /outcome=needs_auth/)
    await page.reload()
    await loaded(page)
    await page.getByRole('button', { name: /^Outcome/ }).click()
    await page.getByRole('menuitemradio', { name: 'Success' }).click()
    await page.getByRole('table').getByText('Success').waitFor()
    await rows.first().click()
    const panel = page.getByRole('complementary', { name: 'Tool call' })
    await panel.getByRole('group', { name: 'Arguments' }).waitFor()
    await panel.getByRole('group', { name: 'Result' }).waitFor()
    const timing = panel.locator('section').filter({ hasText: 'Timing' })
    const shown = await timing.locator('dd:not([aria-hidden])').allTextContents()
    const [recorded] = await calls('?outcome=success')
    assert.deepEqual(
      shown.map(text => Number.parseFloat(text)),
      [recorded.gateway_ms, recorded.rules_ms, recorded.third_party_ms].map(ms =>
        Number(ms >= 10 ? Math.round(ms) : ms.toFixed(1)),
      ),
    )
    const explain = await panel.getByRole('link', { name: 'Explain' }).getAttribute('href')
    assert.ok(explain?.includes(`user=${ana.id}`) && explain.includes(`tool=${LIST_NOTES}`), explain ?? '')
    const playground = await panel.getByRole('link', { name: 'Open in Playground' }).getAttribute('href')
    assert.match(playground ?? '', /\/playground\?pack=/)
  })

  it('search: a pasted ID, and a suggestion for each kind of text, become filters', async test => {
    const { page, open } = await dashboard.visit(test)
    const [record] = await calls('?outcome=needs_auth')
    await open('/logs')
    const field = page.getByRole('combobox', { name: 'Find calls' })
    for (const [text, option, name, filter = text] of [
      [record.request_id, /Request ID$/, 'request'],
      [jun.id, /User ID$/, 'user'],
      ['jun sa', /^Jun Sato.*User$/, 'user', jun.id],
      ['ana@orbit', /^Ana Ruiz.*User$/, 'user', ana.id],
      ['never linked', /^never_linked.*Error$/, 'error', 'never_linked'],
      [LIST_NOTES, new RegExp(`^${LIST_NOTES}.*Tool$`), 'tool'],
      ['sandbox-not', /^Notes.*Connector$/, 'connector', 'sandbox-notes'],
      ['Work', /^“Work”.*Account$/, 'account'],
    ] as const) {
      await field.fill(text)
      await page.getByRole('option', { name: option }).first().click()
      await untilTrue(
        page,
        `new URLSearchParams(location.search).get('${name}') === ${JSON.stringify(filter)}`,
      )
    }
    await page.getByText('No calls found').waitFor()
    for (const name of ['User Ana Ruiz', 'Account Work', 'Error never_linked', `Tool ${LIST_NOTES}`])
      await page.getByRole('button', { name: `Remove the filter ${name}` }).click()
    const rows = page.getByRole('table', { name: 'Tool calls' }).getByRole('link')
    await until('the request', async () => (await rows.count()) === 1)
  })

  it('search: Enter takes the first suggestion, once all are loaded', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/logs')
    await page.keyboard.press('/')
    await page.keyboard.type('Jun')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter User Jun Sato' }).waitFor()
    // The calls of all users stay until the ones of this user have been loaded.
    const rows = page.getByRole('table', { name: 'Tool calls' }).getByRole('link')
    await until('the calls of the user', async () => (await rows.count()) === 1)
    await page.getByText('Needs auth · never_linked').waitFor()
  })

  it('the details of a call stay beside the list: J and K step through it, Escape closes them', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/logs')
    const rows = page.getByRole('table', { name: 'Tool calls' }).getByRole('row')
    await rows.nth(1).getByRole('link').click()
    const panel = page.getByRole('complementary', { name: 'Tool call' })
    await panel.getByText('Needs auth').first().waitFor()
    await page.keyboard.press('j')
    await panel.getByText('Error · invalid_arguments').first().waitFor()
    assert.equal(await rows.nth(2).getAttribute('aria-current'), 'true')
    await page.keyboard.press('k')
    await panel.getByText('Needs auth').first().waitFor()
    assert.ok(await panel.getByRole('button', { name: 'Previous (K)' }).isDisabled())
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.setViewportSize(SIZES.phone)
    await page.getByRole('table', { name: 'Tool calls' }).getByRole('link').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Next (J)' }).click()
    await page.getByRole('dialog').getByText('Error · invalid_arguments').first().waitFor()
  })

  it('compares two calls', async test => {
    const { page, open } = await dashboard.visit(test)
    const [failed] = await calls('?outcome=error')
    const [success] = await calls('?outcome=success')
    await open(`/logs?call=${success.id}`)
    const panel = page.getByRole('complementary', { name: 'Tool call' })
    await panel.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('Open a second call').waitFor()
    await page
      .getByRole('table')
      .getByRole('row')
      .filter({ hasText: failed.error_code })
      .getByRole('link')
      .click()
    const dialog = page.getByRole('dialog', { name: 'Compare two calls' })
    await dialog.getByRole('group', { name: 'Call: differences' }).waitFor()
    assert.match((await dialog.textContent()) ?? '', /"outcome": "success"/)
    assert.match((await dialog.textContent()) ?? '', /"outcome": "error"/)
  })

  it('exports the filtered calls', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/logs?outcome=needs_auth')
    await page.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ])
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 2)
    assert.match(lines[1] ?? '', /needs_auth,never_linked/)
  })

  it('follows calls live, pauses, and shows what has arrived since', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    await open('/logs')
    await page.getByRole('button', { name: 'Live tail' }).click()
    await page.getByText('Live.').waitFor()
    const rows = page.getByRole('table', { name: 'Tool calls' }).getByRole('link')
    await callNotes(service, ana.id)
    await until('the call', async () => (await rows.count()) === 1)
    await page.getByRole('button', { name: 'Pause' }).click()
    await callNotes(service, ana.id)
    await callNotes(service, ana.id)
    await page.getByRole('button', { name: 'Show 2 new' }).waitFor()
    assert.equal(await rows.count(), 1)
    await page.getByRole('button', { name: 'Show 2 new' }).click()
    await until('three calls', async () => (await rows.count()) === 3)
    await callNotes(service, jun.id)
    await page.getByText('Needs auth · never_linked').waitFor()
  })

  it('shows deliveries of all endpoints, and sends one again', async test => {
    const { service } = dashboard
    await using receiver = await startReceiver()
    await service.call('POST', '/api/v1/webhook-endpoints', { body: { url: receiver.url } })
    await service.createUser()
    await until('the delivery', async () => receiver.received.length === 1)
    const { page, open } = await dashboard.visit(test)
    await open('/logs?tab=deliveries')
    await page.getByRole('link', { name: 'registered_user.created' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await until('the second delivery', async () => receiver.received.length === 2)
  })

  it('shows audit entries to those who may read them', async test => {
    const admin = await dashboard.visit(test)
    await admin.open('/logs?tab=audit')
    const trail = admin.page.getByRole('table', { name: 'Audit trail' })
    await trail
      .getByRole('row')
      .filter({ hasText: 'Registered User created' })
      .getByText('Ana Ruiz')
      .first()
      .waitFor()
    await admin.page.getByRole('link', { name: 'Organization updated' }).first().click()
    await admin.page.getByRole('dialog').getByText('Changed fields').waitFor()
    const developer = await dashboard.visit(test, { role: 'developer' })
    await developer.open('/logs?tab=audit')
    await developer.page.getByRole('table', { name: 'Tool calls' }).waitFor()
    assert.equal(await developer.page.getByRole('tab', { name: 'Audit entries' }).count(), 0)
  })
})

describe('dashboard: one search box', () => {
  it('opens whatever is pasted', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    const [record] = await calls('?outcome=needs_auth')
    const sessions = await service.call('GET', `/api/v1/registered-users/${ana.id}/link-sessions`)
    const key = (await service.call('GET', '/api/v1/api-keys')).body.data[0]
    await open('/users')
    for (const [text, name, url] of [
      [record.request_id, /Calls in this request/, `request=${record.request_id}`],
      [record.id, /Call to list_notes/, `call=${record.id}`],
      ['4bf92f3577b34da6a3ce929d0e0e4736', /Calls in this trace/, 'trace=4bf92f35'],
      [ana.id, /Ana Ruiz/, `user=${ana.id}`],
      ['jun-7', /Jun Sato/, `user=${jun.id}`],
      ['ANA@orbit', /Ana Ruiz/, `user=${ana.id}`],
      ['jun s', /Jun Sato/, `user=${jun.id}`],
      [sessions.body.data[0].id, /User of this link session/, `user=${ana.id}`],
      [LIST_NOTES, new RegExp(`Calls to ${LIST_NOTES}`), `tool=${LIST_NOTES}`],
      ['sandbox-no', /Calls to/, 'connector=sandbox-notes'],
      ['insufficient_scope', /Calls with insufficient_scope/, 'error=insufficient_scope'],
      [key.hint.slice(-4), new RegExp(key.name), '/settings/api-keys'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill(text)
      await page.getByRole('option', { name }).first().click()
      await untilTrue(page, `location.href.includes(${JSON.stringify(url)})`)
    }
  })

  it('opens above a drawer, and Escape returns to the drawer', async test => {
    const { page, open } = await dashboard.visit(test)
    await open(`/users?user=${ana.id}`)
    const drawer = page.getByRole('dialog', { name: 'Ana Ruiz' })
    await drawer.getByRole('button', { name: 'Deactivate' }).focus()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Search or jump to' })
    await untilTrue(page, `document.activeElement?.getAttribute('role') === 'combobox'`)
    await page.keyboard.type('jun-7')
    await untilTrue(page, `document.activeElement?.value === 'jun-7'`)
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    await untilTrue(page, `document.activeElement?.textContent === 'Deactivate'`)
    assert.ok(await drawer.isVisible())

    await page.keyboard.press('Control+k')
    await box.fill('jun-7')
    await page.getByRole('option', { name: /Jun Sato/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Jun Sato' }).waitFor()
    await box.waitFor({ state: 'detached' })
  })

  it('opens above a dialog, and closes it when something is chosen', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    await page.getByRole('button', { name: 'Create user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a user' })
    await dialog.waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('jun-7')
    await page.getByRole('option', { name: /Jun Sato/ }).click()
    await page.getByRole('dialog', { name: 'Jun Sato' }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  })

  it('stays closed while a new key must be stored', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/settings/api-keys')
    await page.getByRole('button', { name: 'Create production key' }).click()
    await page.getByLabel('Name').fill('Search')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('checkbox', { name: 'I have stored the key' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('checkbox', { name: 'I have stored the key' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('combobox', { name: 'Search or jump to' }).count(), 0)
  })
})
