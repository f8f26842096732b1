import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findAuthenticateMeta } from '@carabiner/contract'
import { installMcpClients, type McpClientProgram, startMcpClient } from '../support/mcp-clients.ts'
import { type McpServerProcess, startMcpServer } from '../support/mcp-servers.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { wholeCatalog } from '../support/whole-catalog.ts'

/** Plain TypeScript without imports, so that a client's program can load it. */
const DETECTION = join(import.meta.dirname, '../../../packages/contract/src/find-authenticate-meta.ts')
const NOTES = 'sandbox-notes__list_notes'
const FAILS = 'theirs__fail'

/** What is known of each: what it makes of a name, and how a tool error reaches its application. */
type Known = {
  program: string
  rename?: (name: string) => string
  onError: 'throws' | 'hands on'
  /** Used on people's own machines: with an MCP key. */
  local?: true
}

const CLIENTS: Known[] = [
  // The slowest begins.
  { program: 'inspector', onError: 'hands on', local: true },
  { program: 'sdk', onError: 'hands on' },
  { program: 'client', onError: 'hands on' },
  { program: 'ai-sdk', onError: 'hands on' },
  { program: 'langchain', onError: 'throws' },
  { program: 'openai-agents', onError: 'hands on', rename: name => name.replaceAll('-', '_') },
  { program: 'mastra', onError: 'throws' },
  { program: 'mcp-remote', onError: 'hands on', local: true },
]

let t: TestService
let theirs: McpServerProcess
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
  theirs = await startMcpServer('stateless')
  const body = { slug: 'theirs', name: 'Theirs', url: theirs.url }
  assert.equal((await t.call('POST', '/api/v1/connectors', { body })).status, 201)
  everyName = await namesOf((await t.createUser()).id)
  assert.ok(everyName.length > 380, 'the list has two pages')
  assert.ok(everyName.every(name => /^[A-Za-z0-9_-]{1,64}$/.test(name)))
})
after(async () => {
  await theirs?.stop()
  await t?.stop()
})

describe('other people’s clients', { concurrency: 2 }, () => {
  for (const { program, rename = (name: string) => name, onError, local = false } of CLIENTS)
    it(`${program} lists every tool, is told to authenticate, and succeeds after linking [mcp.list-and-call] [mcp.authenticate]`, async () => {
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
        const handed = await call(NOTES)
        const meta = findAuthenticateMeta(handed)
        assert.ok(meta?.magic_link_url, JSON.stringify(handed))
        // The snippet of the documentation has found the same.
        if (program === 'langchain' || program === 'mastra')
          assert.equal(handed.detected?.link_token, meta.link_token)
        if (program === 'openai-agents')
          for (const found of await client.request<any[]>('answer', { name: rename(NOTES) }))
            assert.equal(found?.Connector, 'sandbox-notes')
        await linkNotes(createBrowserUser(), meta.magic_link_url)
        assert.match(JSON.stringify(await call(NOTES)), /"notes\\*":\[/)
        await checkError(client, rename(FAILS), onError)
        if (program === 'inspector') assert.doesNotMatch((await client.until('judged')).text, /Issue:/)
      } finally {
        await client.stop()
      }
    })
})

const checkError = async (client: McpClientProgram, name: string, onError: Known['onError']) => {
  const failed = await client.request('call', { name, args: {} }).then(
    handed => ({ how: 'hands on', said: JSON.stringify(handed) }),
    (error: Error) => ({ how: 'throws', said: error.message }),
  )
  assert.deepEqual([failed.how, /it did not work/.test(failed.said)], [onError, true], failed.said)
}
