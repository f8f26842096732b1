import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventSchemas, exampleEvent, type WebhookEvent } from '@carabiner/contract'
import { Compile } from 'typebox/compile'

import { newUuid } from '../../src/core/uuid.ts'

import { readFeed } from '../../src/features/events/event-feed.ts'

import { eventually } from '../support/eventually.ts'
import { openEvents } from '../support/open-events.ts'
import { type RecordedCalls, startRecordedCalls } from '../support/recorded-calls.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/test-service.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

describe('events', () => {
  let t: TestService
  let calls: RecordedCalls
  const opened = new AsyncDisposableStack()
  before(async () => {
    t = await startTestService('postgres', {}, { webhookWorker: { idleMs: 20 } })
    opened.defer(() => t.stop())
    calls = await startRecordedCalls(t)
    opened.defer(() => calls.server.close())
  })
  after(() => opened.disposeAsync())

  const list = async (owner: TestOrganization, query = '', key = owner.key) => {
    const { status, text, body } = await t.call('GET', `/api/v1/events${query}`, { key })
    assert.equal(status, 200, text)
    return body as { data: WebhookEvent[]; next_cursor: string | null }
  }
  const collect = async (owner: TestOrganization, query: string) => {
    const found: WebhookEvent[] = []
    let cursor: string | null = null
    do {
      const page = await list(owner, `?limit=3${query}${cursor ? `&cursor=${cursor}` : ''}`)
      found.push(...page.data)
      cursor = page.next_cursor
    } while (cursor)
    return found
  }

  it('events are read in the order of transactions, whatever the length of their numbers', async () => {
    const owner = await calls.open('Orbit')
    const { id: userId } = await t.createUser({}, owner.key)
    for (const transaction of [99, 9, 101, 100, 11, 10])
      await t.query(
        `insert into events (organization_id, mode, registered_user_id, sequence, type, payload, committed_in)
         values ($1, 'production', $2, $3, 'registered_user.updated', '{}', ($4::text)::xid8)`,
        [owner.id, userId, transaction, String(transaction)],
      )
    const found: number[] = []
    let position = '0'
    for (let n = 0; n < 3; n++) {
      const page = await readFeed(t.service.features.db, owner.id, {
        after: position,
        since: new Date(0),
        limit: 2,
      })
      found.push(...page.events.map(({ committedIn }) => Number(committedIn)))
      position = page.next
    }
    assert.deepEqual(found, [9, 10, 11, 99, 100, 101])
  })

  it('calls and violations are events, in the form of the catalog, and without arguments or results', async () => {
    const owner = await calls.open('Orbit', { capture: 'on' })
    await using receiver = await startReceiver()
    await t.call('POST', '/api/v1/webhook-endpoints', { key: owner.key, body: { url: receiver.url } })
    const user = await t.createUser({}, owner.key)
    await t.call('PUT', '/api/v1/security-rules', {
      key: owner.key,
      body: { entities: { EMAIL_ADDRESS: { inbound_action: 'block', outbound_action: 'redact' } } },
    })
    await calls.act(owner, user.id, { text: 'canary-in-arguments' })
    await calls.act(owner, user.id, { text: 'failing', fails: true })
    await calls.act(owner, user.id, { text: 'jane.roe@example.com' })
    await eventually(async () => {
      const types = receiver.events().map(({ type }) => type)
      for (const type of ['tool_call.completed', 'tool_call.failed', 'rule.violated'])
        assert.ok(types.includes(type as never), types.join())
    })
    for (const event of receiver.events()) {
      const schema = eventSchemas[event.type]
      assert.ok(schema && Compile(schema).Check(event), JSON.stringify(event))
    }
    const text = JSON.stringify(receiver.events())
    for (const canary of ['canary-in-arguments', 'jane.roe']) assert.ok(!text.includes(canary))
    const completed = receiver.events().find(({ type }) => type === 'tool_call.completed')
    const [record] = (await calls.list(owner)).data.filter(
      ({ id }: { id: string }) => `evt_${id}` === completed?.id,
    )
    assert.equal(record.outcome, 'success')
    const listed = await collect(owner, '')
    assert.deepEqual(
      new Set(listed.map(({ id }) => id)),
      new Set([...listed.map(({ id }) => id), ...receiver.events().map(({ id }) => id)]),
    )
  })

  it('are listed newest first, by user and by type, in pages without gaps', async () => {
    const owner = await calls.open('Orbit')
    const first = await t.createUser({}, owner.key)
    const second = await t.createUser({}, owner.key)
    for (let n = 0; n < 4; n++) await calls.act(owner, first.id)
    await calls.act(owner, second.id, { fails: true })
    const all = await collect(owner, '')
    const times = all.map(({ occurred_at }) => occurred_at)
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
    assert.equal(all.filter(({ type }) => type.startsWith('tool_call')).length, 5)
    assert.ok(times.length > 5)
    const ofFirst = await collect(owner, `&registered_user_id=${first.id}`)
    assert.equal(ofFirst.length, 5)
    assert.ok(ofFirst.every(event => event.registered_user_id === first.id))
    const failed = await collect(owner, '&type=tool_call.failed')
    assert.deepEqual(
      failed.map(event => event.registered_user_id),
      [second.id],
    )
    assert.equal(
      (await list(owner, '', owner.testKey)).data.filter(({ registered_user_id: id }) => id).length,
      0,
    )
    const wrong = await t.call('GET', '/api/v1/events?cursor=abc', { key: owner.key })
    assert.equal(wrong.body.error.code, 'invalid_cursor')
  })

  it('a type that is rare among many others is listed on the first page', async () => {
    const owner = await calls.open('Busy')
    const rare = exampleEvent('client_authorization.rejected').data
    await t.query(
      `insert into events (organization_id, mode, type, payload) values ($1, 'production', 'client_authorization.rejected', $2)`,
      [owner.id, JSON.stringify(rare)],
    )
    await t.query(
      `insert into events (organization_id, mode, type, payload, created_at)
       select $1, 'production', 'tool_pack.updated', '{}', app_now() + interval '1 second' from generate_series(1, 1100)`,
      [owner.id],
    )
    const page = await list(owner, '?type=client_authorization.rejected&limit=2')
    assert.deepEqual([page.data.map(({ data }) => data), page.next_cursor], [[rare], null])
    assert.deepEqual((await list(owner, '?type=client_authorization.rejected', owner.testKey)).data, [])
  })

  it('a stream sends what happens, and continues after the last event that a client has read', async () => {
    const owner = await calls.open('Orbit')
    const stream = await openEvents(t, owner.key)
    await eventually(async () => {
      await t.createUser({}, owner.key)
      assert.ok(stream.received.length > 0)
    })
    const user = await t.createUser({}, owner.key)
    await calls.act(owner, user.id)
    await eventually(async () =>
      assert.ok(stream.received.some(({ event }) => event.type === 'tool_call.completed')),
    )
    stream.close()
    const last = stream.position() ?? ''
    assert.equal(last, stream.received.at(-1)?.id)
    const missed = await t.createUser({}, owner.key)
    const resumed = await openEvents(t, owner.key, last)
    await eventually(async () => assert.ok(resumed.received.length > 0))
    assert.deepEqual(
      resumed.received.map(({ event }) => event.registered_user_id),
      [missed.id],
    )
    resumed.close()
  })

  it('a stream has a position before its first event, so that an early interruption skips nothing', async () => {
    const owner = await calls.open('Orbit')
    const stream = await openEvents(t, owner.key)
    const start = await eventually(async () => {
      const found = stream.position()
      assert.ok(found)
      return found
    })
    stream.close()
    assert.deepEqual(stream.received, [])
    const missed = await t.createUser({}, owner.key)
    const resumed = await openEvents(t, owner.key, start)
    await eventually(async () => assert.ok(resumed.received.length > 0))
    assert.equal(resumed.received[0]?.event.registered_user_id, missed.id)
    resumed.close()
  })

  it('of the events of one transaction, only the last has a position to continue from', async () => {
    const owner = await calls.open('Orbit')
    const stream = await openEvents(t, owner.key)
    await eventually(async () => assert.ok(stream.position()))
    const events = ['a', 'b', 'c'].map(name => ({ tool_pack_id: newUuid(), name, change: 'created' }))
    await t.query(
      `select record_event($1, null, 'tool_pack.updated', value) from jsonb_array_elements($2::jsonb)`,
      [owner.id, JSON.stringify(events)],
    )
    await eventually(async () => assert.equal(stream.received.length, 3))
    assert.deepEqual(
      stream.received.map(({ id }) => id !== null),
      [false, false, true],
    )
    stream.close()
  })

  it('a position of another database continues by time instead of skipping events', async () => {
    const owner = await calls.open('Orbit')
    const user = await t.createUser({}, owner.key)
    await t.query(
      `insert into event_positions (organization_id, position) values ($1, '0') on conflict do nothing`,
      [owner.id],
    )
    const position = `99999999999-${Date.now()}`
    const resumed = await openEvents(t, owner.key, position)
    await eventually(async () =>
      assert.ok(resumed.received.some(({ event }) => event.registered_user_id === user.id)),
    )
    resumed.close()
  })

  it('a stream ends when its key is revoked', async () => {
    const owner = await calls.open('Orbit')
    const stream = await openEvents(t, owner.key)
    assert.equal(stream.status, 200)
    const { data: keys } = (await t.call('GET', '/api/v1/api-keys', { key: owner.key })).body
    const { id } = keys.find(({ mode }: { mode: string }) => mode === 'production')
    const regenerated = await t.call('POST', `/api/v1/api-keys/${id}/regenerate`, { key: owner.key })
    assert.equal(regenerated.status, 201, regenerated.text)
    await eventually(async () => assert.ok(stream.hasEnded()))
  })

  it('the example of each type has the form of the catalog', () => {
    for (const [type, schema] of Object.entries(eventSchemas))
      assert.ok(Compile(schema).Check(exampleEvent(type as never)), type)
  })
})
