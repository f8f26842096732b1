import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { joinTestService, type TestService } from '../../../../server/test/support/test-service.ts'
import { runWords } from '../../test/run-words.ts'

describe('carabiner api', () => {
  let t: TestService
  let environment: Record<string, string>
  before(async () => {
    t = await joinTestService()
    environment = { CARABINER_URL: t.baseUrl, CARABINER_API_KEY: t.organization.key }
  })
  after(() => t?.stop())

  const run = (...args: string[]) => runWords(['api', ...args], environment)

  it('places fields in the path, the query and the body, and prints the response', async () => {
    const created = await run(
      'createRegisteredUser',
      'origin_user_id=ana=1',
      'rate_limit_per_minute=30',
      'metadata={"a":1}',
    )
    const user = JSON.parse(created.text)
    assert.equal(user.origin_user_id, 'ana=1')
    assert.deepEqual([user.rate_limit_per_minute, user.metadata], [30, { a: 1 }])
    const updated = JSON.parse(
      (await run('updateRegisteredUser', `id=${user.id}`, 'rate_limit_per_minute=null')).text,
    )
    assert.equal(updated.rate_limit_per_minute, undefined)
    const found = JSON.parse((await run('listRegisteredUsers', 'search=ana', 'limit=1')).text)
    assert.deepEqual(
      found.data.map(({ id }: { id: string }) => id),
      [user.id],
    )
    assert.equal((await run('deleteRegisteredUser', `id=${user.id}`)).text, 'Done.')
  })

  it('adds fields to the body, and prints an export as it is', async () => {
    const pack = JSON.parse(
      (await run('createToolPack', '--body', '{"result_limit":2000}', 'name=From JSON')).text,
    )
    assert.deepEqual([pack.name, pack.result_limit], ['From JSON', 2000])
    assert.match((await run('exportToolCalls', 'format=csv')).text, /^id,/)
  })

  it('without an operation, lists those that a key can call', async () => {
    const { text } = await run()
    assert.match(text, /^OPERATION +REQUEST +DESCRIPTION\n/)
    assert.match(text, /\nlistToolPacks +GET \/tool-packs +List Tool Packs\n/)
    assert.doesNotMatch(text, /inviteMember|streamEvents/)
  })

  it('--describe prints the fields with their places and descriptions', async () => {
    const { text } = await run('createMcpKey', '--describe')
    assert.match(text, /^Create an MCP key\. /)
    assert.match(text, /\nid +path +yes +ID of the Registered User\.\n/)
    assert.match(text, /\nname +body +yes +Display name of the key\.\n/)
    assert.match(text, /\nexpires_in_days +body +– +Default: 30\.\n/)
  })

  it('a wrong operation, field or value is a usage error that says what is right', async () => {
    const fails = (words: string[], expected: RegExp) => assert.rejects(run(...words), expected)
    await fails(['toolPacks'], /There is no operation "toolPacks"\. Did you mean .*listToolPacks/)
    await fails(['getToolPack'], /The operation getToolPack needs id=…\./)
    await fails(['getToolPack', 'id=..'], /The value of id is not an ID: "\.\."\./)
    await fails(['getToolPack', 'pack=1'], /"pack=1" is not a field of getToolPack.* Its fields: id\./)
    await fails(['createToolPack', 'name=A', 'result_limit=many'], /The field result_limit must be JSON/)
    await fails(['createToolPack', 'name=A', 'result_limit=1'], /result_limit/)
  })
})
