import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { type Bank, openBank, serveBank } from '../support/approvals/bank.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const SEND = { to: 'ana@example.com', amount: 10 }

for (const engine of flowEngines)
  describe(`approvals of calls from code, on ${engine}`, () => {
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
      const body = { registered_user_id: opened.user.id, name: 'bank__pay' }
      const call = (args: object, more: object = {}, key?: string) =>
        opened.must('POST', '/tool-calls', { ...body, arguments: args, ...more }, key)
      const overMcp = async (args: object) =>
        (await opened.pay(args)).result.structuredContent ?? 'no structured content'
      const onlyPending = () =>
        eventually(async () => {
          const [id, ...others] = await opened.pending()
          assert.ok(id !== undefined && others.length === 0)
          return id
        })
      return { ...opened, body, call, overMcp, onlyPending }
    }
    const records = async (userId: string) =>
      (
        await t.query(
          'select id, outcome, error_code, counted from tool_calls where registered_user_id = $1 order by started_at, id',
          [userId],
        )
      ).map(({ id, ...rest }) => ({ id, ...rest }))

    it('an approval that was requested over MCP is taken by the same call from code, once; a changed call asks again', async () => {
      const { call, overMcp, decide, user } = await open()
      const { approval_id: id } = await overMcp(SEND)
      const joined = await call({ amount: 10, to: 'ana@example.com' })
      assert.deepEqual([joined.approval_meta.approval_id, joined.is_error], [id, false])
      await decide(id, 'approve')
      const changed = await call({ ...SEND, amount: 1000 })
      assert.equal(changed.approval_meta.type, 'approval_meta')
      assert.notEqual(changed.approval_meta.approval_id, id)
      assert.deepEqual(bank.received, [])
      const paid = await call(SEND)
      assert.equal(paid.content[0].text, 'paid')
      assert.equal((await call(SEND)).error.code, 'approval_used')
      assert.deepEqual(bank.received, [SEND])
      const counted = (await records(user.id)).filter(record => record.counted)
      assert.deepEqual(
        counted.map(record => record.id),
        [paid.tool_call_id],
      )
    })

    it('an approval that was requested from code is taken by the same call over MCP', async () => {
      const { call, pay, decide } = await open()
      const { approval_meta: meta } = await call(SEND)
      await decide(meta.approval_id, 'approve')
      assert.equal((await pay(SEND)).result.content[0].text, 'paid')
      assert.deepEqual(bank.received, [SEND])
    })

    it('another key asks for itself, and a rolled key is the same one', async () => {
      const { call, must, decide } = await open()
      const { approval_meta: meta } = await call(SEND)
      await decide(meta.approval_id, 'approve')
      const created = await must('POST', '/api-keys', { mode: 'production' })
      const other = await call(SEND, {}, created.key)
      assert.notEqual(other.approval_meta.approval_id, meta.approval_id)
      await decide(other.approval_meta.approval_id, 'approve')
      const rolled = await must('POST', `/api-keys/${created.id}/roll`, { overlap_minutes: 30 })
      assert.equal((await call(SEND, {}, rolled.key)).content[0].text, 'paid')
      assert.equal(bank.received.length, 1)
    })

    it('an Idempotency-Key makes it another call, whose approval no call without the key takes', async () => {
      const { body, call, decide, key } = await open()
      const keyed = () =>
        t.call('POST', '/api/v1/tool-calls', {
          key,
          body: { ...body, arguments: SEND },
          headers: { 'idempotency-key': 'pay-1' },
        })
      const { approval_meta: meta } = (await keyed()).body
      await decide(meta.approval_id, 'approve')
      assert.notEqual((await call(SEND)).approval_meta.approval_id, meta.approval_id)
      assert.equal((await keyed()).body.content[0].text, 'paid')
      assert.equal((await keyed()).body.content[0].text, 'paid', 'the stored result')
      assert.deepEqual(bank.received, [SEND])
    })

    it('waits for the decision, and returns the result and its record', async () => {
      const { call, decide, onlyPending, user } = await open()
      const waiting = call(SEND, { wait: 120 })
      await decide(await onlyPending(), 'approve')
      const paid = await waiting
      assert.equal(paid.content[0].text, 'paid')
      const all = await records(user.id)
      assert.deepEqual(
        all.map(({ outcome }) => outcome),
        ['approval_required', 'success'],
      )
      assert.equal(paid.tool_call_id, all[1]?.id)
    })

    it('a denial ends the wait with an error for the model', async () => {
      const { call, decide, onlyPending } = await open()
      const waiting = call(SEND, { wait: 120 })
      await decide(await onlyPending(), 'deny')
      const { is_error, error } = await waiting
      assert.deepEqual([is_error, error.code], [true, 'approval_denied'])
      assert.deepEqual(bank.received, [])
    })

    it('callers that wait for the same approval, over MCP and from code, share one call', async () => {
      const { call, pay, decide, onlyPending, user } = await open()
      const waiting = [call(SEND, { wait: 120 }), call(SEND, { wait: 120 })]
      const overMcp = pay(SEND, {}, '?wait=120')
      const id = await onlyPending()
      await eventually(async () => assert.equal((await records(user.id)).length, 3))
      await decide(id, 'approve')
      const results = await Promise.all(waiting)
      for (const { content } of results) assert.equal(content[0].text, 'paid')
      assert.equal((await overMcp).result.content[0].text, 'paid')
      assert.deepEqual(bank.received, [SEND])
      const made = (await records(user.id)).find(({ outcome }) => outcome === 'success')
      for (const { tool_call_id: recordId } of results) assert.equal(recordId, made?.id)
    })

    it('a client that disconnects while it waits does not make the call once it is approved', async () => {
      const { body, decide, onlyPending, key } = await open()
      const request = httpRequest(`${t.baseUrl}/api/v1/tool-calls`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      request.on('error', () => undefined)
      request.end(JSON.stringify({ ...body, arguments: SEND, wait: 120 }))
      const id = await onlyPending()
      request.destroy()
      await new Promise<void>(resolve => request.once('close', resolve))
      // The connection of the service closes later than that of the client.
      const other = { ...body, arguments: { ...SEND, amount: 11 }, wait: 120 }
      const patient = t.call('POST', '/api/v1/tool-calls', { key, body: other })
      const [second] = await eventually(async () => {
        const { body: page } = await t.call('GET', '/api/v1/approvals?status=pending', { key })
        const ids = page.data.map((approval: { id: string }) => approval.id)
        assert.equal(ids.length, 2)
        return ids.filter((each: string) => each !== id)
      })
      await decide(id, 'approve')
      await decide(second, 'approve')
      assert.equal((await patient).body.content[0].text, 'paid')
      assert.deepEqual(bank.received, [other.arguments])
    })
  })
