import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findAuthenticateMeta } from '@carabiner/contract'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { installMcpClients, type McpClientProgram, startMcpClient } from '../support/mcp-clients.ts'
import { type McpServerProcess, startMcpServer } from '../support/mcp-servers.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { wholeCatalog } from '../support/whole-catalog.ts'

/** TypeScript without imports, so that the client programs can load it. */
const DETECTION = join(import.meta.dirname, '../../../packages/contract/src/find-meta.ts')
const NOTES = 'sandbox-notes__list_notes'
const FAILS = 'theirs__fail'

/** How each client maps tool names, and how it reports a tool error to its application. */
type ClientProgram = {
  program: string
  rename?: (name: string) => string
  onError: 'throws' | 'returns'
  /** Runs on the user’s machine, with an MCP key. */
  local?: true
}

const CLIENTS: ClientProgram[] = [
  // The slowest is started first.
  { program: 'inspector', onError: 'returns', local: true },
  { program: 'sdk', onError: 'returns' },
  { program: 'client', onError: 'returns' },
  { program: 'ai-sdk', onError: 'returns' },
  { program: 'langchain', onError: 'throws' },
  { program: 'openai-agents', onError: 'returns', rename: name => name.replaceAll('-', '_') },
  { program: 'mastra', onError: 'throws' },
  { program: 'mcp-remote', onError: 'returns', local: true },
]

let t: TestService
let upstream: McpServerProcess
let everyName: string[]

const keyFor = async (userId: string, local: boolean): Promise<string> =>
  local
    ? (await t.call('POST', `/api/v1/registered-users/${userId}/mcp-keys`, { body: { name: 'laptop' } })).body
        .key
    : t.organization.key

const addressOf = (userId: string) =>
  `${t.baseUrl}/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${userId}/mcp`

const namesOf = async (userId: string, cursor?: string): Promise<string[]> => {
  const { result } = (await t.mcp(userId, 'tools/list', { cursor })).body
  const names = result.tools.map(({ name }: { name: string }) => name)
  return result.nextCursor ? [...names, ...(await namesOf(userId, result.nextCursor))] : names
}

before(async () => {
  await installMcpClients()
  t = await startTestService('postgres', wholeCatalog())
  upstream = await startMcpServer('stateless')
  const body = { slug: 'theirs', name: 'Theirs', url: upstream.url }
  assert.equal((await t.call('POST', '/api/v1/connectors', { body })).status, 201)
  everyName = await namesOf((await t.createUser()).id)
  assert.ok(everyName.length > 380, 'the list has two pages')
  assert.ok(everyName.every(name => /^[A-Za-z0-9_-]{1,64}$/.test(name)))
})
after(async () => {
  await upstream?.stop()
  await t?.stop()
})

describe('third-party clients', { concurrency: 2 }, () => {
  for (const { program, rename = (name: string) => name, onError, local = false } of CLIENTS)
    it(`${program} lists every tool, gets authenticate_meta, and succeeds after linking [mcp.list-and-call] [mcp.authenticate]`, async () => {
      const user = await t.createUser()
      const client = await startMcpClient(program, {
        address: addressOf(user.id),
        key: await keyFor(user.id, local),
        environment: { FIND_AUTHENTICATE_META: DETECTION },
      })
      try {
        assert.deepEqual(
          (await client.request<string[]>('list')).toSorted(),
          everyName.map(name => rename(name)).toSorted(),
        )
        const call = (name: string) => client.request('call', { name: rename(name), args: {} })
        const returned = await call(NOTES)
        const meta = findAuthenticateMeta(returned)
        assert.ok(meta?.magic_link_url, JSON.stringify(returned))
        // The snippet of the documentation detects the same.
        if (program === 'langchain' || program === 'mastra')
          assert.equal(returned.detected?.link_token, meta.link_token)
        if (program === 'openai-agents')
          for (const found of await client.request<any[]>('answer', { name: rename(NOTES) }))
            assert.equal(found?.Connector, 'sandbox-notes')
        await linkNotes(createBrowserUser(), meta.magic_link_url)
        assert.match(JSON.stringify(await call(NOTES)), /"notes\\*":\[/)
        await checkError(client, rename(FAILS), onError)
        if (program === 'inspector') assert.doesNotMatch((await client.until('validated')).text, /Issue:/)
      } finally {
        await client.stop()
      }
    })
})

const checkError = async (client: McpClientProgram, name: string, onError: ClientProgram['onError']) => {
  const failed = await client.request('call', { name, args: {} }).then(
    returned => ({ kind: 'returns', text: JSON.stringify(returned) }),
    (error: Error) => ({ kind: 'throws', text: error.message }),
  )
  assert.deepEqual([failed.kind, /it did not work/.test(failed.text)], [onError, true], failed.text)
}
