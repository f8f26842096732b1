import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { registerAtSandbox } from '../server/test/support/acme-connectors.ts'
import { type PlainMcp, startPlainMcp } from '../server/test/support/plain-mcp.ts'
import { SANDBOX_CONNECTORS } from '../server/test/support/test-service.ts'
import { type Dashboard, loaded, startDashboard } from './support/dashboard.ts'

const issue = (properties: object, required: string[]) => ({
  name: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
})
const text = { type: 'string' }

let dashboard: Dashboard
let server: PlainMcp
before(async () => {
  server = await startPlainMcp()
  server.tools = [issue({ repo: text }, ['repo'])]
  dashboard = await startDashboard({ CONNECTORS: `${SANDBOX_CONNECTORS} github dropbox box` })
})
after(async () => {
  await dashboard.stop()
  await server.stop()
})

describe('dashboard: connectors', () => {
  it('shows the catalog with what needs an OAuth app, and searches and filters it in the URL', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/connectors')
    await loaded(page)
    const list = page.getByRole('list', { name: 'Connectors' })
    await list.getByRole('link', { name: 'Dropbox' }).waitFor()
    await page.getByRole('searchbox', { name: 'Find a connector' }).fill('notes')
    await list.getByRole('link', { name: 'Dropbox' }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Find a connector' }).fill('')
    await page.getByRole('button', { name: /^Show/ }).click()
    await page.getByRole('menuitemradio', { name: 'Needs an OAuth app' }).click()
    await list.getByRole('link', { name: 'Notes', exact: true }).waitFor({ state: 'detached' })
    assert.match(page.url(), /state=setup/)
    assert.deepEqual(browserErrors, [])
  })

  it('shows the effects of tools, and that a connector has no tools yet', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/connectors?connector=github&tab=tools')
    const tool = page.getByRole('dialog', { name: 'GitHub' }).getByRole('listitem')
    const effectsOf = async (name: string): Promise<string> =>
      tool.filter({ has: page.getByText(name, { exact: true }) }).innerText()
    assert.match(await effectsOf('merge_pull_request'), /Irreversible/)
    assert.match(await effectsOf('delete_file'), /Deletes/)
    assert.doesNotMatch(await effectsOf('create_issue'), /Deletes|Irreversible|Sends|Destructive/)
    await open('/connectors')
    await loaded(page)
    const box = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Box' }) })
    await box.getByText('No tools yet').waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('a Tool Pack finds what is not set up, and a connector says what it needs and where it is used', async test => {
    const { service } = dashboard
    const { body: pack } = await service.call('POST', '/api/v1/tool-packs', {
      body: { name: 'Support', connectors: ['sandbox-vault'] },
    })
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open(`/tool-packs/${pack.id}`)
    const list = page.getByRole('list', { name: 'Connectors and tools' })
    const first = list.getByRole('listitem').first()
    await first.getByRole('button', { name: /^Vault/ }).waitFor()
    await page.getByText('With your changes').waitFor({ state: 'detached' })
    await list.getByRole('switch', { name: 'Notes' }).click()
    const tools = page.getByText(/^With your changes: \+\d+$/).first()
    await tools.waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await tools.waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('dropbox')
    await list.getByRole('listitem').getByText('Needs an OAuth app').waitFor()
    await list.getByRole('link', { name: 'Set up' }).click()
    const drawer = page.getByRole('dialog', { name: 'Dropbox' })
    await drawer.getByRole('note').waitFor()
    const steps = drawer.getByRole('list').filter({ hasText: 'Register the redirect URI' })
    assert.match((await steps.getByRole('link').getAttribute('href')) ?? '', /dropbox\.com/)

    await open('/connectors?connector=sandbox-notes')
    const notes = page.getByRole('dialog', { name: 'Notes' })
    await notes.getByRole('link', { name: '0 calls' }).waitFor()
    await notes.getByRole('button', { name: 'Add to pack' }).click()
    await page.getByText('Notes added to Support').waitFor()
    const { connectors } = (await service.call('GET', `/api/v1/tool-packs/${pack.id}`)).body
    assert.deepEqual(connectors.map(({ slug }: { slug: string }) => slug).toSorted(), [
      'sandbox-notes',
      'sandbox-vault',
    ])
    assert.deepEqual(browserErrors, [])
  })

  it('configures and tests an own OAuth app', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    await open('/connectors?connector=sandbox-notes&tab=app')
    const drawer = page.getByRole('dialog', { name: 'Notes' })
    await drawer.getByRole('button', { name: 'Test app' }).click()
    await drawer.getByText('Notes accepts the client ID and the secret.').waitFor()
    const { redirect_uri } = (await service.call('GET', '/api/v1/connectors/sandbox-notes/oauth-app')).body
    await drawer.getByText(redirect_uri).waitFor()
    const client = await registerAtSandbox(service.sandbox.url, redirect_uri)
    await drawer.getByLabel('Client ID').fill(client.client_id)
    await drawer.getByLabel('Client secret').fill('wrong')
    const list = Promise.withResolvers<void>()
    await page.route(
      url => url.pathname.endsWith('/connectors'),
      async route => {
        await list.promise
        await route.continue()
      },
    )
    await drawer.getByRole('button', { name: 'Save app' }).click()
    await drawer.getByText('Your own app', { exact: true }).waitFor()
    // The save also loads the list again. What is entered until then is not discarded.
    await drawer.getByLabel('Client secret').fill('wrong again')
    list.resolve()
    await page.getByText('OAuth app saved').waitFor()
    assert.equal(await drawer.getByLabel('Client secret').inputValue(), 'wrong again')
    const verdict = drawer.getByText(/^Notes (accepts|rejects)/)
    assert.equal(await verdict.count(), 0, 'the result of the previous app is gone')
    await drawer.getByRole('button', { name: 'Test app' }).click()
    await drawer.getByText('Notes rejects the client ID or the secret.').waitFor()
    await drawer.getByLabel('Client secret').fill(client.client_secret)
    await drawer.getByRole('checkbox', { name: /^The app is not published yet/ }).click()
    // The message of the first save is still shown.
    const saved = page.waitForResponse(
      response => response.request().method() === 'PUT' && response.url().endsWith('/oauth-app'),
    )
    await drawer.getByRole('button', { name: 'Save app' }).click()
    assert.ok((await saved).ok())
    const own = await service.call('GET', '/api/v1/connectors/sandbox-notes/oauth-app')
    assert.equal(own.body.test_mode, true)
    await drawer.getByRole('button', { name: 'Test app' }).click()
    await drawer.getByText('Notes accepts the client ID and the secret.').waitFor()
    await drawer.getByRole('button', { name: 'Remove app' }).click()
    await page.getByLabel(/to confirm/).fill('sandbox-notes')
    await page
      .getByRole('dialog', { name: /Remove your OAuth app/ })
      .getByRole('button', { name: 'Remove app' })
      .click()
    await drawer.getByText('This service’s app').waitFor()
    assert.equal(await verdict.count(), 0)
  })

  it('adds an MCP server after a preview, and reviews its changes against recorded calls', async test => {
    const { service } = dashboard
    await service.call('PATCH', '/api/v1/organization', { body: { capture: 'on' } })
    const { page, open } = await dashboard.visit(test)
    await open('/connectors')
    await page.getByRole('button', { name: 'Add MCP server' }).click()
    await page.getByLabel('Server URL').fill('http://127.0.0.1:1/mcp')
    await page.getByLabel('Name').fill('Our Issues')
    await page.getByRole('button', { name: 'Discover tools' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Server URL').fill(server.url)
    await page.getByRole('button', { name: 'Discover tools' }).click()
    await page.getByRole('list', { name: 'Found tools' }).getByText('create_issue').waitFor()
    await page.getByRole('button', { name: 'Add server' }).click()
    const drawer = page.getByRole('dialog', { name: 'Our Issues' })
    await drawer.getByRole('list', { name: 'Tools' }).getByText('create_issue').waitFor()

    const user = await service.createUser({ origin_user_id: 'caller' })
    const call = { name: 'our-issues__create_issue', arguments: { repo: 'carabiner' } }
    for (let n = 0; n < 2; n++) await service.mcp(user.id, 'tools/call', call)
    server.tools = [issue({ repository: text }, ['repository'])]
    await drawer.getByRole('tab', { name: 'Changes' }).click()
    await drawer.getByText('No changes to review.').waitFor()
    await drawer.getByRole('button', { name: 'Check now' }).click()
    await drawer.getByText('2 of 2 calls would fail.').waitFor()
    await drawer.getByText('`repo` was renamed to `repository`.').waitFor()
    await drawer
      .getByRole('group', { name: 'Changes to create_issue' })
      .getByText(/"repository"/)
      .first()
      .waitFor()
    await drawer.getByRole('button', { name: 'Accept changes' }).click()
    await drawer.getByText('No changes to review.').waitFor()
    const accepted = (await service.call('GET', '/api/v1/connectors/our-issues/tools')).body
    assert.deepEqual(Object.keys(accepted.tools[0].input_schema.properties), ['repository'])
    await drawer.getByRole('button', { name: 'Remove server' }).click()
    await page.getByLabel(/to confirm/).fill('our-issues')
    await page
      .getByRole('dialog', { name: /^Remove Our Issues/ })
      .getByRole('button', { name: 'Remove server' })
      .click()
    await page.getByText('Our Issues removed').waitFor()
    assert.equal((await service.call('GET', '/api/v1/connectors/our-issues')).status, 404)
  })
})
