import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MINUTE } from '../../src/core/duration.ts'
import { endAbandoned } from '../../src/features/events/audit-trail.ts'
import { listChains, verifyChain } from '../../src/features/events/audit-verify.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { fileKeyRing } from '../../src/platform/vault/key-ring.ts'
import { openVault, type Signer } from '../../src/platform/vault/vault.ts'
import { moveClock, openTestDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type Fleet, type Node, post, startFleet } from '../support/processes.ts'
import { runSql } from '../support/run-sql.ts'

describe('audit log of two processes on one PostgreSQL', () => {
  let fleet: Fleet
  let nodes: Node[]
  let db: Database
  let signer: Signer
  before(async () => {
    const started = await startFleet()
    fleet = started
    nodes = [started.first, await started.start()]
    db = await openTestDatabase(fleet.database)
    signer = (await openVault(db, fileKeyRing(fleet.keyFile, { production: false }))).signer
  })
  after(async () => {
    await db.close()
    await fleet.stop()
  })

  const query = (text: string) => runSql<any>(db, text)
  const verify = async () => {
    const [chain] = await listChains(db, null)
    assert.ok(chain)
    return verifyChain({ db, signer }, chain)
  }
  const createUser = (node: Node | undefined, name: string) =>
    post(`${node?.baseUrl}/api/v1/registered-users`, fleet.key, { origin_user_id: name })

  it('200 concurrent changes form one chain without gaps, in the order of the sequence', async () => {
    const earlier = (await verify()).head.sequence
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => createUser(nodes[n % 2], `parallel-${n}`)),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    const verdict = await verify()
    assert.deepEqual([verdict.problem, verdict.head.sequence], [null, earlier + 200])
    const entries = await query('select target_id, at from audit_entries order by sequence')
    assert.equal(new Set(entries.slice(-200).map(entry => entry.target_id)).size, 200)
    assert.deepEqual(
      entries.map(({ at }) => at),
      entries.map(({ at }) => at).toSorted((a, b) => a - b),
    )
  })

  it('a process killed between a change and its entry leaves an intent, which becomes an entry', async () => {
    const victim = nodes[1] as Node
    let release = () => {}
    const held = new Promise<void>(resolve => (release = resolve))
    let hold = () => {}
    const holding = new Promise<void>(resolve => (hold = resolve))
    const lock = db.transaction(async tx => {
      await runSql(tx, 'select 1 from audit_heads for update')
      hold()
      await held
    })
    await holding
    const cut = createUser(victim, 'lost').catch(() => 'cut off')
    await eventually(async () =>
      assert.equal((await query(`select 1 from registered_users where origin_user_id = 'lost'`)).length, 1),
    )
    await victim.kill('SIGKILL')
    release()
    await lock
    assert.equal(await cut, 'cut off')
    const [intent, ...more] = await query('select change from audit_intents')
    assert.deepEqual([intent.change.action, more.length], ['registered_user.created', 0])
    assert.equal((await createUser(nodes[0], 'after')).status, 201, 'the chain continues')

    await moveClock(db, 11 * MINUTE)
    // Two nodes run the job at the same time; one of them writes the entry.
    const ended = await Promise.all([
      endAbandoned({ db, signer, onBreak: assert.fail }),
      endAbandoned({ db, signer, onBreak: assert.fail }),
    ])
    assert.equal(ended[0] + ended[1], 1)
    const [last] = await query('select * from audit_entries order by sequence desc limit 1')
    assert.deepEqual(
      [last.action, last.outcome, last.request_id, last.actor_type],
      ['registered_user.created', 'unknown', intent.change.requestId, 'api_key'],
    )
    assert.equal((await verify()).problem, null)
    assert.deepEqual(await query('select 1 from audit_intents'), [])
  })
})
