import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { openPseudoTerminal } from '../../test/pseudo-terminal.ts'
import { CLI_MAIN } from '../../test/run-process.ts'

// `script` has other options on other systems.
describe('questions in a terminal', { skip: process.platform !== 'linux' }, () => {
  let t: TestService
  const config = mkdtempSync(join(tmpdir(), 'carabiner-prompts-'))
  before(async () => {
    t = await joinTestService()
  })
  after(async () => {
    await t?.stop()
    rmSync(config, { recursive: true })
  })
  const open = (...words: string[]) =>
    openPseudoTerminal([process.execPath, CLI_MAIN, ...words], { XDG_CONFIG_HOME: config })

  it('login: asks for the URL and the key, and does not show the key', async () => {
    const terminal = open('login')
    await terminal.answer(/URL of the service/, `${t.baseUrl}\r`)
    await terminal.answer(/API key \(cb_sk_…\)/, `${t.organization.key}\r`)
    assert.equal(await terminal.ended, 0, terminal.screen())
    assert.match(terminal.screen(), /Signed in to http:\/\/\S+ as Orbit/)
    assert.ok(!terminal.screen().includes(t.organization.key))
    assert.ok(readFileSync(join(config, 'carabiner/keys.json'), 'utf8').includes(t.organization.key))
  })

  it('a confirmation: no is the default and changes nothing; yes runs the command', async () => {
    await t.createUser({ origin_user_id: 'asked' })
    const refused = open('users', 'delete', 'asked')
    await refused.answer(/Delete Ana Ruiz .* and all of their data\?/, '\r')
    assert.equal(await refused.ended, 1)
    assert.match(refused.screen(), /Nothing was changed/)
    const confirmed = open('users', 'delete', 'asked')
    await confirmed.answer(/and all of their data\?/, 'y')
    assert.equal(await confirmed.ended, 0, confirmed.screen())
    assert.match(confirmed.screen(), /Deleted Ana Ruiz/)
  })

  it('Ctrl-C in a question: exit code 130', async () => {
    const terminal = open('login', '--profile', 'other')
    await terminal.answer(/URL of the service/, '\u0003')
    assert.equal(await terminal.ended, 130)
  })

  it('a table is truncated to the width of the terminal', async () => {
    await t.createUser({ origin_user_id: 'wide', origin_user_name: 'n'.repeat(200) })
    const terminal = openPseudoTerminal(
      [process.execPath, CLI_MAIN, 'users', 'list'],
      { XDG_CONFIG_HOME: config, NO_COLOR: '1' },
      { columns: 90 },
    )
    assert.equal(await terminal.ended, 0)
    const lines = terminal.screen().split(/\r?\n/)
    assert.ok(lines.some(line => line.includes('nnn…')))
    for (const line of lines) assert.ok(line.length <= 90, line)
  })
})
