import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { inspect } from 'node:util'
import { ConfigError, readConfig } from './config.ts'

const problemsOf = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}
const PRODUCTION = { NODE_ENV: 'production', BASE_URL: 'https://link.example.com', TRUST_PROXY: '10.0.0.1' }
const POSTGRES = 'postgres://user:hunter2@db/carabiner'

describe('the configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-config-'))
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  after(() => rmSync(folder, { recursive: true }))

  it('needs no settings: the default is a development service on localhost', () => {
    const config = readConfig({})
    assert.deepEqual(
      [config.baseUrl, config.linkUrl, config.host, config.port, config.sandboxPort],
      ['http://localhost:4000', 'http://localhost:4000/link', 'localhost', 4000, 4001],
    )
    assert.deepEqual([config.development, config.production, config.migrate], [true, false, true])
    assert.deepEqual([config.databaseUrl, config.vaultKey, config.tls], [undefined, undefined, undefined])
  })

  it('a listener off loopback needs TLS or a trusted proxy, in development as well', () => {
    const hosts = ['0.0.0.0', '::', '10.0.0.5', 'my-machine']
    for (const HOST of hosts) {
      const [problem = '', ...others] = problemsOf({ HOST })
      assert.match(problem, /^HOST=\S+ with plain HTTP requires a proxy .*TRUST_PROXY.*TLS_CERTIFICATE_FILE/)
      assert.match(problem, /ALLOW_PLAIN_HTTP_IN_DEVELOPMENT=yes/)
      assert.deepEqual(others, [])
      const tls = { TLS_CERTIFICATE_FILE: 'c', TLS_KEY_FILE: 'k' }
      const allowed = { ALLOW_PLAIN_HTTP_IN_DEVELOPMENT: 'yes' }
      for (const remedy of [{ TRUST_PROXY: '10.0.0.1' }, tls, allowed])
        assert.equal(readConfig({ HOST, ...remedy }).host, HOST)
    }
    for (const HOST of ['localhost', '127.0.0.1', '127.0.0.2', '::1'])
      assert.equal(readConfig({ HOST }).host, HOST)
  })

  it('plain HTTP off loopback can be allowed in development only', () => {
    const { TRUST_PROXY: _, ...unproxied } = PRODUCTION
    const problems = problemsOf({ ...unproxied, ALLOW_PLAIN_HTTP_IN_DEVELOPMENT: 'yes' }).join('\n')
    assert.match(problems, /is for a BASE_URL on loopback without NODE_ENV=production/)
    assert.match(problems, /HOST=0\.0\.0\.0 with plain HTTP requires a proxy/)
    assert.match(problemsOf({ ALLOW_PLAIN_HTTP_IN_DEVELOPMENT: '1' }).join(), /must be yes/)
  })

  it('reads the number of processes, and uses one with the embedded database', () => {
    const processes = (PROCESSES: string, rest = {}) => readConfig({ PROCESSES, ...rest }).processes
    assert.equal(readConfig({ DATABASE_URL: POSTGRES }).processes, 1)
    assert.equal(processes('3', { DATABASE_URL: POSTGRES }), 3)
    assert.equal(processes('auto', { DATABASE_URL: POSTGRES }), availableParallelism())
    assert.deepEqual([processes('1'), processes('auto')], [1, 1])
    assert.match(problemsOf({ PROCESSES: '2' }).join(), /PROCESSES requires DATABASE_URL/)
    for (const wrong of ['0', '-1', 'all', '1.5', '257'])
      assert.match(
        problemsOf({ PROCESSES: wrong, DATABASE_URL: POSTGRES }).join(),
        /PROCESSES must be "auto" or/,
      )
  })

  it('serves metrics only on request, on loopback and on a port of their own', () => {
    assert.equal(readConfig({}).metrics, undefined)
    assert.deepEqual(readConfig({ METRICS_PORT: '9464' }).metrics, { host: '127.0.0.1', port: 9464 })
    const address = { METRICS_PORT: '9464', METRICS_ADDRESS: '10.0.0.5' }
    assert.equal(readConfig(address).metrics?.host, '10.0.0.5')
    assert.match(problemsOf({ PORT: '9464', METRICS_PORT: '9464' }).join(), /must differ from PORT/)
    assert.match(problemsOf({ METRICS_ADDRESS: '::' }).join(), /requires METRICS_PORT/)
  })

  it('traces only if there is an endpoint, and reports settings of traces that it cannot use', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }
    assert.equal(readConfig({}).tracing, undefined)
    assert.equal(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).tracing, undefined)
    assert.equal(readConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).tracing, undefined)
    const { tracing } = readConfig(endpoint)
    assert.equal(tracing?.url, 'http://collector:4318/v1/traces')
    assert.deepEqual(tracing?.sampler, { isParentBased: true, ratio: 1 })
    const ofTraces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/spans' }
    assert.equal(readConfig({ ...endpoint, ...ofTraces }).tracing?.url, 'https://collector/spans')
    for (const [name, value] of [
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
      ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
      ['OTEL_PROPAGATORS', 'b3'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
      ['OTEL_RESOURCE_ATTRIBUTES', 'a=%'],
    ] as const) {
      const problems = problemsOf({ ...endpoint, [name]: value })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', new RegExp(`^${name} must be`))
      assert.doesNotMatch(problems[0] ?? '', /hunter2/)
    }
    const ratio = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1.5' }
    assert.match(problemsOf({ ...endpoint, ...ratio }).join(), /from 0 to 1/)
    const secret = { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2' }
    assert.doesNotMatch(inspect(readConfig(secret), { depth: 9 }), /hunter2/)
  })

  it('reads the role, which requires a database unless one process does everything', () => {
    const role = (ROLE: string, rest = {}) => readConfig({ ROLE, ...rest }).role
    const database = { DATABASE_URL: POSTGRES }
    assert.deepEqual([readConfig({}).role, role('all')], ['all', 'all'])
    assert.deepEqual([role('api', database), role('worker', database)], ['api', 'worker'])
    assert.equal(readConfig({ ROLE: 'worker', PROCESSES: 'auto', ...database }).processes, 1)
    assert.match(problemsOf({ ROLE: 'api' }).join(), /ROLE=api requires DATABASE_URL/)
    assert.match(problemsOf({ ROLE: 'web', ...database }).join(), /ROLE must be one of all, api, worker/)
    assert.match(problemsOf({ ROLE: 'worker', PROCESSES: '2', ...database }).join(), /PROCESSES must be 1/)
  })

  it('reads the replica and the bound of its lag, which require a database', () => {
    const config = readConfig({ DATABASE_URL: POSTGRES, DATABASE_REPLICA_URL: POSTGRES })
    assert.deepEqual([config.databaseReplicaUrl?.reveal(), config.databaseReplicaMaxLagMs], [POSTGRES, 5000])
    assert.match(problemsOf({ DATABASE_REPLICA_URL: POSTGRES }).join(), /requires DATABASE_URL/)
    assert.match(
      problemsOf({ DATABASE_URL: POSTGRES, DATABASE_REPLICA_URL: 'mysql://db' }).join(),
      /DATABASE_REPLICA_URL must be a postgres/,
    )
    assert.match(problemsOf({ DATABASE_REPLICA_MAX_LAG: '1' }).join(), /DATABASE_REPLICA_MAX_LAG must be/)
  })

  it('reads how long a stopping process still serves: not at all in development, else 8 seconds', () => {
    const production = {
      NODE_ENV: 'production',
      BASE_URL: 'https://link.example.com',
      TRUST_PROXY: '10.0.0.0/8',
      DATABASE_URL: POSTGRES,
    }
    assert.deepEqual([readConfig({}).drainDelayMs, readConfig(production).drainDelayMs], [0, 8000])
    assert.equal(readConfig({ DRAIN_DELAY: '3' }).drainDelayMs, 3000)
    assert.match(problemsOf({ DRAIN_DELAY: '21' }).join(), /DRAIN_DELAY must be/)
  })

  it('reads the direct URL behind a pooler, with which statements have no names by default', () => {
    const pooled = { DATABASE_URL: POSTGRES, DATABASE_DIRECT_URL: POSTGRES }
    const named = (environment: Record<string, string>) => readConfig(environment).databasePreparedStatements
    assert.equal(readConfig(pooled).databaseDirectUrl?.reveal(), POSTGRES)
    assert.deepEqual([named({ DATABASE_URL: POSTGRES }), named(pooled)], [true, false])
    assert.equal(named({ ...pooled, DATABASE_PREPARED_STATEMENTS: 'on' }), true)
    assert.match(problemsOf({ DATABASE_DIRECT_URL: POSTGRES }).join(), /requires DATABASE_URL/)
    assert.match(problemsOf({ DATABASE_PREPARED_STATEMENTS: 'no' }).join(), /must be on or off/)
  })

  it('reports all problems at once', () => {
    const problems = problemsOf({
      NODE_ENV: 'production',
      BASE_URL: 'http://link.example.com',
      LINK_URL: 'ftp://link.example.com',
      PORT: '70000',
      SANDBOX_PORT: 'x',
      DATABASE_POOL_SIZE: '0',
      DATABASE_URL: 'mysql://db',
      LOG_LEVEL: 'loud',
      ADMISSION_COMMIT: 'maybe',
      TLS_KEY_FILE: '/key',
      VAULT_KEY: 'a',
      VAULT_KEY_FILE: join(folder, 'missing'),
      OAUTH_NOTION_CLIENT_ID: 'id',
    })
    const about = [
      /PORT must be a whole number.*70000/,
      /^LINK_URL must be an http/,
      /TLS_CERTIFICATE_FILE and TLS_KEY_FILE/,
      /BASE_URL must be https/,
      /LINK_URL must be https/,
      /with plain HTTP requires a proxy/,
      /^DATABASE_URL must be a postgres/,
      /^ADMISSION_COMMIT must be sync or async/,
      /^LOG_LEVEL must be one of/,
      /^DATABASE_POOL_SIZE/,
      /either VAULT_KEY or VAULT_KEY_FILE/,
      /^VAULT_KEY_FILE cannot be read: ENOENT/,
      /^SANDBOX_PORT/,
      /OAUTH_NOTION_CLIENT_ID requires OAUTH_NOTION_CLIENT_SECRET/,
    ]
    for (const pattern of about)
      assert.ok(
        problems.some(problem => pattern.test(problem)),
        String(pattern),
      )
    assert.equal(problems.length, about.length, problems.join('\n'))
    assert.match(new ConfigError(problems).message, /has 14 problems:\n {2}- /)
  })

  it('reports a problem without repeating a secret', () => {
    const environment = {
      DATABASE_URL: 'mysql://user:hunter2@db',
      VAULT_KEY: 'hunter2',
      VAULT_KEY_FILE: '/missing',
    }
    const problems = problemsOf(environment)
    assert.equal(problems.length, 3)
    assert.doesNotMatch(problems.join(), /hunter2/)
  })

  for (const name of ['DATABASE_URL', 'VAULT_KEY'] as const) {
    it(`reads ${name} from the file that ${name}_FILE names, without the newline at its end`, () => {
      const config = readConfig({ [`${name}_FILE`]: file(name, `${POSTGRES}\n`) })
      const read = name === 'VAULT_KEY' ? config.vaultKey : config.databaseUrl
      assert.equal(read?.reveal(), POSTGRES)
    })
    it(`rejects ${name} and ${name}_FILE together`, () => {
      const problems = problemsOf({ [name]: POSTGRES, [`${name}_FILE`]: file(name, POSTGRES) })
      assert.deepEqual(problems, [`Set either ${name} or ${name}_FILE, not both.`])
    })
    it(`rejects an empty file of ${name}_FILE`, () => {
      assert.equal(problemsOf({ [`${name}_FILE`]: file('empty', '\n') }).length, 1)
    })
    it(`names the file of ${name}_FILE that cannot be read`, () => {
      assert.match(
        problemsOf({ [`${name}_FILE`]: '/no/such' }).join(),
        /cannot be read: ENOENT at \/no\/such/,
      )
      assert.match(problemsOf({ [`${name}_FILE`]: folder }).join(), /cannot be read: EISDIR/)
    })
  }

  it('reads previous vault keys with any separator', () => {
    const { previousVaultKeys } = readConfig({
      VAULT_KEY: 'new',
      VAULT_KEY_PREVIOUS: ' old, older\n oldest ',
    })
    assert.deepEqual(
      previousVaultKeys.map(key => key.reveal()),
      ['old', 'older', 'oldest'],
    )
    assert.deepEqual(readConfig({ VAULT_KEY: 'new' }).previousVaultKeys, [])
    assert.match(problemsOf({ VAULT_KEY_PREVIOUS: 'old' }).join(), /VAULT_KEY_PREVIOUS requires VAULT_KEY/)
  })

  it('does not reveal secrets when it is printed', () => {
    const config = readConfig({
      DATABASE_URL: POSTGRES,
      VAULT_KEY: 'hunter2',
      OAUTH_NOTION_CLIENT_ID: 'id',
      OAUTH_NOTION_CLIENT_SECRET: 'hunter2',
    })
    assert.doesNotMatch(inspect(config, { depth: null }) + JSON.stringify(config), /hunter2/)
  })

  it('reads OAuth apps by the slug in their names, with secrets from files too', () => {
    const { oauthApps } = readConfig({
      OAUTH_GOOGLE_DRIVE_CLIENT_ID: ' drive ',
      OAUTH_GOOGLE_DRIVE_CLIENT_SECRET_FILE: file('drive', 's3cret\n'),
      OAUTH_NOTION_CLIENT_ID: 'notion',
      OAUTH_NOTION_CLIENT_SECRET: 'other',
      OAUTH_EMPTY_CLIENT_ID: ' ',
    })
    assert.deepEqual([...oauthApps.keys()], ['google-drive', 'notion'])
    const drive = oauthApps.get('google-drive')
    assert.deepEqual([drive?.clientId, drive?.clientSecret.reveal()], ['drive', 's3cret'])
  })

  it('rejects an OAuth app without a secret, or with an empty secret file', () => {
    const id = { OAUTH_NOTION_CLIENT_ID: 'id' }
    assert.match(problemsOf(id).join(), /requires OAUTH_NOTION_CLIENT_SECRET/)
    assert.equal(problemsOf({ ...id, OAUTH_NOTION_CLIENT_SECRET: ' ' }).length, 1)
    assert.ok(problemsOf({ ...id, OAUTH_NOTION_CLIENT_SECRET_FILE: file('empty', '\n') }).length > 0)
  })

  for (const port of ['-1', '65536', '1.5', 'abc', '4000x', '4 000', 'NaN', 'Infinity', '0x50', '1e3'])
    for (const name of ['PORT', 'SANDBOX_PORT'])
      it(`rejects ${name}=${port}`, () => {
        assert.deepEqual(problemsOf({ [name]: port }), [
          `${name} must be a whole number from 0 to 65535, not "${port}".`,
        ])
      })

  it('accepts any other port, and 0 for any free one', () => {
    for (const port of ['0', '1', '8080', '65535'])
      assert.equal(readConfig({ PORT: port }).port, Number(port))
    assert.equal(readConfig({ PORT: '8080' }).baseUrl, 'http://localhost:8080')
  })

  for (const url of [
    '',
    'x',
    'link.example.com',
    '/link',
    'file:///etc',
    'https://h/?q',
    'https://h/#f',
    'https://u@h',
    'https://:p@h',
  ])
    it(`rejects BASE_URL=${url || '(empty means unset)'}`, () => {
      const problems = problemsOf({ BASE_URL: url, TRUST_PROXY: 'loopback' })
      assert.equal(problems.length, url === '' ? 0 : 1, problems.join())
    })

  it('removes the trailing slash of an address', () => {
    const config = readConfig({
      ...PRODUCTION,
      BASE_URL: 'https://h.example/',
      LINK_URL: 'https://l.example/x//',
    })
    assert.deepEqual([config.baseUrl, config.linkUrl], ['https://h.example', 'https://l.example/x'])
  })

  it('is development exactly on loopback without NODE_ENV=production', () => {
    const development = (environment: Record<string, string>) =>
      readConfig({ TRUST_PROXY: 'loopback', ...environment }).development
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])
      assert.equal(development({ BASE_URL: `http://${host}:4000` }), true, host)
    for (const host of ['example.com', 'localhost.example.com', '127.0.0.1.nip.io', '0.0.0.0', '192.168.1.2'])
      assert.equal(development({ BASE_URL: `https://${host}` }), false, host)
    assert.equal(development({ NODE_ENV: 'production', BASE_URL: 'https://localhost' }), false)
  })

  it('rejects plain http addresses in production, also on loopback', () => {
    assert.deepEqual(problemsOf({ ...PRODUCTION, BASE_URL: 'http://localhost:4000' }), [
      'BASE_URL must be https; http is for development on loopback only.',
      'LINK_URL must be https; http is for development on loopback only.',
    ])
    assert.deepEqual(problemsOf({ ...PRODUCTION, LINK_URL: 'http://localhost:4000/link' }), [
      'LINK_URL must be https; http is for development on loopback only.',
    ])
  })

  it('rejects plain http on a public address without a proxy or a certificate', () => {
    const { TRUST_PROXY: _, ...bare } = PRODUCTION
    const off = /^HOST=0\.0\.0\.0 with plain HTTP requires a proxy/
    assert.match(problemsOf(bare).join(), off)
    assert.match(problemsOf({ BASE_URL: 'http://192.168.1.2:4000' }).join('\n'), new RegExp(off, 'm'))
    const plain = (name: string) => `${name} must be https; http is for development on loopback only.`
    for (const proxy of ['127.0.0.1', 'loopback', '10.0.0.0/8'])
      assert.deepEqual(problemsOf({ BASE_URL: 'http://192.168.1.5:4000', TRUST_PROXY: proxy }), [
        plain('BASE_URL'),
        plain('LINK_URL'),
      ])
    assert.deepEqual(problemsOf({ LINK_URL: 'http://192.168.1.5:4000/link' }), [plain('LINK_URL')])
    assert.deepEqual(problemsOf({ ...bare, TRUST_PROXY: '10.0.0.0/8' }), [])
    assert.deepEqual(problemsOf({ ...bare, TLS_CERTIFICATE_FILE: '/c', TLS_KEY_FILE: '/k' }), [])
    assert.match(problemsOf({ ...bare, TLS_CERTIFICATE_FILE: '/c' }).join(), /must be set together/)
  })

  it('listens on all interfaces only if the address is not on loopback', () => {
    assert.equal(readConfig({}).host, 'localhost')
    assert.equal(readConfig(PRODUCTION).host, '0.0.0.0')
  })

  it('CELL and CELL_MAP are set together', () => {
    assert.equal(readConfig({}).cell, undefined)
    assert.deepEqual(readConfig({ CELL: 'eu-1', CELL_MAP: '/cells.map' }).cell, {
      name: 'eu-1',
      mapPath: '/cells.map',
    })
    for (const one of [{ CELL: 'a' }, { CELL_MAP: '/cells.map' }])
      assert.deepEqual(problemsOf(one), ['CELL and CELL_MAP must be set together.'])
    assert.match(
      problemsOf({ CELL: 'a b', CELL_MAP: '/cells.map' }).join(),
      /^CELL must be a name .*not "a b"/,
    )
  })

  it('accepts stand-ins of providers in development, on loopback, also with placeholders', () => {
    const STAND_INS =
      'https://api.github.com=http://localhost:4100, https://{tenant.domain}/=http://127.0.0.1:4105'
    assert.deepEqual(readConfig({ STAND_INS }).standIns, {
      'https://api.github.com': 'http://localhost:4100',
      'https://{tenant.domain}': 'http://127.0.0.1:4105',
    })
    assert.deepEqual(problemsOf({ ...PRODUCTION, STAND_INS }), [
      'STAND_INS is for development only, because credentials must be sent to the real provider.',
    ])
    for (const pair of [
      'https://a.example=https://b.example',
      'https://a.example',
      'a=http://localhost:1',
      '=',
    ])
      assert.deepEqual(problemsOf({ STAND_INS: pair }), [
        `STAND_INS must pair an origin with an origin on loopback, not "${pair}".`,
      ])
  })

  it('does not migrate if that is disabled', () => {
    assert.equal(readConfig({}, ['--no-migrate']).migrate, false)
  })
})
