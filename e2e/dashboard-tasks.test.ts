import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { verifyWebhook, WebhookError } from '../packages/sdk/src/index.ts'
import { type PlainMcp, startPlainMcp } from '../server/test/support/plain-mcp.ts'
import { startReceiver, type WebhookReceiver } from '../server/test/support/webhook-receiver.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { defineTasks, formatTasks, goTo } from './support/timed-task.ts'
import { callNotes, createLinkedUser } from './support/tool-calls.ts'
import { linkNotes } from './support/user-steps.ts'
import { until } from './support/world.ts'

/**
 * Ten tasks of a person who uses the dashboard, each from Home. A task asserts the largest number of clicks that it may take, and
 * its effect through the API. The table of results is in dashboard/README.md.
 */
let dashboard: Dashboard
let receiver: WebhookReceiver
let server: PlainMcp
/** The signing secrets that the receiver accepts, the latest last. */
const secrets: string[] = []
let rejected = 0

before(async () => {
  ;[dashboard, receiver, server] = await Promise.all([startDashboard(), startReceiver(), startPlainMcp()])
  receiver.answerWith(({ headers, body }, response) => {
    verifyWebhook(headers as Record<string, string>, body, secrets.at(-1) ?? '').then(
      () => response.writeHead(204).end(),
      (error: unknown) => {
        rejected++
        response.writeHead(400).end(error instanceof WebhookError ? error.code : String(error))
      },
    )
  })
  const { body } = await dashboard.service.call('POST', '/api/v1/webhook-endpoints', {
    body: { url: receiver.url, event_types: ['registered_user.created'] },
  })
  secrets.push(body.secret)
})
after(async () => {
  await dashboard.stop()
  await receiver[Symbol.asyncDispose]()
  await server.stop()
})

const get = async (path: string) => (await dashboard.service.call('GET', `/api/v1${path}`)).body

const { task, results } = defineTasks(() => dashboard)

describe('dashboard: ten tasks', () => {
  before(async () => {
    const { service } = dashboard
    const lea = await service.createUser({ origin_user_id: 'lea', origin_user_name: 'Lea Brandt' })
    await callNotes(service, lea.id)
  })
  after(() => {
    process.stdout.write(`${formatTasks(results).join('\n')}\n`)
  })

  task('find why a call failed', 2, async hand => {
    const { page, click } = hand
    await click(page.getByRole('link', { name: 'See calls' }))
    await click(page.getByRole('table', { name: 'Tool calls' }).getByRole('link').first())
    const panel = page.getByRole('complementary', { name: 'Tool call' })
    const failed = panel.locator('[aria-current=step]')
    await failed.waitFor()
    assert.match((await failed.textContent()) ?? '', /^Account: failedThe user has not connected/)
    const now = panel.getByRole('link', { name: 'Would it work now?' })
    assert.match((await now.getAttribute('href')) ?? '', /\/explain\?pack=/)
  })

  it('prepares a connection that has expired', async () => {
    const { service } = dashboard
    const ana = await createLinkedUser(service, { origin_user_id: 'ana', origin_user_name: 'Ana Ruiz' })
    await service.query(
      `update credentials set status = 'needs_reauth', status_reason = 'expired' where registered_user_id = $1`,
      [ana.id],
    )
  })

  task('reconnect a user', 3, async hand => {
    const { page, click, type } = hand
    await click(page.getByRole('button', { name: /Search or jump to/ }))
    await type(page.getByRole('combobox', { name: 'Search or jump to' }), 'ana')
    await click(page.getByRole('option', { name: /Ana Ruiz/ }))
    await click(page.getByRole('button', { name: 'Reconnect Notes' }))
    const link = await page
      .getByRole('dialog', { name: 'Create a link for Ana Ruiz' })
      .getByRole('link', { name: 'Open', exact: true })
      .getAttribute('href')
    // What follows is done by the user.
    const own = await page.context().newPage()
    await linkNotes(own, link as string)
    await own.close()
    const user = (await get('/registered-users?origin_user_id=ana')).data[0]
    const credentials = await get(`/registered-users/${user.id}/credentials`)
    assert.equal(credentials.data[0].status, 'active')
  })

  task('rotate a webhook secret', 6, async hand => {
    const { page, click } = hand
    const { service } = dashboard
    const ids: string[] = []
    const traffic = { isOn: true }
    const sending = (async () => {
      while (traffic.isOn) ids.push((await service.createUser({ origin_user_id: `hooked-${ids.length}` })).id)
    })()
    await goTo(hand, 'Webhooks')
    await click(page.getByRole('table', { name: 'Webhook endpoints' }).getByRole('link'))
    await click(page.getByRole('button', { name: 'Rotate secret' }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }))
    const shown = page.getByRole('dialog', { name: /secret/ }).locator('code')
    await shown.waitFor()
    const atRotation = ids.length
    // Webhooks of the new secret are accepted by a receiver that has the previous one, and the other way around.
    await until('more users', () => ids.length > atRotation + 10)
    secrets.push((await shown.textContent()) as string)
    await until('more users', () => ids.length > atRotation + 20)
    await click(page.getByRole('dialog').getByRole('checkbox'))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Done' }))
    traffic.isOn = false
    await sending
    await until('all deliveries', () => {
      const arrived = new Set(receiver.events().map(event => event.registered_user_id))
      return ids.every(id => arrived.has(id))
    })
    assert.equal(rejected, 0)
    assert.ok(ids.length > 20)
    assert.notEqual(secrets[0], secrets[1])
  })

  task('replay a webhook', 4, async hand => {
    const { page, click } = hand
    const earlier = receiver.received.length
    await goTo(hand, 'Logs')
    await click(page.getByRole('tab', { name: 'Webhook deliveries' }))
    await click(page.getByRole('link', { name: 'registered_user.created' }).first())
    await click(page.getByRole('dialog').getByRole('button', { name: 'Send again' }))
    await until('the delivery', () => receiver.received.length > earlier)
    const id = receiver.events().at(-1)?.id
    assert.equal(receiver.events().filter(event => event.id === id).length, 2)
  })

  task('block credit cards', 3, async hand => {
    const { page, click, choose } = hand
    await goTo(hand, 'Security Gateway')
    await choose(page.getByLabel('Credit card, arguments'), 'block')
    await choose(page.getByLabel('Credit card, results'), 'block')
    await click(page.getByRole('button', { name: 'Review and save' }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await page.getByText(/^\d unsaved change/).waitFor({ state: 'detached' })
    const { entities } = await get('/security-rules')
    assert.deepEqual(entities.CREDIT_CARD, { inbound_action: 'block', outbound_action: 'block' })
  })

  task('prove who changed a rule', 4, async hand => {
    const { page, click } = hand
    await goTo(hand, 'Settings')
    await click(page.getByRole('link', { name: 'Audit trail' }))
    await click(page.getByRole('button', { name: 'Verify chain' }))
    await page.getByText(/entries are intact/).waitFor()
    await click(page.getByRole('link', { name: /Security rules updated/ }).first())
    const drawer = page.getByRole('dialog', { name: /Security rules updated/ })
    await drawer.getByText('Mia Olsen').first().waitFor()
    assert.match((await drawer.textContent()) ?? '', /Changed fields.*entities/)
    const [entry] = (await get('/audit-entries?action=security_rules.updated')).data
    assert.equal(entry.actor.hint, 'Mia Olsen')
  })

  task('find what a token-heavy tool costs', 2, async hand => {
    const { page, click } = hand
    await goTo(hand, 'Tool Packs')
    await click(page.getByRole('table', { name: 'Tool Packs' }).getByRole('link').first())
    await page.getByText(/about [\d,]+ tokens/).waitFor()
    const pack = (await get('/tool-packs')).data[0]
    const tools = (await get(`/tool-packs/${pack.id}/tools`)).data as {
      name: string
      definition_bytes: number
    }[]
    const heaviest = tools.toSorted((a, b) => b.definition_bytes - a.definition_bytes)[0]
    await page
      .getByText(heaviest?.name ?? '', { exact: true })
      .first()
      .waitFor()
  })

  task('test a callback URL', 4, async hand => {
    const { page, click, type } = hand
    const url = 'https://shop.example.com/linked'
    await goTo(hand, 'Settings')
    await click(page.getByRole('link', { name: 'Callback origins' }))
    await type(page.getByLabel('Callback URL'), url)
    await click(page.getByRole('button', { name: 'Test', exact: true }).last())
    await click(page.getByRole('button', { name: 'Allow https://shop.example.com' }))
    await page.getByText('Allowed', { exact: true }).waitFor()
    const user = await dashboard.service.createUser({ origin_user_id: 'shopper' })
    await dashboard.service.mint(user.id, { callback_url: url, state: 'abc' })
  })

  task('add a custom MCP server', 4, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Connectors')
    await click(page.getByRole('button', { name: 'Add MCP server' }))
    await type(page.getByLabel('Server URL'), server.url)
    await type(page.getByLabel('Name'), 'Our Issues')
    await click(page.getByRole('button', { name: 'Discover tools' }))
    await click(page.getByRole('button', { name: 'Add server' }))
    await page.getByRole('dialog', { name: 'Our Issues' }).waitFor()
    assert.equal((await get('/connectors/our-issues')).name, 'Our Issues')
  })

  task('restyle Link', 3, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Settings')
    await click(page.getByRole('link', { name: 'Link customization' }))
    await type(page.getByLabel('Color', { exact: true }), '#0b6e4f')
    await click(page.getByRole('button', { name: 'Save' }))
    await page.getByText(/^\d unsaved change/).waitFor({ state: 'detached' })
    assert.equal((await get('/link-customization')).primary_color, '#0b6e4f')
  })
})
