import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Sandbox } from '@carabiner/sandbox'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { openTestDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { NOTES, startNotesFleet } from '../support/notes-fleet.ts'
import { type Fleet, type Node, post } from '../support/processes.ts'
import { runSql } from '../support/run-sql.ts'
import { scrape, sumOf } from '../support/scrape.ts'
import {
  askNewConnection,
  isRunning,
  logOf,
  openClientOfEach,
  openPinnedClient,
  type PinnedClient,
  requestOnNewConnection,
} from '../support/service-processes.ts'

const PROCESSES = 3
const CALLS = 'carabiner_tool_calls_total'

/** Waits until the service accepts no connections. */
const untilRefused = (baseUrl: string): Promise<void> =>
  eventually(async () => {
    const socket = connect({ host: 'localhost', port: Number(new URL(baseUrl).port) })
    await assert.rejects(once(socket, 'connect'), { code: 'ECONNREFUSED' }).finally(() => socket.destroy())
  })
const JOB = 'expire-codes'

describe('a service of three processes', () => {
  const opened = new AsyncDisposableStack()
  let fleet: Fleet
  let node: Node
  let sandbox: Sandbox
  let db: Database
  let mcpPath: string
  let metricsPort: number
  before(async () => {
    metricsPort = await freePort()
    const started = await startNotesFleet(opened, {
      environment: {
        PROCESSES: String(PROCESSES),
        LOG_LEVEL: 'debug',
        METRICS_PORT: String(metricsPort),
      },
    })
    fleet = started.fleet
    node = started.fleet.first
    sandbox = started.sandbox
    db = await openTestDatabase(fleet.database)
    opened.defer(() => db.close())
    const [pack] = await runSql<{ id: string }>(db, 'select id from tool_packs')
    mcpPath = `/api/v1/tool-packs/${pack?.id}/registered-users/${fleet.userId}/mcp`
    const minted = await post(
      `${node.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
      fleet.key,
      {},
    )
    await linkNotes(createBrowserUser(), minted.body.magic_link_url)
  })
  after(() => opened.disposeAsync())

  const listNotes = async (client: PinnedClient): Promise<number> => {
    const params = { name: `${NOTES}__list_notes`, arguments: {} }
    const { body } = await client.post(mcpPath, fleet.key, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params,
    })
    return body.result.structuredContent.notes.length
  }
  /** A call that waits at the provider, in the process of this client. */
  const startHeldCall = async (client: PinnedClient) => {
    const release = sandbox.hold('notes')
    const call = listNotes(client)
    call.catch(() => undefined)
    await eventually(async () => assert.deepEqual(sandbox.pendingFaults(), []))
    return { call, release }
  }
  const restarts = () => logOf(node).filter(({ msg }) => msg === 'a process was restarted').length
  const untilRestarted = (known: number) =>
    eventually(async () => assert.ok(restarts() > known, 'the process was restarted'))
  const completedJobs = () => logOf(node).filter(({ msg, job }) => msg === 'job completed' && job === JOB)
  /** Wakes a job twice, so that all processes have received the first wake-up. Returns the processes that ran it. */
  const wakeJob = async (): Promise<number[]> => {
    const known = completedJobs().length
    for (const wakeUp of [1, 2]) {
      await runSql(db, `select pg_notify('carabiner_jobs', '${JOB}')`)
      await eventually(async () => assert.ok(completedJobs().length >= known + wakeUp, 'the job ran'))
    }
    const ran = completedJobs().slice(known)
    return [...new Set(ran.map(({ pid }) => pid))]
  }

  it('starts once: one process applies migrations and runs jobs, and one welcome text is printed', async () => {
    assert.equal(node.output().match(/Checking migrations/g)?.length, 1)
    assert.equal(node.output().match(/Carabiner is ready/g)?.length, 1)
    assert.match(node.output(), /Processes {9}3/)
    assert.equal(logOf(node).filter(({ msg }) => msg === 'this process runs the jobs').length, 1)
  })

  it('spreads connections over all processes', async () => {
    const servers: number[] = []
    for (let n = 0; n < 30; n++) servers.push(await askNewConnection(node))
    const counts = [...Map.groupBy(servers, pid => pid)].map(([, requests]) => requests.length)
    assert.equal(counts.length, PROCESSES)
    assert.ok(!servers.includes(node.process.pid as number), 'the supervisor serves no requests')
    assert.ok(Math.min(...counts) >= 5, `connections per process: ${counts.join()}`)
  })

  /** Opens connections, each with one request, until a process was restarted. Returns the number of requests. */
  const loadUntilRestarted = async (onRequest: (n: number) => void = () => undefined): Promise<number> => {
    const known = restarts()
    let requests = 0
    const load = Array.from({ length: 6 }, async () => {
      while (requests < 40 || restarts() === known) {
        onRequest(++requests)
        assert.equal((await requestOnNewConnection(node)).status, 200)
      }
    })
    await Promise.all(load)
    return requests
  }

  it('loses no connection when an idle process stops and is replaced', async () => {
    for (let n = 0; n < 2; n++) {
      const stopping = await openPinnedClient(node)
      process.kill(stopping.pid, 'SIGTERM')
      await loadUntilRestarted()
      await stopping.close()
    }
  })

  it('loses neither calls nor connections when a busy process stops and is replaced', async () => {
    const stopping = await openPinnedClient(node)
    const { call, release } = await startHeldCall(stopping)
    process.kill(stopping.pid, 'SIGTERM')
    await loadUntilRestarted(n => n === 20 && release())
    assert.equal(await call, 3)
    await stopping.close()
  })

  it('kill -9 of one process ends its own calls only, and it is restarted', async () => {
    const [first, second, third] = (await openClientOfEach(node, PROCESSES)) as [
      PinnedClient,
      PinnedClient,
      PinnedClient,
    ]
    const lost = await startHeldCall(first)
    const kept = await startHeldCall(second)
    const known = restarts()
    process.kill(first.pid, 'SIGKILL')
    await assert.rejects(lost.call)
    assert.equal(await listNotes(third), 3)
    kept.release()
    assert.equal(await kept.call, 3)
    await untilRestarted(known)
    const ended = logOf(node).find(line => line.process === first.pid && line.signal)
    assert.deepEqual([ended?.signal, ended?.pid], ['SIGKILL', node.process.pid])
    for (const client of await openClientOfEach(node, PROCESSES)) {
      assert.equal(await listNotes(client), 3)
      await client.close()
    }
    lost.release()
    for (const client of [first, second, third]) await client.close()
  })

  it('returns the metrics of all processes in one scrape, and keeps the calls of a killed one', async () => {
    const earlier = sumOf(await scrape(metricsPort), CALLS, { outcome: 'success' })
    const clients = await openClientOfEach(node, PROCESSES)
    for (const client of clients) await listNotes(client)
    const samples = await scrape(metricsPort)
    assert.equal(sumOf(samples, CALLS, { outcome: 'success' }), earlier + PROCESSES)
    assert.equal(sumOf(samples, 'carabiner_processes'), PROCESSES)
    const known = restarts()
    process.kill(clients[0]?.pid as number, 'SIGKILL')
    await untilRestarted(known)
    const later = sumOf(await scrape(metricsPort), CALLS, { outcome: 'success' })
    assert.equal(later, earlier + PROCESSES)
    for (const client of clients) await client.close()
  })

  it('a process that hangs delays one connection, which is closed when it is killed', async () => {
    const hanging = await openPinnedClient(node)
    const known = restarts()
    process.kill(hanging.pid, 'SIGSTOP')
    const outcomes: boolean[] = []
    const requests = Array.from({ length: 20 }, async () => {
      const response = await fetch(`${node.baseUrl}/livez`, { headers: { connection: 'close' } }).catch(
        () => null,
      )
      outcomes.push(response?.ok ?? false)
    })
    // `localhost` has two listening sockets, so up to two connections may be delayed.
    await eventually(async () => assert.ok(outcomes.length >= 18, 'the others answer'))
    assert.ok(outcomes.every(Boolean))
    process.kill(hanging.pid, 'SIGKILL')
    await Promise.all(requests)
    await untilRestarted(known)
    await hanging.close()
  })

  it('runs jobs in one process, and in another one after that has died', async () => {
    const findRunner = () =>
      eventually(async () => {
        const { pid } = logOf(node).findLast(({ msg }) => msg === 'this process runs the jobs') ?? { pid: 0 }
        assert.ok(isRunning(pid))
        return pid
      })
    const first = await findRunner()
    assert.deepEqual(await wakeJob(), [first])
    process.kill(first, 'SIGKILL')
    await eventually(async () => assert.ok(!isRunning(first)))
    const second = await findRunner()
    // Its database connections may not listen yet, and a wake-up without a listener is lost.
    await eventually(async () => {
      const known = completedJobs().length
      await runSql(db, `select pg_notify('carabiner_jobs', '${JOB}')`)
      await eventually(async () => assert.ok(completedJobs().length > known), 1000)
    })
    assert.deepEqual(await wakeJob(), [second])
  })

  it('SIGTERM drains all processes, and the service exits with code 0', async () => {
    const clients = await openClientOfEach(node, PROCESSES)
    const calls = []
    for (const client of clients) calls.push(await startHeldCall(client))
    const stopped = node.kill('SIGTERM')
    await untilRefused(node.baseUrl)
    for (const { release } of calls) release()
    assert.deepEqual(await Promise.all(calls.map(({ call }) => call)), [3, 3, 3])
    await stopped
    assert.equal(node.process.exitCode, 0)
    for (const client of clients) {
      assert.ok(!isRunning(client.pid))
      await client.close()
    }
  })
})
