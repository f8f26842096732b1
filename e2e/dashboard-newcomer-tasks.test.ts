import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import sharp from 'sharp'
import {
  IDP_CLIENT,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../server/test/support/sign-in.ts'
import { startReceiver, type WebhookReceiver } from '../server/test/support/webhook-receiver.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { defineTasks, formatTasks, goTo } from './support/timed-task.ts'
import { createLinkedUser } from './support/tool-calls.ts'
import { until } from './support/world.ts'

/** What a person does in the first hour, each task from Home. The clicks are those that newcomers needed in November 2026, before the dashboard was reworked. */
const SCREENSHOTS = join(import.meta.dirname, '../test-output/e2e')
let dashboard: Dashboard
let receiver: WebhookReceiver
let provider: TestIdentityProvider

before(async () => {
  ;[dashboard, receiver] = await Promise.all([startDashboard(), startReceiver()])
  receiver.answerWith((_request, response) => void response.writeHead(204).end())
  const { service } = dashboard
  const { redirect_uri } = (await service.call('GET', '/api/v1/sign-in')).body
  provider = await startIdentityProvider([redirect_uri])
  await createLinkedUser(service, { origin_user_id: 'lea', origin_user_name: 'Lea Brandt' })
  mkdirSync(SCREENSHOTS, { recursive: true })
})
after(async () => {
  process.stdout.write(`${formatTasks(results).join('\n')}\n`)
  await dashboard.stop()
  await provider?.stop()
  await receiver[Symbol.asyncDispose]()
})

const get = async (path: string) => (await dashboard.service.call('GET', `/api/v1${path}`)).body

const { task, results } = defineTasks(() => dashboard, SCREENSHOTS)

describe('dashboard: the tasks of a newcomer', () => {
  task('create an API key', 6, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Settings')
    await click(page.getByRole('link', { name: 'API keys' }))
    await click(page.getByRole('button', { name: 'Create production key' }))
    await type(page.getByLabel('Name'), 'Backend')
    await click(page.getByRole('button', { name: 'Create key' }))
    const shown = page.getByRole('dialog', { name: 'Copy your new key “Backend”' })
    const key = (await shown.locator('code').textContent()) as string
    assert.equal((await dashboard.service.call('GET', '/api/v1/organization', { key })).status, 200)
    await click(shown.getByRole('checkbox'))
    await click(shown.getByRole('button', { name: 'Done' }))
  })

  task('add a connector to a Tool Pack', 4, async hand => {
    const { page, click } = hand
    const body = { name: 'Notes only', connectors: ['sandbox-notes'] }
    const { body: pack } = await dashboard.service.call<{ id: string }>('POST', '/api/v1/tool-packs', {
      body,
    })
    await goTo(hand, 'Tool Packs')
    await click(page.getByRole('link', { name: 'Notes only', exact: true }))
    await click(page.getByRole('switch', { name: 'Vault', exact: true }))
    await click(page.getByRole('button', { name: 'Save changes' }))
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
    const saved = await get(`/tool-packs/${pack.id}`)
    assert.ok(JSON.stringify(saved).includes('sandbox-vault'), JSON.stringify(saved))
  })

  task('register a user and create a link', 6, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Registered Users')
    await click(page.getByRole('button', { name: 'Create user' }))
    await type(page.getByLabel('Your ID'), 'new-user')
    await click(page.getByRole('dialog').getByRole('button', { name: 'Create user' }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Create link' }))
    const dialog = page.getByRole('dialog', { name: 'Create a link for new-user' })
    await click(dialog.getByRole('button', { name: 'Create link' }))
    const link = await dialog.getByRole('link', { name: 'Open' }).getAttribute('href')
    assert.equal((await fetch(link as string)).status, 200)
  })

  task('add a security rule and test it', 7, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Security Gateway')
    await click(page.getByRole('button', { name: 'Add rule' }))
    await type(page.getByLabel('Label'), 'employee_id')
    await type(page.getByLabel('Pattern'), 'EMP-\\d{6}')
    await click(page.getByRole('dialog').getByRole('button', { name: 'Add rule' }))
    await click(page.getByRole('tab', { name: 'Test' }))
    await type(page.getByLabel('Text to test'), 'This is EMP-123456')
    await click(page.getByRole('button', { name: 'Test text' }))
    await page.getByRole('group', { name: 'As arguments' }).getByText('EMPLOYEE_ID').first().waitFor()
    await click(page.getByRole('button', { name: 'Review and save' }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await page.getByText(/^\d unsaved change/).waitFor({ state: 'detached' })
    assert.equal((await get('/security-rules')).custom_rules.length, 1)
  })

  task('add a webhook, test it, and send its event again', 10, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Webhooks')
    await click(page.getByRole('button', { name: 'Add endpoint' }).first())
    await type(page.getByLabel('URL'), receiver.url)
    await click(page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }))
    const secret = page.getByRole('dialog', { name: 'Copy the signing secret' })
    await click(secret.getByRole('checkbox'))
    await click(secret.getByRole('button', { name: 'Done' }))
    await click(page.getByRole('button', { name: 'Send test event' }))
    await click(page.getByRole('button', { name: 'Send', exact: true }))
    await click(page.getByRole('button', { name: 'Show request' }))
    const sent = page.getByRole('dialog')
    await sent.getByRole('group', { name: 'Request body' }).waitFor()
    await click(sent.getByRole('button', { name: 'Send another test event' }))
    await until('the second delivery', () => receiver.received.length === 2)
  })

  task('invite a read-only member', 8, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Settings')
    await click(page.getByRole('link', { name: 'Team' }))
    await click(page.getByRole('button', { name: 'Invite member' }))
    await type(page.getByLabel('Email'), 'lea@orbit.example')
    await type(page.getByLabel('Name'), 'Lea Meyer')
    await click(page.getByRole('combobox', { name: 'Role' }))
    await click(page.getByRole('option', { name: /^Read only/ }))
    await click(page.getByRole('button', { name: 'Invite', exact: true }))
    const dialog = page.getByRole('dialog', { name: 'Send this link to Lea Meyer' })
    assert.match((await dialog.locator('code').textContent()) ?? '', /\/dashboard\/sign-in#/)
    await click(dialog.getByRole('button', { name: 'Done' }))
  })

  task('restyle Link with a color and a logo', 4, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Settings')
    await click(page.getByRole('link', { name: 'Link customization' }))
    await type(page.getByLabel('Color', { exact: true }), '#0b6e4f')
    const canvas = sharp({ create: { width: 64, height: 64, channels: 4, background: '#0b6e4f' } })
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: await canvas.png().toBuffer() }
    await page.getByLabel('Logo file, light theme').setInputFiles(logo)
    await page.getByRole('img', { name: 'Logo, light theme' }).waitFor()
    await click(page.getByRole('button', { name: 'Save' }))
    await page.getByText(/^\d unsaved change/).waitFor({ state: 'detached' })
    const saved = await get('/link-customization')
    assert.ok(saved.primary_color === '#0b6e4f' && saved.logo.light, JSON.stringify(saved))
  })

  task('set up an OAuth app', 5, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Connectors')
    await click(page.getByRole('link', { name: 'Notes', exact: true }))
    const drawer = page.getByRole('dialog', { name: 'Notes' })
    await click(drawer.getByRole('tab', { name: 'OAuth app' }))
    await type(drawer.getByLabel('Client ID'), 'my-client')
    await type(drawer.getByLabel('Client secret'), 'my-secret')
    await click(drawer.getByRole('button', { name: 'Save app' }))
    await page.getByText('OAuth app saved').waitFor()
    assert.equal((await get('/connectors/sandbox-notes/oauth-app')).client_id, 'my-client')
  })

  task('revoke a credential', 4, async hand => {
    const { page, click } = hand
    await goTo(hand, 'Registered Users')
    await click(page.getByRole('link', { name: /Lea Brandt/ }))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Disconnect Notes' }))
    await click(page.getByRole('button', { name: 'Disconnect', exact: true }))
    await page.getByRole('button', { name: 'Disconnect Notes' }).waitFor({ state: 'detached' })
    const [{ id }] = (await get('/registered-users?origin_user_id=lea')).data
    assert.deepEqual((await get(`/registered-users/${id}`)).linked_connectors, [])
  })

  task('let users sign in', 3, async hand => {
    const { page, click, type } = hand
    await goTo(hand, 'Settings')
    await click(page.getByRole('link', { name: 'User sign-in' }))
    await type(page.getByLabel('Issuer', { exact: true }), provider.issuer)
    await type(page.getByLabel('Client ID'), IDP_CLIENT.id)
    await type(page.getByLabel('Client secret'), IDP_CLIENT.secret)
    await click(page.getByRole('button', { name: 'Save', exact: true }))
    await page.getByText('Not configured').waitFor({ state: 'detached' })
    assert.equal((await get('/sign-in')).identity_provider.issuer, provider.issuer)
  })
})
