import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Database } from '../../src/platform/database/database.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { openTestDatabase } from '../support/databases.ts'
import { startNotesFleet } from '../support/notes-fleet.ts'
import { type Fleet, type Node, post } from '../support/processes.ts'
import { sendRawRequest, statelessRequest } from '../support/raw-mcp.ts'
import { runSql } from '../support/run-sql.ts'

const LIST = { name: 'sandbox-notes__list_notes', arguments: {} }
const changed = ({ method }: { method: string }) => method === 'notifications/tools/list_changed'

describe('the MCP endpoint on several nodes', () => {
  const opened = new AsyncDisposableStack()
  let fleet: Fleet
  let here: Node
  let there: Node
  let db: Database
  let toolPackId: string
  before(async () => {
    const started = await startNotesFleet(opened)
    fleet = started.fleet
    here = started.fleet.first
    there = await fleet.start()
    db = await openTestDatabase(fleet.database)
    opened.defer(() => db.close())
    const packs = await fetch(`${here.baseUrl}/api/v1/tool-packs`, {
      headers: { authorization: `Bearer ${fleet.key}` },
    })
    toolPackId = ((await packs.json()) as { data: { id: string }[] }).data[0]?.id as string
  })
  after(() => opened.disposeAsync())

  const createUser = async (): Promise<string> =>
    (
      await post(`${here.baseUrl}/api/v1/registered-users`, fleet.key, {
        origin_user_id: crypto.randomUUID(),
      })
    ).body.id
  const linkHere = async (userId: string) => {
    const minted = await post(`${here.baseUrl}/api/registered-users/${userId}/link-token`, fleet.key, {})
    await linkNotes(createBrowserUser(), minted.body.magic_link_url)
  }
  const at = ({ baseUrl }: Node, userId: string, query = '') =>
    `${baseUrl}/api/v1/tool-packs/${toolPackId}/registered-users/${userId}/mcp${query}`
  const waitThere = (userId: string) =>
    sendRawRequest(at(there, userId, '?wait=60'), fleet.key, statelessRequest('tools/call', LIST))
  const dropWakeUpListeners = async (): Promise<void> => {
    const [cut] = await runSql<{ n: number }>(
      db,
      `select count(pg_terminate_backend(pid))::int as n from pg_stat_activity
        where datname = current_database() and query ilike 'listen%'`,
    )
    assert.ok((cut?.n ?? 0) >= 1, 'at least one node listened')
  }

  it('a call that waits on one node completes when the account is connected on another', async () => {
    const userId = await createUser()
    const waiting = await waitThere(userId)
    await linkHere(userId)
    const { result } = await waiting.until(message => 'result' in message)
    assert.equal(result.structuredContent.notes.length, 3)
  })

  it('completes even if the wake-up was lost', async () => {
    const userId = await createUser()
    const waiting = await waitThere(userId)
    await dropWakeUpListeners()
    await linkHere(userId)
    const { result } = await waiting.until(message => 'result' in message)
    assert.equal(result.structuredContent.notes.length, 3)
  })

  it('a stream on one node is notified of a link on another, and ends with the user', async () => {
    const userId = await createUser()
    const listening = await sendRawRequest(at(there, userId), fleet.key, { method: 'GET' })
    await linkHere(userId)
    await listening.until(changed)
    const response = await fetch(`${here.baseUrl}/api/v1/registered-users/${userId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${fleet.key}` },
    })
    assert.equal(response.status, 204)
    await listening.untilEnded()
  })

  it('tools that a search has revealed on one node are listed and announced on another', async () => {
    const userId = await createUser()
    // The key is a test key, which cannot create a Tool Pack.
    const packId = crypto.randomUUID()
    await runSql(
      db,
      `insert into tool_packs (organization_id, id, name, serving)
       select organization_id, $2, 'Revealing', 'reveal' from tool_packs where id = $1`,
      [toolPackId, packId],
    )
    const urlAt = ({ baseUrl }: Node) =>
      `${baseUrl}/api/v1/tool-packs/${packId}/registered-users/${userId}/mcp`
    const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
    const openSession = async (node: Node): Promise<Record<string, string>> => {
      const body = request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      })
      const { headers } = await sendRawRequest(urlAt(node), fleet.key, { body })
      return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
    }
    const send = async (node: Node, headers: Record<string, string>, body: object) =>
      (await sendRawRequest(urlAt(node), fleet.key, { headers, body })).until(message => 'result' in message)
    const namesAt = async (node: Node, headers: Record<string, string>): Promise<string[]> =>
      (await send(node, headers, request('tools/list'))).result.tools.map(({ name }: any) => name)

    const [session, otherSession] = [await openSession(here), await openSession(there)]
    assert.deepEqual(await namesAt(there, session), ['search_tools'])
    const listening = await sendRawRequest(urlAt(there), fleet.key, { method: 'GET', headers: session })
    const search = { name: 'search_tools', arguments: { query: 'list notes' } }
    await send(here, session, request('tools/call', search))
    for (const node of [here, there, there, here])
      assert.ok((await namesAt(node, session)).includes(LIST.name), node.baseUrl)
    assert.deepEqual(await namesAt(there, otherSession), ['search_tools'])
    await listening.until(changed)
    listening.close()
  })

  it('100 calls on another node directly after linking all find the credential [symptom.storage-delay]', async () => {
    const linkThenCall = async (): Promise<unknown> => {
      const userId = await createUser()
      await linkHere(userId)
      const called = await sendRawRequest(at(there, userId), fleet.key, statelessRequest('tools/call', LIST))
      const { structuredContent } = called.messages[0].result
      return structuredContent.notes?.length ?? structuredContent
    }
    const outcomes: unknown[] = []
    const linkSome = async () => {
      for (let n = 0; n < 10; n++) outcomes.push(await linkThenCall())
    }
    await Promise.all(Array.from({ length: 10 }, linkSome))
    assert.deepEqual(outcomes, Array(100).fill(3))
  })

  it('a stopping node ends its waits with the link, and closes its streams', async () => {
    const third = await fleet.start()
    const userId = await createUser()
    const waiting = await sendRawRequest(
      at(third, userId, '?wait=60'),
      fleet.key,
      statelessRequest('tools/call', LIST),
    )
    const listening = await sendRawRequest(at(third, userId), fleet.key, { method: 'GET' })
    const stopped = third.kill('SIGTERM')
    const { result } = await waiting.until(message => 'result' in message)
    assert.equal(result.structuredContent.type, 'authenticate_meta')
    await listening.untilEnded()
    assert.match(listening.text(), /^retry: 2000$/m, 'the client is told to connect again')
    await stopped
  })
})
