import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Dashboard, loaded, startDashboard, untilTrue } from './support/dashboard.ts'
import { callNotes, createLinkedUser } from './support/tool-calls.ts'
import { until } from './support/world.ts'

/** The fast counterpart of `npm run proof:dashboard`: checks sizes instead of durations. */
const MAX_ROWS = 500
const MAX_NODES = 2_000
const BURST = 500
const BURSTS = 4

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

/** Settled calls, as the gateway records them. The stream reads the records themselves. */
const recordCalls = (userId: string, burst: number): Promise<unknown> =>
  dashboard.service.query(
    `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
       third_party_ms, retention_days)
     select o.id, gen_random_uuid(), $1, $2, 'production', 'sandbox-notes', 'burst_' || $3::integer, 'success',
       'req_' || $3::integer || '_' || n, 12, o.retention_days
     from generate_series(1, ${BURST}) n, admission_organizations o where o.id = $4`,
    [userId, dashboard.service.organization.toolPackId, burst, dashboard.service.organization.id],
  )

describe('dashboard: live tail', () => {
  it('shows the latest 500 of 2,000 calls that arrive in bursts, in a bounded document', async test => {
    const { service } = dashboard
    const user = await createLinkedUser(service, { origin_user_name: 'Ana Ruiz' })
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/logs?live=on')
    await loaded(page)
    await page.getByText('Live.').waitFor()
    const table = page.getByRole('table', { name: 'Tool calls' })
    const nodes = () => page.evaluate<number>(`document.getElementsByTagName('*').length`)
    for (let burst = 1; burst <= BURSTS; burst++) {
      await recordCalls(user.id, burst)
      // Wakes the stream up, as every call does.
      await callNotes(service, user.id)
      await until(`burst ${burst} is shown`, async () =>
        ((await table.count()) > 0 ? ((await table.textContent()) ?? '') : '').includes(`burst_${burst}`),
      )
      assert.ok((await nodes()) <= MAX_NODES, `${await nodes()} elements`)
    }
    await untilTrue(
      page,
      `Number(document.querySelector('table').getAttribute('aria-rowcount')) === ${MAX_ROWS} + 1`,
    )
    assert.ok((await table.locator('tbody tr[data-index]').count()) < 60, 'only visible rows are rendered')
    assert.deepEqual(browserErrors, [])
  })

  it('keeps the list at its size while more calls arrive', async test => {
    const { service } = dashboard
    const user = await createLinkedUser(service, { origin_user_name: 'Jun Sato' })
    const { page, open } = await dashboard.visit(test)
    await open('/logs?live=on')
    await page.getByText('Live.').waitFor()
    const rowCount = () => page.getByRole('table', { name: 'Tool calls' }).getAttribute('aria-rowcount')
    await recordCalls(user.id, 10)
    await callNotes(service, user.id)
    await until('the list is full', async () => (await rowCount()) === String(MAX_ROWS + 1))
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    await recordCalls(user.id, 11)
    await callNotes(service, user.id)
    await until('the next burst is shown', async () =>
      ((await page.getByRole('table').textContent()) ?? '').includes('burst_11'),
    )
    assert.equal(await rowCount(), String(MAX_ROWS + 1))
    assert.equal(await page.evaluate<number>('document.documentElement.scrollHeight'), height)
  })
})
