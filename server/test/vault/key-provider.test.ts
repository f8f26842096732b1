import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runWords } from '../../../apps/carabiner/test/run-words.ts'
import { VaultKeyError } from '../../src/platform/vault/key.ts'
import {
  type KeyProvider,
  KeyServiceError,
  loadKeyProvider,
  providerKeyRing,
} from '../../src/platform/vault/key-provider.ts'
import { exportDataKey, newDataKey, SealBroken } from '../../src/platform/vault/sealing.ts'
import { eventually } from '../support/eventually.ts'
import { type KeyService, startKeyService } from '../support/key-service.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const TOKEN = 'token-of-this-test'

/** The example in the documentation, against a key service on loopback. */
describe('a service whose vault key is in a key service', () => {
  let folder: string
  let keys: KeyService
  let environment: Record<string, string>
  let t: TestService
  const file = (name: string) => join(folder, name)
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carabiner-provider-'))
    keys = await startKeyService(TOKEN)
    keys.createKey('first key')
    const page = readFileSync(join(import.meta.dirname, '../../../docs/security/key-services.md'), 'utf8')
    const [, code = ''] = /```js\n([^]*?)```/.exec(page) ?? []
    writeFileSync(file('provider.mjs'), code)
    writeFileSync(file('token'), `${TOKEN}\n`)
    writeFileSync(file('keys'), 'first key\n')
    Object.assign(process.env, {
      KEY_SERVICE_URL: keys.url,
      KEY_SERVICE_TOKEN_FILE: file('token'),
      KEY_SERVICE_KEYS_FILE: file('keys'),
    })
    environment = { KEY_PROVIDER: file('provider.mjs'), KEY_FILE: file('vault.key') }
    t = await startTestService('postgres', environment)
  })
  after(async () => {
    await t.stop()
    await keys.close()
    for (const name of ['KEY_SERVICE_URL', 'KEY_SERVICE_TOKEN_FILE', 'KEY_SERVICE_KEYS_FILE'])
      delete process.env[name]
    rmSync(folder, { recursive: true })
  })
  const createUser = (key: string) =>
    t.call('POST', '/api/v1/registered-users', { key, body: { origin_user_id: crypto.randomUUID() } })
  const commandEnvironment = () => ({
    ...environment,
    DATABASE_URL: t.databaseUrl as string,
    PORT: new URL(t.baseUrl).port,
    TOMBSTONE_PATH: t.tombstonePath,
  })

  /** Created by another process, so that the service has not cached its key. */
  const createElsewhere = async (name: string): Promise<string> =>
    ((await runWords(['org', 'create', name], commandEnvironment())).data as { production_key: string })
      .production_key

  it('starts and works without a vault key file', async () => {
    assert.equal((await createUser(t.organization.key)).status, 201)
    assert.ok(!existsSync(file('vault.key')))
    await assert.rejects(runWords(['vault-key', 'create'], environment), /in a key service/)
    await assert.rejects(runWords(['vault-key', 'add'], commandEnvironment()), /in a key service/)
  })

  it('slow: concurrent requests share one call, and other requests are served meanwhile', async () => {
    const key = await createElsewhere('Slow')
    keys.requests.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    keys.held = promise
    const waiting = Array.from({ length: 8 }, () => createUser(key))
    await eventually(async () => assert.ok(keys.requests.length > 0))
    assert.equal((await createUser(t.organization.key)).status, 201, 'its key is in the cache')
    resolve()
    keys.held = undefined
    for (const { status, text } of await Promise.all(waiting)) assert.equal(status, 201, text)
    assert.deepEqual(keys.requests, ['decrypt'])
  })

  it('fails: 503 with Retry-After where a key is needed, everything else works, and it recovers', async () => {
    const key = await createElsewhere('Failing')
    keys.fails = true
    const refused = await createUser(key)
    assert.equal(refused.status, 503, refused.text)
    assert.equal(refused.headers.get('retry-after'), '5')
    assert.equal(refused.body.error.code, 'unavailable')
    assert.equal(refused.body.error.retryable, true)
    assert.ok(t.logLines.some(line => line.includes('"alert":"key_service_failed"')))
    assert.ok(!t.logLines.some(line => line.includes(TOKEN)))
    assert.equal((await t.call('GET', '/api/v1/registered-users', { key })).status, 200)
    assert.equal((await t.call('GET', '/readyz', { key: null })).status, 200)
    assert.equal((await createUser(t.organization.key)).status, 201)
    const { data } = await runWords(['doctor'], commandEnvironment())
    const found = (data as { checks: { check: string; status: string; found: string }[] }).checks.find(
      ({ check }) => check === 'vault key',
    )
    assert.equal(found?.status, 'problem')
    assert.match(found?.found ?? '', /The key service failed: decrypt .* status 500/)
    await assert.rejects(startTestService('postgres', environment), KeyServiceError)
    keys.fails = false
    assert.equal((await createUser(key)).status, 201)
  })

  it('rotates to another key of the key service while the service runs', async () => {
    const earlier = await createElsewhere('Before')
    keys.createKey('second key')
    writeFileSync(file('keys'), 'second key\nfirst key\n')
    const { text } = await runWords(['vault-key', 'rotate'], commandEnvironment())
    assert.match(text, /wrapped under the first key of the key provider/)
    writeFileSync(file('keys'), 'second key\n')
    keys.deleteKey('first key')
    const later = await createElsewhere('After')
    for (const key of [earlier, later, t.organization.key]) {
      const { status, text: answer } = await createUser(key)
      assert.equal(status, 201, answer)
    }
  })
})

describe('a key provider', () => {
  const options = {
    keyIds: ['a'],
    encrypt: async () => Buffer.alloc(0),
    decrypt: async () => Buffer.alloc(0),
  }
  const xor = (bytes: Uint8Array) => Buffer.from(bytes).map(byte => byte ^ 0xff)
  const provider: KeyProvider = {
    keyIds: ['a', 'b'],
    encrypt: async (_, plaintext) => Buffer.concat([Buffer.alloc(16), xor(plaintext)]),
    decrypt: async (_, ciphertext) => xor(ciphertext.subarray(16)),
  }

  it('wraps under its first key, and unwraps for the same owner only', async () => {
    const ring = providerKeyRing(provider, 'test')
    const key = newDataKey()
    const wrapped = await ring.first().wrap(key, 'owner')
    const found = ring.find(wrapped.subarray(1, 17))
    assert.deepEqual(
      exportDataKey(await (found as NonNullable<typeof found>).unwrap(wrapped, 'owner')),
      exportDataKey(key),
    )
    await assert.rejects(ring.first().unwrap(wrapped, 'another'), SealBroken)
    assert.equal(
      providerKeyRing({ ...provider, keyIds: ['b'] }, 'test').find(wrapped.subarray(1, 17)),
      undefined,
    )
  })

  it('a call without an answer fails at its deadline, and a ciphertext without authentication is rejected', async () => {
    let aborted = false
    const hanging: KeyProvider = {
      ...options,
      encrypt: (_keyId, _plaintext, { signal }) => {
        signal.addEventListener('abort', () => (aborted = true))
        return new Promise(() => undefined)
      },
    }
    await assert.rejects(
      providerKeyRing(hanging, 'test', 20).first().wrap(newDataKey(), 'x'),
      KeyServiceError,
    )
    assert.ok(aborted)
    const plain: KeyProvider = { ...options, encrypt: async (_, plaintext) => plaintext }
    await assert.rejects(providerKeyRing(plain, 'test').first().wrap(newDataKey(), 'x'), KeyServiceError)
  })

  it('a module that cannot be loaded or returns something else is rejected', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-provider-'))
    const write = (name: string, code: string) => {
      writeFileSync(join(folder, name), code)
      return join(folder, name)
    }
    const modules = [
      join(folder, 'missing.mjs'),
      write('syntax.mjs', 'export default ('),
      write('nothing.mjs', ''),
      write('throws.mjs', 'export default () => { throw new Error("no access") }'),
      write('empty.mjs', 'export default () => ({ keyIds: [], encrypt() {}, decrypt() {} })'),
      write('partial.mjs', 'export default () => ({ keyIds: ["a"] })'),
    ]
    for (const path of modules) await assert.rejects(loadKeyProvider(path), VaultKeyError, path)
    rmSync(folder, { recursive: true })
  })
})
