import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { CONSUMER, type OAuth1Vendor, startOAuth1Vendor } from '../server/test/support/oauth1-vendor.ts'
import { createVisitor } from './support/browser.ts'
import { assertConnectedOnce, type Embedding, embed, mintFor, prepareEmbedding } from './support/embedding.ts'
import { startWorld, until, type World } from './support/world.ts'

describe('OAuth 1.0a in the embedded component', () => {
  let vendor: OAuth1Vendor
  let world: World
  before(async () => {
    vendor = await startOAuth1Vendor('HMAC-SHA1')
    world = await startWorld([vendor.connector])
    await world.service.call('PUT', `/api/v1/connectors/${vendor.slug}/oauth-app`, {
      body: { client_id: CONSUMER.key, client_secret: CONSUMER.secret },
    })
    await prepareEmbedding(world)
  })
  after(async () => {
    await world?.stop()
    vendor?.stop()
  })

  /** Opens Link in the dialog and continues to the provider, which opens in a window. */
  const continueToVendor = async (test: TestContext) => {
    const { page, browserErrors } = await createVisitor(world.browser, test)
    const { userId, linkToken } = await mintFor(world, { connector: vendor.slug })
    const embedding: Embedding = await embed(world, page, linkToken)
    await embedding.open()
    const popup: Page = await embedding.openWindow(() =>
      embedding.frame.getByRole('button', { name: `Continue to ${vendor.connector.name}` }).click(),
    )
    await popup.getByRole('heading', { name: 'Photos' }).waitFor()
    return { embedding, popup, userId, browserErrors }
  }

  it('an account is connected in a window, reported once, and called', async test => {
    const { embedding, popup, userId, browserErrors } = await continueToVendor(test)
    await popup.getByRole('button', { name: 'Allow' }).click()
    await assertConnectedOnce(world, embedding, {
      userId,
      success: ['success', { Connector: vendor.slug, scopes: [] }],
    })
    const call = { name: `${vendor.slug}__search`, arguments: { text: 'a b' } }
    const { result } = (await world.service.mcp(userId, 'tools/call', call)).body
    assert.equal(result.isError, false, JSON.stringify(result))
    assert.deepEqual(browserErrors, [])
  })

  it('a denial at the provider connects nothing, and the dialog offers another attempt', async test => {
    const { embedding, popup, userId } = await continueToVendor(test)
    await popup.getByRole('button', { name: 'Deny' }).click()
    await until('the dialog shows the denial', async () =>
      /not connected|Nothing was connected/i.test(await embedding.frame.locator('body').innerText()),
    )
    assert.deepEqual(await world.linkedConnectors(userId), [])
    assert.deepEqual(
      (await embedding.calls()).filter(([name]) => name === 'success'),
      [],
    )
  })
})
