import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findAuthenticateMeta } from '@carabiner/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { installMcpClients, startMcpClient } from '../../../server/test/support/mcp-clients.ts'
import { type Carabiner, openTape, startCarabiner, type Tape, type TestUser } from '../src/index.ts'
import { temporaryFolder } from './temporary-folder.ts'

const LIST = 'sandbox-notes__list_notes'
const CREATE = 'sandbox-notes__create_note'
const VAULT = 'sandbox-vault__list_items'

const connect = async (url: string): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

describe('a tape', () => {
  let carabiner: Carabiner
  let user: TestUser
  let recorded: string
  const folder = temporaryFolder()
  const file = join(folder.path, 'notes.json')
  before(async () => {
    carabiner = await startCarabiner()
    user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    await using tape = await openTape({ file, mode: 'record', url: user.mcpUrl, headers: user.headers })
    const client = await connect(tape.url)
    await client.listTools()
    await client.callTool({ name: LIST, arguments: { query: 'rent', limit: 5 } })
    const text = `Call bo@example.com, key ${carabiner.apiKeys.test}`
    await client.callTool({ name: CREATE, arguments: { title: 'First', text } })
    await client.callTool({ name: LIST, arguments: { query: 'First' } })
    await client.callTool({ name: VAULT, arguments: {} })
    await client.callTool({ name: 'unknown__tool', arguments: {} })
    await client.close()
    recorded = readFileSync(file, 'utf8')
  })
  after(async () => {
    await carabiner?.stop()
    await folder[Symbol.asyncDispose]()
  })
  const play = (options: { order?: 'any' | 'recorded' } = {}): Promise<Tape> =>
    openTape({ file, mode: 'replay', ...options })

  it('contains the calls and their answers, without keys, tokens and personal data', () => {
    const { entries } = JSON.parse(recorded) as { entries: { method: string; params: { name?: string } }[] }
    assert.deepEqual(
      entries.map(({ method, params }) => params.name ?? method),
      ['tools/list', LIST, CREATE, LIST, VAULT, 'unknown__tool'],
    )
    assert.ok(!recorded.includes('bo@example.com'))
    assert.doesNotMatch(recorded, /cb_(?:sk|lnk|mlk)_\w/)
    assert.ok(!recorded.includes(user.id), 'the address of the endpoint is not recorded')
    assert.match(recorded, /REDACTED:EMAIL_ADDRESS/)
  })

  it('replays the same answers to the official SDK, in any order, without the service', async () => {
    await using tape = await play()
    const client = await connect(tape.url)
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === LIST))
    const second = await client.callTool({ name: LIST, arguments: { query: 'First' } })
    const first = await client.callTool({ name: LIST, arguments: { limit: 5, query: 'rent' } })
    assert.match(JSON.stringify(second), /First/)
    assert.notDeepEqual(first, second)
    assert.deepEqual(await client.callTool({ name: LIST, arguments: { query: 'First' } }), second)
    // The arguments are redacted like those on the tape before they are compared.
    const text = `Call bo@example.com, key ${carabiner.apiKeys.test}`
    const created = await client.callTool({ name: CREATE, arguments: { title: 'First', text } })
    assert.notEqual(created.isError, true)
    const meta = findAuthenticateMeta(await client.callTool({ name: VAULT, arguments: {} }))
    assert.equal(meta?.reason, 'never_linked')
    assert.equal((await client.callTool({ name: 'unknown__tool', arguments: {} })).isError, true)
    assert.deepEqual(tape.unused(), [])
    await client.close()
  })

  it('an unrecorded call fails with the recorded ones and the way to record it', async () => {
    await using tape = await play()
    const client = await connect(tape.url)
    await assert.rejects(client.callTool({ name: LIST, arguments: { query: 'other' } }), (error: Error) => {
      assert.match(error.message, /has no such call: tools\/call .*"query":"other"/)
      assert.match(error.message, /Recorded:\n.*"query":"rent"/)
      assert.match(error.message, /mode: 'record'/)
      return true
    })
    assert.equal(tape.unused().length, 6)
    await client.close()
  })

  it('order: recorded accepts the recorded order only', async () => {
    await using tape = await play({ order: 'recorded' })
    const client = await connect(tape.url)
    await assert.rejects(client.callTool({ name: LIST, arguments: { query: 'First' } }), /no such next call/)
    await client.callTool({ name: LIST, arguments: { query: 'rent', limit: 5 } })
    await assert.rejects(
      client.callTool({ name: LIST, arguments: { query: 'rent', limit: 5 } }),
      /no such next call/,
    )
    await client.close()
  })

  it('mode: auto records a missing file and replays an existing one; replay names a missing file', async () => {
    const other = join(folder.path, 'deep', 'other.json')
    const options = { file: other, url: user.mcpUrl, headers: user.headers }
    await assert.rejects(openTape({ ...options, mode: 'replay' }), /no tape at .*other\.json/)
    for (const mode of ['record', 'replay'] as const) {
      await using tape = await openTape({ ...options, mode: 'auto' })
      assert.equal(tape.mode, mode)
      const client = await connect(tape.url)
      assert.notEqual((await client.callTool({ name: LIST, arguments: {} })).isError, true)
      await client.close()
    }
  })

  it('is recorded and replayed by the clients of others: AI SDK, and the client of revision 2026-07-28', async () => {
    await installMcpClients()
    for (const program of ['ai-sdk', 'client']) {
      const path = join(folder.path, `${program}.json`)
      const results: unknown[] = []
      for (const mode of ['record', 'replay'] as const) {
        await using tape = await openTape({ file: path, mode, url: user.mcpUrl, headers: user.headers })
        const client = await startMcpClient(program, { address: tape.url, key: 'none' })
        try {
          const listed = await client.request('list')
          const result = await client.request('call', { name: LIST, args: { query: 'rent' } })
          results.push([listed, result.structuredContent])
        } finally {
          await client.stop()
        }
      }
      assert.deepEqual(results[0], results[1], program)
    }
  })
})
