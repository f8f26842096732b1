import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthenticateMeta, isExpired, mcpUrl, withAuthentication } from '../src/index.ts'

const meta = (Connector = 'notes'): AuthenticateMeta => ({
  type: 'authenticate_meta',
  Connector,
  link_token: 'cb_lnk_1',
})
const authRequired = (Connector?: string) => ({ structuredContent: meta(Connector) })
const notes = { structuredContent: { notes: [] } }
const FAST_RETRY = { delay: 1 }

/** A tool that returns the given results in order, and records the arguments of its calls. */
const tool = (...results: object[]) => {
  const calls: unknown[][] = []
  const call = async (...values: unknown[]): Promise<object> => {
    calls.push(values)
    return results.shift() ?? notes
  }
  return { call, calls }
}

test('withAuthentication: returns a result without authenticate_meta unchanged', async () => {
  const { call, calls } = tool(notes)
  const wrapped = withAuthentication(call, { onAuthenticate: () => assert.fail('onAuthenticate was called') })
  assert.equal(await wrapped('list', { limit: 2 }), notes)
  assert.deepEqual(calls, [['list', { limit: 2 }]])
})

test('withAuthentication: repeats a call that requires a connection after onAuthenticate', async () => {
  const { call, calls } = tool(authRequired(), notes)
  const received: AuthenticateMeta[] = []
  const wrapped = withAuthentication(call, {
    onAuthenticate: async required => {
      assert.equal(calls.length, 1, 'the call is not repeated before onAuthenticate')
      received.push(required)
    },
  })
  assert.equal(await wrapped('list'), notes)
  assert.deepEqual(received, [meta()])
  assert.deepEqual(calls, [['list'], ['list']])
})

test('withAuthentication: retries for a limited number of times, then returns the payload', async () => {
  const soon = tool(authRequired(), authRequired(), authRequired(), notes)
  assert.equal(await withAuthentication(soon.call, { onAuthenticate: () => {}, retry: FAST_RETRY })(), notes)
  const never = tool(...Array.from({ length: 9 }, () => authRequired()))
  const result = await withAuthentication(never.call, {
    onAuthenticate: () => {},
    retry: { ...FAST_RETRY, tries: 3 },
  })()
  assert.deepEqual(result, authRequired())
  assert.equal(never.calls.length, 4)
})

test('withAuthentication: returns the payload if onAuthenticate returns false', async () => {
  const { call, calls } = tool(authRequired())
  assert.deepEqual(await withAuthentication(call, { onAuthenticate: async () => false })(), authRequired())
  assert.equal(calls.length, 1)
})

test('withAuthentication: returns the payload if another Connector is required next', async () => {
  const { call, calls } = tool(authRequired('notes'), authRequired('vault'))
  const result = await withAuthentication(call, { onAuthenticate: () => {}, retry: FAST_RETRY })()
  assert.deepEqual(result, authRequired('vault'))
  assert.equal(calls.length, 2)
})

test('withAuthentication: an error of onAuthenticate rejects the call, but not the next one', async () => {
  const { call } = tool(authRequired(), authRequired())
  let requests = 0
  const wrapped = withAuthentication(call, {
    onAuthenticate: () => {
      if (++requests === 1) throw new Error('closed')
    },
  })
  await assert.rejects(wrapped(), /closed/)
  assert.equal(await wrapped(), notes)
  assert.equal(requests, 2)
})

test('withAuthentication: concurrent calls share one onAuthenticate for each Connector', async () => {
  const { call } = tool(authRequired('notes'), authRequired('notes'), authRequired('vault'))
  const requested: string[] = []
  const wrapped = withAuthentication(call, {
    onAuthenticate: async ({ Connector }) => {
      requested.push(Connector)
      await new Promise(resolve => setTimeout(resolve, 5))
    },
  })
  assert.deepEqual(await Promise.all([wrapped(), wrapped(), wrapped()]), [notes, notes, notes])
  assert.deepEqual(requested, ['notes', 'vault'])
})

test('withAuthentication: does not repeat the call if aborted during onAuthenticate', async () => {
  const { call, calls } = tool(authRequired())
  const stop = new AbortController()
  const wrapped = withAuthentication(call, { onAuthenticate: () => stop.abort('gone'), signal: stop.signal })
  await assert.rejects(wrapped(), reason => reason === 'gone')
  assert.equal(calls.length, 1)
})

test('isExpired: true from expires_at on, and for an invalid date', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  assert.equal(isExpired({ expires_at: '2026-01-01T12:00:01Z' }, now), false)
  assert.equal(isExpired({ expires_at: '2026-01-01T12:00:00Z' }, now), true)
  assert.equal(isExpired({ expires_at: 'soon' }, now), true)
  assert.equal(isExpired({}, now), false)
})

const address = { baseUrl: 'https://connect.example.com/', toolPackId: 'pack', registeredUserId: 'user' }
const PLAIN = 'https://connect.example.com/api/v1/tool-packs/pack/registered-users/user/mcp'

test('mcpUrl: builds the URL with its parameters', () => {
  assert.equal(mcpUrl(address), PLAIN)
  assert.equal(
    mcpUrl({
      ...address,
      connectors: ['notes', 'a b'],
      authenticatedOnly: true,
      elicitation: 'url',
      wait: 60,
    }),
    `${PLAIN}?connectors=notes,a%20b&authenticated_only=true&elicitation=url&wait=60`,
  )
  assert.equal(mcpUrl({ ...address, authenticatedOnly: false }), PLAIN)
})

test('mcpUrl: rejects invalid parameters', () => {
  for (const wait of [0, -1, 301, 1.5, Number.NaN])
    assert.throws(() => mcpUrl({ ...address, wait }), RangeError, String(wait))
  assert.throws(() => mcpUrl({ ...address, connectors: [] }), RangeError)
  assert.throws(() => mcpUrl({ ...address, toolPackId: '..' }), TypeError)
})
