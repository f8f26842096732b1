import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Sandbox, startSandbox } from '@carabiner/sandbox'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { type BrowserUser, consentAtSandbox, createBrowserUser } from '../support/browser-user.ts'
import { openTestDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type Fleet, type Node, post, startFleet } from '../support/processes.ts'
import { runSql } from '../support/run-sql.ts'

const CALLBACK = 'https://app.example.com/cb'

describe('kill -9 between the steps of linking', () => {
  let port: number
  let sandbox: Sandbox
  let fleet: Fleet
  let node: Node
  let db: Database

  before(async () => {
    port = await freePort()
    const baseUrl = `http://localhost:${port}`
    const client = {
      id: 'carabiner',
      secret: 'a-secret-of-this-test',
      redirectUris: [`${baseUrl}/oauth/callback/sandbox-notes`],
    }
    sandbox = await startSandbox({ port: 0, client })
    const started = await startFleet('postgres', {
      port,
      environment: {
        SANDBOX_URL: sandbox.url,
        OAUTH_SANDBOX_NOTES_CLIENT_ID: client.id,
        OAUTH_SANDBOX_NOTES_CLIENT_SECRET: client.secret,
      },
    })
    fleet = started
    node = started.first
    db = await openTestDatabase(fleet.database)
    await runSql(
      db,
      `insert into callback_origins (organization_id, origin) select id, 'https://app.example.com' from organizations`,
    )
  })
  after(async () => {
    await db.close()
    await fleet.stop()
    await sandbox.close()
  })

  const killAndRestart = async (): Promise<void> => {
    await node.kill('SIGKILL')
    node = await fleet.start(port)
  }
  const mint = async (): Promise<string> => {
    const body = { Connector: 'sandbox-notes', callback_url: CALLBACK, state: 's' }
    const minted = await post(
      `${node.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
      fleet.key,
      body,
    )
    assert.equal(minted.status, 201)
    return minted.body.magic_link_url
  }
  const codeOf = (browser: BrowserUser): string =>
    new URL(browser.lastLocation as string).searchParams.get('code') as string
  const counted = async (sql: string): Promise<number> =>
    (await runSql<{ n: number }>(db, `select count(*) as n from ${sql}`))[0]?.n as number

  it('each acknowledged step is persisted, and the flow continues to a tool call', async () => {
    const browser = createBrowserUser()
    const magicLink = await mint()
    await killAndRestart()
    const landing = await browser.open(magicLink)
    assert.equal(landing.status, 200)
    await killAndRestart()
    const signIn = await browser.submit(landing, /\/start$/)
    await killAndRestart()
    await consentAtSandbox(browser, signIn)
    const code = codeOf(browser)
    await killAndRestart()
    const confirmed = await post(`${node.baseUrl}/api/v1/link-token/confirm`, fleet.key, { code })
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
    await killAndRestart()
    assert.equal(await counted('credentials'), 1)
    const [pack] = await runSql<{ id: string }>(db, 'select id from tool_packs')
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sandbox-notes__list_notes', arguments: {} },
    }
    const answer = await post(
      `${node.baseUrl}/api/v1/tool-packs/${pack?.id}/registered-users/${fleet.userId}/mcp`,
      fleet.key,
      call,
    )
    assert.equal(answer.body.result.structuredContent.notes.length, 3)
  })

  it('killed during the code exchange: nothing is stored, and the link can be used again', async () => {
    const browser = createBrowserUser()
    const magicLink = await mint()
    const landing = await browser.open(magicLink)
    const signIn = await browser.submit(landing, /\/start$/)
    sandbox.script({ target: 'token', behavior: 'hang' })
    const returning = consentAtSandbox(browser, signIn).catch(() => 'cut off')
    await eventually(async () =>
      assert.equal(await counted('link_attempts where returned_at is not null and outcome is null'), 1),
    )
    await killAndRestart()
    assert.equal(await returning, 'cut off')
    assert.equal(await counted(`pending_secrets`), 0)
    sandbox.clearFaults()
    const again = await browser.submit(await browser.open(magicLink), /\/start$/)
    await consentAtSandbox(browser, again)
    assert.equal(
      (await post(`${node.baseUrl}/api/v1/link-token/confirm`, fleet.key, { code: codeOf(browser) })).status,
      200,
    )
    assert.equal(await counted('credentials'), 1)
  })

  it('killed during a provider call: the record stays reserved and is never counted', async () => {
    sandbox.script({ target: 'notes', behavior: 'hang' })
    const [pack] = await runSql<{ id: string }>(db, 'select id from tool_packs')
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sandbox-notes__list_notes', arguments: {} },
    }
    const cut = post(
      `${node.baseUrl}/api/v1/tool-packs/${pack?.id}/registered-users/${fleet.userId}/mcp`,
      fleet.key,
      call,
    ).catch(() => 'cut off')
    await eventually(async () => assert.equal(await counted('calls_in_flight'), 1))
    await killAndRestart()
    assert.equal(await cut, 'cut off')
    assert.equal(await counted('calls_in_flight'), 1)
    assert.equal(await counted('tool_calls where counted'), 0)
    sandbox.clearFaults()
  })
})
