import assert from 'node:assert/strict'
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { MAX_KEY_CHECKS } from '../../src/features/link/attempts/submit-form.ts'
import { type BrowserUser, createBrowserUser, linkNotes, type Page } from '../support/browser-user.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import {
  startTokenVendor,
  TOKEN_VENDOR,
  type TokenVendor,
  writeTokenVendor,
} from '../support/token-vendor.ts'

const keyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { publicKey, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
}
const first = keyPair()
const rotated = keyPair()
const FIELDS = { client_id: 'client-1', client_secret: 'client-secret-1', private_key: first.pem }

describe('values that a user has entered are replaced on My connections', () => {
  let vendor: TokenVendor
  let t: TestService
  let connectors: ReturnType<typeof writeTokenVendor>
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
    vendor.replies.length = 0
    vendor.account = { name: 'Acme production', id: 'acme-1' }
  })

  const credentialOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]
  const call = async (userId: string) =>
    (await t.mcp(userId, 'tools/call', { name: `${TOKEN_VENDOR}__echo`, arguments: {} })).body.result
  const link = async (): Promise<string> => {
    const { id } = await t.createUser()
    const browser = createBrowserUser()
    const form = await browser.open((await t.mint(id, { connector: TOKEN_VENDOR })).magic_link_url)
    assert.match((await browser.submit(form, /\/api-key$/, FIELDS)).url, /\/done/)
    vendor.tokenRequests.length = 0
    return id
  }
  const openConnection = async (userId: string): Promise<{ browser: BrowserUser; detail: Page }> => {
    const browser = createBrowserUser()
    const { url } = (await t.call('POST', `/api/v1/registered-users/${userId}/connections-link`)).body
    const list = await browser.submit(await browser.open(url), /\/open$/)
    const { credential_id } = await credentialOf(userId)
    return { browser, detail: await browser.follow(list, new RegExp(credential_id)) }
  }
  const openForm = async (userId: string) => {
    const { browser, detail } = await openConnection(userId)
    const page = await browser.follow(detail, /\/replace/)
    return { page, submit: (fields: Record<string, string>) => browser.submit(page, /\/replace$/, fields) }
  }
  const isSignedBy = ({ publicKey }: ReturnType<typeof keyPair>): boolean => {
    const [header, claims, signature = ''] = (
      vendor.tokenRequests.at(-1)?.get('client_assertion') ?? ''
    ).split('.')
    return createVerify('sha256').update(`${header}.${claims}`).verify(publicKey, signature, 'base64url')
  }

  it('one value is replaced; the others, and the credential itself, stay [credential.replace-entered]', async () => {
    const userId = await link()
    const linked = await credentialOf(userId)
    const { page, submit } = await openForm(userId)
    assert.match(page.html, /Leave a field empty to keep its current value/)
    assert.doesNotMatch(page.html, /client-1|client-secret-1| required/)
    assert.match((await submit({ private_key: rotated.pem })).html, /The new credentials are in use/)
    assert.equal(vendor.tokenRequests.length, 1)
    assert.equal(vendor.tokenRequests[0]?.get('client_secret'), FIELDS.client_secret)
    assert.ok(isSignedBy(rotated))
    const now = await credentialOf(userId)
    assert.deepEqual(
      [now.credential_id, now.status, now.account, now.created_at],
      [linked.credential_id, 'active', linked.account, linked.created_at],
    )
    assert.notEqual((await call(userId)).isError, true)
    assert.equal(vendor.tokenRequests.length, 1, 'the new token is used')
    assert.ok((await t.events()).some(({ type }) => type === 'credential.refreshed'))
    await t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [
      userId,
    ])
    assert.notEqual((await call(userId)).isError, true)
    assert.ok(isSignedBy(rotated), 'later tokens are requested with the new key')
  })

  it('values of another account, or that the vendor rejects, change nothing', async () => {
    const userId = await link()
    const { submit } = await openForm(userId)
    vendor.account = { name: 'Other', id: 'acme-2' }
    assert.match(
      (await submit({ client_secret: 'of-another' })).html,
      /belongs to another <bdi>Ledger<\/bdi> account/,
    )
    vendor.account = { name: 'Acme production, renamed', id: 'acme-1' }
    vendor.replies.push({ status: 401 })
    assert.match((await submit({ client_secret: 'wrong' })).html, /did not accept these credentials/)
    vendor.replies.push({ status: 500 })
    assert.match((await submit({ client_secret: 'unchecked' })).html, /could not check these credentials/)
    assert.match((await submit({})).html, /Enter at least one new value/)
    assert.match((await submit({ private_key: FIELDS.client_secret })).html, /This is not a private key/)
    await t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [
      userId,
    ])
    assert.notEqual((await call(userId)).isError, true)
    assert.equal(vendor.tokenRequests.at(-1)?.get('client_secret'), FIELDS.client_secret)
  })

  it('a credential that has ended works again, also where links need a confirmation', async () => {
    const userId = await link()
    await t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [
      userId,
    ])
    vendor.replies.push({ status: 401, body: { error: 'invalid_client' } })
    assert.equal((await call(userId)).structuredContent.reason, 'expired')
    const { organization_id } = (await t.call('GET', '/api/v1/organization')).body
    await t.query(`update organizations set link_binding = 'code_only' where id = $1`, [organization_id])
    const { submit } = await openForm(userId)
    assert.match((await submit({ client_secret: 'client-secret-2' })).html, /The new credentials are in use/)
    await t.query(`update organizations set link_binding = default where id = $1`, [organization_id])
    assert.equal((await credentialOf(userId)).status, 'active')
    assert.notEqual((await call(userId)).isError, true)
  })

  it('a credential that is disconnected during the check stays disconnected', async () => {
    const userId = await link()
    const { submit } = await openForm(userId)
    const { credential_id } = await credentialOf(userId)
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    vendor.replies.push({ before: resolve, delayMs: 300 })
    const submitted = submit({ client_secret: 'late' })
    await asked
    await t.call('DELETE', `/api/v1/registered-users/${userId}/credentials/${credential_id}`)
    assert.doesNotMatch((await submitted).html, /The new credentials are in use/)
    assert.equal((await call(userId)).structuredContent.type, 'authenticate_meta')
  })

  it('is limited per link, and offered only for values that were entered', async () => {
    const userId = await link()
    const { submit } = await openForm(userId)
    for (let n = 0; n < MAX_KEY_CHECKS; n++) {
      vendor.replies.push({ status: 401 })
      assert.match((await submit({ client_secret: `guess-${n}` })).html, /did not accept/)
    }
    const { length } = vendor.tokenRequests
    assert.equal((await submit({ client_secret: 'one-more' })).status, 429)
    assert.equal(vendor.tokenRequests.length, length)

    const { id } = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(id, { connector: 'sandbox-notes' })).magic_link_url)
    const { browser, detail } = await openConnection(id)
    assert.doesNotMatch(detail.html, /\/replace/)
    const { credential_id } = await credentialOf(userId)
    const foreign = await browser.open(
      `${detail.url.split('/').slice(0, -1).join('/')}/${credential_id}/replace`,
    )
    assert.match(foreign.html, /Your connections/)
    assert.doesNotMatch(foreign.html, /Ledger/)
  })
})
