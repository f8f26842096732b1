import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { eventually } from '../support/eventually.ts'
import { type Fleet, type Node, post, startFleet } from '../support/processes.ts'
import { isRunning, logOf, openClientOfEach } from '../support/service-processes.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

/** Runs a start that is expected to fail. */
const startInVain = async (environment: Record<string, string>) => {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...compiledCode, SANDBOX_PORT: '0', ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

describe('the supervisor of two processes', () => {
  let fleet: Fleet
  let node: Node
  before(async () => {
    const started = await startFleet('postgres', { environment: { PROCESSES: '2', LOG_LEVEL: 'debug' } })
    fleet = started
    node = started.first
  })
  after(() => fleet.stop())

  it('shares its sandbox, so that an account is linked through both processes', async () => {
    const minted = await post(
      `${node.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
      fleet.key,
      {},
    )
    assert.equal((await linkNotes(createBrowserUser(), minted.body.magic_link_url)).status, 200)
    const servers = new Set(logOf(node).flatMap(({ pid, request_id }) => (request_id ? pid : [])))
    assert.equal(servers.size, 2)
  })

  it('a port that is taken ends the whole start with its error', async () => {
    const portHolder = createServer()
    const port = await freePort()
    await new Promise<void>(resolve => portHolder.listen(port, 'localhost', resolve))
    const { code, output } = await startInVain({
      PROCESSES: '2',
      PORT: String(port),
      KEY_FILE: fleet.keyFile,
      TOMBSTONE_PATH: join(fleet.keyFile, '../deleted-users.log'),
      DATABASE_URL: fleet.database.url as string,
    })
    portHolder.close()
    assert.equal(code, 1)
    assert.equal(output.match(/Carabiner did not start/g)?.length, 1)
    assert.match(output, new RegExp(`Port ${port} is in use`))
  })

  it('the embedded database is refused', async () => {
    const { code, output } = await startInVain({ PROCESSES: '2' })
    assert.equal(code, 1)
    assert.match(output, /PROCESSES requires DATABASE_URL/)
  })

  it('a killed supervisor leaves no process behind', async () => {
    const clients = await openClientOfEach(node, 2)
    await node.kill('SIGKILL')
    for (const client of clients) {
      await eventually(async () => assert.ok(!isRunning(client.pid)))
      await client.close()
    }
  })
})
