import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { welcome } from '../../src/welcome.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { readBlocks } from './fenced-blocks.ts'

const PAGE = 'docs/get-started/index.md'
const blocks = readBlocks().filter(({ file }) => file === PAGE)

describe('the quickstart', () => {
  let t: TestService
  before(async () => {
    t = await startTestService('pglite', {}, { withJobs: false })
  })
  after(() => t.stop())

  it('shows the authenticate_meta that the service returns', async () => {
    const shown = JSON.parse(blocks.find(({ language }) => language === 'json')?.code ?? '')
    const { id } = await t.createUser()
    const call = { name: 'sandbox-notes__list_notes', arguments: {} }
    const returned = (await t.mcp(id, 'tools/call', call)).body.result.structuredContent
    assert.deepEqual(Object.keys(shown), Object.keys(returned))
    for (const [field, value] of Object.entries(shown as Record<string, string>)) {
      const [start = '', rest] = value.split('…')
      if (rest !== undefined) assert.ok(returned[field].startsWith(start) || field.endsWith('_url'), field)
      else if (field !== 'expires_at') assert.equal(returned[field], value)
    }
  })

  it('uses the addresses that the service prints at its start', () => {
    const facts = { test_key: 'k', registered_user_id: 'u', tool_pack_id: 'p' }
    const text = welcome({
      role: 'all',
      baseUrl: 'http://localhost:4000',
      sandboxUrl: undefined,
      database: 'embedded',
      processes: 1,
      milliseconds: 1,
      signIn: null,
      demo: { facts: facts as never, mcpUrl: 'm', signInUrl: 's', magicLinkUrl: 'l' },
    })
    assert.ok(text.includes('curl -s -X POST http://localhost:4000/api/v1/registered-users/u/link-token'))
    assert.ok(blocks.some(({ code }) => code.includes('/api/v1/registered-users/$USER_ID/link-token')))
  })
})
