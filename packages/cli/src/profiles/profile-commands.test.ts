import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { freePort } from '../../../../scripts/postgres-cluster.ts'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { runProcess } from '../../test/run-process.ts'

/** Stores secrets in files, and records its arguments. */
const SECRET_TOOL = `#!/bin/sh
echo "$@" >> "$FAKE_KEYRING/arguments"
[ -f "$FAKE_KEYRING/locked" ] && exit 1
for last; do :; done
case "$1" in
  store) cat > "$FAKE_KEYRING/$last" ;;
  lookup) cat "$FAKE_KEYRING/$last" ;;
  clear) rm -f "$FAKE_KEYRING/$last" ;;
esac
`

describe('carabiner login, logout, profiles and whoami', () => {
  let t: TestService
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-profiles-'))
  let config: string
  before(async () => {
    t = await joinTestService()
  })
  after(async () => {
    await t?.stop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    config = mkdtempSync(join(folder, 'config-'))
  })
  const file = (name: string) => join(config, 'carabiner', name)
  const run = (words: string[], input = '', environment: Record<string, string> = {}) =>
    runProcess(words, { input, environment: { XDG_CONFIG_HOME: config, ...environment } })
  const login = (key: string, ...words: string[]) =>
    run(['login', '--url', t.baseUrl, '--key-stdin', ...words], `${key}\n`)

  it('login: stores the key in a file of its own with mode 0600, and never prints it', async () => {
    const { code, stdout, stderr } = await login(t.organization.key, '--verbose')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^Signed in to http:\/\/\S+ as Orbit \(production mode\)\. Profile: default\./)
    assert.ok(!(stdout + stderr).includes(t.organization.key))
    assert.equal(statSync(file('keys.json')).mode & 0o777, 0o600)
    assert.equal(statSync(join(config, 'carabiner')).mode & 0o777, 0o700)
    assert.ok(!readFileSync(file('profiles.json'), 'utf8').includes(t.organization.key))
    const who = await run(['whoami'])
    assert.match(who.stdout, /Organization +Orbit\nMode +production\nKey +….{4}, from the profile "default"/)
    assert.equal((await run(['users', 'list'])).code, 0)
  })

  it('login: stores nothing if the service rejects the key or cannot be reached', async () => {
    const rejected = await login('cb_sk_live_wrong')
    assert.equal(rejected.code, 1)
    assert.match(rejected.stderr, /rejected the API key/)
    const unreachable = await run(
      ['login', '--url', `http://127.0.0.1:${await freePort()}`, '--key-stdin'],
      'cb_sk_live_x',
    )
    assert.match(unreachable.stderr, /cannot be reached \(ECONNREFUSED\)/)
    assert.ok(!existsSync(join(config, 'carabiner')))
  })

  it('login: without a terminal, names the options to use', async () => {
    const noUrl = await run(['login'])
    assert.equal(noUrl.code, 2)
    assert.match(noUrl.stderr, /"URL of the service" cannot be asked without a terminal\. Use --url\./)
    const noKey = await run(['login', '--url', t.baseUrl])
    assert.match(noKey.stderr, /Use --key-stdin, or set CARABINER_API_KEY\./)
    assert.equal((await run(['login', '--profile', 'a b', '--url', t.baseUrl])).code, 2)
  })

  it('profiles: listed, selected with use, --profile and CARABINER_PROFILE, and removed', async () => {
    await login(t.organization.key)
    await login(t.organization.testKey, '--profile', 'test')
    const modeOf = async (words: string[], environment: Record<string, string> = {}) =>
      JSON.parse((await run(['whoami', '--json', ...words], '', environment)).stdout).mode
    assert.equal(await modeOf([]), 'test')
    assert.equal(await modeOf(['--profile', 'default']), 'production')
    assert.equal(await modeOf([], { CARABINER_PROFILE: 'default' }), 'production')
    assert.equal(
      await modeOf([], { CARABINER_API_KEY: t.organization.key, CARABINER_URL: t.baseUrl }),
      'production',
    )
    await run(['profiles', 'use', 'default'])
    assert.equal(await modeOf([]), 'production')
    assert.match((await run(['profiles', 'list'])).stdout, /\* +default +http.*\n +test +http/)
    assert.match(
      (await run(['profiles', 'use', 'nope'])).stderr,
      /There is no profile "nope"\. The profiles are: default, test/,
    )
    await run(['logout'])
    assert.ok(!readFileSync(file('keys.json'), 'utf8').includes(t.organization.key))
    assert.equal(await modeOf([]), 'test')
    await run(['logout'])
    const none = await run(['whoami'])
    assert.equal(none.code, 1)
    assert.match(none.stderr, /There is no API key\. Run `carabiner login`/)
  })

  it('the key of a profile is not sent to another CARABINER_URL', async () => {
    await login(t.organization.key)
    const { code, stderr } = await run(['users', 'list'], '', { CARABINER_URL: 'http://localhost:9' })
    assert.equal(code, 1)
    assert.match(stderr, /CARABINER_URL is http:\/\/localhost:9, but the profile "default" is for/)
    assert.equal((await run(['users', 'list'], '', { CARABINER_URL: `${t.baseUrl}/` })).code, 0)
  })

  it('a key file that other accounts can read is rejected, with the command to fix it', async () => {
    await login(t.organization.key)
    chmodSync(file('keys.json'), 0o644)
    const { code, stderr } = await run(['users', 'list'])
    assert.equal(code, 1)
    assert.match(stderr, /Run: chmod 600 .*keys\.json/)
    writeFileSync(file('profiles.json'), '{', { mode: 0o600 })
    assert.match((await run(['users', 'list'])).stderr, /profiles\.json is not JSON/)
  })

  it('keys regenerate: the profile that is in use gets the new key', async () => {
    const organization = await t.createOrganization('Rotating')
    await login(organization.key)
    const { stdout, stderr } = await run(['keys', 'regenerate', '--yes'])
    const [, key] = /^(cb_sk_live_\S+)\n/.exec(stdout) ?? []
    assert.ok(key && key !== organization.key, stderr)
    assert.equal((await run(['users', 'list'])).code, 0)
  })

  const withKeyring = () => {
    const keyring = mkdtempSync(join(folder, 'keyring-'))
    mkdirSync(join(keyring, 'bin'))
    writeFileSync(join(keyring, 'bin/secret-tool'), SECRET_TOOL, { mode: 0o755 })
    return {
      keyring,
      environment: {
        PATH: `${join(keyring, 'bin')}:${process.env.PATH}`,
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
        FAKE_KEYRING: keyring,
      },
    }
  }
  const isLinux = process.platform === 'linux'

  it('login: stores the key in the keyring through standard input, not in a file', {
    skip: !isLinux,
  }, async () => {
    const { keyring, environment } = withKeyring()
    const words = ['login', '--url', t.baseUrl, '--key-stdin']
    const { stdout } = await run(words, t.organization.key, environment)
    assert.match(stdout, /The key is in the keychain/)
    assert.equal(readFileSync(join(keyring, 'default'), 'utf8'), t.organization.key)
    assert.ok(!readFileSync(join(keyring, 'arguments'), 'utf8').includes('cb_sk_'))
    assert.ok(!existsSync(file('keys.json')))
    assert.equal((await run(['users', 'list'], '', environment)).code, 0)
    await run(['logout'], '', environment)
    assert.ok(!existsSync(join(keyring, 'default')))
  })

  it('login: uses the file if the keyring is locked, or with --key-store file', {
    skip: !isLinux,
  }, async () => {
    const { keyring, environment } = withKeyring()
    const words = ['login', '--url', t.baseUrl, '--key-stdin']
    await run([...words, '--key-store', 'file'], t.organization.key, environment)
    assert.ok(!existsSync(join(keyring, 'arguments')) && existsSync(file('keys.json')))
    writeFileSync(join(keyring, 'locked'), '')
    const { stdout } = await run(words, t.organization.key, environment)
    assert.match(stdout, /readable by you only/)
  })
})
