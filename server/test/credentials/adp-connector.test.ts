import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createBrowserUser, type Page } from '../support/browser-user.ts'
import { createCertificate } from '../support/certificates.ts'
import { RSA } from '../support/key-connectors/keys.ts'
import { type RunningVendor, runVendor } from '../support/key-connectors/running-vendor.ts'
import { SECRET } from '../support/key-connectors/vendors.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const ADP = 'adp-workforce-now'
const ORIGINS = ['https://accounts.adp.com', 'https://api.adp.com']

describe('the shipped connector of ADP, at a stand-in that requires client certificates', () => {
  const trusted = getCACertificates('default')
  const identity = createCertificate('localhost')
  const authority = createCertificate('Authority of clients')
  const certificateOf = (issuer: typeof authority): string =>
    createCertificate('acme', { issuer, key: createPrivateKey(RSA) }).certificate
  let vendor: RunningVendor
  let t: TestService
  before(async () => {
    setDefaultCACertificates([...trusted, identity.certificate])
    vendor = await runVendor(ADP, ORIGINS, {
      cert: identity.certificate,
      key: identity.privateKey,
      ca: [authority.certificate],
      requestCert: true,
      rejectUnauthorized: true,
    })
    t = await startTestService('postgres', {
      CONNECTORS: `sandbox-notes ${ADP}`,
      STAND_INS: ORIGINS.map(origin => `${origin}=${vendor.url}`).join(' '),
    })
  })
  after(async () => {
    await t.stop()
    vendor.stop()
    setDefaultCACertificates(trusted)
  })

  const submit = async (userId: string, certificate: string): Promise<Page> => {
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(userId, { connector: ADP })).magic_link_url)
    const entered = { client_id: 'client-1', client_secret: SECRET, certificate, private_key: RSA }
    return browser.submit(page, /\/api-key$/, entered)
  }

  it('is linked with its form, named after the client, and called', async () => {
    const { id } = await t.createUser()
    const done = await submit(id, certificateOf(authority))
    assert.match(done.url, /\/done/, vendor.problems.join())
    const [linked] = (await t.call('GET', `/api/v1/registered-users/${id}/credentials`)).body.data
    assert.deepEqual([linked.method, linked.account, linked.status], ['token_request', 'client-1', 'active'])
    const call = { name: `${ADP}__list_workers`, arguments: { top: 5 } }
    const { result } = (await t.mcp(id, 'tools/call', call)).body
    assert.notEqual(result.isError, true, JSON.stringify(result))
    assert.equal(vendor.tokenRequests, 1)
    assert.deepEqual(vendor.problems, [])
  })

  it('is not linked with a certificate that ADP has not signed', async () => {
    const { id } = await t.createUser()
    const { tokenRequests } = vendor
    const shown = await submit(id, certificateOf(createCertificate('Another authority')))
    assert.doesNotMatch(shown.url, /\/done/)
    assert.equal(vendor.tokenRequests, tokenRequests)
    assert.deepEqual((await t.call('GET', `/api/v1/registered-users/${id}/credentials`)).body.data, [])
  })
})
