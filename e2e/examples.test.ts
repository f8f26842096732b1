import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import * as plainHtml from '../examples/plain-html/server.ts'
import * as reactSettings from '../examples/react-settings/server.ts'
import { createVisitor } from './support/browser.ts'
import { checkAppearance, checkLayout } from './support/check-page.ts'
import { continueInWindow, embeddingOn, signInAndAllow } from './support/embedding.ts'
import { pressDone, waitForHeading } from './support/user-steps.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let settings: reactSettings.Example
let plain: plainHtml.Example
before(async () => {
  world = await startWorld()
  await reactSettings.build()
  await plainHtml.build()
  const { service } = world
  const { baseUrl, organization } = service
  const options = { port: 0, carabinerUrl: baseUrl, linkUrl: `${baseUrl}/link`, apiKey: organization.key }
  settings = await reactSettings.startExample(options)
  plain = await plainHtml.startExample(options)
  await service.allowOrigin(settings.url)
  await service.allowOrigin(plain.url)
})
after(async () => {
  await settings?.stop()
  await plain?.stop()
  await world?.stop()
})

const userOf = async (originUserId: string): Promise<string> => {
  const { id } = await world.service.createUser({ origin_user_id: originUserId })
  return id
}

const SCREENSHOTS = join(import.meta.dirname, '../test-output/e2e')

const assertAppearance = async (page: Page, name: string): Promise<void> => {
  for (const theme of ['light', 'dark'] as const) {
    for (const size of ['desktop', 'phone'] as const) {
      const screenshot = join(SCREENSHOTS, `${name}-${theme}-${size}.png`)
      assert.deepEqual(
        await checkAppearance(page, { theme, size, motion: 'reduce' }, screenshot, { always: false }),
        [],
        screenshot,
      )
    }
  }
  assert.deepEqual((await checkLayout(page)).problems, [])
}

describe('the settings page', () => {
  const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

  it('connects an account before any agent runs, shows it, and a tool call succeeds', async test => {
    const { page, browserErrors } = await createVisitor(world.browser, test)
    await page.goto(settings.url)
    await waitForHeading(page, 'Connected accounts')
    const user = await userOf('example-settings')
    assert.equal((await world.callNotes(user)).type, 'authenticate_meta')
    await row(page, 'Notes').waitFor()
    assert.equal(await page.getByText('Connected', { exact: true }).count(), 0)

    await page.getByRole('button', { name: 'Connect Notes' }).click()
    await signInAndAllow(await continueInWindow(embeddingOn(page)))
    await page.getByText('Notes is connected.').waitFor()
    await row(page, 'Notes').getByText('Connected', { exact: true }).waitFor()
    await pressDone(page)
    await page.getByRole('button', { name: 'Reconnect Notes' }).waitFor()
    assert.equal((await world.callNotes(user)).notes?.length, 2)

    await page.reload()
    await row(page, 'Notes').getByText('Connected', { exact: true }).waitFor()
    await row(page, 'Notes').getByText('ana@example.com').waitFor()

    await page.getByRole('button', { name: 'Disconnect Notes' }).click()
    await page.getByText('Notes is disconnected.').waitFor()
    await page.getByRole('button', { name: 'Connect Notes' }).waitFor()
    assert.deepEqual(await world.linkedConnectors(user), [])
    assert.deepEqual(browserErrors, [])
  })

  it('connects with an API key after a first dialog was cancelled', async test => {
    const { page, browserErrors } = await createVisitor(world.browser, test)
    // The state of the session is delayed, so that the second click precedes the result of the first dialog.
    await page.context().route('**/link/s/*/events', async route => {
      if (route.request().headers()['accept'] === 'application/json') await delay(1_000)
      await route.continue().catch(() => undefined)
    })
    await page.goto(settings.url)
    const connect = page.getByRole('button', { name: 'Connect Vault' })
    const { frame } = embeddingOn(page)
    await connect.click()
    await frame.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('status').innerText(), '')
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Connect Vault')

    await connect.click()
    await frame.getByLabel('API key', { exact: true }).fill(world.service.sandbox.vaultKeys.ana)
    await frame.getByRole('button', { name: 'Check and connect' }).click()
    await page.getByText('Vault is connected.').waitFor()
    await row(page, 'Vault').getByText('Connected', { exact: true }).waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('a page whose origin is not allowed shows the reason', async test => {
    const { service, browser } = world
    const { page } = await createVisitor(browser, test)
    const removed = await service.call('DELETE', '/api/v1/callback-origins', {
      body: { origin: settings.url },
    })
    assert.equal(removed.status, 204, removed.text)
    test.after(() => service.allowOrigin(settings.url))
    await page.goto(settings.url)
    await page.getByRole('button', { name: /onnect Notes/ }).click()
    await page.getByText('This page is not allowed to connect accounts yet.').waitFor()
    assert.equal(await page.locator('dialog').count(), 0)
  })

  it('passes axe and the layout checks', async test => {
    const { page } = await createVisitor(world.browser, test)
    await page.goto(settings.url)
    await row(page, 'Notes').waitFor()
    await assertAppearance(page, 'example-settings')
  })
})

describe('the plain HTML page', () => {
  it('createLink opens Link in a dialog', async test => {
    const { page, browserErrors } = await createVisitor(world.browser, test)
    await page.goto(plain.url)
    await page.getByRole('button', { name: 'Connect here' }).click()
    const embedding = embeddingOn(page)
    await embedding.frame.getByRole('link', { name: /Vault/ }).click()
    await embedding.frame.getByLabel('API key', { exact: true }).fill(world.service.sandbox.vaultKeys.ana)
    await embedding.frame.getByRole('button', { name: 'Check and connect' }).click()
    await page.getByText('sandbox-vault is connected.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'sandbox-vault' }).waitFor()
    assert.ok((await world.linkedConnectors(await userOf('example-plain'))).includes('sandbox-vault'))
    assert.deepEqual(browserErrors, [])
  })

  it('the hosted page in a popup connects without the package', async test => {
    const { page, context, browserErrors } = await createVisitor(world.browser, test)
    await page.goto(plain.url)
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('button', { name: 'Connect in a window' }).click(),
    ])
    await popup.getByRole('link', { name: /Notes/ }).click()
    await popup.getByRole('button', { name: 'Continue to Notes' }).click()
    await signInAndAllow(popup)
    await page.getByText('sandbox-notes is connected.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'sandbox-notes' }).waitFor()
    assert.equal((await world.callNotes(await userOf('example-plain'))).notes?.length, 2)
    assert.deepEqual(browserErrors, [])
  })

  it('closing Link connects nothing', async test => {
    const { page } = await createVisitor(world.browser, test)
    await page.goto(plain.url)
    await page.getByRole('button', { name: 'Connect here' }).click()
    await embeddingOn(page).frame.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Nothing was connected.').waitFor()
  })

  it('passes axe and the layout checks', async test => {
    const { page } = await createVisitor(world.browser, test)
    await page.goto(plain.url)
    await waitForHeading(page, 'Connect an account')
    await assertAppearance(page, 'example-plain')
  })
})
