import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SERVICE_ACTOR } from '../../src/core/audited-change.ts'
import { issueKey } from '../../src/features/organizations/api-keys.ts'
import { regenerateKey } from '../../src/features/organizations/replace-api-key.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { openTestDatabase } from '../support/databases.ts'
import { type Fleet, type Node, post, startFleet } from '../support/processes.ts'
import { runSql } from '../support/run-sql.ts'

/** Users of the demo organization have accounts of another connector. */
const NOTES = `credentials where connector_slug = 'sandbox-notes'`
const count = async (db: Database, sql: string): Promise<number> =>
  (await runSql<{ n: number }>(db, `select count(*) as n from ${sql}`))[0]?.n as number

describe('three processes on one PostgreSQL', () => {
  let fleet: Fleet
  let nodes: Node[]
  let db: Database
  before(async () => {
    const started = await startFleet()
    fleet = started
    nodes = [started.first, ...(await Promise.all([started.start(), started.start()]))]
    db = await openTestDatabase(fleet.database)
    await runSql(
      db,
      `insert into callback_origins (organization_id, origin) select id, 'https://app.example.com' from organizations`,
    )
  })
  after(async () => {
    await db.close()
    await fleet.stop()
  })

  const issueCode = async (node: Node): Promise<string> => {
    const minted = await post(`${node.baseUrl}/api/registered-users/${fleet.userId}/link-token`, fleet.key, {
      Connector: 'sandbox-notes',
      callback_url: 'https://app.example.com/cb',
      state: 's',
    })
    const browser = createBrowserUser()
    await linkNotes(browser, minted.body.magic_link_url)
    return new URL(browser.lastLocation as string).searchParams.get('code') as string
  }

  it('200 concurrent confirmations on all nodes: exactly one succeeds, and one credential is stored', async () => {
    const code = await issueCode(nodes[0] as Node)
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        post(`${(nodes[i % 3] as Node).baseUrl}/api/v1/link-token/confirm/`, fleet.key, { code }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.error?.code === 'invalid_authorization_code').length, 199)
    assert.equal(await count(db, NOTES), 1)
  })

  it('a regenerated key fails on the next request, on every node [key.regenerate]', async () => {
    const [organization] = await runSql<{ id: string }>(db, 'select id from organizations')
    const organizationId = organization?.id as string
    const author = { organizationId, mode: 'test', actor: SERVICE_ACTOR, role: null } as const
    const old = await issueKey(db, {
      organizationId,
      mode: 'test',
      name: 'Another',
      createdBy: SERVICE_ACTOR,
    })
    const statuses = (key: string): Promise<number[]> =>
      Promise.all(
        nodes.map(
          async node =>
            (
              await fetch(`${node.baseUrl}/api/v1/organization`, {
                headers: { authorization: `Bearer ${key}` },
              })
            ).status,
        ),
      )
    assert.deepEqual(await statuses(old.key.reveal()), [200, 200, 200])
    const fresh = await regenerateKey(db, author, old.stored.id)
    assert.deepEqual(await statuses(old.key.reveal()), [401, 401, 401])
    assert.deepEqual(await statuses(fresh.key.reveal()), [200, 200, 200])
  })

  it('a link minted on one node opens on another, and only hashes of tokens are stored', async () => {
    const minted = await post(
      `${(nodes[1] as Node).baseUrl}/api/registered-users/${fleet.userId}/link-token`,
      fleet.key,
    )
    const opaque = minted.body.magic_link_url.split('/magic-link/')[1]
    const page = await createBrowserUser().open(`${(nodes[2] as Node).baseUrl}/magic-link/${opaque}`)
    assert.equal(page.status, 200)
    assert.equal(await count(db, `link_sessions where secret_hash::text like '%cb_lnk%'`), 0)
  })

  it('kill -9 while minting loses no acknowledged token', async () => {
    const node = await fleet.start()
    const acknowledged: string[] = []
    const minting = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 200; i++) {
        const answer = await post(
          `${node.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
          fleet.key,
        ).catch(() => null)
        if (!answer) return
        if (answer.status === 201) acknowledged.push(answer.body.magic_link_url)
      }
    })
    while (acknowledged.length < 50) await new Promise(resolve => setTimeout(resolve, 5))
    await node.kill('SIGKILL')
    await Promise.all(minting)
    for (const url of acknowledged.slice(-20)) {
      const page = await createBrowserUser().open(url.replace(node.baseUrl, (nodes[0] as Node).baseUrl))
      assert.equal(page.status, 200)
    }
  })

  it('kill -9 while confirming: acknowledged codes are stored, and none is stored twice', async () => {
    const node = await fleet.start()
    const codes = await Promise.all(Array.from({ length: 24 }, () => issueCode(nodes[0] as Node)))
    const confirming = codes.map(code =>
      post(`${node.baseUrl}/api/v1/link-token/confirm`, fleet.key, { code }).then(
        ({ status }) => ({ code, status }),
        () => ({ code, status: 0 }),
      ),
    )
    await Promise.race(confirming)
    await node.kill('SIGKILL')
    const outcomes = await Promise.all(confirming)
    for (const { code, status } of outcomes) {
      const retry = await post(`${(nodes[1] as Node).baseUrl}/api/v1/link-token/confirm`, fleet.key, { code })
      // Acknowledged codes are used. Unacknowledged ones were either committed before the kill, or can still be redeemed once.
      if (status === 200) assert.equal(retry.body.error.code, 'invalid_authorization_code')
      else assert.ok(retry.status === 200 || retry.body.error.code === 'invalid_authorization_code')
      const again = await post(`${(nodes[2] as Node).baseUrl}/api/v1/link-token/confirm`, fleet.key, { code })
      assert.equal(again.body.error.code, 'invalid_authorization_code')
    }
    assert.equal(await count(db, `pending_secrets`), 0)
    assert.equal(await count(db, NOTES), 1)
    const replaced = await count(db, `events where type = 'credential.replaced'`)
    const [credential] = await runSql<{ version: number }>(db, `select version from ${NOTES}`)
    // Every stored secret has exactly one event and one version, so no step was repeated or left incomplete.
    assert.equal(credential?.version, replaced + 1)
  })

  it('SIGTERM under load drains: every response is complete, and the process exits', async () => {
    const node = await fleet.start()
    let refused = 0
    const load = Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 500; i++) {
        const answer = await post(
          `${node.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
          fleet.key,
        ).catch(() => null)
        if (!answer) {
          refused++
          return
        }
        assert.equal(answer.status, 201)
      }
    })
    await new Promise(resolve => setTimeout(resolve, 300))
    await node.kill('SIGTERM')
    assert.equal(node.process.exitCode, 0)
    await Promise.all(load)
    assert.ok(refused > 0)
  })
})

describe('one process on the embedded database', () => {
  it('kill -9 loses no acknowledged link; a second process is rejected; the next start continues', async () => {
    const fleet = await startFleet('pglite')
    await assert.rejects(fleet.start(), /is in use by another process/)
    const minted = await post(
      `${fleet.first.baseUrl}/api/registered-users/${fleet.userId}/link-token`,
      fleet.key,
    )
    assert.equal(minted.status, 201)
    await fleet.first.kill('SIGKILL')
    const next = await fleet.start(Number(new URL(fleet.first.baseUrl).port))
    const page = await linkNotes(createBrowserUser(), minted.body.magic_link_url)
    assert.equal(page.status, 200)
    assert.match(next.output(), new RegExp(fleet.key))
    await fleet.stop()
  })
})
