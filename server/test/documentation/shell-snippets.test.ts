import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { firstCommand, parseCommand } from '../../../apps/carabiner/test/parse-command.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { SANDBOX_CONNECTORS, startTestService, type TestService } from '../support/test-service.ts'
import { type Block, readBlocks, root } from './fenced-blocks.ts'
import { NOT_RUN, splitCommands, wordsOf } from './shell-commands.ts'

const run = promisify(execFile)
const blocks = readBlocks().filter(({ language }) => language === 'sh')
const commands = blocks.flatMap(({ place, code }) => splitCommands(code).map(command => ({ place, command })))
const ofProgram = (program: string) => commands.filter(({ command }) => wordsOf(command)[0] === program)

it('shell snippets: commands are split at line ends outside of quotes, without comments', () => {
  assert.deepEqual(splitCommands('a \\\n  --b # c\nd \'{\n  "#e": 1\n}\'\n\n# f\nG=1 h "i\nj"\n'), [
    'a    --b',
    'd \'{\n  "#e": 1\n}\'',
    'G=1 h "i\nj"',
  ])
  assert.deepEqual(wordsOf('A=1 B="2 3" curl -d \'{"a": "b c"}\' "$URL"'), [
    'curl',
    '-d',
    '\'{"a": "b c"}\'',
    '"$URL"',
  ])
})

it('shell snippets: every program is checked, or is not run for a stated reason', () => {
  const known = new Set([...Object.keys(NOT_RUN), 'curl', 'npm', 'npx', 'carabiner', 'export'])
  const unknown = commands.flatMap(({ place, command }) => {
    const [program] = wordsOf(command)
    return program === undefined || known.has(program) ? [] : [`${place}: ${command}`]
  })
  assert.deepEqual(unknown, [])
})

it('shell snippets: bash accepts the syntax', async () => {
  for (const { place, code } of blocks)
    await run('bash', ['-n', '-c', code]).catch((error: Error) => assert.fail(`${place}: ${error.message}`))
})

describe('shell snippets: npm', () => {
  const scriptsOf = (folder: string): Record<string, string> =>
    (
      JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
        scripts?: Record<string, string>
      }
    ).scripts ?? {}
  const folderOf = (workspace: string): string =>
    workspace.replace('@carabiner/example-', 'examples/').replace('@carabiner/', 'packages/')

  it('every script exists in its workspace', () => {
    for (const { place, command } of ofProgram('npm')) {
      const [, verb = '', ...rest] = wordsOf(command)
      if (['ci', 'create', 'init', 'install', 'pack'].includes(verb)) continue
      const script = verb === 'run' ? (rest[0] ?? '') : verb
      const workspace = /(?:-w|--workspace) (\S+)/.exec(command)?.[1]
      const folder = workspace === undefined ? '' : folderOf(workspace)
      assert.ok(script in scriptsOf(folder), `${place}: ${command}`)
    }
  })

  it('packages that are packed exist', () => {
    for (const { place, command } of ofProgram('npm').filter(({ command: text }) =>
      text.startsWith('npm pack'),
    ))
      for (const [, workspace = ''] of command.matchAll(/-w (\S+)/g))
        assert.doesNotThrow(() => scriptsOf(folderOf(workspace)), place)
  })
})

it('texts: no command loads a package of this project from the npm registry', () => {
  // The names are not registered there, so anyone could publish code that gets the database URL and the vault key.
  const npx = /\bnpx (?!--no-install )(?:-\S+ )*(?:@carabiner\/|carabiner\b)/
  const install =
    /\bnpm (?:install|i|add) [^\n]*?(?<![\w/.-])(?:@carabiner\/\w+|carabiner(?:@\S+)?)(?=[\s`'"]|$)/
  for (const bad of [
    'npx carabiner start',
    'npx --yes carabiner@1 x',
    'npm install -D @carabiner/sdk',
    'npm i carabiner',
  ])
    assert.ok(npx.test(bad) || install.test(bad), bad)
  const folders = '{docs,packages,examples,deploy,dashboard/src,server/src}'
  const files = globSync(['*.md', `${folders}/**/*.{md,ts,tsx,mjs,yaml,sh}`], {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', '**/.vitepress/**'],
  })
  assert.ok(files.length > 1000, String(files.length))
  const found = files.flatMap(file =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, n) =>
        npx.test(line) || install.test(line) ? [`${file}:${n + 1}: ${line.trim()}`] : [],
      ),
  )
  assert.deepEqual(found, [])
})

it('shell snippets: the parser of carabiner accepts every command', async () => {
  const used = commands.flatMap(({ place, command }) => {
    const words = firstCommand(command)
    const at = words[0] === 'npx' ? 2 : 0
    return words[at] === 'carabiner' ? [{ place, command, words: words.slice(at + 1) }] : []
  })
  assert.ok(used.length > 100, String(used.length))
  for (const { place, command, words } of used) {
    // Examples of IDs are shortened.
    const given = words.map(word => (/^0\d{3}…$|^ID$/.test(word) ? EXAMPLE_ID : word))
    await assert.doesNotReject(parseCommand(given), `${place}: ${command}`)
  }
})
const EXAMPLE_ID = '0190a5c1-7b1e-7f00-8000-00000000c0de'

describe('shell snippets: curl', () => {
  let service: TestService
  let environment: Record<string, string>
  before(async () => {
    service = await startTestService('postgres', { CONNECTORS: `${SANDBOX_CONNECTORS} sandbox-tasks` })
    await service.allowOrigin('https://app.example.com')
    const { key, testKey, toolPackId } = service.organization
    const { id } = await service.createUser({ origin_user_id: 'ana' }, testKey)
    const { magic_link_url } = await service.mint(id, { connector: 'sandbox-notes' }, testKey)
    await linkNotes(createBrowserUser(), magic_link_url)
    const credentials = await service.call('GET', `/api/v1/registered-users/${id}/credentials`, {
      key: testKey,
    })
    const [grant] = await service.query(
      `insert into client_grants (organization_id, id, registered_user_id, tool_pack_id, client_id, client_name, expires_at)
       values ($1, uuid_v7(), $2, $3, 'https://client.example/', 'Client', app_now() + interval '1 day') returning id`,
      [service.organization.id, id, toolPackId],
    )
    const rolled = await service.call('POST', '/api/v1/api-keys', { body: { name: 'Rolled' } })
    const forPolicies = await service.call('POST', '/api/v1/api-keys', {
      body: { name: 'Policies', mode: 'production' },
    })
    // Only an administrator can create such a key.
    await service.query(`update api_keys set groups = '{policies}' where id = $1`, [forPolicies.body.id])
    environment = {
      KEY_ID: rolled.body.id,
      GRANT_ID: grant.id,
      CARABINER_URL: service.baseUrl,
      // Readers use the test key, as "Get started" tells them to.
      CARABINER_API_KEY: testKey,
      CARABINER_PRODUCTION_KEY: key,
      CARABINER_POLICY_KEY: forPolicies.body.key,
      USER_ID: id,
      CREDENTIAL_ID: credentials.body.data[0].credential_id,
      TOOL_PACK_ID: toolPackId,
      MCP_URL: `${service.baseUrl}/api/v1/tool-packs/${toolPackId}/registered-users/${id}/mcp`,
    }
  })
  after(() => service?.stop())

  /** The programs of the API reference name resources that do not exist; its bodies are checked with the API document. */
  const isRunnable = ({ file, code }: Block): boolean => {
    if (file.startsWith('docs/api/') && file !== 'docs/api/index.md') return false
    const programs = splitCommands(code).map(command => wordsOf(command)[0])
    return programs.length > 0 && programs.every(program => program === 'curl')
  }
  /** It has a value that readers fill in, or names a server that does not exist. */
  const hasPlaceholder = (code: string): boolean => /…|example\.com\/(?:mcp|webhooks)/.test(code)
  const STREAM_TIMEOUT_SECONDS = 2

  /** Fails on an HTTP error, and ends a stream. */
  const CURL = `curl() { command curl --silent --show-error --fail-with-body --max-time 60 "$@"; }`
  const execute = async (code: string): Promise<string> => {
    const script = code.includes('curl -N')
      ? `${CURL.replace('60', String(STREAM_TIMEOUT_SECONDS))}\n${code.trim()} || test $? = 28`
      : `${CURL}\nset -eu\n${code}`
    const { stdout } = await run('bash', ['-c', script], {
      env: { PATH: process.env['PATH'], ...environment },
    })
    return stdout
  }

  // A setting that changes all later links comes last.
  const runnable = blocks
    .filter(isRunnable)
    .toSorted((a, b) => Number(a.code.includes('code_only')) - Number(b.code.includes('code_only')))

  it('are found', () => assert.ok(runnable.length > 15, String(runnable.length)))

  for (const { place, code } of runnable)
    it(`${place} works`, async () => {
      const result = await execute(code).catch((error: { stdout: string; message: string }) => {
        assert.ok(hasPlaceholder(code), `${error.message}\n${error.stdout}`)
        return error.stdout
      })
      // The request exists and its fields are right, even if a placeholder was not filled in.
      assert.doesNotMatch(
        result,
        /"code":"(?:not_found|method_not_allowed|unknown_field|invalid_json|invalid_request)"/,
      )
    })
})
