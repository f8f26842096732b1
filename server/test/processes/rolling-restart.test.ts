import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { startCaddyFront } from '../support/caddy-front.ts'
import { eventually } from '../support/eventually.ts'
import { NOTES, startNotesFleet } from '../support/notes-fleet.ts'
import { type Node, post } from '../support/processes.ts'

const NODES = 3
/** Requests that succeed between two restarts. */
const REQUESTS_PER_RESTART = 60
/** Between two requests of one client. Leaves CPU time for the nodes that start. */
const PAUSE_MS = 20

type Outcome = { succeeded: boolean; canRetry: boolean; text: string }

/** Sends a request once. A client can retry a 503 with Retry-After, which has changed nothing. */
const send = async (url: string, key: string, body: unknown): Promise<Outcome> => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const isError = text.includes('"isError":true') || text.includes('"jsonrpc":"2.0","id":1,"error"')
    return {
      succeeded: response.ok && !isError,
      canRetry: response.status === 503 && response.headers.has('retry-after'),
      text: `${response.status} ${text}`,
    }
  } catch (error) {
    return { succeeded: false, canRetry: false, text: String((error as Error).cause ?? error) }
  }
}

test('a rolling restart of three nodes under load: no request fails that a client could not retry', async () => {
  await using opened = new AsyncDisposableStack()
  const { fleet } = await startNotesFleet(opened, { environment: { DRAIN_DELAY: '3' } })
  const nodes = [fleet.first, ...(await Promise.all([fleet.start(), fleet.start()]))]
  const portOf = (node: Node | undefined): number => Number(new URL(node?.baseUrl ?? '').port)
  const port = await freePort()
  const front = await startCaddyFront(port, nodes.map(portOf))
  opened.defer(() => front.stop())
  const minted = await post(
    `${fleet.first.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
    fleet.key,
  )
  await linkNotes(createBrowserUser(), minted.body.magic_link_url)
  const db = new pg.Client({ connectionString: fleet.database.url })
  await db.connect()
  opened.defer(() => db.end())
  const [pack] = (await db.query('select id from tool_packs')).rows

  const api = `http://127.0.0.1:${port}/api/v1`
  const call = { method: 'tools/call', params: { name: `${NOTES}__list_notes`, arguments: {} } }
  const requests: (() => Promise<Outcome>)[] = [
    () => send(`${api}/registered-users/${fleet.userId}/link-token`, fleet.key, {}),
    () => send(`${api}/registered-users`, fleet.key, { origin_user_id: crypto.randomUUID() }),
    () =>
      send(`${api}/tool-packs/${pack.id}/registered-users/${fleet.userId}/mcp`, fleet.key, {
        jsonrpc: '2.0',
        id: 1,
        ...call,
      }),
  ]
  const failed: Outcome[] = []
  let succeeded = 0
  const stopping = new AbortController()
  const load = [...requests, ...requests].map(async request => {
    while (!stopping.signal.aborted) {
      const outcome = await request()
      if (outcome.succeeded) succeeded++
      else failed.push(outcome)
      await delay(PAUSE_MS)
    }
  })
  const untilServed = (): Promise<void> => {
    const known = succeeded
    return eventually(async () => assert.ok(succeeded >= known + REQUESTS_PER_RESTART))
  }

  for (let n = 0; n < NODES; n++) {
    await untilServed()
    const node = nodes[n] as Node
    await node.kill('SIGTERM')
    assert.equal(node.process.exitCode, 0)
    nodes[n] = await fleet.start(portOf(node))
  }
  await untilServed()
  stopping.abort()
  await Promise.all(load)
  assert.deepEqual(
    failed.filter(({ canRetry }) => !canRetry),
    [],
  )
})
