import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { joinTestService, startTestService, type TestService } from '../support/test-service.ts'

describe('API keys and callback origins', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())

  const keys = async (key: string) =>
    (await t.call('GET', '/api/v1/api-keys', { key })).body.data as {
      id: string
      mode: string
      hint: string
    }[]

  it('production and test keys authenticate as Bearer; without a key the status is 401 [key.bearer]', async () => {
    assert.equal((await t.call('GET', '/api/v1/organization')).status, 200)
    assert.equal((await t.call('GET', '/api/v1/organization', { key: t.organization.testKey })).status, 200)
    const none = await t.call('GET', '/api/v1/organization', { key: null })
    assert.deepEqual(
      [none.status, none.body.error.code, none.headers.get('www-authenticate')],
      [401, 'missing_api_key', 'Bearer'],
    )
    const basic = await t.call('GET', '/api/v1/organization', {
      key: null,
      headers: { authorization: `Basic ${t.organization.key}` },
    })
    assert.equal(basic.status, 401)
  })

  it('regenerating a key invalidates the old one at once; earlier codes confirm with the new one [key.regenerate] [key.code-after-regenerate]', async () => {
    const organization = await t.createOrganization('Regenerate')
    await t.allowOrigin('https://app.example.com', organization.key)
    const user = await t.createUser({}, organization.key)
    const browser = createBrowserUser()
    await linkNotes(
      browser,
      (await t.mint(user.id, { callback_url: 'https://app.example.com/cb', state: 's' }, organization.key))
        .magic_link_url,
    )
    const code = new URL(browser.lastLocation as string).searchParams.get('code')
    const production = (await keys(organization.key)).find(({ mode }) => mode === 'production')
    const issued = await t.call('POST', `/api/v1/api-keys/${production?.id}/regenerate`, {
      key: organization.key,
    })
    assert.equal(issued.status, 201)
    const old = await t.call('POST', '/api/v1/link-token/confirm', { key: organization.key, body: { code } })
    assert.deepEqual([old.status, old.body.error.code], [401, 'invalid_api_key'])
    assert.equal(
      (await t.call('POST', '/api/v1/link-token/confirm', { key: issued.body.key, body: { code } })).status,
      200,
    )
    assert.equal((await keys(issued.body.key)).filter(({ mode }) => mode === 'production').length, 1)
  })

  it('test keys can be created and revoked; the last production key can only be replaced', async () => {
    const created = await t.call('POST', '/api/v1/api-keys', { body: { name: 'CI' } })
    assert.deepEqual([created.status, created.body.mode], [201, 'test'])
    assert.equal((await t.call('GET', '/api/v1/organization', { key: created.body.key })).status, 200)
    assert.equal((await t.call('DELETE', `/api/v1/api-keys/${created.body.id}`)).status, 204)
    assert.equal((await t.call('GET', '/api/v1/organization', { key: created.body.key })).status, 401)
    const production = (await keys(t.organization.key)).find(({ mode }) => mode === 'production')
    assert.equal((await t.call('DELETE', `/api/v1/api-keys/${production?.id}`)).status, 409)
    assert.doesNotMatch(JSON.stringify(await keys(t.organization.key)), /[0-9A-Za-z]{20}/)
  })

  it('an origin is matched exactly: scheme, host and port [origin.exact] [origin.https-or-app] [origin.unauthorized]', async () => {
    for (const origin of ['https://app.example.com', 'http://localhost:3000', 'myapp:'])
      await t.allowOrigin(origin)
    const listed = (await t.call('GET', '/api/v1/callback-origins')).body.data.map(
      ({ origin }: { origin: string }) => origin,
    )
    assert.deepEqual(listed, ['https://app.example.com', 'http://localhost:3000', 'myapp://'])
    const user = await t.createUser()
    const mint = (callback_url: string) =>
      t.call('POST', `/api/registered-users/${user.id}/link-token`, { body: { callback_url } })
    for (const url of [
      'https://app.example.com/a?b#c',
      'https://app.example.com:443/',
      'http://localhost:3000/x',
      'myapp://anything/at?all',
    ]) {
      assert.equal((await mint(url)).status, 201, url)
    }
    for (const url of [
      'https://staging.app.example.com/',
      'https://app.example.com:8443/',
      'http://localhost:3001/',
      'http://app.example.com/',
      'myapp2://x',
    ]) {
      const answer = await mint(url)
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'unauthorized_origin'], url)
      assert.match(answer.body.error.message, /unauthorized origin/i)
    }
    for (const origin of [
      'http://app.example.com',
      'https://*.example.com',
      'https://app.example.com/path',
      'javascript:',
      'https://u:p@app.example.com',
    ]) {
      assert.equal(
        (await t.call('POST', '/api/v1/callback-origins', { body: { origin } })).body.error.code,
        'invalid_origin',
        origin,
      )
    }
  })

  it('an origin unlisted after minting: the page shows "unauthorized origin", and nothing is stored [origin.unauthorized]', async () => {
    await t.allowOrigin('https://gone.example.com')
    const user = await t.createUser()
    const { magic_link_url } = await t.mint(user.id, { callback_url: 'https://gone.example.com/cb' })
    assert.equal(
      (await t.call('DELETE', '/api/v1/callback-origins', { body: { origin: 'https://gone.example.com' } }))
        .status,
      204,
    )
    const page = await createBrowserUser().open(magic_link_url)
    assert.equal(page.status, 400)
    assert.match(page.html, /unauthorized origin/i)
  })

  it('every API route is available under both prefixes, with and without a trailing slash [version.prefixes]', async () => {
    for (const path of [
      '/api/v1/organization',
      '/api/organization',
      '/api/v1/organization/',
      '/api/organization/',
    ]) {
      assert.equal((await t.call('GET', path)).status, 200, path)
    }
  })

  it('an error has a type, a code, a message, the request ID and a documentation URL [error.shape]', async () => {
    const answer = await t.call('GET', '/api/v1/registered-users/none')
    assert.equal(answer.status, 404)
    const { error } = answer.body
    assert.deepEqual([error.type, error.code], ['not_found', 'registered_user_not_found'])
    assert.equal(error.request_id, answer.headers.get('x-request-id'))
    const page = await t.call('GET', error.documentation_url, {
      key: null,
      headers: { accept: 'text/html' },
    })
    assert.match(page.text, /id="registered_user_not_found"/)
  })
})

describe('TLS', () => {
  it('is served directly with a certificate, from version 1.2 on [auth.tls]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
      ],
      { stdio: 'ignore' },
    )
    const t = await startTestService('postgres', { TLS_CERTIFICATE_FILE: cert, TLS_KEY_FILE: key })
    const port = Number(new URL(t.baseUrl).port)
    const handshake = (maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string>(resolve => {
        const options = {
          host: 'localhost',
          port,
          rejectUnauthorized: false,
          maxVersion,
          minVersion: maxVersion,
          ciphers: 'ALL:@SECLEVEL=0',
        } as const
        const socket = connect(options, () => {
          resolve(socket.getProtocol() ?? 'none')
          socket.destroy()
        })
        socket.on('error', () => resolve('refused'))
      })
    assert.equal(await handshake('TLSv1.3'), 'TLSv1.3')
    assert.equal(await handshake('TLSv1.2'), 'TLSv1.2')
    assert.equal(await handshake('TLSv1.1'), 'refused')
    await t.stop()
    rmSync(folder, { recursive: true })
  })
})
