import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes } from '../server/test/support/browser-user.ts'
import { type Dashboard, loaded, startDashboard, untilTrue } from './support/dashboard.ts'
import { callNotes, createLinkedUser } from './support/tool-calls.ts'
import { allow, continueToNotes, signIn } from './support/user-steps.ts'
import { until } from './support/world.ts'

const DAY = 86_400_000
let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

describe('dashboard: home', () => {
  it('first steps: creates a user, connects the sandbox, stores payloads and calls a tool on request', async test => {
    const { page, open, context } = await dashboard.visit(test)
    await open('', 'test')
    await page.getByText('1 of 5 done').waitFor()
    await page.getByRole('button', { name: 'Do it for me' }).click()
    await page.getByText('2 of 5 done').waitFor()
    const [link] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('button', { name: 'Do it for me' }).click(),
    ])
    await continueToNotes(link)
    await signIn(link)
    await allow(link)
    await page.getByText('3 of 5 done').waitFor()
    const key = dashboard.service.organization.testKey
    const captured = async (): Promise<string> =>
      (await dashboard.service.call('GET', '/api/v1/organization', { key })).body.capture
    assert.equal(await captured(), 'off')
    await page.getByRole('button', { name: 'Store them' }).click()
    await page.getByText('4 of 5 done').waitFor()
    assert.equal(await captured(), 'on')
    await page.getByRole('button', { name: 'Do it for me' }).click()
    await page.getByRole('heading', { name: 'You’re set up' }).waitFor()
    await page.getByRole('link', { name: /^Create a production key/ }).waitFor()
    const figure = page.getByRole('figure', { name: 'Calls by outcome' })
    await figure.locator('[data-series=success]').hover()
    await figure.getByText('Success1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.getByRole('heading', { name: 'You’re set up' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /sandbox-notes__list_notes.*Success/ }).click()
    const detail = page.getByRole('complementary', { name: 'Tool call' })
    await detail.getByRole('heading', { name: 'Arguments' }).waitFor()
    const { body } = await dashboard.service.call('GET', '/api/v1/tool-calls', { key })
    assert.deepEqual(
      body.data.map(({ tool, outcome }: { tool: string; outcome: string }) => [tool, outcome]),
      [['list_notes', 'success']],
    )
  })

  it('first steps: payloads are not stored if the person declines', async test => {
    const { page, open } = await dashboard.visit(test)
    await dashboard.service.call('PATCH', '/api/v1/organization', { body: { capture: 'off' } })
    await page.route('**/api/v1/tool-calls?outcome=success*', route =>
      route.fulfill({ json: { data: [], next_cursor: null } }),
    )
    await open('', 'test')
    await page.getByText('3 of 5 done').waitFor()
    await page.getByRole('button', { name: 'Store metadata only' }).click()
    await page.getByText('4 of 5 done').waitFor()
    await page.reload()
    await page.getByText('4 of 5 done').waitFor()
    const { body } = await dashboard.service.call('GET', '/api/v1/organization')
    assert.equal(body.capture, 'off')
  })

  it('first steps: can be dismissed, and change nothing in production without a click', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('')
    await page.getByText('1 of 4 done').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Do it for me' }).count(), 0)
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.reload()
    await loaded(page)
    assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0)
  })

  it('groups connections that end soon, and creates links that reconnect them', async test => {
    const { service } = dashboard
    const origins = ['ends-1', 'ends-2', 'ends-3', 'lasts', 'refused']
    const users: { id: string }[] = []
    for (const origin_user_id of origins) users.push(await createLinkedUser(service, { origin_user_id }))
    const set = (index: number, columns: string) =>
      service.query(
        `update credentials set linked_at = app_now() - interval '50 days', ${columns} where registered_user_id = $1`,
        [users[index]?.id],
      )
    for (const index of [0, 1, 2]) await set(index, `ends_at = app_now() + interval '${index + 10} hours'`)
    await set(4, `refused_since = app_now() - interval '2 hours', refusals = 8`)
    const { page, open } = await dashboard.visit(test)
    await open('')
    const group = page.getByRole('listitem').filter({ hasText: 'connections to Notes end soon' })
    await group.getByText(/^The first on .* The provider has stated when\.$/).waitFor()
    const refused = page.getByRole('listitem').filter({ hasText: 'connection to Notes is refused' })
    await refused.getByText('It may have an outage.').waitFor()
    assert.equal(await refused.getByRole('button').count(), 0)
    await group.getByRole('button', { name: 'Create links for 3 users' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Create 3 links' }).click(),
    ])
    await page.getByText('All links created').waitFor()
    const text = readFileSync(await file.path(), 'utf8')
    assert.deepEqual(
      origins.filter(origin => text.includes(`,${origin},`)),
      origins.slice(0, 3),
    )
    const url = /https?:\S+?\/magic-link\/[^,]+/.exec(text)?.[0] ?? ''
    assert.match(await (await fetch(url)).text(), /Your connection to <bdi>Notes<\/bdi> ends on/)
    await page.getByRole('button', { name: 'Close' }).last().click()
    for (const { id } of users) await service.call('DELETE', `/api/v1/registered-users/${id}`)
  })

  it('creates a link that reconnects an account of the organization at risk', async test => {
    const { service } = dashboard
    const accounts = async () => (await service.call('GET', '/api/v1/organization-accounts')).body
    const body = { connector_slug: 'sandbox-notes' }
    const { magic_link_url } = (
      await service.call('POST', '/api/v1/organization-accounts/link-token', { body })
    ).body
    await linkNotes(createBrowserUser(), magic_link_url)
    const {
      registered_user_id: owner,
      data: [linked],
    } = await accounts()
    await service.query(
      `update credentials set ends_at = app_now() + interval '1 day', linked_at = app_now() - interval '30 days' where id = $1`,
      [linked.credential_id],
    )
    const { page, open } = await dashboard.visit(test)
    await open('')
    const group = page.getByRole('listitem').filter({ hasText: 'connection to Notes ends soon' })
    await group.getByRole('button', { name: 'Create a link for your organization' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Create 1 link' }).click(),
    ])
    const text = readFileSync(await file.path(), 'utf8')
    assert.match(text, new RegExp(`${owner},Organization account,`))
    const url = /https?:\S+?\/magic-link\/[^,]+/.exec(text)?.[0] ?? ''
    await linkNotes(createBrowserUser(), url)
    const { data } = await accounts()
    assert.deepEqual(
      data.map(({ credential_id: id, health }: { credential_id: string; health: { state: string } }) => [
        id,
        health.state,
      ]),
      [[linked.credential_id, 'healthy']],
    )
    await service.call('DELETE', `/api/v1/registered-users/${owner}/credentials/${linked.credential_id}`)
  })

  it('groups failed calls, creates links for their users, hides a group until it happens again, and opens the calls', async test => {
    const { service } = dashboard
    const ana = await createLinkedUser(service, { origin_user_id: 'ana' })
    await callNotes(service, ana.id)
    const names = ['=jun', 'mia', 'lea']
    for (const origin_user_id of names) {
      const user = await service.createUser({ origin_user_id })
      await callNotes(service, user.id)
      await callNotes(service, user.id)
    }
    const { page, open } = await dashboard.visit(test)
    await open('')
    const group = page.getByRole('listitem').filter({ hasText: 'calls needed a connection' })
    await group.getByText('calls needed a connection: never_linked on Notes').waitFor()
    assert.match((await group.textContent()) ?? '', /^6calls .*, 3 users/)
    await group.getByRole('button', { name: 'Create links for 3 users' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Create 3 links' }).click(),
    ])
    await page.getByText('All links created').waitFor()
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 4)
    assert.match(lines.join(), /,"'=jun",/)
    const url = /https?:\S+?\/magic-link\/[^,]+/.exec(lines[1] ?? '')?.[0]
    assert.equal((await fetch(url ?? '')).status, 200)
    await page.getByRole('button', { name: 'Close' }).last().click()

    await group.getByRole('button', { name: 'Dismiss until it happens again' }).click()
    await page.getByRole('heading', { name: 'Nothing new' }).waitFor()
    await page.reload()
    await page.getByText('1 hidden').waitFor()
    await callNotes(service, (await service.createUser({ origin_user_id: 'noa' })).id)
    await page.reload()
    await group.getByRole('button', { name: 'Create links for 4 users' }).waitFor()
    await group.getByRole('button', { name: 'Snooze for 24 hours' }).click()
    await callNotes(service, (await service.createUser({ origin_user_id: 'eva' })).id)
    await page.reload()
    await page.getByText('1 hidden').waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await group.getByRole('link', { name: 'See calls' }).click()
    await untilTrue(page, 'location.search.includes("error=never_linked")')
    const rows = page.getByRole('table', { name: 'Tool calls' }).getByRole('link')
    await until('eight calls', async () => (await rows.count()) === 8)
  })
})

describe('dashboard: usage', () => {
  it('shows the cycle, counted and free calls with reasons, and saves them as CSV', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/usage')
    await page.getByText('Needed a connection').waitFor()
    await page.getByRole('button', { name: /^By/ }).click()
    await page.getByRole('menuitemradio', { name: 'Tool' }).click()
    await page.getByText('sandbox-notes__list_notes').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    assert.equal(
      readFileSync(await file.path(), 'utf8'),
      'connector,tool,calls,counted,errors,needs_auth,approval_required,blocked,limited,replayed,unknown,withheld\r\nsandbox-notes,list_notes,9,1,0,8,0,0,0,0,0,0\r\n',
    )
  })

  it('usage by day is a chart with a projection; the table has the same figures', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    const midnight = Math.floor(Date.now() / DAY) * DAY
    await page.route('**/api/v1/usage/cycle', async route => {
      const response = await route.fetch()
      const cycle = {
        starts_at: new Date(midnight - 9 * DAY).toISOString(),
        ends_at: new Date(midnight + 11 * DAY).toISOString(),
        counted: 900,
      }
      await route.fulfill({ response, json: { ...(await response.json()), ...cycle } })
    })
    await open('/usage')
    const figure = page.getByRole('figure', { name: 'Calls by day' })
    await figure.locator('[data-series=counted]').first().waitFor()
    await figure.getByText('Projected').waitFor()
    await page.getByText(/^About 1,\d{3} calls by the end of the cycle/).waitFor()
    await figure.getByRole('button', { name: 'Show as table' }).click()
    const rows = figure.getByRole('region', { name: 'Calls by day, table' }).locator('tbody tr')
    assert.equal(await rows.count(), 20, 'one row for each day of the cycle')
    const cells = async (n: number): Promise<string[]> => rows.nth(n).getByRole('cell').allTextContents()
    assert.deepEqual(await cells(0), ['0', '0', '0'], 'a day without calls')
    assert.deepEqual(await cells(9), ['1', '8', '0'], 'today: counted and not counted')
    const [counted, uncounted, projected] = await cells(10)
    assert.deepEqual([counted, uncounted], ['0', '0'])
    // 900 calls in 9 to 10 days, of 20.
    assert.ok(Number(projected) >= 81 && Number(projected) <= 110, `${projected} a day`)

    await open('/usage?period=7d')
    await figure.getByRole('button', { name: 'Show as table' }).click()
    assert.equal(await rows.count(), 7)
    assert.equal(await figure.getByText('Projected').count(), 0)
    assert.deepEqual(browserErrors, [])
  })

  it('every page says so when the limit of the plan is reached', async test => {
    const { service } = dashboard
    await service.query('update organizations set call_limit = 1 where id = $1', [service.organization.id])
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    await page.getByText('You have used all 1 calls of your plan.').waitFor()
    await page.getByRole('link', { name: 'See usage' }).click()
    await page.getByRole('progressbar', { name: 'Counted calls' }).waitFor()
  })
})
