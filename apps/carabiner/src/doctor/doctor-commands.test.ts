import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Finding, generateVaultKey } from '@carabiner/server/operator'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../../server/test/support/databases.ts'
import { startPgbouncer } from '../../../../server/test/support/pgbouncer.ts'
import { startTcpProxy } from '../../../../server/test/support/tcp-proxy.ts'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { runWords } from '../../test/run-words.ts'

type Report = { ok: boolean; checks: Finding[] }

describe('carabiner doctor', () => {
  let folder: string
  let t: TestService
  let empty: TestDatabase
  let environment: Record<string, string>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carabiner-doctor-'))
    t = await joinTestService('postgres')
    empty = await createTestDatabase('postgres')
    environment = {
      DATABASE_URL: t.databaseUrl as string,
      PORT: new URL(t.baseUrl).port,
      KEY_FILE: t.keyFile,
      TOMBSTONE_PATH: t.tombstonePath,
    }
  })
  after(async () => {
    await t.stop()
    await empty.drop()
    rmSync(folder, { recursive: true })
  })
  const file = (name: string) => join(folder, name)
  const examine = async (settings: Record<string, string | undefined> = {}, ...words: string[]) => {
    const { data, text, failed } = await runWords(['doctor', ...words], { ...environment, ...settings })
    const { checks, ok } = data as Report
    assert.equal(failed, !ok)
    return {
      text,
      ok,
      of: (name: string) => checks.filter(({ check }) => check === name),
      problems: checks.filter(({ status }) => status === 'problem').map(({ check }) => check),
    }
  }
  /** The tests run on a cluster without durability, on a machine of any speed and size. */
  const OF_THE_MACHINE = ['database settings', 'database latency', 'disk', 'clock']
  const unexpected = (problems: string[], ...expected: string[]) =>
    problems.filter(name => ![...OF_THE_MACHINE, ...expected].includes(name))

  it('detects transaction pooling, and accepts it with DATABASE_DIRECT_URL', async () => {
    const direct = environment.DATABASE_URL as string
    const pooler = await startPgbouncer(direct)
    try {
      const found = async (settings: Record<string, string>) => {
        const [finding] = (await examine(settings)).of('connection pooling')
        return [finding?.status, finding?.found]
      }
      assert.deepEqual(await found({ DATABASE_URL: pooler.url }), [
        'problem',
        'A connection pooler assigns transactions of one connection to different server processes.',
      ])
      assert.deepEqual(await found({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct }), [
        'ok',
        'the pooler at DATABASE_URL responds',
      ])
      assert.deepEqual(await found({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: pooler.url }), [
        'problem',
        'DATABASE_DIRECT_URL leads to a connection pooler.',
      ])
      await pooler.stop()
      const [status, text] = await found({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct })
      assert.equal(status, 'problem')
      assert.match(text ?? '', /^The pooler at DATABASE_URL cannot be used: .*ECONNREFUSED/)
    } finally {
      await pooler.close()
    }
  })

  it('finds nothing in a working installation, and names each check', async () => {
    const { problems, text, of } = await examine()
    assert.deepEqual(unexpected(problems), [], text)
    assert.match(text, /✔ settings +all settings are valid/)
    assert.match(text, /✔ database version +PostgreSQL \d+/)
    assert.match(text, /✔ migrations +\d+ applied, none pending/)
    assert.match(text, /✔ vault key +.*decrypts the keys of this database/)
    assert.match(text, /✔ connection pooling/)
    assert.match(text, /✔ LINK_URL +http:.*\/livez answers/)
    assert.equal(of('TLS')[0]?.status, 'skipped')
  })

  it('reports settings of PostgreSQL that lose data, with the statement that fixes them', async () => {
    const { of, ok, text } = await examine()
    assert.equal(ok, false)
    const found = of('database settings')
    assert.ok(found.some(finding => finding.found.startsWith('fsync is off') && finding.status === 'problem'))
    assert.match(text, /Fix: alter system set fsync = on/)
    const small = await examine({ DATABASE_POOL_SIZE: '100', PROCESSES: '4' })
    assert.ok(small.of('database settings').some(each => /max_connections is 200, .* 410/.test(each.found)))
  })

  it('reports invalid settings, all of them', async () => {
    const { of, problems } = await examine({ PORT: 'x', LOG_LEVEL: 'loud' })
    assert.deepEqual(problems, ['settings', 'settings'])
    assert.match(of('settings')[0]?.found ?? '', /^PORT must be/)
  })

  it('a database that cannot be reached is one finding, and the other checks still run', async () => {
    const { problems, of } = await examine({ DATABASE_URL: 'postgres://postgres@127.0.0.1:9/x' })
    assert.deepEqual(unexpected(problems), ['database'])
    assert.equal(of('migrations')[0]?.status, 'skipped')
    assert.equal(of('LINK_URL')[0]?.status, 'ok')
  })

  it('a database that hangs does not stop the other checks', async () => {
    const proxy = await startTcpProxy(Number(new URL(t.databaseUrl as string).port))
    proxy.freeze({ andNew: true })
    const url = new URL(t.databaseUrl as string)
    url.port = String(proxy.port)
    const { of } = await examine({ DATABASE_URL: url.href, DATABASE_TIMEOUT_MS: '300' })
    assert.equal(of('database')[0]?.status, 'problem')
    assert.equal(of('LINK_URL')[0]?.status, 'ok')
    await proxy.close()
  })

  it('reports pending migrations and a database that was created with another vault key', async () => {
    const client = new pg.Client({ connectionString: empty.url })
    await client.connect()
    await client.query(`delete from schema_migrations where version > 9`)
    await client.end()
    const pending = await examine({ DATABASE_URL: empty.url })
    assert.match(pending.of('migrations')[0]?.found ?? '', /\d+ migrations are pending: 0010_/)
    writeFileSync(file('other.key'), generateVaultKey('development').reveal(), { mode: 0o400 })
    const other = await examine({ KEY_FILE: file('other.key') })
    assert.deepEqual(unexpected(other.problems), ['vault key'])
    assert.match(other.of('vault key')[0]?.found ?? '', /is not the one that this database was created with/)
    const missing = await examine({ KEY_FILE: file('missing.key') })
    assert.match(missing.of('vault key')[0]?.found ?? '', /There is no vault key/)
    assert.throws(() => statSync(file('missing.key')), 'nothing was created')
  })

  it('reports a deleted-user log that cannot be written', async () => {
    mkdirSync(file('occupied'))
    writeFileSync(file('occupied/file'), '')
    const { of } = await examine({ TOMBSTONE_PATH: file('occupied/file/log') })
    assert.equal(of('deleted-user log')[0]?.status, 'problem')
  })

  it('reports a certificate that is for another host or does not belong to the key, and accepts a short-lived one', async () => {
    const create = (name: string, host: string, days: number) =>
      execFileSync(
        'openssl',
        [
          'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'.split(' '),
          ['-keyout', file(`${name}-key.pem`), '-out', file(`${name}.pem`), '-days', String(days)],
          ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`],
        ].flat(),
        { stdio: 'ignore' },
      )
    create('good', 'localhost', 90)
    create('short', 'localhost', 3)
    create('other', 'elsewhere.example.com', 90)
    const tls = async (certificate: string, key = certificate) =>
      (
        await examine({
          TLS_CERTIFICATE_FILE: file(`${certificate}.pem`),
          TLS_KEY_FILE: file(`${key}-key.pem`),
          BASE_URL: `https://localhost:${new URL(t.baseUrl).port}`,
        })
      ).of('TLS')[0]
    assert.equal((await tls('good'))?.status, 'ok')
    assert.equal((await tls('short'))?.status, 'ok', 'renewed when a part of its short lifetime is left')
    assert.match((await tls('other'))?.found ?? '', /not valid for localhost/)
    assert.match((await tls('good', 'short'))?.found ?? '', /does not belong to the certificate/)
    chmodSync(file('good-key.pem'), 0o644)
    assert.match((await tls('good'))?.found ?? '', /accessible to all accounts/)
  })

  it('reports a wrong clock and a LINK_URL that another program answers', async () => {
    const answers: [status: number, body: string, date: string][] = [
      [200, '{"status":"ok"}', new Date(Date.now() - 60_000).toUTCString()],
      [200, 'Welcome to nginx', new Date().toUTCString()],
    ]
    const server = createServer((_request, response) => {
      const [status, body, date] = answers.shift() as (typeof answers)[number]
      response.writeHead(status, { date }).end(body)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const LINK_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/link`
    const late = await examine({ LINK_URL })
    assert.match(
      late.of('LINK_URL')[0]?.found ?? '',
      /differs from the clock of this machine by about (59|6\d) seconds/,
    )
    const foreign = await examine({ LINK_URL })
    assert.match(foreign.of('LINK_URL')[0]?.found ?? '', /status 200, but not by this service/)
    await new Promise(resolve => server.close(resolve))
    const closed = await examine({ LINK_URL })
    assert.match(closed.of('LINK_URL')[0]?.found ?? '', /cannot be reached: .*ECONNREFUSED/)
  })

  it('before the first start, the addresses of the service are not checked', async () => {
    const BASE_URL = 'http://127.0.0.1:9'
    assert.deepEqual(unexpected((await examine({ BASE_URL })).problems), ['BASE_URL', 'LINK_URL'])
    const { problems, of } = await examine({ BASE_URL }, '--before-start')
    assert.deepEqual(unexpected(problems), [])
    assert.equal(of('BASE_URL')[0]?.found, 'not checked before the first start')
  })

  it('checks outbound access and names, with the name servers of the service', async () => {
    const { of } = await examine({}, '--outbound', t.baseUrl, '--outbound', 'http://127.0.0.1:9/')
    assert.deepEqual(
      of('outbound access').map(({ status }) => status),
      ['ok', 'problem'],
    )
    assert.equal(of('DNS')[0]?.status, 'skipped')
    const unknown = await examine({ LINK_URL: 'https://link.invalid/x', DNS_SERVERS: '127.0.0.1:9' })
    assert.match(unknown.of('DNS')[0]?.found ?? '', /link\.invalid cannot be resolved/)
  })

  it('the support bundle contains no secret, in whatever setting it is', async () => {
    const canary = (name: string) => `canary-${name}-0123456789`
    const settings = {
      DATABASE_URL: (t.databaseUrl as string).replace('://postgres', `://postgres:${canary('database')}`),
      DATABASE_REPLICA_URL: `postgres://reader:${canary('replica')}@127.0.0.1:9/x?password=${canary('query')}`,
      VAULT_KEY: generateVaultKey('development').reveal(),
      VAULT_KEY_PREVIOUS: readFileSync(t.keyFile, 'utf8').trim(),
      OAUTH_SANDBOX_NOTES_CLIENT_ID: 'client',
      OAUTH_SANDBOX_NOTES_CLIENT_SECRET: canary('client'),
      SANDBOX_URL: `http://user:${canary('sandbox')}@127.0.0.1:9`,
      SMTP_URL: `smtp://user:${canary('smtp')}@127.0.0.1:9`,
      MAIL_FROM: 'Orbit <no-reply@orbit.example>',
      SSO_ISSUER: 'https://127.0.0.1:9',
      SSO_CLIENT_ID: 'client',
      SSO_CLIENT_SECRET: canary('sign-on'),
    }
    await t.createUser({ origin_user_name: canary('user') })
    const { data } = await runWords(['support-bundle', '--to', file('bundle.json')], {
      ...environment,
      ...settings,
    })
    assert.deepEqual(data, { file: file('bundle.json') })
    assert.equal(statSync(file('bundle.json')).mode & 0o777, 0o600)
    const text = readFileSync(file('bundle.json'), 'utf8')
    const secrets = [
      'canary-',
      settings.VAULT_KEY.split(':')[2] as string,
      settings.VAULT_KEY_PREVIOUS.split(':')[2] as string,
      t.organization.key,
      t.organization.id,
    ]
    for (const secret of secrets) assert.ok(!text.includes(secret), secret)
    const bundle = JSON.parse(text)
    assert.equal(bundle.settings.vaultKey, 'set')
    assert.match(bundle.settings.databaseUrl, /^postgres:\/\/127\.0\.0\.1:\d+\/test_/)
    assert.deepEqual(bundle.settings.oauthApps, ['sandbox-notes'])
    assert.ok(bundle.doctor.length > 15)
    assert.ok(bundle.database.tables.some(({ name, bytes }: any) => name === 'tool_calls' && bytes > 0))
    assert.deepEqual(bundle.database.organizations, [{ state: 'active', count: 1 }])
    assert.equal(bundle.database.migrations.pending.length, 0)
    await assert.rejects(
      runWords(['support-bundle', '--to', file('bundle.json')], environment),
      /exists already/,
    )
  })

  it('the support bundle of invalid settings does not repeat a secret in them', async () => {
    await runWords(['support-bundle', '--to', file('invalid.json')], {
      ...environment,
      BASE_URL: 'https://user:canary-in-url@link.example.com',
      VAULT_KEY: 'canary-in-key',
      PORT: 'canary-in-key',
    })
    const text = readFileSync(file('invalid.json'), 'utf8')
    assert.match(text, /PORT must be/)
    assert.ok(!text.includes('canary-'), text)
  })
})
