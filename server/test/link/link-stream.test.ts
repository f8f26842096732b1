import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { LinkState, LinkTokenRequest } from '@carabiner/contract'
import { MINUTE } from '../../src/core/duration.ts'
import { endOverdueSecrets } from '../../src/features/credentials/pending-secrets.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { createTestDatabase, flowEngines } from '../support/databases.ts'
import { type EventStream, openStream, requestStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { startTestService, type TestService, WAKE_UPS_ONLY } from '../support/test-service.ts'

const APP = 'https://app.example.com'
const CALLBACK = { callback_url: `${APP}/cb`, state: 'state-canary' }
const OPEN: LinkState = { status: 'open', Connector: null, scopes: [], last: null }

type Session = { userId: string; id: string; link: string; token: string; handle: string; events: string }

/** A random client address, so that the rate limit per address does not affect other tests. */
const randomAddress = () => ({ 'x-forwarded-for': [10, 0, 0, 0].map(n => n || randomInt(256)).join('.') })

const newSession = async (t: TestService, body: LinkTokenRequest = {}): Promise<Session> => {
  const { id: userId } = await t.createUser()
  const { link_token: token, magic_link_url: link } = await t.mint(userId, body)
  const [row] = await t.query<{ id: string }>('select id from link_sessions where registered_user_id = $1', [
    userId,
  ])
  const exchanged = await t.call('POST', '/link/sessions', {
    key: token,
    headers: { origin: t.baseUrl, ...randomAddress() },
  })
  assert.equal(exchanged.status, 200, exchanged.text)
  const { session: handle, url } = exchanged.body as { session: string; url: string }
  return { userId, id: row?.id as string, link, token, handle, events: `${url}/events` }
}

for (const engine of flowEngines) {
  describe(`the event stream of a session on ${engine}`, () => {
    let t: TestService
    const opened = new Set<EventStream>()
    before(async () => {
      t = await startTestService(engine, { TRUST_PROXY: 'loopback' }, WAKE_UPS_ONLY)
      await t.allowOrigin(APP)
    })
    after(async () => {
      for (const stream of opened) stream.close()
      await t.stop()
    })

    const follow = async (url: string, headers: Record<string, string> = {}): Promise<EventStream> => {
      const stream = await openStream(url, { headers: { ...randomAddress(), ...headers } })
      opened.add(stream)
      return stream
    }
    const poll = (url: string, headers: Record<string, string> = {}) =>
      t.call<LinkState>('GET', url, { key: null, headers: { ...randomAddress(), ...headers } })
    const linked = async (userId: string): Promise<string[]> =>
      (await t.call('GET', `/api/v1/registered-users/${userId}`)).body.linked_connectors
    /** The notification that another node sends after a change. */
    const wake = ({ id }: Session) =>
      t.query('select pg_notify($1, $2)', ['carabiner_wake_ups', `session:${id}`])
    const codeFor = async ({ link }: Session): Promise<string> => {
      const browser = createBrowserUser()
      await linkNotes(browser, link)
      const code = new URL(browser.lastLocation ?? '').searchParams.get('code')
      assert.match(code ?? '', /^cb_code_/)
      return code as string
    }

    it('sends the state at once, and `completed` only after the credential is stored and usable [embedded.success] [symptom.storage-delay]', async () => {
      const session = await newSession(t)
      const stream = await follow(session.events)
      assert.equal(stream.status, 200)
      assert.match(stream.headers['content-type'] ?? '', /^text\/event-stream/)
      assert.equal(stream.headers['cache-control'], 'no-store')
      assert.equal(stream.headers['x-content-type-options'], 'nosniff')
      assert.match(String(stream.headers['x-request-id']), /^req_/)
      await stream.until({ status: 'open' })
      assert.deepEqual(stream.states, [OPEN])
      const linking = linkNotes(createBrowserUser(), session.link)
      const state = await stream.until({ status: 'completed' })
      const [connectors, call] = await Promise.all([
        linked(session.userId),
        t.mcp(session.userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} }),
      ])
      assert.deepEqual(connectors, ['sandbox-notes'])
      assert.notEqual(call.body.result.structuredContent?.type, 'authenticate_meta', call.text.slice(0, 300))
      assert.ok(!call.body.result.isError, call.text.slice(0, 300))
      assert.deepEqual(state, {
        status: 'completed',
        Connector: 'sandbox-notes',
        scopes: ['notes:read', 'notes:write'],
        last: null,
      })
      await stream.untilEnded()
      await linking
      const again = await follow(session.events)
      await again.untilEnded()
      assert.deepEqual(again.states, [state], 'a later client receives the same state')
    })

    it('API key: a rejected one is sent as an error, a valid one as completed without scopes', async () => {
      const session = await newSession(t, { Connector: 'sandbox-vault' })
      const stream = await follow(session.events)
      const browser = createBrowserUser()
      const form = await browser.open(session.link)
      const refused = await browser.submit(form, /\/api-key$/, { api_key: 'sv_live_canary_wrong' })
      await eventually(async () => assert.ok(stream.states.at(-1)?.last))
      const { at, ...last } = stream.states.at(-1)?.last ?? { at: '' }
      assert.deepEqual(last, { outcome: 'error', reason: 'key_rejected', Connector: 'sandbox-vault' })
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000, at)
      await browser.submit(refused, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
      assert.deepEqual(await stream.until({ status: 'completed' }), {
        status: 'completed',
        Connector: 'sandbox-vault',
        scopes: [],
        last: null,
      })
      assert.deepEqual(await linked(session.userId), ['sandbox-vault'])
      assert.doesNotMatch(stream.text(), /sv_live|ana@/)
    })

    it('sends the result of each attempt, distinguishes equal results, and completes [embedded.exit]', async () => {
      const session = await newSession(t)
      const stream = await follow(session.events)
      const ended = async (outcome: string, others: (string | undefined)[]): Promise<string> => {
        let at: string | undefined
        await eventually(async () => {
          const found = stream.states.map(({ last }) => last).findLast(last => last?.outcome === outcome)
          assert.ok(found && !others.includes(found.at), JSON.stringify(stream.states))
          at = found.at
        })
        return at as string
      }
      const browser = createBrowserUser()
      await linkNotes(browser, session.link, { decision: 'deny' })
      const first = await ended('exit', [])
      await linkNotes(browser, session.link, { decision: 'deny' })
      const second = await ended('exit', [first])
      assert.ok(Date.parse(second) > Date.parse(first))
      t.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
      await linkNotes(browser, session.link)
      await ended('error', [first, second])
      const { last } = stream.states.findLast(state => state.last?.outcome === 'error') as LinkState
      assert.equal(last?.Connector, 'sandbox-notes')
      assert.match(last?.reason ?? '', /^(provider|exchange)_/)
      assert.ok(stream.states.every(({ status }) => status === 'open'))
      assert.deepEqual(await linked(session.userId), [])
      await linkNotes(browser, session.link)
      await stream.until({ status: 'completed' })
      const repeated = stream.states.filter(
        (state, index) => JSON.stringify(state) === JSON.stringify(stream.states[index - 1]),
      )
      assert.deepEqual(repeated, [], 'an unchanged state is not sent again')
    })

    it('code mode: waits for the confirmation, without code, state, token or account in the stream [embedded.code-hidden]', async () => {
      const session = await newSession(t, CALLBACK)
      const stream = await follow(session.events)
      const code = await codeFor(session)
      const waiting = await stream.until({ status: 'awaiting_confirmation' })
      assert.deepEqual(waiting, { ...OPEN, status: 'awaiting_confirmation' })
      assert.deepEqual((await poll(session.events)).body, waiting)
      await delay(1200)
      assert.ok(!stream.states.some(({ status }) => status === 'completed'), 'nothing is stored yet')
      assert.deepEqual(await linked(session.userId), [])
      const confirmed = await t.call('POST', '/api/v1/link-token/confirm', { body: { code } })
      assert.equal(confirmed.status, 200, confirmed.text)
      const state = await stream.until({ status: 'completed' })
      assert.deepEqual([state.Connector, state.scopes], ['sandbox-notes', ['notes:read', 'notes:write']])
      await stream.untilEnded()
      for (const secret of [code, 'state-canary', session.token, 'cb_', 'ana@', session.userId, session.id])
        assert.ok(!stream.text().includes(secret), secret)
    })

    it('ends when the code is rejected, and when it expires unredeemed', async () => {
      const other = await t.createOrganization(`Other ${randomInt(1e9)}`)
      const leaked = await newSession(t, CALLBACK)
      const late = await newSession(t, CALLBACK)
      const [rejected, overdue] = [await follow(leaked.events), await follow(late.events)]
      const code = await codeFor(leaked)
      const lateCode = await codeFor(late)
      await rejected.until({ status: 'awaiting_confirmation' })
      await overdue.until({ status: 'awaiting_confirmation' })
      const foreign = await t.call('POST', '/api/v1/link-token/confirm', { key: other.key, body: { code } })
      assert.equal(foreign.body.error.code, 'code_does_not_belong_to_organization')
      assert.deepEqual(await rejected.until({ status: 'ended' }), { ...OPEN, status: 'ended' })
      await t.moveClock(5 * MINUTE + 1000)
      const refused = await t.call('POST', '/api/v1/link-token/confirm', { body: { code: lateCode } })
      assert.equal(refused.body.error.code, 'authorization_code_expired')
      await endOverdueSecrets(t.service.features.db)
      await overdue.until({ status: 'ended' })
      await Promise.all([rejected.untilEnded(), overdue.untilEnded()])
    })

    it('sends expired, sends ended for a deactivated user, and closes for a deleted user', async () => {
      const [expiring, deactivated, deleted, code] = [
        await newSession(t),
        await newSession(t),
        await newSession(t),
        await newSession(t, CALLBACK),
      ]
      const streams = await Promise.all(
        [deactivated, deleted, code, expiring].map(({ events }) => follow(events)),
      )
      const [endedStream, deletedStream, codeStream, expiredStream] = streams as [
        EventStream,
        EventStream,
        EventStream,
        EventStream,
      ]
      await codeFor(code)
      await codeStream.until({ status: 'awaiting_confirmation' })
      for (const { userId } of [deactivated, code])
        await t.call('PATCH', `/api/v1/registered-users/${userId}`, { body: { is_active: false } })
      await wake(deactivated)
      await endedStream.until({ status: 'ended' })
      await codeStream.until({ status: 'ended' })
      await deletedStream.until({ status: 'open' })
      await t.call('DELETE', `/api/v1/registered-users/${deleted.userId}`)
      await wake(deleted)
      await deletedStream.untilEnded()
      assert.deepEqual(deletedStream.states, [OPEN])
      assert.equal((await poll(deleted.events)).status, 404)
      await t.moveClock(31 * MINUTE)
      await wake(expiring)
      assert.deepEqual(await expiredStream.until({ status: 'expired' }), {
        ...OPEN,
        status: 'expired',
      })
      assert.equal((await poll(expiring.events)).body.status, 'expired')
      for (const stream of streams) await stream.untilEnded()
    })

    it('a reactivated user’s earlier session stays ended, and its stream closes', async () => {
      const session = await newSession(t)
      for (const is_active of [false, true])
        await t.call('PATCH', `/api/v1/registered-users/${session.userId}`, { body: { is_active } })
      const stream = await follow(session.events)
      await stream.untilEnded()
      assert.match(stream.states.at(-1)?.status ?? '', /^(ended|expired)$/)
    })

    it('polling returns the same state as JSON, and HEAD returns at once', async () => {
      const session = await newSession(t)
      const answer = await poll(session.events)
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.deepEqual(answer.body, OPEN)
      for (const accept of ['application/json', 'text/event-stream']) {
        const signal = AbortSignal.timeout(120_000)
        const head = await fetch(session.events, {
          method: 'HEAD',
          headers: { accept, ...randomAddress() },
          signal,
        })
        assert.equal(head.status, 200, accept)
      }
      await linkNotes(createBrowserUser(), session.link)
      assert.equal((await poll(session.events)).body.status, 'completed')
    })

    it('is readable by Link’s own page and listed origins only', async () => {
      const other = await t.createOrganization(`Foreign ${randomInt(1e9)}`)
      await t.allowOrigin('https://foreign.example.com', other.key)
      const { events } = await newSession(t)
      for (const accept of ['text/event-stream', 'application/json']) {
        for (const origin of [APP, t.baseUrl]) {
          const stream = await follow(events, { origin, accept })
          assert.equal(stream.status, 200, `${accept} ${origin}`)
          assert.equal(stream.headers['access-control-allow-origin'], origin)
          assert.equal(stream.headers.vary, 'Origin')
          assert.equal(stream.headers['access-control-allow-credentials'], undefined)
          stream.close()
        }
        for (const origin of [
          'https://evil.example.com',
          'https://foreign.example.com',
          'null',
          `${APP}.evil.com`,
          `${APP}:8443`,
          `${APP}/`,
          'http://app.example.com',
        ]) {
          const answer = await poll(events, { origin, accept })
          assert.equal(answer.status, 400, `${accept} ${origin}`)
          assert.equal((answer.body as any).error.code, 'unauthorized_origin')
          assert.equal(
            answer.headers.get('access-control-allow-origin'),
            origin,
            'the origin may read the error',
          )
          assert.equal(answer.headers.get('vary'), 'Origin')
          assert.ok(!answer.text.includes('"status"'), 'the error does not contain the state')
        }
      }
    })

    it('an unknown session returns 404 as JSON, for any Accept header', async () => {
      const { handle, events } = await newSession(t)
      const flipped = handle.slice(0, -8) + (handle.at(-8) === 'a' ? 'b' : 'a') + handle.slice(-7)
      for (const wrong of [flipped, `${handle}a`, `a${handle}`, handle.toUpperCase(), 'x', '%00', '..%2f'])
        for (const accept of ['text/event-stream', 'application/json']) {
          const answer = await poll(events.replace(handle, wrong), { accept, origin: APP })
          assert.equal(answer.status, 404, wrong)
          assert.equal((answer.body as any)?.error.code, 'link_session_not_found', answer.text.slice(0, 200))
          assert.match((answer.body as any).error.request_id, /^req_/)
          assert.equal(answer.headers.get('access-control-allow-origin'), APP)
        }
    })

    it('limited to 20 streams per session; the next gets 429 until one closes', async () => {
      const { events } = await newSession(t)
      const streams = await Promise.all(Array.from({ length: 20 }, () => follow(events)))
      assert.ok(streams.every(({ status }) => status === 200))
      const refused = await poll(events, { accept: 'text/event-stream', origin: APP })
      assert.equal(refused.status, 429)
      assert.equal((refused.body as any).error.code, 'rate_limited')
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      assert.equal(refused.headers.get('access-control-allow-origin'), APP)
      assert.equal((await poll(events)).status, 200, 'polling does not count as a stream')
      assert.equal((await follow((await newSession(t)).events)).status, 200, 'another session is not limited')
      for (const stream of streams) stream.close()
      await eventually(async () => {
        const stream = await follow(events)
        stream.close()
        assert.equal(stream.status, 200)
      }, 3000)
    })

    it('clients that disconnect during the handshake release their streams', async () => {
      const { events } = await newSession(t)
      for (let round = 0; round < 6; round++) {
        await Promise.all(
          Array.from({ length: 15 }, async (_, index) => {
            const request = requestStream(events, { headers: randomAddress(), agent: new Agent() })
            request.on('error', () => undefined)
            request.end()
            await new Promise(resolve => request.once('socket', s => s.once('connect', resolve)))
            await delay(index % 5)
            request.destroy()
          }),
        )
      }
      await delay(300)
      const streams = await Promise.all(Array.from({ length: 20 }, () => follow(events)))
      assert.deepEqual(
        streams.map(({ status }) => status).filter(status => status !== 200),
        [],
        'all 20 streams are available again',
      )
      for (const stream of streams) stream.close()
    })
  })
}

/** Disables the forced closing of connections, so that a stream that the service does not close blocks the stop. */
const NO_FORCED_CLOSE = { lastConnectionsMs: 3_600_000 }

describe('a service that stops', () => {
  it('closes 50 open streams, also of clients with keep-alive', async () => {
    const t = await startTestService('postgres', { TRUST_PROXY: 'loopback' }, NO_FORCED_CLOSE)
    const agent = new Agent({ keepAlive: true, maxSockets: 100 })
    const sessions = await Promise.all(Array.from({ length: 5 }, () => newSession(t)))
    const streams = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        openStream((sessions[index % 5] as Session).events, { headers: randomAddress(), agent }),
      ),
    )
    await Promise.all(streams.map(stream => stream.until({ status: 'open' })))
    await t.stop()
    await Promise.all(streams.map(stream => stream.untilEnded()))
    agent.destroy()
  })

  it('does not wait for a stream that is being opened', async () => {
    const t = await startTestService('postgres', { TRUST_PROXY: 'loopback' }, NO_FORCED_CLOSE)
    const agent = new Agent({ keepAlive: true, maxSockets: 100 })
    const sessions = await Promise.all(Array.from({ length: 5 }, () => newSession(t)))
    const requests = Array.from({ length: 60 }, (_, index) => {
      const request = requestStream((sessions[index % 5] as Session).events, {
        headers: randomAddress(),
        agent,
      })
      request
        .on('error', () => undefined)
        .on('response', answer => answer.on('error', () => undefined).resume())
      return request.end()
    })
    await new Promise(resolve => requests[0]?.once('response', resolve))
    await t.stop()
    agent.destroy()
  })
})

describe('a short database outage', () => {
  it('leaves the stream open, and later changes are sent', async () => {
    const database = await createTestDatabase('postgres')
    const url = new URL(database.url as string)
    const proxy = await startTcpProxy(Number(url.port))
    url.port = String(proxy.port)
    const t = await startTestService('postgres', { TRUST_PROXY: 'loopback', DATABASE_URL: url.href })
    const session = await newSession(t)
    const stream = await openStream(session.events)
    await stream.until({ status: 'open' })
    await proxy.cut()
    const warned = () => t.logLines.some(line => line.includes('a watched resource could not be read'))
    t.service.features.streams.wake({
      organizationId: t.organization.id,
      id: session.id,
      registeredUserId: session.userId,
    })
    await eventually(async () => assert.ok(warned()))
    assert.equal((await fetch(session.events)).status, 503)
    await proxy.restore()
    await eventually(async () => assert.equal((await fetch(session.events)).status, 200))
    assert.equal(stream.ended(), false)
    await linkNotes(createBrowserUser(), session.link)
    await stream.until({ status: 'completed' })
    await t.stop()
    await proxy.close()
    await database.drop()
  })
})
