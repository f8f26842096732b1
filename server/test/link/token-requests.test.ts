import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type BrowserUser, createBrowserUser, type Page } from '../support/browser-user.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import {
  startTokenVendor,
  TOKEN_VENDOR,
  type TokenVendor,
  writeTokenVendor,
} from '../support/token-vendor.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const PUBLIC_PEM = publicKey.export({ type: 'spki', format: 'pem' }) as string
const CLIENT_SECRET = 'client-secret-canary-7d1f'
const FIELDS = { client_id: 'client-1', client_secret: CLIENT_SECRET, private_key: PEM }

describe('a connector that requests its tokens', () => {
  let vendor: TokenVendor
  let t: TestService
  let connectors: ReturnType<typeof writeTokenVendor>
  const pages: Page[] = []
  before(async () => {
    vendor = await startTokenVendor()
    connectors = writeTokenVendor(vendor)
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: connectors.folder })
  })
  after(async () => {
    await t.stop()
    await vendor.stop()
    connectors.remove()
  })
  beforeEach(() => {
    vendor.tokenRequests.length = 0
    vendor.replies.length = 0
  })

  const open = async () => {
    const { id } = await t.createUser()
    const browser: BrowserUser = createBrowserUser()
    const page = await browser.open((await t.mint(id, { connector: TOKEN_VENDOR })).magic_link_url)
    pages.push(page)
    return {
      userId: id,
      page,
      submit: async (fields: Record<string, string>): Promise<Page> => {
        const shown = await browser.submit(page, /\/api-key$/, fields)
        pages.push(shown)
        return shown
      },
    }
  }
  const link = async (): Promise<string> => {
    const { userId, submit } = await open()
    assert.match((await submit(FIELDS)).url, /\/done/)
    vendor.tokenRequests.length = 0
    return userId
  }
  const credentialOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]
  const expire = (userId: string) =>
    t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [userId])
  const call = async (userId: string) =>
    (await t.mcp(userId, 'tools/call', { name: `${TOKEN_VENDOR}__echo`, arguments: {} })).body.result

  it('links an account: the token is requested once, and the credential shows method, account and expiry', async () => {
    const { userId, page, submit } = await open()
    assert.match(page.html, /<textarea[^>]*name="private_key"/)
    assert.match((await submit(FIELDS)).url, /\/done/)
    assert.equal(vendor.tokenRequests.length, 1)
    assert.equal(vendor.tokenRequests[0]?.get('client_secret'), CLIENT_SECRET)
    const { method, account, status, access_expires_at } = await credentialOf(userId)
    assert.deepEqual([method, account, status], ['token_request', 'Acme production', 'active'])
    assert.ok(access_expires_at)
    const result = await call(userId)
    assert.notEqual(result.isError, true)
    assert.equal(vendor.tokenRequests.length, 1)
  })

  it('an optional field that stays empty is in no parameter and no claim [credential.token-request]', async () => {
    const claims = () =>
      JSON.parse(
        Buffer.from(
          vendor.tokenRequests[0]?.get('client_assertion')?.split('.')[1] ?? '',
          'base64',
        ).toString(),
      )
    const without = await open()
    assert.match(without.page.html, /Audience <small>Optional<\/small>/)
    assert.match((await without.submit(FIELDS)).url, /\/done/)
    assert.equal(vendor.tokenRequests[0]?.has('audience'), false)
    assert.equal(claims().aud, undefined)
    vendor.tokenRequests.length = 0
    assert.match((await (await open()).submit({ ...FIELDS, audience: 'Büro 7' })).url, /\/done/)
    assert.equal(vendor.tokenRequests[0]?.get('audience'), 'Büro 7')
    assert.equal(claims().aud, 'Büro 7')
  })

  it('a secret that is sent in a body may contain spaces and letters of any language', async () => {
    const { submit } = await open()
    assert.match((await submit({ ...FIELDS, client_secret: 'correct höhle 電池' })).url, /\/done/)
    assert.equal(vendor.tokenRequests[0]?.get('client_secret'), 'correct höhle 電池')
    const line = await (await open()).submit({ ...FIELDS, client_secret: 'a\u0000b' })
    assert.match(line.html, /The marked field doesn’t look right/)
  })

  it('names a wrong private key in the form, and sends nothing', async () => {
    const { submit } = await open()
    const shown = await submit({ ...FIELDS, private_key: PUBLIC_PEM })
    assert.match(shown.html, /This is a public key\./)
    assert.equal(vendor.tokenRequests.length, 0)
  })

  it('does not link values that the vendor rejects, or cannot check', async () => {
    const { userId, submit } = await open()
    vendor.replies.push({ status: 401, body: { error: 'invalid_client' } })
    assert.match((await submit(FIELDS)).html, /did not accept these credentials/)
    vendor.replies.push({ status: 500 })
    assert.match((await submit(FIELDS)).html, /could not check these credentials right now/)
    assert.equal(await credentialOf(userId), undefined)
  })

  it('an expired token is replaced once for concurrent calls [credential.token-request]', async () => {
    const userId = await link()
    await expire(userId)
    vendor.replies.push({ delayMs: 300 })
    const results = await Promise.all([call(userId), call(userId), call(userId)])
    assert.equal(vendor.tokenRequests.length, 1)
    for (const result of results) assert.notEqual(result.isError, true)
  })

  it('a token that ends earlier than stated is replaced after a 401, and the call succeeds', async () => {
    const userId = await link()
    vendor.validTokens.clear()
    assert.notEqual((await call(userId)).isError, true)
    assert.equal(vendor.tokenRequests.length, 1)
    assert.equal((await credentialOf(userId)).status, 'active')
  })

  it('a failing token endpoint, or an error with status 200, leaves the credential as it is [credential.token-request]', async () => {
    for (const reply of [{ status: 500 }, { body: { error: 'temporarily_locked' } }, { status: 401 }]) {
      const userId = await link()
      await expire(userId)
      // The request is repeated once.
      vendor.replies.push(reply, reply)
      assert.equal((await call(userId)).isError, true)
      assert.equal((await credentialOf(userId)).status, 'active')
      vendor.replies.length = 0
      assert.notEqual((await call(userId)).isError, true)
    }
  })

  it('a revoked client ends the credential; the user enters the values again [credential.token-request]', async () => {
    const userId = await link()
    await expire(userId)
    vendor.replies.push({ status: 401, body: { error: 'invalid_client' } })
    const { type, reason } = (await call(userId)).structuredContent
    assert.deepEqual([type, reason], ['authenticate_meta', 'expired'])
    const { status, status_reason } = await credentialOf(userId)
    assert.deepEqual([status, status_reason], ['needs_reauth', 'expired'])
  })

  it('no entered value and no token is in a log, an event, a result, a page or a row', async () => {
    const userId = await link()
    const body = PEM.split('\n')[1] as string
    const canaries = [CLIENT_SECRET, body, 'vendor-token-canary']
    const result = await call(userId)
    assert.match(JSON.stringify(result), /echo/)
    const rows = await t.query('select * from credentials')
    const sinks = {
      logs: t.logLines.join('\n'),
      events: JSON.stringify(await t.events()),
      result: JSON.stringify(result),
      pages: pages.map(page => page.html).join('\n'),
      credential: JSON.stringify(await credentialOf(userId)),
      rows: rows
        .map((row: Record<string, unknown>) =>
          Object.values(row)
            .map(value => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)))
            .join(),
        )
        .join('\n'),
    }
    for (const [sink, content] of Object.entries(sinks))
      for (const canary of canaries) assert.ok(!content.includes(canary), `${canary} in ${sink}`)
  })
})
