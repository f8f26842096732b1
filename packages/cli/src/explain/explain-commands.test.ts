import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes } from '../../../../server/test/support/browser-user.ts'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { runWords } from '../../test/run-words.ts'

const NOTES = 'sandbox-notes__list_notes'
const ESCAPE = '\u001b'

describe('carabiner explain', () => {
  let t: TestService
  let environment: Record<string, string>
  before(async () => {
    t = await joinTestService()
    environment = { CARABINER_URL: t.baseUrl, CARABINER_API_KEY: t.organization.key }
  })
  after(() => t?.stop())

  const run = (...args: string[]) => runWords(['explain', ...args], environment)

  it('prints every step, marks the failed one and prints its fix; exit code 4', async () => {
    const user = await t.createUser({ origin_user_name: 'Ana' })
    const { text, exitCode } = await run(user.id, NOTES)
    assert.equal(exitCode, 4)
    assert.match(text, /^sandbox-notes__list_notes, user Ana \(.{36}, production\), Tool Pack Default\n/)
    assert.match(text, /\n {2}✓ user_status +Ana is active\.\n/)
    assert.match(text, /\n {2}– arguments +No arguments were given\.\n/)
    assert.match(
      text,
      /\n {2}✗ account +Ana has no Notes account connected\.\n +Fix: Connect a Notes account/,
    )
    assert.match(text, new RegExp(`\n +POST /api/v1/registered-users/${user.id}/link-token {`))
    assert.match(text, /\n {2}· credential +not reached\n/)
    assert.match(text, /\nThe call would return a link to connect the account\.$/)
  })

  it('exits with 0 if the call would run, and with 3 and the code if it would be rejected', async () => {
    const user = await t.createUser({ origin_user_id: 'linked' })
    await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
    const runs = await run(
      'linked',
      NOTES,
      '--arguments',
      '{"query":"milk"}',
      '--pack',
      t.organization.toolPackId,
    )
    assert.equal(runs.exitCode, 0)
    assert.match(runs.text, /\nThe call would run\.$/)
    const rejected = await run('linked', NOTES, '--arguments', '{"query":7}')
    assert.equal(rejected.exitCode, 3)
    assert.match(rejected.text, /✗ arguments +"query" /)
    assert.match(rejected.text, /\nThe call would be rejected: invalid_arguments\.$/)
  })

  it('finds a user whose own ID is a UUID', async () => {
    const own = '0190a5c1-7b1e-7f00-8000-0000000000aa'
    const user = await t.createUser({ origin_user_id: own })
    const { data } = await run(own, NOTES)
    assert.equal((data as { registered_user: { id: string } }).registered_user.id, user.id)
    const unknown = await run('0190a5c1-7b1e-7f00-8000-0000000000ab', NOTES)
    assert.match(unknown.text, /✗ user /)
    assert.equal(unknown.exitCode, 3)
  })

  it('finds a user by a name or email address that only one user has', async () => {
    const jun = await t.createUser({
      origin_user_id: 'jun-1',
      origin_user_name: 'Jun Sato',
      email: 'jun@orbit.example',
    })
    for (const user of ['jun sato', 'JUN@orbit.example']) {
      const { data } = await run(user, NOTES)
      assert.equal((data as { registered_user: { id: string } }).registered_user.id, jun.id, user)
    }
    assert.match((await run('Jun', NOTES)).text, /✗ user /, 'the beginning of a name is not enough')
    const shown = await runWords(['users', 'show', 'Jun Sato'], environment)
    assert.equal((shown.data as { id: string }).id, jun.id)
    const other = await t.createUser({ origin_user_id: 'jun-2', origin_user_name: 'Jun Sato' })
    const message = new RegExp(
      `Several .*${jun.id} \\(jun-1\\), ${other.id} \\(jun-2\\)|${other.id}.*${jun.id}`,
    )
    await assert.rejects(run('Jun Sato', NOTES), message)
    await assert.rejects(runWords(['users', 'delete', 'Jun Sato', '--yes'], environment), message)
  })

  it('removes control characters of names', async () => {
    await t.createUser({ origin_user_id: 'hostile', origin_user_name: `A${ESCAPE}[2J` })
    assert.ok(!(await run('hostile', NOTES)).text.includes(ESCAPE))
  })

  it('rejects missing words, unknown options and arguments that are no JSON object', async () => {
    await assert.rejects(run('ana'), /Missing required argument 'tool'/)
    await assert.rejects(run('ana', NOTES, 'more'), /Too many arguments/)
    await assert.rejects(run('ana', NOTES, '--dry'), /Unknown option/)
    for (const given of ['{', '[]', 'null', '"x"'])
      await assert.rejects(run('ana', NOTES, '--arguments', given), /It must be a JSON object/)
    await assert.rejects(
      runWords(['explain', 'ana', NOTES], { XDG_CONFIG_HOME: '/nonexistent' }),
      /There is no API key/,
    )
    await assert.rejects(
      runWords(['explain', 'ana', NOTES], { ...environment, CARABINER_API_KEY: 'cb_sk_live_no' }),
      /rejected CARABINER_API_KEY/,
    )
    assert.match((await run('--help')).text, /carabiner explain \[options\] <user> <tool>/)
  })

  it('as a process: --json prints the explanation, and the exit code is 4', async () => {
    const user = await t.createUser()
    const main = join(import.meta.dirname, '../main.ts')
    const child = spawn(process.execPath, [main, 'explain', user.id, NOTES, '--json'], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', chunk => (output += String(chunk)))
    const code = await new Promise(resolve => child.on('close', resolve))
    assert.equal(code, 4)
    assert.equal(JSON.parse(output).first_failed, 'account')
  })
})
