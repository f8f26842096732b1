import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { runWords } from '../../test/run-words.ts'

describe('carabiner policies', () => {
  let t: TestService
  let folder: string
  before(async () => {
    t = await joinTestService()
    folder = mkdtempSync(join(tmpdir(), 'carabiner-policies-'))
  })
  after(async () => {
    await t?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const run = (key: string, ...words: string[]) =>
    runWords(['policies', ...words], { CARABINER_URL: t.baseUrl, CARABINER_API_KEY: key })
  const write = (policy: object): string => {
    const path = join(folder, 'policy.json')
    writeFileSync(path, JSON.stringify(policy))
    return path
  }
  const WRITING = { name: 'No writing', effect: 'deny', tools: ['sandbox-notes__*'], when: '!tool.read_only' }
  const READING = { name: 'Reading', effect: 'allow', tools: ['sandbox-notes__list_notes'] }

  it('apply: makes the policy equal to the file, shows the changes first, and keeps the IDs of rules', async () => {
    const { body: stored } = await t.call('POST', '/api/v1/api-keys', { body: { mode: 'production' } })
    await t.query(`update api_keys set groups = '{policies,read}' where id = $1`, [stored.id])
    const { key } = stored
    const file = write({ default: 'deny', rules: [WRITING, READING] })
    const changes = ['default: allow → deny', '+ No writing', '+ Reading']
    const planned = await run(key, 'apply', file, '--dry-run')
    assert.deepEqual(planned.data, { changes, applied: false })
    assert.match(planned.text, /Nothing was changed/)
    assert.match((await run(key, 'show')).text, /No rules\. Calls that no rule matches: allow/)
    await assert.rejects(run(key, 'apply', file), /Use --yes/)
    assert.deepEqual((await run(key, 'apply', file, '--yes')).data, { changes, applied: true })
    assert.match((await run(key, 'apply', file, '--yes')).text, /The policy equals the file/)
    const shown = await run(key, 'show')
    assert.match(shown.text, /No writing +deny +sandbox-notes__\* +!tool\.read_only/)
    const idOf = async (name: string) =>
      ((await run(key, 'show')).data as any).rules.find((rule: any) => rule.name === name)?.id
    const id = await idOf('No writing')
    const next = write({ default: 'deny', rules: [{ ...WRITING, reason: 'Read-only week' }] })
    assert.deepEqual(((await run(key, 'apply', next, '--yes')).data as any).changes, [
      '~ No writing (reason)',
      '- Reading',
    ])
    assert.deepEqual([await idOf('No writing'), await idOf('Reading')], [id, undefined])
    const signed = write({ default: 'deny', rules: [{ ...WRITING, effect: 'ask', step_up: true }] })
    assert.deepEqual(((await run(key, 'apply', signed, '--yes')).data as any).changes, [
      '~ No writing (effect, step_up, reason)',
    ])
    assert.match((await run(key, 'apply', signed, '--yes')).text, /The policy equals the file/)
  })

  it('apply: a file without a binding identifies users again', async () => {
    const { body: stored } = await t.call('POST', '/api/v1/api-keys', { body: { mode: 'production' } })
    await t.query(`update api_keys set groups = '{policies,read}' where id = $1`, [stored.id])
    const { key } = stored
    const changesOf = async (policy: object) =>
      ((await run(key, 'apply', write(policy), '--yes')).data as any).changes
    await changesOf({ default: 'allow', rules: [] })
    assert.deepEqual(await changesOf({ default: 'allow', approval_binding: 'link' }), [
      'approval_binding: identified → link',
    ])
    assert.match((await run(key, 'show')).text, /anyone with the link decides/)
    assert.deepEqual(await changesOf({ default: 'allow' }), ['approval_binding: link → identified'])
  })

  it('apply: a new hook gets a secret that is shown once, and an equal file changes nothing', async () => {
    const { body: stored } = await t.call('POST', '/api/v1/api-keys', { body: { mode: 'production' } })
    await t.query(`update api_keys set groups = '{policies,read}' where id = $1`, [stored.id])
    const { key } = stored
    const hooked = { name: 'Hooked', tools: ['sandbox-notes__*'], hook: { url: 'http://127.0.0.1:9' } }
    const file = write({ default: 'allow', rules: [hooked] })
    const applied = await run(key, 'apply', file, '--yes')
    const [{ name, secret }] = (applied.data as any).hook_secrets
    assert.equal(name, 'Hooked')
    assert.ok(applied.text.includes(`\nHooked: ${secret}`), applied.text)
    assert.match((await run(key, 'show')).text, /Hooked +hook http:\/\/127\.0\.0\.1:9\//)
    assert.match((await run(key, 'apply', file, '--yes')).text, /^The policy equals the file\.$/)
    const asking = write({
      default: 'allow',
      rules: [{ ...hooked, hook: { ...hooked.hook, on_error: 'ask' } }],
    })
    const changed = await run(key, 'apply', asking, '--yes')
    assert.deepEqual(changed.data, { changes: ['~ Hooked (hook)'], applied: true })
    const empty = write({ default: 'allow', rules: [] })
    assert.deepEqual(((await run(key, 'apply', empty, '--yes')).data as any).changes, ['- Hooked'])
  })

  it('apply: changes nothing if a rule is invalid, or with a key that an agent may hold', async () => {
    const { organization } = t
    const show = async () => (await run(organization.key, 'show')).data
    const earlier = await show()
    const file = write({ default: 'allow', rules: [READING] })
    await assert.rejects(run(organization.key, 'apply', file, '--yes'), { code: 'key_group_required' })
    const { body: stored } = await t.call('POST', '/api/v1/api-keys', { body: { mode: 'production' } })
    await t.query(`update api_keys set groups = '{policies,read}' where id = $1`, [stored.id])
    const invalid = write({ default: 'allow', rules: [READING, { ...WRITING, when: '!tool.readonly' }] })
    await assert.rejects(run(stored.key, 'apply', invalid, '--yes'), {
      code: 'invalid_condition',
      message: /read_only/,
    })
    const twice = write({ default: 'allow', rules: [READING, READING] })
    await assert.rejects(run(stored.key, 'apply', twice, '--yes'), { code: 'policy_rule_name_taken' })
    assert.deepEqual(await show(), earlier)
  })
})
