import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, loaded, startDashboard, untilTrue } from './support/dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const search = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill(text)
}

describe('dashboard: search for pasted links and keys', () => {
  it('opens the user of a link, and finds keys by their end; no URL contains a secret', async test => {
    const { service } = dashboard
    const ana = await service.createUser({ origin_user_id: 'link-1', origin_user_name: 'Ana Ruiz' })
    const { magic_link_url, link_token } = await service.mint(ana.id)
    const connections = (await service.call('POST', `/api/v1/registered-users/${ana.id}/connections-link`))
      .body.url as string
    const mcpKey = (
      await service.call('POST', `/api/v1/registered-users/${ana.id}/mcp-keys`, { body: { name: 'Laptop' } })
    ).body.key as string
    const { page, open } = await dashboard.visit(test)
    const urls: string[] = []
    page.on('request', request => urls.push(request.url()))
    page.on('framenavigated', frame => urls.push(frame.url()))
    for (const [text, name, url] of [
      [magic_link_url, /User of this link/, `user=${ana.id}`],
      [link_token, /User of this link/, `user=${ana.id}`],
      [connections, /User of this link to My connections/, `user=${ana.id}`],
      [mcpKey, /Laptop/, `user=${ana.id}`],
      [`cb_mcp_…${mcpKey.slice(-4)}`, /Laptop/, `user=${ana.id}`],
      [mcpKey.slice(-4), /Laptop/, `user=${ana.id}`],
      [service.organization.key, /Production/, '/settings/api-keys'],
    ] as const) {
      await open('/tool-packs')
      await search(page, text)
      await page.getByRole('option', { name }).first().click()
      await untilTrue(page, `location.href.includes(${JSON.stringify(url)})`)
    }
    const secrets = [link_token, magic_link_url.split('/').at(-1) as string, connections, mcpKey]
    const bodies = [...secrets, service.organization.key].map(secret => secret.slice(20, 50))
    assert.deepEqual(
      urls.filter(url => bodies.some(body => url.includes(body))),
      [],
    )
    assert.ok(urls.some(url => url.endsWith('/api/v1/links/find')))
  })

  it('a link of another mode is not found', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'other-mode' })
    const { magic_link_url } = await service.mint(user.id)
    const { page, open } = await dashboard.visit(test)
    await open('/tool-packs', 'test')
    const answered = page.waitForResponse(/\/links\/find$/)
    await search(page, magic_link_url)
    assert.equal((await answered).status(), 404)
    await page.getByText(/^Nothing found/).waitFor()
  })
})

describe('dashboard: ⌘K', () => {
  it('creates a link, finds documentation, lists recent pages and switches the mode', async test => {
    const { service } = dashboard
    await service.createUser({ origin_user_id: 'asked', origin_user_name: 'Mara Voss' })
    const { page, open, browserErrors } = await dashboard.visit(test)
    // The documentation is not built for this test.
    const index =
      '- [Webhooks](/docs/guides/webhooks.md): Signed events.\n- [Start](/docs/index.md): Set it up.\n'
    await page.route('**/docs/llms.txt', route => route.fulfill({ body: index }))
    await open('/tool-packs')
    await search(page, 'create link')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Create a link', exact: true })
    await dialog.getByRole('combobox', { name: 'Registered User' }).fill('mara')
    await page.getByRole('option', { name: /Mara Voss/ }).click()
    const named = page.getByRole('dialog', { name: 'Create a link for Mara Voss' })
    await named.getByRole('button', { name: 'Create link' }).click()
    await named.getByRole('img', { name: /QR code/ }).waitFor()
    await named.getByRole('button', { name: 'Close' }).click()
    assert.doesNotMatch(page.url(), /new=/)

    await search(page, '')
    const first = page.getByRole('option').first()
    assert.equal(await first.textContent(), 'Tool PacksRecent')
    await page.getByRole('combobox').fill('signed ev')
    const found = page.getByRole('option', { name: 'Webhooks Documentation: guides' })
    const [tab] = await Promise.all([page.waitForEvent('popup'), found.click()])
    assert.equal(new URL(tab.url()).pathname, '/docs/guides/webhooks')
    await tab.close()

    await search(page, 'test mode')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/test\/users$/)
    assert.deepEqual(browserErrors, [])

    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open('/settings/api-keys?new=key')
    await search(reader.page, 'create')
    await reader.page.getByText(/^Nothing found/).waitFor()
    assert.equal(await reader.page.getByRole('dialog', { name: /Create a .* key/ }).count(), 0)
  })
})

const FIELD = `document.querySelector('main input[role=combobox]')`

describe('dashboard: user picker', () => {
  it('finds users beyond the first page by name, with the keyboard; says when there are none', async test => {
    const { service } = dashboard
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        service.createUser({ origin_user_id: `crowd-${n}`, origin_user_name: `Kim ${n}` }),
      ),
    )
    const zoe = await service.createUser({ origin_user_id: 'last-one', origin_user_name: 'Zoe Adler' })
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/playground')
    const field = page.getByRole('combobox', { name: 'Registered User' })
    await field.fill('zoe')
    await page.getByRole('option', { name: /Zoe Adler/ }).waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    await untilTrue(page, `location.href.includes('user=${zoe.id}')`)
    await page.getByText('Your ID: last-one').waitFor()
    await untilTrue(page, `${FIELD}.value === 'Zoe Adler'`)

    await field.fill('kim 5')
    await page.getByRole('option', { name: /Kim 57/ }).click()
    await untilTrue(page, `!location.href.includes('user=${zoe.id}')`)
    await untilTrue(page, `${FIELD}.value === 'Kim 57'`)

    await field.fill('nobody-like-this')
    await page
      .getByText('No user has a name, email address or ID that begins with “nobody-like-this”.')
      .waitFor()
    await field.press('Enter')
    await page.getByText('No user has this ID in this mode.').waitFor()
    await field.fill(zoe.id)
    await field.press('Enter')
    await untilTrue(page, `location.href.includes('user=${zoe.id}')`)
    assert.deepEqual(browserErrors, [])
  })

  it('shows an error while the search fails, and works again afterwards', async test => {
    await dashboard.service.createUser({ origin_user_id: 'err-1', origin_user_name: 'Eli Roth' })
    const { page, open } = await dashboard.visit(test)
    await open('/playground')
    await page.route(/registered-users\?.*search=/, route => route.abort())
    const field = page.getByRole('combobox', { name: 'Registered User' })
    await field.fill('eli')
    await page.getByText('The service cannot be reached.').waitFor()
    await page.unroute(/registered-users\?.*search=/)
    await field.fill('eli r')
    await page.getByRole('option', { name: /Eli Roth/ }).waitFor()
  })
})

describe('dashboard: tools of a Tool Pack', () => {
  it('the search opens connectors with matching tools, with one request, and keeps other choices', async test => {
    const { service } = dashboard
    const pack = (
      await service.call('POST', '/api/v1/tool-packs', {
        body: { name: 'Found', connectors: [{ slug: 'sandbox-notes', tools: null }] },
      })
    ).body
    const { page, open } = await dashboard.visit(test)
    await open(`/tool-packs/${pack.id}`)
    await loaded(page)
    const requests: string[] = []
    page.on(
      'request',
      request => request.url().includes('tools') && requests.push(new URL(request.url()).pathname),
    )
    await page.getByRole('searchbox', { name: 'Find a connector or tool' }).fill('list_not')
    const list = page.getByRole('list', { name: /^Tools of/ })
    await list.getByText('list_notes').waitFor()
    assert.deepEqual(await list.getByRole('listitem').locator('code').allTextContents(), ['list_notes'])
    assert.deepEqual(requests, ['/api/v1/connector-tools'])
    await list.getByRole('checkbox').click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Tool Pack saved').waitFor()
    const saved = (await service.call('GET', `/api/v1/tool-packs/${pack.id}`)).body.connectors
    const notes = saved.find(({ slug }: { slug: string }) => slug === 'sandbox-notes')
    const names = notes.tools.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('create_note'), 'the tools that the search did not show are still chosen')
    assert.ok(!names.includes('list_notes'))

    await page.getByRole('button', { name: /^Show all \d+ tools of/ }).click()
    await page.getByText('create_note', { exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Find a connector or tool' }).fill('no such thing')
    await page.getByText('No connector or tool matches “no such thing”.').waitFor()
  })
})
