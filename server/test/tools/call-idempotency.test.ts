import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { DAY, MINUTE } from '../../src/core/duration.ts'
import { createJobs } from '../../src/worker.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type Exchange, type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'
import { caller, type MakeCall } from '../support/tool-calls.ts'

for (const engine of flowEngines) {
  describe(`a tool call with an Idempotency-Key, on ${engine}`, () => {
    let t: TestService
    let server: HostileServer
    let user: { id: string }
    let call: MakeCall
    let keyCount = 0
    const newKey = () => `key ${++keyCount}`
    const act = (idempotencyKey: string, rest = {}) => call('theirs__act', { idempotencyKey, ...rest })

    before(async () => {
      t = await joinTestService(engine)
      server = await startHostileMcp()
      const added = await t.call('POST', '/api/v1/connectors', {
        body: { name: 'Theirs', slug: 'theirs', url: server.url },
      })
      assert.equal(added.status, 201, added.text)
    })
    after(async () => {
      await t.stop()
      await server.close()
    })
    beforeEach(async () => {
      user = await t.createUser()
      call = caller(t, user.id)
      let answers = 0
      server.reset({ 'tools/call': exchange => respond(exchange, `answer ${++answers}`) })
    })
    const respond = (exchange: Exchange, text: string, isError = false) =>
      result(exchange, { content: [{ type: 'text', text }], isError })
    const providerCalls = () => server.requests.filter(({ step }) => step === 'tools/call')
    const records = async () =>
      (
        await t.query('select outcome, counted from tool_calls where registered_user_id = $1 order by id', [
          user.id,
        ])
      ).map(({ outcome, counted }) => [outcome, counted])
    const keys = async () =>
      (
        await t.query('select count(*)::int as keys from tool_call_answers where registered_user_id = $1', [
          user.id,
        ])
      )[0].keys

    it('is made and counted once, for any number of requests', async () => {
      const key = newKey()
      const first = await act(key, { args: { a: 1, b: { c: 2, d: 3 } } })
      const again = await act(key, { args: { b: { d: 3, c: 2 }, a: 1 } })
      assert.deepEqual(again, first)
      assert.equal(providerCalls().length, 1)
      assert.deepEqual(await records(), [
        ['success', true],
        ['replayed', false],
      ])
      const [row] = await t.query('select * from tool_call_answers where registered_user_id = $1', [user.id])
      assert.ok(!JSON.stringify(row).includes('answer 1'))
      assert.ok(!Buffer.from(row.sealed).includes('answer 1'))
    })

    it('a tool error is a result too, and is replayed', async () => {
      server.reset({ 'tools/call': exchange => respond(exchange, 'no', true) })
      const key = newKey()
      assert.equal((await act(key)).isError, true)
      assert.equal((await act(key)).isError, true)
      assert.equal(providerCalls().length, 1)
    })

    it('concurrent requests: one is made; the others get a retryable error, and then get its result', async () => {
      const waiting: (() => void)[] = []
      server.reset({ 'tools/call': exchange => void waiting.push(() => respond(exchange, 'late')) })
      const key = newKey()
      const first = act(key)
      await eventually(async () => assert.equal(waiting.length, 1))
      const others = await Promise.allSettled(Array.from({ length: 10 }, () => act(key)))
      for (const other of others) {
        assert.ok(other.status === 'rejected')
        const { code, retryable, retryAfterSeconds } = other.reason
        assert.deepEqual([code, retryable, retryAfterSeconds], ['idempotency_in_progress', true, 1])
      }
      waiting[0]?.()
      const answer = await first
      assert.deepEqual(await act(key), answer)
      assert.equal(providerCalls().length, 1)
    })

    it('many simultaneous requests have one winner', async () => {
      const key = newKey()
      const all = await Promise.allSettled(Array.from({ length: 20 }, () => act(key)))
      assert.equal(providerCalls().length, 1)
      assert.ok(all.some(({ status }) => status === 'fulfilled'))
      const counted = (await records()).filter(([, counts]) => counts)
      assert.equal(counted.length, 1)
    })

    it('is rejected with another tool or other arguments, and works for another user', async () => {
      const key = newKey()
      await act(key, { args: { a: 1 } })
      await assert.rejects(act(key, { args: { a: 2 } }), { code: 'idempotency_key_reused', retryable: false })
      const other = await t.createUser()
      await caller(t, other.id)('theirs__act', { idempotencyKey: key, args: { a: 2 } })
      assert.equal(providerCalls().length, 2)
      for (const bad of ['', 'x'.repeat(256), 'a\nb', 'ü'])
        await assert.rejects(act(bad), { code: 'invalid_idempotency_key' })
    })

    it('a call that was certainly not carried out releases the key, and the next request makes it', async () => {
      const key = newKey()
      server.reset({ 'tools/call': ({ response }) => response.writeHead(422).end() })
      await assert.rejects(act(key), { code: 'third_party_error', carriedOut: 'no' })
      assert.equal(await keys(), 0)
      const notes = 'sandbox-notes__list_notes'
      const meta = (await call(notes, { idempotencyKey: key })).structuredContent
      assert.equal(meta?.type, 'authenticate_meta')
      await linkNotes(createBrowserUser(), meta?.magic_link_url as string)
      assert.ok((await call(notes, { idempotencyKey: key })).structuredContent?.notes)
    })

    const lostAnswers: [string, () => { signal?: AbortSignal }][] = [
      [
        'the gateway of the provider answers 502',
        () => failing(({ response }) => response.writeHead(502).end()),
      ],
      ['the provider answers 500', () => failing(({ response }) => response.writeHead(500).end())],
      ['the connection breaks', () => failing(({ response }) => response.destroy())],
      [
        'the caller cancels',
        () => {
          const controller = new AbortController()
          failing(() => controller.abort())
          return { signal: controller.signal }
        },
      ],
    ]
    const failing = (answer: (exchange: Exchange) => void) => {
      server.reset({ 'tools/call': answer })
      return {}
    }
    for (const [title, prepare] of lostAnswers)
      it(`if ${title}, the call is sent once, and a repeat says that its outcome is unknown`, async () => {
        const key = newKey()
        await assert.rejects(act(key, prepare()), { carriedOut: 'unknown' })
        assert.equal(providerCalls().length, 1)
        server.reset({ 'tools/call': exchange => respond(exchange, 'again') })
        const unknown = { code: 'idempotency_outcome_unknown', retryable: false }
        await assert.rejects(act(key), unknown)
        await t.moveClock(DAY - MINUTE)
        await assert.rejects(act(key), unknown)
        assert.equal(providerCalls().length, 0)
        await t.moveClock(2 * MINUTE)
        await act(key)
        assert.equal(providerCalls().length, 1, 'the key has expired')
        await t.moveClock(-DAY - MINUTE)
      })

    it('a call whose process was killed is in progress for two minutes, and unknown for a day', async () => {
      const key = newKey()
      await act(key)
      await t.query('update tool_call_answers set sealed = null where registered_user_id = $1', [user.id])
      await assert.rejects(act(key), { code: 'idempotency_in_progress' })
      await t.moveClock(2 * MINUTE)
      await assert.rejects(act(key), { code: 'idempotency_outcome_unknown' })
      assert.equal(providerCalls().length, 1)
      await t.moveClock(-2 * MINUTE)
    })

    it('a result is stored for a day, and deleted with its user', async () => {
      const key = newKey()
      await act(key)
      await t.moveClock(DAY - MINUTE)
      await act(key)
      assert.equal(providerCalls().length, 1)
      await t.moveClock(2 * MINUTE)
      await createJobs(t.service.features)
        .find(({ name }) => name === 'retention')
        ?.run()
      assert.equal(await keys(), 0)
      await act(key)
      assert.equal(providerCalls().length, 2)
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`)
      assert.equal(await keys(), 0)
      await t.moveClock(-DAY - MINUTE)
    })

    it('the HTTP header means the same as the field of _meta, and both must not differ', async () => {
      const send = (header: string | null, meta: string | null, args = {}) =>
        t.mcp(
          user.id,
          'tools/call',
          { name: 'theirs__act', arguments: args, ...(meta && { _meta: { 'Idempotency-Key': meta } }) },
          header === null ? {} : { headers: { 'idempotency-key': header } },
        )
      const key = newKey()
      const { result: first } = (await send(key, null)).body
      assert.deepEqual((await send(key, null)).body.result, first)
      assert.deepEqual((await send(null, key)).body.result, first)
      assert.deepEqual((await send(key, key)).body.result, first)
      assert.equal(providerCalls().length, 1)
      const other = (await send(key, null, { a: 2 })).body.result.structuredContent.error
      assert.equal(other.code, 'idempotency_key_reused')
      const conflict = await send(key, newKey())
      assert.deepEqual([conflict.status, conflict.body.error.code], [400, 'conflicting_idempotency_key'])
      assert.equal(providerCalls().length, 1)
    })

    it('a stored result that cannot be decrypted does not repeat the call', async () => {
      const key = newKey()
      await act(key)
      await t.query(
        `update tool_call_answers set sealed = set_byte(sealed, 80, 255 - get_byte(sealed, 80)) where registered_user_id = $1`,
        [user.id],
      )
      await assert.rejects(act(key), { code: 'idempotency_answer_lost' })
      assert.equal(providerCalls().length, 1)
    })

    it('is sent to the provider as a different key for each user', async () => {
      const key = newKey()
      const other = await t.createUser()
      await act(key)
      await caller(t, other.id)('theirs__act', { idempotencyKey: key })
      const sent = providerCalls().map(({ message: { params } }) => {
        const { _meta: meta } = params
        return meta['Idempotency-Key']
      })
      assert.equal(new Set(sent).size, 2)
      for (const each of sent)
        assert.match(each, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    })
  })
}
