import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR, MINUTE } from '../../src/core/duration.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { endApprovals } from '../../src/features/approvals/end-approvals.ts'
import { runTask } from '../../src/features/tools/task-runner/run-task.ts'
import { taskStore } from '../../src/features/tools/tasks/task-store.ts'
import { retentionSteps, runRetention } from '../../src/retention.ts'
import { type Bank, openBank, type Sending, serveBank, TASKS } from '../support/approvals/bank.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const SEND = { to: 'ana@example.com', amount: 10 }
const [NOT_FOUND, MISSING_CAPABILITY, HEADER_MISMATCH] = [-32602, -32021, -32020]

for (const engine of flowEngines)
  describe(`tasks on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    let bank: Bank
    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
    })
    after(async () => {
      await t.stop()
      await server.close()
    })

    const open = async () => {
      bank = serveBank(server)
      const opened = await openBank(t, server)
      const { pay, task, pending } = opened
      /** Calls, and returns the task and its approval. */
      const start = async (args: object = SEND, of: Sending = {}) => {
        const { result } = await pay(args, { ...TASKS, ...of })
        assert.equal(result?.resultType, 'task', JSON.stringify(result))
        const ids = await pending()
        return { id: result.taskId as string, created: result, approval: ids[0] as string }
      }
      const statusOf = async (id: string): Promise<string> => (await task('get', id)).result?.status ?? 'none'
      const ended = (id: string, of: Sending = {}): Promise<any> =>
        eventually(async () => {
          const { result } = await task('get', id, of)
          assert.equal(result.status, 'completed', JSON.stringify(result))
          return result
        })
      const { db } = t.service.features
      const due = async () =>
        (await taskStore.findDue(db, 100)).filter(
          ({ organizationId }) => organizationId === opened.organization.id,
        )
      return { ...opened, start, statusOf, ended, due }
    }

    it('a call that waits becomes a task, runs once approved, and its result can be fetched again [approval.task]', async () => {
      const { start, task, decide, ended, read, api, send, answerTo } = await open()
      const discovered = await answerTo(send('server/discover', {}))
      assert.deepEqual(discovered.result.capabilities.extensions, TASKS.capabilities.extensions)
      const { id, created, approval } = await start()
      assert.deepEqual(
        [created.status, typeof created.ttlMs, created.pollIntervalMs],
        ['working', 'number', 5000],
      )
      assert.ok(created.statusMessage.includes(approval))
      assert.equal((await start()).id, id, 'a repeat joins the task')
      assert.deepEqual((await task('get', id)).result.status, 'working')
      assert.deepEqual(bank.received, [])
      const { requested_at, expires_at } = await read(approval)
      assert.equal(Date.parse(expires_at) - Date.parse(requested_at), 24 * HOUR)
      await decide(approval, 'approve')
      const first = await ended(id)
      assert.equal(first.result.content[0].text, 'paid')
      assert.deepEqual((await task('get', id)).result.result, first.result)
      assert.deepEqual([bank.received, (await read(approval)).status], [[SEND], 'done'])
      const { body } = await api('GET', '/tool-calls?outcome=success')
      assert.deepEqual(body.data.length, 1)
    })

    it('a client that opens URLs is asked once, and its answer decides nothing [approval.task]', async () => {
      const { start, task, read } = await open()
      const capabilities = { ...TASKS.capabilities, elicitation: { url: {} } }
      const { id, approval } = await start(SEND, { capabilities })
      const asked = (await task('get', id, { capabilities })).result
      const { method, params } = asked.inputRequests.approve
      assert.deepEqual([asked.status, method, params.mode], ['input_required', 'elicitation/create', 'url'])
      assert.ok(params.url.includes(approval))
      const update = (inputResponses: unknown) =>
        task('update', id, { capabilities, with: { inputResponses } })
      assert.equal((await update('yes')).error.code, NOT_FOUND)
      assert.equal((await update({ other: { action: 'accept' } })).result.resultType, 'complete')
      assert.equal((await task('get', id, { capabilities })).result.status, 'input_required')
      await update({ approve: { action: 'accept', content: { decision: 'approve' } } })
      const { status, inputRequests } = (await task('get', id, { capabilities })).result
      assert.deepEqual([status, inputRequests], ['working', undefined])
      assert.deepEqual([(await read(approval)).status, bank.received], ['pending', []])
    })

    it('another user, Tool Pack or key, a forged ID, and a client without tasks find no task [approval.task-owner]', async () => {
      const {
        start,
        task,
        must,
        user,
        other,
        organization,
        send,
        answerTo,
        statusOf,
        approvalOf,
        decide,
        ended,
      } = await open().then(opened => ({ ...opened, approvalOf: opened.pending }))
      const { id, approval } = await start()
      const pack = await must('POST', '/tool-packs', { name: 'Other', connectors: ['bank'] })
      const { key: otherKey } = await must('POST', '/api-keys', { mode: 'production' })
      const stranger = await openBank(t, server)
      const foreign: Sending[] = [
        { userId: other.id },
        { packId: pack.id },
        { key: otherKey },
        { key: stranger.key, userId: stranger.user.id, packId: stranger.organization.toolPackId },
      ]
      const look = async () => {
        for (const of of foreign)
          for (const method of ['get', 'cancel', 'update']) {
            const { error, result } = await task(method, id, { ...of, with: { inputResponses: {} } })
            assert.equal(error?.code, NOT_FOUND, JSON.stringify([of, method, result]))
          }
      }
      await look()
      for (const forged of [newUuid(), approval, user.id, organization.id, 'x', `${id}x`])
        assert.equal((await task('get', forged)).error.code, NOT_FOUND, forged)
      for (const method of ['get', 'cancel', 'update']) {
        const { error } = await task(method, id, { capabilities: {} })
        assert.deepEqual(
          [error.code, error.data.requiredCapabilities],
          [MISSING_CAPABILITY, TASKS.capabilities],
        )
      }
      const listening = { notifications: { taskIds: [id] } }
      assert.equal((await answerTo(send('subscriptions/listen', listening))).error.code, MISSING_CAPABILITY)
      assert.equal((await task('get', 7)).error.code, HEADER_MISMATCH)
      assert.deepEqual([await statusOf(id), await approvalOf()], ['working', [approval]])
      await decide(approval, 'approve')
      await ended(id)
      await look()
    })

    it('a task belongs to the keys that replace the one that has started it [approval.lineage]', async () => {
      const { start, task, must, decide, ended } = await open()
      const first = await must('POST', '/api-keys', { mode: 'production' })
      const { id, approval } = await start(SEND, { key: first.key })
      const second = await must('POST', `/api-keys/${first.id}/roll`)
      const { key } = await must('POST', `/api-keys/${second.id}/regenerate`)
      assert.equal((await task('get', id, { key })).result.status, 'working')
      await decide(approval, 'approve')
      assert.equal((await ended(id, { key })).result.content[0].text, 'paid')
      assert.deepEqual(bank.received, [SEND])
    })

    it('a cancelled task is not carried out; cancelling an ended one deletes its result [approval.task-ends]', async () => {
      const { start, task, statusOf, read, decide, ended } = await open()
      const { id, approval } = await start()
      assert.deepEqual((await task('cancel', id)).result.resultType, 'complete')
      assert.deepEqual([await statusOf(id), (await read(approval)).status], ['cancelled', 'withdrawn'])
      const next = await start()
      assert.notEqual(next.id, id)
      await decide(next.approval, 'approve')
      await eventually(async () => assert.equal((await read(next.approval)).status, 'done'))
      await task('cancel', next.id)
      await ended(next.id)
      await task('cancel', next.id)
      assert.equal((await task('get', next.id)).error.code, NOT_FOUND)
      assert.deepEqual(bank.received, [SEND])
      const [{ count }] = await t.query('select count(*)::int as count from tool_tasks where id = $1', [
        next.id,
      ])
      assert.equal(count, 0)
    })

    it('a call that is being made is not cancelled, and its result is kept for the task [approval.task]', async () => {
      const { start, task, decide, ended, pay } = await open()
      const release = Promise.withResolvers<void>()
      bank.hold = release.promise
      const { id, approval } = await start()
      await decide(approval, 'approve')
      await eventually(async () => assert.equal(bank.received.length, 1))
      await task('cancel', id)
      const repeated = await pay(SEND)
      assert.equal(repeated.result.structuredContent.error.code, 'approval_used')
      assert.equal((await task('get', id)).result.status, 'working')
      release.resolve()
      assert.equal((await ended(id)).result.content[0].text, 'paid')
      assert.equal(bank.received.length, 1)
    })

    it('denied, undecided and no longer allowed calls end with their error, which is deleted in time [approval.task-ends]', async () => {
      const { start, task, decide, ended, must, api } = await open()
      const denied = await start({ n: 1 })
      await decide(denied.approval, 'deny')
      const { db } = t.service.features
      const errorOf = async (id: string) => (await ended(id)).result.structuredContent.error.code
      assert.equal(await errorOf(denied.id), 'approval_denied')
      const stricter = await start({ n: 2 })
      const rule = { name: 'Never', effect: 'deny', tools: ['bank__pay'] }
      const { id: ruleId } = await must('POST', '/policy-rules', rule)
      await decide(stricter.approval, 'approve')
      assert.equal(await errorOf(stricter.id), 'policy_denied')
      await t.query('delete from policy_rules where id = $1', [ruleId])
      const undecided = await start({ n: 3 })
      await t.moveClock(24 * HOUR + MINUTE)
      await endApprovals(db)
      assert.equal((await api('GET', `/approvals/${undecided.approval}`)).body.status, 'expired')
      t.service.features.wakeUps.wake('decisions')
      assert.equal(await errorOf(undecided.id), 'approval_expired')
      assert.deepEqual(bank.received, [])
      await t.moveClock(HOUR + MINUTE)
      assert.equal((await task('get', undecided.id)).error.code, NOT_FOUND)
      await runRetention(retentionSteps(t.service.features), t.service.features.log)
      const rows = await t.query('select 1 from tool_tasks where id = any($1)', [
        [denied.id, stricter.id, undecided.id],
      ])
      assert.deepEqual(rows, [])
    })

    it('two processes that take a task at once make its call once [approval.task]', async () => {
      const { start, decide, ended, due } = await open()
      const { features } = t.service
      for (let round = 0; round < 5; round++) {
        const { id, approval } = await start({ round })
        await decide(approval, 'approve')
        const [found] = await due()
        const task = found ?? { ...(await row(id)), approvalStatus: 'approved' as const }
        await Promise.all(Array.from({ length: 6 }, () => runTask(features, task).catch(() => undefined)))
        assert.equal((await ended(id)).result.content[0].text, 'paid')
        assert.equal(bank.received.length, round + 1)
      }
    })
    const row = async (id: string) => {
      const [found] = await t.query(
        `select organization_id as "organizationId", id, registered_user_id as "registeredUserId", tool_pack_id as "toolPackId",
           key_hash as "keyHash" from tool_tasks where id = $1`,
        [id],
      )
      return found
    }

    it('a process that dies before it takes the approval is replaced; afterwards it is unknown [approval.task]', async () => {
      const { start, decide, ended, due, read, statusOf } = await open()
      const { features } = t.service
      const taken = await start({ n: 1 })
      // The process has taken the task, and nothing else.
      await t.query(
        `update tool_tasks set status = 'running', lease_until = app_now() + interval '1 minute' where id = $1`,
        [taken.id],
      )
      await decide(taken.approval, 'approve')
      assert.deepEqual(await due(), [])
      assert.equal(await statusOf(taken.id), 'working')
      await t.moveClock(2 * MINUTE)
      features.wakeUps.wake('decisions')
      assert.equal((await ended(taken.id)).result.content[0].text, 'paid')
      assert.deepEqual(bank.received, [{ n: 1 }])

      const lost = await start({ n: 2 })
      await t.query(
        `update tool_tasks set status = 'running', lease_until = app_now() + interval '1 minute' where id = $1`,
        [lost.id],
      )
      await decide(lost.approval, 'approve')
      // It has taken the approval too, and may have called the provider.
      await t.query(
        `update approvals set status = 'executing', tool_call_id = $2, expires_at = app_now() + interval '5 minutes' where id = $1`,
        [lost.approval, newUuid()],
      )
      await t.moveClock(6 * MINUTE)
      await endApprovals(features.db)
      features.wakeUps.wake('decisions')
      const { error } = (await ended(lost.id)).result.structuredContent
      assert.deepEqual([error.code, error.carried_out], ['approval_used', 'unknown'])
      assert.equal((await read(lost.approval)).status, 'unknown')
      assert.deepEqual(bank.received, [{ n: 1 }])
    })

    it('a Tool Pack or a client without tasks gets the approval_meta [approval.task]', async () => {
      const { pay, api, organization } = await open()
      assert.equal((await pay(SEND)).result.structuredContent.type, 'approval_meta')
      const path = `/tool-packs/${organization.toolPackId}`
      assert.equal((await api('PATCH', path, { tasks: false })).body.tasks, false)
      assert.equal((await pay(SEND, TASKS)).result.structuredContent.type, 'approval_meta')
      assert.equal((await api('PATCH', path, { tasks: true })).body.tasks, true)
      const joined = await pay(SEND, TASKS)
      assert.equal(joined.result.resultType, 'task', 'a call that has waited without one becomes a task')
    })

    it('call and result are stored sealed, and deleted with the user [approval.task]', async () => {
      const { start, decide, ended, must, user, api } = await open()
      const { id, approval } = await start({ to: 'secret-recipient' })
      const sealed = async () => {
        const [{ text }] = await t.query(
          `select encode(sealed, 'escape') as text from tool_tasks where id = $1`,
          [id],
        )
        return text as string
      }
      assert.ok(!(await sealed()).includes('secret-recipient'))
      await decide(approval, 'approve')
      await ended(id)
      assert.ok(!(await sealed()).includes('paid'))
      assert.equal((await api('DELETE', `/registered-users/${user.id}`)).status, 204)
      assert.deepEqual(await t.query('select 1 from tool_tasks where id = $1', [id]), [])
      await must('GET', '/approvals')
    })
  })
