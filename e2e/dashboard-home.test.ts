import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
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
  it('first steps: creates a user, connects the sandbox and calls a tool on request', async test => {
    const { page, open, context } = await dashboard.visit(test)
    await open('', 'test')
    await page.getByText('1 of 4 done').waitFor()
    await page.getByRole('button', { name: 'Do it for me' }).click()
    await page.getByText('2 of 4 done').waitFor()
    const [link] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('button', { name: 'Do it for me' }).click(),
    ])
    await continueToNotes(link)
    await signIn(link)
    await allow(link)
    await page.getByText('3 of 4 done').waitFor()
    await page.getByRole('button', { name: 'Do it for me' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })
    await page.getByRole('figure', { name: 'Calls by outcome' }).waitFor()
    const key = dashboard.service.organization.testKey
    const { body } = await dashboard.service.call('GET', '/api/v1/tool-calls', { key })
    assert.deepEqual(
      body.data.map(({ tool, outcome }: { tool: string; outcome: string }) => [tool, outcome]),
      [['list_notes', 'success']],
    )
  })

  it('first steps: can be dismissed, and change nothing in production without a click', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('')
    await page.getByText('1 of 4 done').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Do it for me' }).count(), 0)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.reload()
    await loaded(page)
    assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0)
  })

  it('groups failed calls, opens them, and creates links for their users', async test => {
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
    const group = page.getByRole('listitem').filter({ hasText: 'never_linked' })
    await group
      .getByText(/3 users/)
      .first()
      .waitFor()
    assert.match(
      (await group.textContent()) ?? '',
      /^6calls needed a connection: never_linked on sandbox-notes/,
    )
    await group.getByRole('button', { name: 'Create links for 3 users' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Create 3 links' }).click(),
    ])
    await page.getByText('All links are created').waitFor()
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 4)
    assert.match(lines.join(), /,"'=jun",/)
    const url = /https?:\S+?\/magic-link\/[^,]+/.exec(lines[1] ?? '')?.[0]
    assert.equal((await fetch(url ?? '')).status, 200)
    await page.getByRole('button', { name: 'Close' }).last().click()
    await group.getByRole('link', { name: 'See the calls' }).click()
    await untilTrue(page, 'location.search.includes("error=never_linked")')
    const rows = page.getByRole('table', { name: 'Tool calls' }).getByRole('link')
    await until('six calls', async () => (await rows.count()) === 6)
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
      'connector,tool,calls,counted,errors,needs_auth,blocked,limited,replayed,unknown,withheld\r\nsandbox-notes,list_notes,7,1,0,6,0,0,0,0,0\r\n',
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
    await figure.locator('.recharts-bar-rectangle path').first().waitFor()
    await figure.getByText('Projected').waitFor()
    await page.getByText(/^About 1,\d{3} calls by the end of the cycle/).waitFor()
    await figure.getByRole('button', { name: 'Show as table' }).click()
    const rows = figure.getByRole('region', { name: 'Calls by day, table' }).locator('tbody tr')
    assert.equal(await rows.count(), 20, 'one row for each day of the cycle')
    const cells = async (n: number): Promise<string[]> => rows.nth(n).getByRole('cell').allTextContents()
    assert.deepEqual(await cells(0), ['0', '0', '0'], 'a day without calls')
    assert.deepEqual(await cells(9), ['1', '6', '0'], 'today: counted and not counted')
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
    await page.getByText('The plan’s limit of 1 calls is reached.').waitFor()
    await page.getByRole('link', { name: 'See the usage' }).click()
    await page.getByRole('progressbar', { name: 'Counted calls' }).waitFor()
  })
})
