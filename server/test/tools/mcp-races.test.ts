import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { SERVICE_ACTOR } from '../../src/core/audited-change.ts'
import { regenerateProductionKey } from '../../src/features/organizations/replace-api-key.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { openTestDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type Exchange, type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { startNotesFleet } from '../support/notes-fleet.ts'
import { type Fleet, type Node, post } from '../support/processes.ts'
import { handshakeRequest, type RawOptions, sendRawRequest, statelessRequest } from '../support/raw-mcp.ts'
import { runSql } from '../support/run-sql.ts'

const LIST = { name: 'sandbox-notes__list_notes', arguments: {} }
const ACT = { name: 'theirs__act', arguments: {} }

/** Concurrent and out-of-order requests to the same endpoint on three nodes. */
describe('races between nodes', () => {
  const opened = new AsyncDisposableStack()
  let fleet: Fleet
  let nodes: Node[]
  let db: Database
  let server: HostileServer
  let key: string
  let packId: string
  before(async () => {
    server = await startHostileMcp()
    opened.defer(() => server.close())
    const started = await startNotesFleet(opened)
    fleet = started.fleet
    nodes = [started.fleet.first, ...(await Promise.all([fleet.start(), fleet.start()]))]
    db = await openTestDatabase(fleet.database)
    opened.defer(() => db.close())
    const [pack] = await query<{ id: string; organization_id: string }>(
      'select id, organization_id from tool_packs',
    )
    packId = pack?.id as string
    key = (await regenerateProductionKey(db, pack?.organization_id as string, SERVICE_ACTOR)).key.reveal()
    const body = { name: 'Theirs', slug: 'theirs', url: server.url }
    assert.equal((await send('connectors', body)).status, 201)
  })
  after(() => opened.disposeAsync())

  const query = <Row>(text: string, parameters: unknown[] = []) => runSql<Row>(db, text, parameters as never)
  const at = (n: number): Node => nodes[n % nodes.length] as Node
  const send = (path: string, body: unknown, n = 0) => post(`${at(n).baseUrl}/api/v1/${path}`, key, body)
  const change = (method: string, path: string, body?: unknown) =>
    fetch(`${at(0).baseUrl}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const createUser = async (): Promise<string> =>
    (await send('registered-users', { origin_user_id: crypto.randomUUID() })).body.id
  const sendMcp = (
    n: number,
    userId: string,
    options: RawOptions,
    { search = '', as = key, pack = packId } = {},
  ) =>
    sendRawRequest(
      `${at(n).baseUrl}/api/v1/tool-packs/${pack}/registered-users/${userId}/mcp${search}`,
      as,
      options,
    )
  const act = (n: number, userId: string, idempotencyKey: string) =>
    sendMcp(n, userId, statelessRequest('tools/call', ACT, { meta: { 'Idempotency-Key': idempotencyKey } }))
  const providerCalls = () => server.requests.filter(({ step }) => step === 'tools/call').length
  const codeOf = ({ messages }: { messages: any[] }): string =>
    messages[0].result.structuredContent?.error.code ?? 'answered'
  const outcomes = async (userId: string) =>
    (
      await query<{ outcome: string }>('select outcome from tool_calls where registered_user_id = $1', [
        userId,
      ])
    ).map(({ outcome }) => outcome)

  it('a call with one Idempotency-Key is made once, for any number of concurrent requests', async () => {
    const [userId, other] = await Promise.all([createUser(), createUser()])
    server.reset({
      'tools/call': exchange => setTimeout(() => result(exchange, { content: [] }), 300),
    })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => act(n, userId, 'once')))
    assert.equal(providerCalls(), 1)
    const codes = new Set(answers.map(codeOf))
    assert.deepEqual([...codes].toSorted(), ['answered', 'idempotency_in_progress'])
    assert.equal(codeOf(await act(1, userId, 'once')), 'answered')
    assert.equal(codeOf(await act(1, other, 'once')), 'answered')
    assert.equal(providerCalls(), 2, 'the key of another user is a different key')
    const counted = (await outcomes(userId)).filter(outcome => outcome === 'success')
    assert.equal(counted.length, 1)
  })

  it('a user deactivated on another node: no result, no replay, no link', async () => {
    const userId = await createUser()
    const held = Promise.withResolvers<Exchange>()
    server.reset({})
    assert.equal(codeOf(await act(0, userId, 'before')), 'answered')
    server.reset({ 'tools/call': held.resolve })
    const inFlight = sendMcp(1, userId, statelessRequest('tools/call', ACT))
    const waiting = await sendMcp(2, userId, statelessRequest('tools/call', LIST), { search: '?wait=60' })
    const exchange = await held.promise
    assert.equal((await change('PATCH', `registered-users/${userId}`, { is_active: false })).status, 200)
    const { result: refused } = await waiting.until(message => 'result' in message)
    assert.equal(refused.structuredContent.error.code, 'user_inactive')
    result(exchange, { content: [{ type: 'text', text: 'secret' }] })
    const late = await inFlight
    assert.equal(codeOf(late), 'user_inactive')
    assert.doesNotMatch(late.text(), /secret/)
    for (let n = 0; n < 3; n++) assert.equal(codeOf(await act(n, userId, 'before')), 'user_inactive')
    assert.equal(providerCalls(), 1)
  })

  it('streams and waits end on every node when the key is revoked or the pack deleted', async () => {
    const userId = await createUser()
    const pack = (await send('tool-packs', { name: 'Gone' })).body.id as string
    const minted = await send(`registered-users/${userId}/mcp-keys`, {
      name: 'x',
      tool_pack_ids: [packId, pack],
    })
    const as = minted.body.key as string
    const streams = await Promise.all(nodes.map((_, n) => sendMcp(n, userId, { method: 'GET' }, { as })))
    const inPack = await Promise.all(nodes.map((_, n) => sendMcp(n, userId, { method: 'GET' }, { as, pack })))
    const waits = await Promise.all(
      nodes.map((_, n) =>
        sendMcp(n, userId, statelessRequest('tools/call', LIST), { as, search: '?wait=60' }),
      ),
    )
    await change('DELETE', `tool-packs/${pack}`)
    await Promise.all(inPack.map(stream => stream.untilEnded()))
    assert.ok(streams.every(stream => !stream.ended()))
    await change('DELETE', `registered-users/${userId}/mcp-keys/${minted.body.id}`)
    await Promise.all([...streams, ...waits].map(stream => stream.untilEnded()))
    for (const { messages } of waits)
      assert.equal(messages.at(-1).result.structuredContent.error.code, 'invalid_api_key')
  })

  it('a wait succeeds once or not at all, in any order of cancellation and link', async () => {
    for (const [cancelAfter, linkAfter] of [
      [0, 0],
      [40, 0],
      [0, 40],
    ] as const) {
      const userId = await createUser()
      const initialized = await sendMcp(
        0,
        userId,
        handshakeRequest('initialize', { protocolVersion: '2025-11-25' }),
      )
      const headers = { 'mcp-session-id': String(initialized.headers['mcp-session-id']) }
      const waiting = await sendMcp(1, userId, handshakeRequest('tools/call', LIST, { id: 5, headers }), {
        search: '?wait=60',
      })
      const minted = await send(`registered-users/${userId}/link-token`, {})
      const linking = delay(linkAfter).then(() => linkNotes(createBrowserUser(), minted.body.magic_link_url))
      await delay(cancelAfter)
      const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
      assert.equal((await sendMcp(2, userId, { headers, body })).status, 202)
      await waiting.untilEnded()
      const outcomesBefore = await outcomes(userId)
      await linking
      await delay(300)
      assert.deepEqual(await outcomes(userId), outcomesBefore, 'nothing happens after the response')
      assert.ok(outcomesBefore.filter(outcome => outcome === 'success').length <= 1)
    }
  })

  it('no node logged an unexpected error', () => {
    for (const { output } of nodes)
      assert.doesNotMatch(output(), /"level":"(error|fatal)"|unhandled|uncaught/i)
  })

  it('a call whose node was killed is not repeated at once with the same key', async () => {
    const victim = at(2)
    const userId = await createUser()
    server.reset({ 'tools/call': () => undefined })
    const url = `${victim.baseUrl}/api/v1/tool-packs/${packId}/registered-users/${userId}/mcp`
    const lost = sendRawRequest(
      url,
      key,
      statelessRequest('tools/call', ACT, { meta: { 'Idempotency-Key': 'dead' } }),
    ).catch((error: unknown) => error)
    await eventually(async () => assert.equal(providerCalls(), 1))
    await victim.kill('SIGKILL')
    await lost
    server.reset({})
    assert.equal(codeOf(await act(0, userId, 'dead')), 'idempotency_in_progress')
    assert.equal(providerCalls(), 0)
  })
})
