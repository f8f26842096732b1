import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { SECOND } from '../../src/core/duration.ts'
import { eventually } from '../support/eventually.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { type Node, post } from '../support/processes.ts'
import { openRefreshStage, type RefreshStage } from '../support/refresh/stage.ts'
import {
  callAfterKill,
  callUntil,
  UNAVAILABLE,
  INVALID_GRANT,
  type TokenFault,
  takeOver,
} from '../support/refresh/takeover.ts'

const LATE: TokenFault = { behavior: 'late', delay_ms: 600 }

describe('the holder of a refresh', () => {
  let stage: RefreshStage
  let other: Node
  let holder: Node
  let victims: Node[]
  before(async () => {
    stage = await openRefreshStage({ nodes: 4 })
    ;[other, holder, ...victims] = stage.nodes as [Node, Node, Node, Node]
  })
  afterEach(() => stage.sandbox.clearFaults())
  after(() => stage.close())

  const expireLease = () => stage.moveClock(21 * SECOND)
  const works = async (userId: string): Promise<void> => {
    await stage.expire([userId])
    assert.equal(await stage.call(other, userId), 'notes')
  }
  const stopped = (stoppedWhen: 'received' | 'processed', tokenFaults: [TokenFault, ...TokenFault[]]) =>
    takeOver(stage, { holder, other, stoppedWhen, tokenFaults, expireLease })

  describe('that was stopped until another had taken over', () => {
    it('uses what the other was given, where its own request came to nothing', async () => {
      const failed = {
        behavior: 'status',
        status: 400,
        body: { error: 'invalid_request' },
        delay_ms: 600,
      } as const
      const { userId, first, second, during, end } = await stopped('received', [failed])
      assert.deepEqual([first, second], ['notes', 'notes'])
      assert.deepEqual([during.version, during.fence], [2, 2])
      assert.deepEqual(end, during)
      await works(userId)
    })

    it('writes what it was given, where the other was given nothing', async () => {
      const { userId, first, second, during, end, events } = await stopped('processed', [LATE, UNAVAILABLE, UNAVAILABLE])
      assert.deepEqual([first, second], ['notes', 'error: third_party_unavailable'])
      assert.deepEqual([during.version, during.status, during.leased], [1, 'active', false])
      assert.deepEqual([end.version, end.status], [2, 'active'])
      assert.deepEqual(events, { refreshed: 1, needsReauth: 0 })
      await works(userId)
    })

    it('mends the link, where the other was refused and what it was given lives', async () => {
      const { userId, first, second, during, end, events } = await stopped('processed', [LATE, INVALID_GRANT])
      assert.deepEqual([first, second], ['notes', 'link: expired'])
      assert.deepEqual([during.status, during.status_reason], ['needs_reauth', 'expired'])
      assert.deepEqual([end.status, end.status_reason, end.version], ['active', null, 2])
      assert.deepEqual(events, { refreshed: 1, needsReauth: 1 })
      await works(userId)
    })

    it('changes nothing, where the spent token came twice and the third party ended its family', async () => {
      const { first, second, during, end, events } = await stopped('processed', [LATE])
      assert.deepEqual([first, second], ['link: expired', 'link: expired'])
      assert.deepEqual([during.status, during.status_reason, during.version], ['needs_reauth', 'expired', 1])
      assert.deepEqual(end, during)
      assert.deepEqual(events, { refreshed: 0, needsReauth: 1 })
    })
  })

  describe('that is slower than its lease', () => {
    it('does not give up what another is being given', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      const slow = await callUntil(stage, holder, userId, { ...INVALID_GRANT, delay_ms: 500 }, 'received')
      await expireLease()
      const later = await callUntil(stage, other, userId, { behavior: 'late', delay_ms: 1200 }, 'processed')
      assert.deepEqual([await slow.outcome, await later.outcome], ['notes', 'notes'])
      assert.equal(await stage.countEvents([userId], 'credential.needs_reauth'), 0)
      await works(userId)
    })

    it('waits for another who still asks, and writes what it was given when that one has failed', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      const slow = await callUntil(stage, holder, userId, LATE, 'processed')
      await expireLease()
      stage.sandbox.script({ target: 'token', ...UNAVAILABLE, delay_ms: 600 })
      stage.sandbox.script({ target: 'token', ...UNAVAILABLE, delay_ms: 600 })
      const order: string[] = []
      const second = stage.call(other, userId).finally(() => order.push('the later one'))
      const first = slow.outcome.finally(() => order.push('the slow one'))
      assert.deepEqual([await first, await second], ['notes', 'error: third_party_unavailable'])
      assert.deepEqual(order, ['the later one', 'the slow one'])
      assert.equal((await stage.credential(userId)).version, 2)
      await works(userId)
    })
  })

  describe('that was killed', () => {
    /** Calls are admitted, and nothing that a refresh brings is written. */
    const whileUserIsLocked = async (userId: string, work: () => Promise<void>): Promise<void> => {
      const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const locking = stage.db.transaction(async tx => {
        await tx.script(`select from registered_users where id = '${userId}' for no key update`)
        locked.resolve()
        await done.promise
      })
      await locked.promise
      await work().finally(done.resolve)
      await locking
    }
    const linkAgain = async (userId: string): Promise<void> => {
      const api = `${other.baseUrl}/api/v1/registered-users/${userId}/link-token`
      const minted = await post(api, stage.fleet.key, { Connector: 'sandbox-notes' })
      await linkNotes(createBrowserUser(), minted.body.magic_link_url)
      await works(userId)
    }

    it('before the third party did anything holds the others up for a lease, and no longer', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      await callUntil(stage, victims[0] as Node, userId, { behavior: 'hang' }, 'received')
      await (victims[0] as Node).kill('SIGKILL')
      const next = await callAfterKill(stage, other, userId, expireLease)
      assert.deepEqual(next, { outcome: 'notes', waited: true })
      const { version, status, fence, leased } = await stage.credential(userId)
      assert.deepEqual([version, status, fence, leased], [2, 'active', 2, false])
      await works(userId)
    })

    it('killed between answer and write: the user is asked to link once, and calls work afterwards', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      await whileUserIsLocked(userId, async () => {
        await callUntil(stage, victims[1] as Node, userId, { behavior: 'slow', delay_ms: 1 }, 'processed')
        await eventually(async () => {
          const waiting = await stage.query('select from pg_locks where not granted')
          assert.ok(waiting.length > 0, 'the holder is about to write')
        })
        await (victims[1] as Node).kill('SIGKILL')
      })
      const next = await callAfterKill(stage, other, userId, expireLease)
      assert.deepEqual(next, { outcome: 'link: expired', waited: true })
      assert.equal(await stage.call(other, userId), 'link: expired')
      assert.equal(await stage.countEvents([userId], 'credential.needs_reauth'), 1)
      await linkAgain(userId)
    })

    it('while the answer was on its way ends alike', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      await callUntil(stage, holder, userId, { behavior: 'late', delay_ms: 5000 }, 'processed')
      await holder.kill('SIGKILL')
      const next = await callAfterKill(stage, other, userId, expireLease)
      assert.deepEqual(next, { outcome: 'link: expired', waited: true })
      const { version, status, status_reason } = await stage.credential(userId)
      assert.deepEqual([version, status, status_reason], [1, 'needs_reauth', 'expired'])
      await linkAgain(userId)
    })
  })
})
