import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { until } from './support/world.ts'

let dashboard: Dashboard
let receiver: Server
let status = 204
const received: string[] = []
before(async () => {
  dashboard = await startDashboard()
  receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-signature']))
    request.resume()
    response.writeHead(status, { 'x-receiver': 'orbit-1' }).end(status === 204 ? undefined : 'Not today.')
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  receiver.close()
  await dashboard.stop()
})

describe('dashboard: webhooks', () => {
  it('adds an endpoint with a secret shown once, tests it, rotates, pauses, replays and deletes', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    await open('/webhooks')
    await page.getByText('No endpoints yet').waitFor()
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)
    await page.getByRole('checkbox', { name: /All events/ }).click()
    assert.ok(await page.getByRole('button', { name: 'Add endpoint' }).isDisabled(), 'no type is chosen')
    await page.getByRole('checkbox', { name: 'registered_user.created' }).click()
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    const secret = page.getByRole('dialog', { name: 'Copy the signing secret' })
    const shown = (await secret.locator('code').textContent()) as string
    assert.match(shown, /^whsec_/)
    await secret.getByRole('checkbox').click()
    await secret.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor()
    assert.ok(!(await page.content()).includes(shown))

    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Accepted', { exact: true }).waitFor()
    assert.equal(received.length, 1)
    await page.getByRole('button', { name: 'Show request' }).click()
    const sent = page.getByRole('dialog', { name: 'registered_user.created' })
    await sent.getByText('Test', { exact: true }).waitFor()
    await sent.getByRole('group', { name: 'Request body' }).getByText('origin_user_id').waitFor()
    await sent.getByText('v1,…').waitFor()
    await sent.getByText('orbit-1').waitFor()
    await sent.getByRole('button', { name: 'Send another test event' }).click()
    await page.getByText('Test event accepted').waitFor()
    await until('the second test is sent', async () => received.length === 2)
    await page.keyboard.press('Escape')
    const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('link')
    await until('both tests are listed', async () => (await rows.count()) === 2)

    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByText(/For 24 hours, webhooks are signed with both/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    await secret.getByRole('checkbox').click()
    await secret.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Accepted', { exact: true }).waitFor()
    assert.equal(received.at(-1)?.split(' ').length, 2, 'both secrets sign')
    await page.getByRole('button', { name: 'Close' }).last().click()

    status = 410
    await service.createUser({ origin_user_id: 'hooked', origin_user_name: 'Ana Ruiz' })
    await until('the endpoint is disabled', async () => {
      const { body } = await service.call('GET', '/api/v1/webhook-endpoints')
      return body.data[0].status === 'disabled'
    })
    await page.reload()
    await page.getByText(/responded with 410 Gone/).waitFor()
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click()
    const drawer = page.getByRole('dialog', { name: 'registered_user.created' })
    await drawer.getByText('Status 410').waitFor()
    await drawer.getByText('Not today.').waitFor()
    await drawer.getByText('hooked').waitFor()
    await drawer.getByRole('link', { name: 'Ana Ruiz' }).waitFor()
    await page.keyboard.press('Escape')

    status = 204
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await until('the pending delivery is made', async () => {
      const { body } = await service.call('GET', '/api/v1/webhook-endpoints')
      return body.data[0].last_success_at !== null
    })
    await page.getByRole('button', { name: 'Replay…' }).click()
    await page.getByRole('combobox', { name: 'Deliveries' }).click()
    await page.getByRole('option', { name: 'Successful deliveries' }).click()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('Redelivery started').waitFor()

    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('link', { name: /127\.0\.0\.1/ }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete endpoint' }).click()
    await page.getByText('No endpoints yet').waitFor()
  })

  it('shows each event type with an example, in a URL that can be shared', async test => {
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    await open('/webhooks/event-types')
    await page.getByRole('link', { name: 'credential.needs_reauth' }).click()
    await page
      .getByText(/"?credential_id"?/)
      .first()
      .waitFor()
    assert.match(page.url(), /type=credential\.needs_reauth/)
    await open('/webhooks')
    await page.getByText('No endpoints yet').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add endpoint' }).count(), 0)
  })
})
