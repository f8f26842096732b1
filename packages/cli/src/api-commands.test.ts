import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser, linkNotes } from '../../../server/test/support/browser-user.ts'
import { joinTestService, type TestService } from '../../../server/test/support/test-service.ts'
import { createTestContext } from '../test/command-context.ts'
import { runWords, runWordsOf } from '../test/run-words.ts'
import { MCP_CLIENTS } from './mcp-config/mcp-clients.ts'
import { createProgram } from './register-commands.ts'

const NOTES = 'sandbox-notes__list_notes'
const UNKNOWN = '0190a5c1-7b1e-7f00-8000-00000000c0de'

describe('commands of the API', () => {
  let t: TestService
  let environment: Record<string, string>
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-api-commands-'))
  const file = (name: string) => join(folder, name)
  before(async () => {
    t = await joinTestService()
    environment = { CARABINER_URL: t.baseUrl, CARABINER_API_KEY: t.organization.key }
  })
  after(async () => {
    await t?.stop()
    rmSync(folder, { recursive: true })
  })
  const run = (...words: string[]) => runWords(words, environment)
  const dataOf = async <T = any>(...words: string[]) => (await run(...words)).data as T

  it('users: created, listed, searched, changed, deactivated, reactivated and deleted', async () => {
    const fields = ['--name', 'Uma', '--email', 'uma@example.com', '--metadata', '{"team":7}']
    const created = await dataOf('users', 'create', 'u-1', ...fields)
    assert.deepEqual(created.metadata, { team: 7 })
    assert.match(
      (await run('users', 'list', '--search', 'uma')).text,
      new RegExp(`${created.id} +u-1 +Uma +active`),
    )
    assert.equal((await dataOf('users', 'show', 'u-1')).id, created.id)
    assert.match((await run('users', 'update', created.id, '--name', 'Uma B')).text, /Name +Uma B/)
    await assert.rejects(run('users', 'update', 'u-1'), /Use at least one of --name/)
    await assert.rejects(run('users', 'deactivate', 'u-1'), /Use --yes/)
    assert.match((await run('users', 'deactivate', 'u-1', '--yes')).text, /Uma B \(.*\) is inactive/)
    assert.match((await run('users', 'reactivate', 'u-1')).text, /is active/)
    await assert.rejects(run('users', 'delete', 'u-1'), { exitCode: 2 })
    await run('users', 'delete', 'u-1', '--yes')
    await assert.rejects(run('users', 'show', 'u-1'), { code: 'registered_user_not_found', exitCode: 1 })
  })

  it('users list: --limit reads as many pages as needed', async () => {
    await Promise.all(Array.from({ length: 105 }, (_, n) => t.createUser({ origin_user_id: `many-${n}` })))
    assert.equal((await dataOf('users', 'list', '--search', 'many-', '--limit', '102')).length, 102)
    assert.equal((await dataOf('users', 'list', '--search', 'many-', '--limit', '3')).length, 3)
    await assert.rejects(run('users', 'list', '--limit', '0'), /whole number from 1 to/)
  })

  it('tools: without a credential a call prints the link with exit code 4; with one it runs', async () => {
    const user = await t.createUser({ origin_user_id: 'caller' })
    const listed = await dataOf('tools', 'list', 'caller')
    assert.ok(listed.some(({ name }: { name: string }) => name === NOTES))
    const asked = await run('tools', 'call', 'caller', NOTES)
    assert.equal(asked.exitCode, 4)
    assert.match(
      asked.text,
      /must connect a sandbox-notes account first \(never_linked\)[^]*\/magic-link\/cb_mlk_/,
    )
    await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
    const called = await run('tools', 'call', user.id, NOTES, '--arguments', '{"query":"milk"}')
    assert.equal(called.exitCode, undefined)
    writeFileSync(file('arguments.json'), '{"query":"milk"}')
    await run('tools', 'call', 'caller', NOTES, '--arguments-file', file('arguments.json'))
    const rejected = await run('tools', 'call', 'caller', 'nope__tool')
    assert.equal(rejected.exitCode, 3)
    assert.match(
      rejected.text,
      /^There is no such tool in this Tool Pack\. Use one of the listed tools\. \(tool_not_found, request req_/,
    )
    await assert.rejects(
      run('tools', 'call', 'caller', NOTES, '--arguments', '[]'),
      /It must be a JSON object/,
    )
    await assert.rejects(run('tools', 'list', 'caller', '--pack', 'nope'), /There is no Tool Pack "nope"/)
    assert.match(
      (await run('logs', 'list', '--user', 'caller', '--since', '1h')).text,
      /success +sandbox-notes__list_notes/,
    )
  })

  it('credentials: listed, tested, paused, resumed and deleted, by connector or ID', async () => {
    const [credential] = await dataOf('credentials', 'list', 'caller')
    assert.match((await run('credentials', 'list', 'caller')).text, /sandbox-notes .* active/)
    assert.ok(!(await run('credentials', 'test', 'caller', 'sandbox-notes')).failed)
    const paused = await run('credentials', 'pause', 'caller', 'sandbox-notes', '--for', '2h')
    assert.match(paused.text, /paused until/)
    assert.equal((await run('tools', 'call', 'caller', NOTES)).exitCode, 3)
    await run('credentials', 'resume', 'caller', credential.credential_id)
    await assert.rejects(run('credentials', 'pause', 'caller', 'sandbox-notes', '--for', 'long'), {
      exitCode: 2,
    })
    await assert.rejects(
      run('credentials', 'delete', 'caller', 'sandbox-vault', '--yes'),
      /has no credential/,
    )
    await run('credentials', 'delete', 'caller', 'sandbox-notes', '--yes')
    assert.match((await run('credentials', 'list', 'caller')).text, /revoked \(deleted\)/)
    await assert.rejects(run('credentials', 'test', 'caller', 'sandbox-notes'), {
      code: 'credential_not_found',
    })
  })

  it('accounts: listed with labels, renamed, shared and no longer shared, by connector, label or ID', async () => {
    await t.createUser({ origin_user_id: 'owner' })
    const guest = await t.createUser({ origin_user_id: 'guest' })
    const link = async (account: string, ...words: string[]) => {
      const { magic_link_url } = await dataOf('link', 'create', 'owner', ...words)
      await linkNotes(createBrowserUser(), magic_link_url, { account })
    }
    await link('ana', '--connector', 'sandbox-notes')
    assert.equal((await dataOf('credentials', 'rename', 'owner', 'sandbox-notes', 'Work')).label, 'Work')
    await link('ben', '--connector', 'sandbox-notes', '--add', '--label', 'Private')
    assert.match(
      (await run('credentials', 'list', 'owner')).text,
      /Private +ben@\S+ +active\n.*Work +ana@\S+ +active$/,
    )
    await assert.rejects(
      run('credentials', 'test', 'owner', 'sandbox-notes'),
      /several accounts sandbox-notes/,
    )
    await assert.rejects(run('credentials', 'rename', 'owner', 'Private', 'Work'), {
      code: 'account_label_taken',
    })

    const linkWith = (...words: string[]) =>
      dataOf('link', 'create', 'owner', '--connector', 'sandbox-notes', ...words)
    assert.ok((await linkWith('--tools', 'create_note,list_notes', '--scopes', 'notes:read')).link_token)
    await assert.rejects(linkWith('--tools', 'create_note,nothing'), { code: 'unknown_tool' })
    await assert.rejects(linkWith('--scopes', 'notes:admin'), { code: 'unknown_scope' })

    const share = (...words: string[]) => dataOf('credentials', 'share', 'owner', 'Private', ...words)
    await assert.rejects(share(), /Use at least one of --user, --pack and --everyone/)
    await assert.rejects(share('--user', 'nobody'), { code: 'registered_user_not_found' })
    await share('--user', 'guest')
    const shared = await share('--pack', 'Default')
    assert.deepEqual(shared.shared_with, {
      everyone: false,
      registered_user_ids: [guest.id],
      tool_pack_ids: [t.organization.toolPackId],
    })
    assert.match((await run('credentials', 'list', 'owner')).text, /active +1 user, 1 Tool Pack/)
    assert.equal((await run('tools', 'call', 'guest', NOTES)).exitCode, undefined)

    const id = shared.credential_id
    const unshare = (...words: string[]) => run('credentials', 'unshare', 'owner', id, ...words)
    assert.match((await unshare('--pack', 'Default')).text, new RegExp(`Users +${guest.id}$`))
    await assert.rejects(unshare(), /Use --yes/)
    assert.match((await unshare('--yes')).text, /\(Private\) .* is not shared/)
    assert.equal((await run('tools', 'call', 'guest', NOTES)).exitCode, 4)
  })

  it('tools call: a call that a policy asks about prints where people decide, with exit code 5', async () => {
    const user = await t.createUser({ origin_user_id: 'asks' })
    await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
    const tool = 'sandbox-notes__create_note'
    await t.call('POST', '/api/v1/policy-rules', { body: { name: 'Notes', effect: 'ask', tools: [tool] } })
    const call = ['asks', tool, '--arguments', '{"title":"A","text":"B"}']
    const waiting = await run('tools', 'call', ...call)
    assert.equal(waiting.exitCode, 5)
    assert.match(
      waiting.text,
      /must approve this call first[^]*\/approvals\?approval=[0-9a-f-]{36}[^]*exactly the same call/,
    )
    assert.equal((await run('explain', ...call)).exitCode, 5)
  })

  it('organization-accounts: linked, listed, renamed, shared, no longer shared and deleted', async () => {
    await t.createUser({ origin_user_id: 'member' })
    const accounts = (...words: string[]) => run('organization-accounts', ...words)
    assert.match((await accounts('list')).text, /has no accounts/)
    const { text: url } = await accounts('link', '--connector', 'sandbox-notes', '--label', 'Mailbox')
    assert.match(url, /^http:\/\/\S+\/magic-link\/\S+$/)
    await linkNotes(createBrowserUser(), url, { account: 'ben' })
    assert.match((await accounts('list')).text, /sandbox-notes +Mailbox +ben@\S+ +active$/)
    await accounts('rename', 'sandbox-notes', 'Support')
    assert.match((await accounts('share', 'Support', '--everyone')).text, /Everyone +yes$/)
    assert.equal((await run('tools', 'call', 'member', NOTES)).exitCode, undefined)
    await assert.rejects(accounts('unshare', 'Support'), { exitCode: 2 })
    await accounts('unshare', 'Support', '--everyone')
    assert.equal((await run('tools', 'call', 'member', NOTES)).exitCode, 4)
    await assert.rejects(accounts('share', 'Mailbox', '--everyone'), {
      code: 'credential_not_found',
      message: 'The organization has no credential Mailbox. See `carabiner organization-accounts list`.',
    })
    await assert.rejects(accounts('delete', 'Support'), /Use --yes/)
    await accounts('delete', 'Support', '--yes')
    assert.match((await accounts('list')).text, /revoked \(deleted\)/)
  })

  it('link create: prints only the link, and with --qr a code of its size', async () => {
    const context = createTestContext(environment)
    const { text } = await runWordsOf(
      createProgram,
      ['link', 'create', 'caller', '--connector', 'sandbox-notes'],
      context,
    )
    assert.match(text, /^http:\/\/\S+\/magic-link\/\S+$/)
    assert.match(context.notices.join('\n'), /^Valid until /)
    const lines = (await run('link', 'create', 'caller', '--qr')).text.split('\n')
    const code = lines.slice(0, lines.indexOf(''))
    assert.ok(code.length > 15 && code.every(line => line.length === code[0]?.length))
    assert.match((await run('link', 'connections', 'caller')).text, /^http:\/\//)
    await assert.rejects(run('link', 'create', 'nobody'), /There is no Registered User "nobody"/)
  })

  it('packs: created from connectors and tools, changed, listed and deleted', async () => {
    const pack = await dataOf('packs', 'create', 'Support', '--connectors', 'sandbox-vault', '--tools', NOTES)
    assert.deepEqual(
      pack.connectors.map(({ slug, tools }: any) => [slug, tools?.map(({ name }: any) => name) ?? null]),
      [
        ['sandbox-vault', null],
        ['sandbox-notes', ['list_notes']],
      ],
    )
    assert.match((await run('packs', 'list')).text, /Support +sandbox-vault, sandbox-notes/)
    const limited = async (limit: string) =>
      (await dataOf('packs', 'update', 'Support', '--daily-call-limit', limit)).daily_call_limit
    assert.deepEqual([await limited('500'), await limited('none')], [500, null])
    assert.match((await run('packs', 'show', 'Support')).text, /Daily call limit +none/)
    const tools = await dataOf('packs', 'tools', 'Support')
    assert.ok(tools.some(({ name }: any) => name === NOTES))
    assert.match(
      (await run('packs', 'update', 'Support', '--all-connectors', '--name', 'Everything')).text,
      /Connectors +all/,
    )
    writeFileSync(file('pack.json'), '{"result_handles": true}')
    assert.match(
      (await run('packs', 'update', 'Everything', '--file', file('pack.json'))).text,
      /Result handles +on/,
    )
    await assert.rejects(run('packs', 'update', 'Everything', '--file', file('none.json')), /ENOENT/)
    await assert.rejects(run('packs', 'create', 'X', '--tools', 'wrong'), /is not a tool such as/)
    assert.match((await run('packs', 'show', pack.id)).text, /Name +Everything/)
    await run('packs', 'delete', 'Everything', '--yes')
    await assert.rejects(run('packs', 'show', 'Everything'), /There is no Tool Pack/)
  })

  it('connectors: listed, filtered and shown', async () => {
    assert.match((await run('connectors', 'list', '--search', 'notes')).text, /sandbox-notes +Notes +oauth2/)
    assert.match((await run('connectors', 'show', 'sandbox-vault')).text, /Methods +api_key/)
    await assert.rejects(run('connectors', 'show', 'nope'), { code: 'connector_not_found' })
  })

  it('keys: created once, listed without the key, regenerated and revoked; a test key may not', async () => {
    const created = await dataOf('keys', 'create', '--name', 'CI')
    assert.match(created.key, /^cb_sk_test_/)
    const listed = await run('keys', 'list')
    assert.match(listed.text, /CI/)
    assert.ok(!JSON.stringify(listed).includes(created.key))
    const again = await dataOf('keys', 'regenerate', created.id, '--yes')
    assert.notEqual(again.key, created.key)
    const withTestKey = { ...environment, CARABINER_API_KEY: again.key }
    await assert.rejects(runWords(['keys', 'list'], withTestKey), { code: 'production_key_required' })
    await run('keys', 'revoke', again.id, '--yes')
    await assert.rejects(runWords(['users', 'list'], withTestKey), /rejected CARABINER_API_KEY/)
    await assert.rejects(run('keys', 'revoke', UNKNOWN, '--yes'), { code: 'api_key_not_found' })
  })

  it('keys: a restricted production key is created, rolled with an overlap, and the old one ended', async () => {
    const words = ['--mode', 'production', '--name', 'Reports', '--groups', 'read', '--days', '90']
    const created = await dataOf('keys', 'create', ...words)
    const as = (key: string) => runWords(['users', 'list'], { ...environment, CARABINER_API_KEY: key })
    assert.match((await run('keys', 'list')).text, /Reports +read/)
    await assert.rejects(runWords(['keys', 'create'], { ...environment, CARABINER_API_KEY: created.key }), {
      code: 'unrestricted_key_required',
    })
    const { text, data } = await run('keys', 'roll', created.id, '--overlap', '30')
    const fresh = data as { id: string; key: string }
    assert.match(text, new RegExp(`The previous key works until .* carabiner keys end ${created.id}`))
    await as(created.key)
    assert.match((await run('keys', 'list')).text, /Reports \(rolled\)/)
    await run('keys', 'end', created.id, '--yes')
    await assert.rejects(as(created.key), /rejected CARABINER_API_KEY/)
    await as(fresh.key)
    await assert.rejects(run('keys', 'roll'), { code: 'several_keys' })
    await run('keys', 'revoke', fresh.id, '--yes')
  })

  it('origins: added, listed and removed', async () => {
    await run('origins', 'add', 'https://app.example.com')
    assert.match((await run('origins', 'list')).text, /https:\/\/app\.example\.com/)
    await run('origins', 'remove', 'https://app.example.com')
    assert.match((await run('origins', 'list')).text, /no origins/)
    await assert.rejects(run('origins', 'add', 'nonsense'), { exitCode: 1 })
  })

  it('rules: set from a file, shown and tested; exit code 3 if a rule would block', async () => {
    writeFileSync(
      file('rules.json'),
      '{"entities":{"CREDIT_CARD":{"inbound_action":"block","outbound_action":"redact"}}}',
    )
    await run('rules', 'set', file('rules.json'))
    assert.match((await run('rules', 'show')).text, /CREDIT_CARD +block +redact/)
    const card = 'Card 4111 1111 1111 1111'
    const redacted = await run('rules', 'test', card)
    assert.equal(redacted.exitCode, undefined)
    assert.match(redacted.text, /CREDIT_CARD[^]*Action: redact/)
    assert.ok(!redacted.text.includes('4111 1111 1111 1111'))
    assert.equal((await run('rules', 'test', card, '--direction', 'inbound')).exitCode, 3)
    writeFileSync(file('none.json'), '{}')
    assert.match((await run('rules', 'test', card, '--rules', file('none.json'))).text, /No matches/)
    await run('rules', 'set', '--pack', 'Default', file('none.json'))
    assert.match(
      (await run('rules', 'set', '--pack', 'Default', '--remove')).text,
      /apply to the Tool Pack again/,
    )
    await assert.rejects(run('rules', 'set'), /Use a file with rules/)
    await run('rules', 'set', '--replace', file('none.json'))
  })

  it('usage and audit list', async () => {
    assert.match(
      (await run('usage', '--by', 'tool', '--since', '7d')).text,
      /Plan +enterprise[^]*sandbox-notes__list_notes/,
    )
    await assert.rejects(run('usage', '--by', 'month'), /Allowed choices are day, user, connector, tool/)
    const { text, data } = await run('audit', 'list', '--action', 'registered_user.deleted')
    assert.match(text, /registered_user\.deleted/)
    assert.equal((data as unknown[]).length, 1)
    await assert.rejects(run('audit', 'list', '--since', 'yesterday'), /It must be a time such as/)
  })

  it('mcp: keys for agents, which work at the address of every client configuration', async () => {
    const key = await dataOf('mcp', 'create-key', 'caller', '--name', 'laptop', '--days', '3')
    assert.match((await run('mcp', 'list-keys', 'caller')).text, /laptop/)
    for (const [client, { language }] of Object.entries(MCP_CLIENTS)) {
      const { text, data } = await run('mcp', 'config', 'caller', '--client', client)
      const { url } = data as { url: string }
      assert.ok(text.includes(url), client)
      assert.ok(!/cb_(sk|mcp)_/.test(text), `${client} contains a key`)
      if (language === 'json') JSON.parse(text)
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      })
      assert.equal(response.status, 200, client)
    }
    await run('mcp', 'revoke-key', 'caller', key.id, '--yes')
    assert.match((await run('mcp', 'list-keys', 'caller')).text, /no MCP keys/)
    await assert.rejects(run('mcp', 'config', 'caller'), /Required option '--client <name>' not specified/)
  })

  it('mcp config --sign-in: the address of the Tool Pack, without a user and a key, for every client', async () => {
    for (const client of Object.keys(MCP_CLIENTS)) {
      const { text, data } = await run('mcp', 'config', '--sign-in', '--client', client)
      const { url } = data as { url: string }
      assert.ok(text.includes(url), client)
      assert.doesNotMatch(text, /KEY|Authorization/i, client)
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      assert.equal(response.status, 401, client)
      assert.match(response.headers.get('www-authenticate') ?? '', /resource_metadata=/)
    }
    await assert.rejects(run('mcp', 'config', '--client', 'cursor'), /either <user>.* or --sign-in/)
    await assert.rejects(run('mcp', 'config', 'caller', '--sign-in', '--client', 'cursor'), /either <user>/)
  })

  it('mcp config --write: adds to the file of the project, and never replaces another value', async test => {
    const previous = process.cwd()
    const project = mkdtempSync(join(folder, 'project-'))
    process.chdir(project)
    test.after(() => process.chdir(previous))
    writeFileSync('.mcp.json', '{"mcpServers":{"other":{"type":"http","url":"https://example.com"}}}')
    const write = ['mcp', 'config', 'caller', '--client', 'claude-code', '--write']
    await run(...write)
    await run(...write)
    const { mcpServers } = JSON.parse(readFileSync('.mcp.json', 'utf8'))
    assert.deepEqual(Object.keys(mcpServers), ['other', 'carabiner'])
    await assert.rejects(run(...write, '--connectors', 'sandbox-notes'), /has another value already/)
    writeFileSync('.mcp.json', '{ // comment\n}')
    await assert.rejects(run(...write), /is not plain JSON/)
    await assert.rejects(
      run('mcp', 'config', 'caller', '--client', 'zed', '--write'),
      /--write is not available for zed/,
    )
  })

  it('--verbose: prints requests without the key, bodies and query values', async () => {
    const context = createTestContext(environment)
    await runWordsOf(createProgram, ['users', 'list', '--search', 'secret-text', '--verbose'], context)
    const printed = context.notices.join('\n')
    assert.match(
      printed,
      /^GET http:\/\/\S+\/api\/v1\/registered-users\?limit&search {2}200 {2}req_\S+ {2}\d+ ms$/,
    )
    assert.ok(!printed.includes('secret-text') && !printed.includes(t.organization.key))
  })
})
