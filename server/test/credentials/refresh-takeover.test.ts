import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { HeldFault } from '@carabiner/sandbox'
import { SECOND } from '../../src/core/duration.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { type Node, post } from '../support/processes.ts'
import { openRefreshStage, type RefreshStage } from '../support/refresh/stage.ts'
import {
  callAfterKill,
  callAndHold,
  callUntil,
  INVALID_GRANT,
  type TokenFault,
  takeOver,
  UNAVAILABLE,
} from '../support/refresh/takeover.ts'

const LATE: HeldFault = { behavior: 'late' }

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
  const assertRefreshable = async (userId: string): Promise<void> => {
    await stage.expire([userId])
    assert.equal(await stage.call(other, userId), 'notes')
  }
  const takeOverWhen = (stoppedWhen: 'received' | 'processed', tokenFaults: [HeldFault, ...TokenFault[]]) =>
    takeOver(stage, { holder, other, stoppedWhen, tokenFaults, expireLease })

  describe('stopped until another process took over', () => {
    it('returns the token of the other process if its own request failed', async () => {
      const failed = {
        behavior: 'status',
        status: 400,
        body: { error: 'invalid_request' },
      } as const
      const { userId, first, second, during, end } = await takeOverWhen('received', [failed])
      assert.deepEqual([first, second], ['notes', 'notes'])
      assert.deepEqual([during.version, during.fence], [2, 2])
      assert.deepEqual(end, during)
      await assertRefreshable(userId)
    })

    it('stores its token if the other process received none', async () => {
      const { userId, first, second, during, end, events } = await takeOverWhen('processed', [
        LATE,
        UNAVAILABLE,
        UNAVAILABLE,
      ])
      assert.deepEqual([first, second], ['notes', 'error: third_party_unavailable'])
      assert.deepEqual([during.version, during.status, during.leased], [1, 'active', false])
      assert.deepEqual([end.version, end.status], [2, 'active'])
      assert.deepEqual(events, { refreshed: 1, needsReauth: 0 })
      await assertRefreshable(userId)
    })

    it('restores the credential if the other process was rejected and its own token is valid', async () => {
      const { userId, first, second, during, end, events } = await takeOverWhen('processed', [
        LATE,
        INVALID_GRANT,
      ])
      assert.deepEqual([first, second], ['notes', 'link: expired'])
      assert.deepEqual([during.status, during.status_reason], ['needs_reauth', 'expired'])
      assert.deepEqual([end.status, end.status_reason, end.version], ['active', null, 2])
      assert.deepEqual(events, { refreshed: 1, needsReauth: 1 })
      await assertRefreshable(userId)
    })

    it('changes nothing if the refresh token was used twice and the provider revoked the family', async () => {
      const { first, second, during, end, events } = await takeOverWhen('processed', [LATE])
      assert.deepEqual([first, second], ['link: expired', 'link: expired'])
      assert.deepEqual([during.status, during.status_reason, during.version], ['needs_reauth', 'expired', 1])
      assert.deepEqual(end, during)
      assert.deepEqual(events, { refreshed: 0, needsReauth: 1 })
    })
  })

  describe('slower than its lease', () => {
    /** A call that does not wait has ended long before. On a slow machine this may miss a fault, but never reports one. */
    const stillPending = async (outcome: Promise<unknown>): Promise<void> => {
      assert.equal(await Promise.race([outcome, delay(400, 'pending')]), 'pending')
    }

    it('is rejected: does not discard the token that the other process is about to receive', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      const slow = await callAndHold(stage, holder, userId, INVALID_GRANT, 'received')
      await expireLease()
      const later = await callAndHold(stage, other, userId, LATE, 'processed')
      slow.release()
      await stillPending(slow.outcome)
      later.release()
      assert.deepEqual([await slow.outcome, await later.outcome], ['notes', 'notes'])
      assert.equal(await stage.countEvents([userId], 'credential.needs_reauth'), 0)
      await assertRefreshable(userId)
    })

    it('waits for the pending request of the other process, and stores its token when that one fails', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      const slow = await callAndHold(stage, holder, userId, LATE, 'processed')
      await expireLease()
      const later = await callAndHold(stage, other, userId, UNAVAILABLE, 'received')
      stage.sandbox.script({ target: 'token', ...UNAVAILABLE })
      slow.release()
      await stillPending(slow.outcome)
      later.release()
      const outcomes = [await slow.outcome, await later.outcome]
      assert.deepEqual(outcomes, ['notes', 'error: third_party_unavailable'])
      assert.equal((await stage.credential(userId)).version, 2)
      await assertRefreshable(userId)
    })
  })

  describe('killed', () => {
    /** Calls are admitted while the row is locked, but the result of a refresh cannot be written. */
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
      await assertRefreshable(userId)
    }

    it('before the provider processed the request: other calls wait until the lease expires', async () => {
      const userId = await stage.linkUser()
      await stage.expire([userId])
      await callUntil(stage, victims[0] as Node, userId, { behavior: 'hang' }, 'received')
      await (victims[0] as Node).kill('SIGKILL')
      const next = await callAfterKill(stage, other, userId, expireLease)
      assert.deepEqual(next, { outcome: 'notes', waited: true })
      const { version, status, fence, leased } = await stage.credential(userId)
      assert.deepEqual([version, status, fence, leased], [2, 'active', 2, false])
      await assertRefreshable(userId)
    })

    it('between response and write: the user must link again once, and calls work afterwards', async () => {
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

    it('while the response was in flight: the user must link again once', async () => {
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
