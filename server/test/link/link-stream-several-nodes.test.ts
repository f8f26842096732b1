import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Database } from '../../src/platform/database/database.ts'
import { consentAtSandbox, createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { openTestDatabase } from '../support/databases.ts'
import { openStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { type Fleet, type Node, post, startFleet } from '../support/processes.ts'
import { runSql } from '../support/run-sql.ts'

describe('streams on several nodes', () => {
  let fleet: Fleet
  let nodes: [Node, Node]
  let db: Database
  before(async () => {
    const started = await startFleet()
    fleet = started
    nodes = [started.first, await started.start()]
    db = await openTestDatabase(fleet.database)
  })
  after(async () => {
    await db.close()
    await fleet.stop()
  })
  const sessionAt = async (node: Node): Promise<{ link: string; events: (node: Node) => string }> => {
    const minted = await post(
      `${node.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
      fleet.key,
      {},
    )
    const exchanged = await fetch(`${node.baseUrl}/link/sessions`, {
      method: 'POST',
      headers: { origin: node.baseUrl, authorization: `Bearer ${minted.body.link_token}` },
    })
    const { session } = (await exchanged.json()) as { session: string }
    return {
      link: minted.body.magic_link_url,
      events: ({ baseUrl }) => `${baseUrl}/link/s/${session}/events`,
    }
  }

  it('a stream on one node receives what was completed on another at once', async () => {
    const [here, there] = nodes
    const { link, events } = await sessionAt(here)
    const stream = await openStream(events(there))
    await stream.until({ status: 'open' })
    await linkNotes(createBrowserUser(), link)
    await stream.until({ status: 'completed' })
    await stream.untilEnded()
  })

  it('a lost wake-up is compensated by polling', async () => {
    const [here, there] = nodes
    const { link, events } = await sessionAt(here)
    const [waiting, expiring] = [await openStream(events(there)), await openStream(events(here))]
    await waiting.until({ status: 'open' })
    expiring.close()
    const browser = createBrowserUser()
    const signIn = await browser.submit(
      await browser.follow(await browser.open(link), /connector=sandbox-notes/),
      /\/start$/,
    )
    const listeners = `from pg_stat_activity where datname = current_database() and query ilike 'listen%'`
    await eventually(async () => {
      const [found] = await runSql<{ n: number }>(db, `select count(*)::int as n ${listeners}`)
      assert.ok((found?.n ?? 0) >= 2, 'both nodes listen, each on its own connection')
    })
    await runSql(db, `select pg_terminate_backend(pid) ${listeners}`)
    await consentAtSandbox(browser, signIn)
    await waiting.until({ status: 'completed' })
  })
})
