import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { HOUR, MINUTE, SECOND } from '../../src/core/duration.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'
import { type ReceivedWebhook, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

/** Between two attempts of a delivery, with the tenth by which it varies. */
const RETRIES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
].map(delay => delay * 1.1)

type Shown = Record<string, unknown>
const withoutHeaders = (attempt: Shown): Shown => {
  const { request_headers: sent, response_headers: returned, ...rest } = attempt
  assert.ok(sent && returned)
  return rest
}

for (const engine of flowEngines) {
  describe(`webhook deliveries on ${engine}`, () => {
    let t: TestService
    let owner: TestOrganization
    const opened = new AsyncDisposableStack()
    before(async () => {
      t = await startTestService(engine, {}, { webhookWorker: { idleMs: 20 } })
      opened.defer(() => t.stop())
    })
    after(() => opened.disposeAsync())
    beforeEach(async () => {
      owner = await t.createOrganization('Orbit')
    })

    const createEndpoint = async (receiver: WebhookReceiver, body: object = {}, key = owner.key) => {
      const answer = await t.call('POST', '/api/v1/webhook-endpoints', {
        key,
        body: { url: receiver.url, ...body },
      })
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    }
    const read = async (id: string) =>
      (await t.call('GET', `/api/v1/webhook-endpoints/${id}`, { key: owner.key })).body
    const deliveries = async (id: string, query = '') =>
      (await t.call('GET', `/api/v1/webhook-endpoints/${id}/deliveries${query}`, { key: owner.key })).body
        .data
    /** Not during an attempt: its lease would expire, and another one would be made at the same time. */
    const moveClock = async (milliseconds: number) => {
      const leased = 'select id from webhook_endpoints where organization_id = $1 and leased_by is not null'
      await eventually(async () => assert.deepEqual(await t.query(leased, [owner.id]), []))
      await t.moveClock(milliseconds)
    }
    const createUser = () => t.createUser({}, owner.key)
    const headersOf = ({ headers }: ReceivedWebhook) => headers as Record<string, string>
    const until = <Found>(check: () => Found) => eventually(async () => check())
    const received = (receiver: WebhookReceiver, count: number) =>
      until(() => assert.equal(receiver.received.length, count))
    const rename = (id: string, name: string) =>
      t.call('PATCH', `/api/v1/registered-users/${id}`, { key: owner.key, body: { origin_user_name: name } })

    it('lists the deliveries of all endpoints of the mode, page by page, and retrieves one', async () => {
      await using one = await startReceiver()
      await using two = await startReceiver()
      const endpoints = [await createEndpoint(one), await createEndpoint(two)]
      await createEndpoint(one, {}, owner.testKey)
      await createUser()
      await createUser()
      await t.createUser({}, owner.testKey)
      await received(two, 2)
      const list = async (query: string, key = owner.key) =>
        (await t.call('GET', `/api/v1/webhook-deliveries${query}`, { key })).body
      await eventually(async () => assert.equal((await list('?status=delivered')).data.length, 4))
      const first = await list('?limit=3')
      const rest = await list(`?limit=3&cursor=${first.next_cursor}`)
      assert.equal(rest.next_cursor, null)
      const all = [...first.data, ...rest.data]
      assert.equal(new Set(all.map(({ id }) => id)).size, 4)
      assert.deepEqual(
        new Set(all.map(({ webhook_endpoint_id }) => webhook_endpoint_id)),
        new Set(endpoints.map(({ id }) => id)),
      )
      const times = all.map(({ created_at }) => Date.parse(created_at))
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      )
      assert.deepEqual((await list('?status=failed')).data, [])
      await eventually(async () => assert.equal((await list('', owner.testKey)).data.length, 1))
      const path = `/api/v1/webhook-deliveries/${all[0].id}`
      const { request_body: sent, ...retrieved } = (await t.call('GET', path, { key: owner.key })).body
      assert.equal(JSON.parse(sent).id, all[0].event_id)
      assert.deepEqual(
        { ...retrieved, attempts: retrieved.attempts.map(withoutHeaders) },
        all[0],
        'lists have no headers and bodies',
      )
      for (const key of [owner.testKey, t.organization.key])
        assert.equal((await t.call('GET', path, { key })).body.error.code, 'webhook_delivery_not_found')
    })

    it('a delivery shows the sent body and the headers of every attempt, without signatures and secrets', async () => {
      await using receiver = await startReceiver()
      const { id, secret } = await createEndpoint(receiver)
      let status = 500
      receiver.answerWith((_, response) => {
        const headers = {
          'x-request-id': 'r-1',
          'set-cookie': 'session=private',
          'x-settings': `secret=${secret}`,
          'x-long': 'y'.repeat(2000),
        }
        response.writeHead(status, headers).end(status === 500 ? 'Not today.' : '')
      })
      const user = await createUser()
      await received(receiver, 1)
      status = 204
      await eventually(async () => assert.equal((await deliveries(id))[0]?.attempts.length, 1))
      await moveClock(6 * SECOND)
      await eventually(async () => assert.equal((await deliveries(id, '?status=delivered')).length, 1))
      const [{ id: deliveryId }] = await deliveries(id)
      const { body } = await t.call('GET', `/api/v1/webhook-deliveries/${deliveryId}`, { key: owner.key })
      assert.equal(body.request_body, receiver.received[0]?.body)
      assert.deepEqual([body.registered_user_id, body.is_test], [user.id, false])
      assert.deepEqual(
        body.attempts.map(({ response_status, response_body }: Shown) => [response_status, response_body]),
        [
          [500, 'Not today.'],
          [204, ''],
        ],
      )
      const [attempt] = body.attempts
      assert.deepEqual(attempt.request_headers, {
        'content-type': 'application/json',
        'webhook-id': body.event_id,
        'webhook-timestamp': receiver.received[0]?.headers['webhook-timestamp'],
        'webhook-signature': 'v1,…',
      })
      const { 'x-request-id': kept, 'x-settings': cleaned, 'x-long': long } = attempt.response_headers
      assert.deepEqual([kept, cleaned, long], ['r-1', 'secret=[removed]', `${'y'.repeat(256)}…`])
      assert.equal(attempt.response_headers['set-cookie'], '[hidden]')
    })

    it('a receiver that answers 200 with a long body has received the event, and the rest is not read', async () => {
      await using receiver = await startReceiver()
      const { id } = await createEndpoint(receiver)
      let isCut = false
      receiver.answerWith((_, response) => {
        response.on('close', () => {
          isCut = !response.writableFinished
        })
        const more = (): void => {
          while (!response.destroyed && response.write('y'.repeat(16_384)));
          response.once('drain', more)
        }
        more()
      })
      await createUser()
      await eventually(async () => {
        const [delivery] = await deliveries(id)
        assert.deepEqual([delivery?.status, delivery?.attempts.length], ['delivered', 1])
        assert.deepEqual([delivery.attempts[0].response_status, delivery.attempts[0].error], [200, null])
        assert.equal(delivery.attempts[0].response_body, 'y'.repeat(1024))
      })
      await until(() => assert.ok(isCut, 'the connection is closed'))
    })

    it('[events.webhooks] an event is delivered, with a signature that the official library verifies', async () => {
      await using receiver = await startReceiver()
      const { id, secret } = await createEndpoint(receiver)
      const user = await createUser()
      await received(receiver, 1)
      const [webhook] = receiver.received as [ReceivedWebhook]
      const [event] = webhook.events
      assert.deepEqual(new Webhook(secret).verify(webhook.body, headersOf(webhook)), event)
      assert.equal(webhook.headers['webhook-id'], event?.id)
      assert.equal(webhook.headers['content-type'], 'application/json')
      assert.deepEqual(
        { ...event, id: '', occurred_at: '' },
        {
          id: '',
          type: 'registered_user.created',
          occurred_at: '',
          mode: 'production',
          organization_id: owner.id,
          registered_user_id: user.id,
          sequence: 1,
          data: {
            origin_user_id: event && 'origin_user_id' in event.data ? event.data.origin_user_id : null,
          },
        },
      )
      const [delivery] = await eventually(async () => {
        const found = await deliveries(id)
        assert.equal(found[0]?.status, 'delivered')
        return found
      })
      assert.equal(delivery.event_id, event?.id)
      assert.equal(delivery.attempts.length, 1)
      assert.equal(delivery.attempts[0].response_status, 200)
      assert.equal(delivery.attempts[0].response_body, 'ok')
      await eventually(async () => assert.ok((await read(id)).last_success_at))
    })

    it('v1a is verified with the public key alone, and the private key is never shown', async () => {
      await using receiver = await startReceiver()
      const endpoint = await createEndpoint(receiver, { signature: 'v1a' })
      assert.equal(endpoint.secret, null)
      await createUser()
      await received(receiver, 1)
      const [{ headers, body }] = receiver.received as [ReceivedWebhook]
      const point = Buffer.from(endpoint.public_key.replace('whpk_', ''), 'base64')
      const key = createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') },
        format: 'jwk',
      })
      const [version, signature] = String(headers['webhook-signature']).split(',') as [string, string]
      assert.equal(version, 'v1a')
      const signed = Buffer.from([headers['webhook-id'], headers['webhook-timestamp'], body].join('.'))
      assert.ok(verify(null, signed, key, Buffer.from(signature, 'base64')))
    })

    it('after a rotation both secrets verify, and after a day only the new one', async () => {
      await using receiver = await startReceiver()
      const { id, secret } = await createEndpoint(receiver)
      const rotated = await t.call('POST', `/api/v1/webhook-endpoints/${id}/rotate-secret`, {
        key: owner.key,
      })
      assert.notEqual(rotated.body.secret, secret)
      await createUser()
      await received(receiver, 1)
      const [both] = receiver.received as [ReceivedWebhook]
      for (const each of [secret, rotated.body.secret]) new Webhook(each).verify(both.body, headersOf(both))
      await moveClock(25 * HOUR)
      await createUser()
      await received(receiver, 2)
      const later = receiver.received[1] as ReceivedWebhook
      new Webhook(rotated.body.secret).verify(later.body, headersOf(later))
      assert.throws(() => new Webhook(secret).verify(later.body, headersOf(later)))
    })

    it('only chosen types and events of the mode of the key are delivered, from the creation on', async () => {
      await using receiver = await startReceiver()
      await using tests = await startReceiver()
      await createUser()
      await createEndpoint(receiver, { event_types: ['registered_user.updated', 'tool_pack.updated'] })
      await createEndpoint(tests, {}, owner.testKey)
      const user = await createUser()
      await rename(user.id, 'Ana')
      await t.createUser({}, owner.testKey)
      await t.call('PATCH', `/api/v1/tool-packs/${owner.toolPackId}`, {
        key: owner.key,
        body: { name: 'Other' },
      })
      await until(() => assert.equal(receiver.received.length + tests.received.length, 4))
      // Only the events of one user have an order.
      const typesOf = (from: WebhookReceiver) =>
        from
          .events()
          .map(({ type, mode }) => `${mode} ${type}`)
          .toSorted()
      assert.deepEqual(typesOf(receiver), [
        'production registered_user.updated',
        'production tool_pack.updated',
      ])
      // A Tool Pack belongs to both modes.
      assert.deepEqual(typesOf(tests), ['test registered_user.created', 'test tool_pack.updated'])
    })

    it('a failed delivery is repeated with the same ID, and waits as long as the receiver asks', async () => {
      await using receiver = await startReceiver()
      receiver.answerWith(
        (_, response) => void response.writeHead(503, { 'retry-after': '3600' }).end('later'),
      )
      const { id } = await createEndpoint(receiver)
      await createUser()
      const [first] = await eventually(async () => {
        const found = await deliveries(id)
        assert.equal(found[0]?.attempts.length, 1)
        return found
      })
      assert.equal(first.status, 'pending')
      assert.equal(first.attempts[0].response_body, 'later')
      assert.ok(Date.parse(first.next_attempt_at) - Date.parse(first.created_at) >= HOUR)
      receiver.answerWith((_, response) => void response.writeHead(302, { location: receiver.url }).end())
      await moveClock(HOUR + SECOND)
      await received(receiver, 2)
      receiver.answerWith((_, response) => void response.end())
      await eventually(async () => assert.equal((await deliveries(id))[0].attempts.length, 2))
      await moveClock(RETRIES_MS[1] as number)
      await received(receiver, 3)
      const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
      assert.equal(ids.size, 1)
      await eventually(async () => assert.equal((await deliveries(id))[0].status, 'delivered'))
    })

    it('410 disables the endpoint at once, with an event; it can be enabled again', async () => {
      await using receiver = await startReceiver()
      await using witness = await startReceiver()
      receiver.answerWith((_, response) => void response.writeHead(410).end())
      const { id } = await createEndpoint(receiver)
      await createEndpoint(witness, { event_types: ['webhook_endpoint.disabled'] })
      await createUser()
      await received(witness, 1)
      assert.deepEqual(witness.events()[0]?.data, {
        webhook_endpoint_id: id,
        reason: 'gone',
      })
      const disabled = await read(id)
      assert.deepEqual([disabled.status, disabled.disabled_reason], ['disabled', 'gone'])
      await createUser()
      receiver.answerWith((_, response) => void response.end())
      const enabled = await t.call('PATCH', `/api/v1/webhook-endpoints/${id}`, {
        key: owner.key,
        body: { paused: false },
      })
      assert.equal(enabled.body.status, 'active')
      const third = await createUser()
      await until(() => assert.ok(receiver.events().some(event => event.registered_user_id === third.id)))
    })

    it('ten failed attempts within 77 hours disable an endpoint that never worked', async () => {
      await using receiver = await startReceiver()
      receiver.answerWith((_, response) => void response.writeHead(500).end())
      const { id } = await createEndpoint(receiver)
      await createUser()
      await received(receiver, 1)
      let hours = 0
      for (const [index, delay] of RETRIES_MS.entries()) {
        // The circuit breaker may hold it back for another five minutes.
        await eventually(async () => assert.equal((await deliveries(id))[0].attempts.length, index + 1))
        await moveClock(delay + 5 * MINUTE)
        hours += (delay + 5 * MINUTE) / HOUR
        await received(receiver, index + 2)
      }
      assert.ok(hours < 84)
      await eventually(async () => assert.equal((await read(id)).disabled_reason, 'attempts_exhausted'))
      const [delivery] = await deliveries(id, '?status=failed')
      assert.equal(delivery.attempts.length, 10)
      assert.equal(receiver.received.length, 10)
    })

    it('events of a user stay in order, but are not held up for longer than five minutes', async () => {
      await using receiver = await startReceiver()
      const failing = new Set<string>()
      receiver.answerWith(({ events: [event] }, response) => {
        response
          .writeHead(
            event?.registered_user_id && failing.has(`${event.registered_user_id} ${event.sequence}`)
              ? 500
              : 200,
          )
          .end()
      })
      const { id } = await createEndpoint(receiver)
      const held = await createUser()
      await received(receiver, 1)
      failing.add(`${held.id} 2`)
      for (const name of ['a', 'b', 'c']) await rename(held.id, name)
      await until(() => assert.ok(receiver.events().some(({ sequence }) => sequence === 2)))
      const other = await createUser()
      await until(() => assert.ok(receiver.events().some(event => event.registered_user_id === other.id)))
      const sequences = () =>
        receiver
          .events()
          .filter(event => event.registered_user_id === held.id)
          .map(({ sequence }) => sequence)
      assert.deepEqual(new Set(sequences()), new Set([1, 2]))
      await moveClock(5 * MINUTE + 10 * SECOND)
      await until(() =>
        assert.deepEqual(
          // An attempt that is made while the clock is moved is repeated.
          [...new Set(sequences())].filter(sequence => sequence !== 2),
          [1, 3, 4],
        ),
      )
      await eventually(async () => {
        const [pending] = await deliveries(id, '?status=pending')
        assert.ok(pending && pending.attempts.length >= 2, 'the failed event is retried and stays pending')
      })
      failing.clear()
      await moveClock(40 * MINUTE)
      await eventually(async () => assert.deepEqual(await deliveries(id, '?status=pending'), []))
    })

    it('events of a user stay in order after a long pause', async () => {
      await using receiver = await startReceiver()
      const { id } = await createEndpoint(receiver)
      const set = (paused: boolean) =>
        t.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { key: owner.key, body: { paused } })
      await set(true)
      const user = await createUser()
      for (let n = 0; n < 9; n++) await rename(user.id, `name ${n}`)
      await eventually(async () => assert.equal((await deliveries(id, '?status=pending')).length, 10))
      await moveClock(HOUR)
      await set(false)
      await received(receiver, 10)
      assert.deepEqual(
        receiver.events().map(({ sequence }) => sequence),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      )
    })

    it('a receiver that hangs does not delay another one', async () => {
      await using stuck = await startReceiver()
      await using receiver = await startReceiver()
      stuck.answerWith(() => undefined)
      await createEndpoint(stuck)
      await createEndpoint(receiver)
      for (let n = 0; n < 5; n++) await createUser()
      await received(receiver, 5)
      assert.ok(stuck.received.length <= 8)
    })

    it('a paused endpoint gets its events when it is resumed', async () => {
      await using receiver = await startReceiver()
      const { id } = await createEndpoint(receiver)
      const set = (paused: boolean) =>
        t.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { key: owner.key, body: { paused } })
      await set(true)
      await createUser()
      await eventually(async () => assert.equal((await deliveries(id, '?status=pending')).length, 1))
      assert.equal(receiver.received.length, 0)
      await set(false)
      await received(receiver, 1)
    })

    it('a batch has several events as lines, and is repeated as it was', async () => {
      await using receiver = await startReceiver()
      receiver.answerWith((_, response) => void response.writeHead(500).end())
      const { id, secret } = await createEndpoint(receiver, { format: 'batch' })
      await t.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { key: owner.key, body: { paused: true } })
      const user = await createUser()
      for (const name of ['a', 'b']) await rename(user.id, name)
      await eventually(async () => assert.equal((await deliveries(id, '?status=pending')).length, 3))
      await t.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { key: owner.key, body: { paused: false } })
      await received(receiver, 1)
      await eventually(async () => assert.equal((await deliveries(id))[0].attempts.length, 1))
      await rename(user.id, 'c')
      receiver.answerWith((_, response) => void response.end())
      await moveClock(6 * SECOND)
      await received(receiver, 3)
      const [first, again, next] = receiver.received as [ReceivedWebhook, ReceivedWebhook, ReceivedWebhook]
      assert.deepEqual(
        first.events.map(({ sequence }) => sequence),
        [1, 2, 3],
      )
      assert.equal(again.body, first.body)
      assert.equal(again.headers['webhook-id'], first.headers['webhook-id'])
      assert.match(String(first.headers['webhook-id']), /^batch_/)
      assert.equal(first.headers['content-encoding'], 'gzip')
      new Webhook(secret).verify(again.body, headersOf(again), { jsonParse: false })
      assert.deepEqual(
        next.events.map(({ sequence }) => sequence),
        [4],
      )
    })

    it('deliveries are made again: one, or all that have failed', async () => {
      await using receiver = await startReceiver()
      const { id } = await createEndpoint(receiver)
      await createUser()
      await createUser()
      await eventually(async () => assert.equal((await deliveries(id, '?status=delivered')).length, 2))
      const [one] = await deliveries(id)
      const replayed = await t.call('POST', `/api/v1/webhook-deliveries/${one.id}/replay`, { key: owner.key })
      assert.equal(replayed.status, 202)
      await received(receiver, 3)
      assert.equal(receiver.received[2]?.headers['webhook-id'], one.event_id)
      await t.query(`update webhook_deliveries set status = 'failed' where organization_id = $1`, [owner.id])
      const all = await t.call('POST', `/api/v1/webhook-endpoints/${id}/replay`, { key: owner.key, body: {} })
      assert.deepEqual(all.body, { deliveries: 2, next_cursor: null })
      await received(receiver, 5)
      const other = await t.createOrganization('Other')
      const foreign = await t.call('POST', `/api/v1/webhook-deliveries/${one.id}/replay`, { key: other.key })
      assert.equal(foreign.status, 404)
    })

    it('events that were missed by a disabled endpoint are delivered on request, each once', async () => {
      await using receiver = await startReceiver()
      receiver.answerWith((_, response) => void response.writeHead(410).end())
      const earlier = await createUser()
      const { id, created_at: since } = await createEndpoint(receiver, {
        event_types: ['registered_user.created', 'registered_user.updated'],
      })
      const first = await createUser()
      await eventually(async () => assert.equal((await read(id)).status, 'disabled'))
      const missed = await createUser()
      await rename(missed.id, 'Ana')
      await t.call('PATCH', `/api/v1/tool-packs/${owner.toolPackId}`, {
        key: owner.key,
        body: { name: 'Of a type that is not wanted' },
      })
      await t.createUser({}, owner.testKey)
      receiver.answerWith((_, response) => void response.end())
      await t.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { key: owner.key, body: { paused: false } })
      await received(receiver, 2)
      const replay = async (body: object) =>
        (await t.call('POST', `/api/v1/webhook-endpoints/${id}/replay`, { key: owner.key, body })).body
      assert.equal((await replay({ status: 'missed' })).error.param, 'since')
      assert.deepEqual(await replay({ status: 'missed', since }), { deliveries: 2, next_cursor: null })
      assert.deepEqual(await replay({ status: 'missed', since }), { deliveries: 0, next_cursor: null })
      await received(receiver, 4)
      assert.deepEqual(
        receiver.events().map(({ registered_user_id, sequence }) => [registered_user_id, sequence]),
        [
          [first.id, 1],
          [first.id, 1],
          [missed.id, 1],
          [missed.id, 2],
        ],
      )
      const fromStart = await replay({ status: 'missed', since: '2020-01-01', until: since })
      assert.equal(fromStart.deliveries, 1)
      await received(receiver, 5)
      assert.equal(receiver.events()[4]?.registered_user_id, earlier.id)
    })

    it('a replay continues after its cursor', async () => {
      await using receiver = await startReceiver()
      const { id } = await createEndpoint(receiver)
      for (let n = 0; n < 3; n++) await createUser()
      await eventually(async () => assert.equal((await deliveries(id, '?status=delivered')).length, 3))
      const [last, middle] = await deliveries(id)
      const { body: page } = await t.call('GET', `/api/v1/webhook-endpoints/${id}/deliveries?limit=2`, {
        key: owner.key,
      })
      const replayed = await t.call('POST', `/api/v1/webhook-endpoints/${id}/replay`, {
        key: owner.key,
        body: { status: 'delivered', cursor: page.next_cursor },
      })
      // The page of the list ended at the middle one.
      assert.notEqual(last.id, middle.id)
      assert.deepEqual(replayed.body, { deliveries: 1, next_cursor: null })
      await received(receiver, 4)
      assert.equal(receiver.received[3]?.headers['webhook-id'], last.event_id)
    })

    it('deliveries of a deleted user are deleted, and the deletion is reported', async () => {
      await using receiver = await startReceiver()
      const { id } = await createEndpoint(receiver)
      const user = await createUser()
      await eventually(async () => assert.equal((await deliveries(id, '?status=delivered')).length, 1))
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`, { key: owner.key })
      await received(receiver, 2)
      const last = receiver.events()[1]
      assert.deepEqual([last?.type, last?.data], ['registered_user.deleted', {}])
      assert.deepEqual(
        (await deliveries(id)).map(({ event_type }: { event_type: string }) => event_type),
        ['registered_user.deleted'],
      )
    })

    it('a URL with a fragment, which would never be sent, is rejected', async () => {
      for (const url of ['https://app.example.com/hooks#a', 'https://app.example.com/hooks#']) {
        const { status, body } = await t.call('POST', '/api/v1/webhook-endpoints', { body: { url } })
        assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_webhook_url', 'url'])
      }
    })

    it('a test sends an event with example data once, and is listed as a test', async () => {
      await using receiver = await startReceiver()
      const { id, secret } = await createEndpoint(receiver)
      const misnamed = await t.call('POST', `/api/v1/webhook-endpoints/${id}/test`, {
        key: owner.key,
        body: { type: 'credential.created' },
      })
      assert.match(misnamed.body.error.message, /Known fields: event_type\./)
      const tested = await t.call('POST', `/api/v1/webhook-endpoints/${id}/test`, {
        key: owner.key,
        body: { event_type: 'credential.needs_reauth' },
      })
      assert.equal(tested.body.delivered, true)
      const [webhook] = receiver.received as [ReceivedWebhook]
      assert.equal(webhook.events[0]?.type, 'credential.needs_reauth')
      new Webhook(secret).verify(webhook.body, headersOf(webhook))

      receiver.answerWith((_, response) => void response.writeHead(410).end())
      const rejected = await t.call('POST', `/api/v1/webhook-endpoints/${id}/test`, { key: owner.key })
      assert.equal(rejected.body.delivered, false)
      const listed = await deliveries(id)
      assert.deepEqual(
        listed.map((each: Shown) => [each.id, each.is_test, each.status, each.registered_user_id]),
        [
          [rejected.body.delivery_id, true, 'failed', null],
          [tested.body.delivery_id, true, 'delivered', null],
        ],
      )
      const path = `/api/v1/webhook-deliveries/${tested.body.delivery_id}`
      const { body } = await t.call('GET', path, { key: owner.key })
      assert.equal(body.request_body, webhook.body)
      assert.deepEqual(body.attempts, [tested.body.attempt])
      const replayed = await t.call('POST', `${path}/replay`, { key: owner.key })
      assert.equal(replayed.body.error.code, 'webhook_delivery_is_test')
      const all = await t.call('POST', `/api/v1/webhook-endpoints/${id}/replay`, { key: owner.key, body: {} })
      assert.equal(all.body.deliveries, 0)
      assert.equal((await read(id)).status, 'active', 'a rejected test does not disable the endpoint')
    })
  })
}
