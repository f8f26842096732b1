import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { installMcpClients, type McpClientProgram, startMcpClient } from '../support/mcp-clients.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes__list_notes'
const DETECTION = join(import.meta.dirname, '../../../packages/contract/src/find-meta.ts')
const ERAS = [
  { program: 'client-asking', revision: '2026-07-28' },
  { program: 'sdk-asking', revision: '2025-11-25' },
]

let t: TestService
before(async () => {
  await installMcpClients()
  t = await joinTestService()
})
after(() => t?.stop())

/** Runs a client for a new user, and stops it afterwards. */
const withClient = async (
  program: string,
  query: string,
  run: (client: McpClientProgram, userId: string) => Promise<void>,
): Promise<void> => {
  const { id } = await t.createUser()
  const address = `${t.baseUrl}/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${id}/mcp${query}`
  const environment = { FIND_AUTHENTICATE_META: DETECTION, TOOL: NOTES }
  const client = await startMcpClient(program, { address, key: t.organization.key, environment })
  try {
    await run(client, id)
  } finally {
    await client.stop()
  }
}
const call = (client: McpClientProgram, options = {}) =>
  client.request('call', { name: NOTES, args: {}, options })
const notesOf = ({ structuredContent }: any): unknown[] => structuredContent.notes

describe('clients with a user who can open links', { concurrency: 4 }, () => {
  // Progress is sent every ten seconds, so a client that times out 20 seconds after the latest message continues.
  for (const { program } of ERAS)
    it(`wait= keeps ${program} waiting beyond its timeout by sending progress`, () =>
      withClient(program, '?wait=60', async client => {
        const calling = call(client, { timeout: 20_000 })
        const { message, total } = await client.until('progress')
        assert.equal(total, 60)
        await delay(21_000)
        await linkNotes(createBrowserUser(), /http\S+magic-link\S+/.exec(message)?.[0] ?? '')
        assert.equal(notesOf(await calling).length, 3)
        assert.ok(client.events.filter(({ event }) => event === 'progress').length >= 2)
      }))

  it('the AI SDK continues automatically: the model calls, the user connects, the model calls again [runtime.retry-succeeds]', () =>
    withClient('ai-sdk-loop', '', async client => {
      const answering = client.request('answer', { prompt: 'What is in my notes?' })
      const { meta } = await client.until('connect')
      assert.deepEqual([meta.Connector, meta.reason], ['sandbox-notes', 'never_linked'])
      await linkNotes(createBrowserUser(), meta.magic_link_url)
      await client.request('linked')
      const { text, calls, steps } = await answering
      assert.deepEqual([calls, steps], [2, 3])
      assert.match(text, /^Your notes: .+, .+, .+\.$/)
    }))

  for (const { program, revision } of ERAS) {
    it(`elicitation=url sends the link through ${program}, and the original call succeeds`, () =>
      withClient(program, '?elicitation=url', async client => {
        assert.equal(await client.request('revision'), revision)
        const calling = call(client)
        const { url, message } = await client.until('open')
        assert.match(message, /connect your Notes account/)
        await linkNotes(createBrowserUser(), url)
        if (revision === '2025-11-25') await client.request('opened')
        assert.equal(notesOf(await calling).length, 3)
      }))

    it(`${program} is notified of the changed tool list after a link, and reads it again`, () =>
      withClient(program, '?authenticated_only=true', async (client, userId) => {
        await linkNotes(createBrowserUser(), (await t.mint(userId)).magic_link_url)
        const { error, count } = await client.until('changed')
        assert.deepEqual([error, count], [undefined, 2])
      }))
  }
})
