import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser } from '../support/browser-user.ts'
import { createCertificate, type TestCertificate } from '../support/certificates.ts'
import { writeConnectors } from '../support/listed-connectors.ts'
import { MTLS_CLIENT, MTLS_VENDOR, type MtlsVendor, startMtlsVendor } from '../support/mtls-vendor.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const DAY_MS = 86_400_000
const fingerprintOf = ({ certificate }: TestCertificate): string =>
  new X509Certificate(certificate).fingerprint256

describe('a connector with client certificates', () => {
  let vendor: MtlsVendor
  let t: TestService
  let files: ReturnType<typeof writeConnectors>
  const seen: string[] = []
  const keys: string[] = []
  before(async () => {
    vendor = await startMtlsVendor()
    files = writeConnectors([vendor.connector])
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: files.folder })
  })
  after(async () => {
    await t.stop()
    files.remove()
    await vendor.stop()
  })

  const open = async (userId?: string) => {
    const id = userId ?? (await t.createUser()).id
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(id, { connector: MTLS_VENDOR })).magic_link_url)
    return {
      userId: id,
      page,
      submit: async (certificate: string, privateKey: string) => {
        keys.push(privateKey)
        const fields = { ...MTLS_CLIENT, certificate, private_key: privateKey }
        const shown = await browser.submit(page, /\/api-key$/, fields)
        seen.push(page.html, shown.html)
        return shown
      },
    }
  }
  const link = async ({ certificate, privateKey }: TestCertificate, userId?: string): Promise<string> => {
    const opened = await open(userId)
    const shown = await opened.submit(certificate, privateKey)
    assert.match(shown.url, /\/done/, shown.html)
    return opened.userId
  }
  const credentialOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]
  const expireToken = (userId: string) =>
    t.query('update credentials set access_expires_at = app_now() where registered_user_id = $1', [userId])
  const call = async (userId: string) => {
    const { result } = (await t.mcp(userId, 'tools/call', { name: `${MTLS_VENDOR}__show`, arguments: {} }))
      .body
    seen.push(JSON.stringify(result))
    return result
  }

  it('presents the certificate in token requests, the identity request and calls, and stores its end', async () => {
    const ana = vendor.issue('ana', 90)
    const earlier = vendor.requests.length
    const userId = await link(ana)
    assert.match(JSON.stringify(await call(userId)), new RegExp(fingerprintOf(ana)))
    const made = vendor.requests.slice(earlier)
    assert.deepEqual(
      made.map(({ path }) => path),
      ['/token', '/me', '/show'],
    )
    assert.ok(made.every(({ presented }) => presented === fingerprintOf(ana)))
    const [row] = await t.query<{ ends_at: Date }>(
      'select ends_at from credentials where registered_user_id = $1',
      [userId],
    )
    const days = (new Date(row!.ends_at).getTime() - Date.now()) / DAY_MS
    assert.ok(days > 89.9 && days <= 90, String(days))
  })

  it('keeps the connections of two accounts apart', async () => {
    const certificates = [vendor.issue('ben'), vendor.issue('cleo')]
    const users = await Promise.all(certificates.map(certificate => link(certificate)))
    const results = await Promise.all(users.map(call))
    for (const [index, result] of results.entries())
      assert.match(JSON.stringify(result), new RegExp(fingerprintOf(certificates[index]!)))
  })

  it('names what is wrong with a certificate in the form, and sends nothing', async () => {
    const { submit, page } = await open()
    assert.match(page.html, /<textarea[^>]*name="certificate"/)
    const ana = vendor.issue('ana')
    const earlier = vendor.requests.length
    const cases: [certificate: string, key: string, message: RegExp][] = [
      ['hello', ana.privateKey, /This is not a certificate\./],
      [ana.certificate.slice(0, 200), ana.privateKey, /This is not a certificate\./],
      [ana.privateKey, ana.privateKey, /This is a private key\. Enter the certificate/],
      [ana.certificate, vendor.issue('ben').privateKey, /belongs to another private key/],
      [ana.certificate, ana.certificate, /This is a certificate\. Enter the private key/],
      ['', ana.privateKey, /fill in every field/],
    ]
    const ended = vendor.issue('ana', -1)
    const early = createCertificate('ana', { startsInDays: 1 })
    cases.push(
      [ended.certificate, ended.privateKey, /This certificate has expired\./],
      [early.certificate, early.privateKey, /This certificate is not valid yet\./],
    )
    for (const [certificate, key, message] of cases)
      assert.match((await submit(certificate, key)).html, message)
    assert.equal(vendor.requests.length, earlier)
  })

  it('reads a bundle with the key, the chain and other line ends', async () => {
    const ana = vendor.issue('ana')
    const bundle = `${createCertificate('Root').certificate}${ana.privateKey}${ana.certificate}`
    const { userId, submit } = await open()
    assert.match((await submit(bundle.replaceAll('\n', '\r\n'), ana.privateKey)).url, /\/done/)
    assert.match(JSON.stringify(await call(userId)), new RegExp(fingerprintOf(ana)))
  })

  it('does not link a certificate that the vendor refuses', async () => {
    const { userId, submit } = await open()
    const stranger = createCertificate('stranger')
    const shown = await submit(stranger.certificate, stranger.privateKey)
    assert.match(shown.html, /could not check these credentials right now/)
    assert.equal(await credentialOf(userId), undefined)
  })

  const testOf = async (userId: string) => {
    const { credential_id } = await credentialOf(userId)
    return (await t.call('POST', `/api/v1/registered-users/${userId}/credentials/${credential_id}/test`)).body
  }

  for (const place of ['token', 'api'] as const)
    it(`names a certificate that the vendor refuses in the TLS handshake in the form (${place})`, () =>
      vendor.whileRefusing(place, async () => {
        const { userId, submit } = await open()
        const { certificate, privateKey } = vendor.issue('ana')
        const shown = await submit(certificate, privateKey)
        assert.match(shown.html, /<bdi>Payroll<\/bdi> refused this certificate\./)
        assert.match(shown.html, /<textarea[^>]*name="certificate"[^>]*aria-invalid="true"/)
        assert.doesNotMatch(shown.html, /<textarea[^>]*name="private_key"[^>]*aria-invalid="true"/)
        assert.equal(await credentialOf(userId), undefined)
      }))

  it('a certificate that is refused by the API is an error of the credential, and does not end it', async () => {
    const userId = await link(vendor.issue('ana'))
    await vendor.whileRefusing('api', async () => {
      for (const _ of ['first', 'second']) {
        const result = await call(userId)
        assert.equal(result.isError, true)
        assert.match(JSON.stringify(result), /Payroll refused the client certificate of this account/)
        assert.match(JSON.stringify(result), /third_party_error.*must enter a current one/)
      }
      const { outcome, works } = await testOf(userId)
      assert.deepEqual([outcome, works], ['rejected', false])
      assert.equal((await credentialOf(userId)).status, 'active')
    })
    const [row] = await t.query<{ refused: boolean }>(
      'select refused_since is not null as refused from credentials where registered_user_id = $1',
      [userId],
    )
    assert.equal(row?.refused, true, 'it counts like a 401')
    assert.notEqual((await call(userId)).isError, true)
    assert.equal((await testOf(userId)).works, true)
  })

  it('a certificate that is refused by the token endpoint is an error of the credential, and does not end it', async () => {
    const userId = await link(vendor.issue('ana'))
    await expireToken(userId)
    await vendor.whileRefusing('token', async () => {
      const result = await call(userId)
      assert.equal(result.isError, true)
      assert.match(JSON.stringify(result), /refused the client certificate of this account/)
      assert.equal((await testOf(userId)).outcome, 'rejected')
      assert.equal((await credentialOf(userId)).status, 'active')
    })
    assert.notEqual((await call(userId)).isError, true)
  })

  it('uses a rotated certificate after the account was connected again', async () => {
    const [first, second] = [vendor.issue('ana'), vendor.issue('ana')]
    const userId = await link(first)
    const { id } = await credentialOf(userId)
    await link(second, userId)
    assert.equal((await credentialOf(userId)).id, id)
    const earlier = vendor.requests.length
    await expireToken(userId)
    assert.match(JSON.stringify(await call(userId)), new RegExp(fingerprintOf(second)))
    assert.ok(vendor.requests.slice(earlier).every(({ presented }) => presented === fingerprintOf(second)))
  })

  it('a vendor that is unavailable leaves the credential as it is', async () => {
    const userId = await link(vendor.issue('ana'))
    await expireToken(userId)
    vendor.setTokenStatus(500)
    assert.equal((await call(userId)).isError, true)
    vendor.setTokenStatus(200)
    assert.equal((await credentialOf(userId)).status, 'active')
    assert.notEqual((await call(userId)).isError, true)
  })

  it('leaves no key, secret or token in logs, events, rows, pages or results', async () => {
    const rows = await t.query('select * from credentials')
    const sinks = {
      logs: t.logLines.join('\n'),
      events: JSON.stringify(await t.events()),
      seen: seen.join('\n'),
      rows: rows
        .flatMap((row: Record<string, unknown>) => Object.values(row))
        .map(value => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)))
        .join('\n'),
    }
    const canaries = [
      MTLS_CLIENT.client_secret,
      'mtls-token-canary',
      ...keys.flatMap(key => key.split('\n')[1] ?? []).filter(line => line.length > 40),
    ]
    for (const [sink, content] of Object.entries(sinks))
      for (const canary of canaries) assert.ok(!content.includes(canary), `${canary} in ${sink}`)
  })
})
