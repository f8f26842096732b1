import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthenticateMeta, isExpired, mcpUrl, withAuthentication } from '../src/index.ts'

const meta = (Connector = 'notes'): AuthenticateMeta => ({
  type: 'authenticate_meta',
  Connector,
  link_token: 'cb_lnk_1',
})
const asks = (Connector?: string) => ({ structuredContent: meta(Connector) })
const notes = { structuredContent: { notes: [] } }
const QUICK = { delay: 1 }

/** A tool that gives one answer after the other, and says how often it was called. */
const tool = (...answers: object[]) => {
  const given: unknown[][] = []
  const call = async (...values: unknown[]): Promise<object> => {
    given.push(values)
    return answers.shift() ?? notes
  }
  return { call, given }
}

test('a call that needs nothing is handed on, and nobody is asked', async () => {
  const { call, given } = tool(notes)
  const wrapped = withAuthentication(call, { onAuthenticate: () => assert.fail('asked') })
  assert.equal(await wrapped('list', { limit: 2 }), notes)
  assert.deepEqual(given, [['list', { limit: 2 }]])
})

test('a call that asks for a connection is made again once there is one', async () => {
  const { call, given } = tool(asks(), notes)
  const seen: AuthenticateMeta[] = []
  const wrapped = withAuthentication(call, {
    onAuthenticate: async asked => {
      assert.equal(given.length, 1, 'not before')
      seen.push(asked)
    },
  })
  assert.equal(await wrapped('list'), notes)
  assert.deepEqual(seen, [meta()])
  assert.deepEqual(given, [['list'], ['list']])
})

test('right after success it is patient for a moment, then gives the payload back', async () => {
  const soon = tool(asks(), asks(), asks(), notes)
  assert.equal(await withAuthentication(soon.call, { onAuthenticate: () => {}, retry: QUICK })(), notes)
  const never = tool(...Array.from({ length: 9 }, () => asks()))
  const result = await withAuthentication(never.call, {
    onAuthenticate: () => {},
    retry: { ...QUICK, tries: 3 },
  })()
  assert.deepEqual(result, asks())
  assert.equal(never.given.length, 4)
})

test('somebody who declines is not asked again: the payload is the answer', async () => {
  const { call, given } = tool(asks())
  assert.deepEqual(await withAuthentication(call, { onAuthenticate: async () => false })(), asks())
  assert.equal(given.length, 1)
})

test('another Connector is another question', async () => {
  const { call, given } = tool(asks('notes'), asks('vault'))
  const result = await withAuthentication(call, { onAuthenticate: () => {}, retry: QUICK })()
  assert.deepEqual(result, asks('vault'))
  assert.equal(given.length, 2)
})

test('a callback that fails fails the call, and the next call asks anew', async () => {
  const { call } = tool(asks(), asks())
  let asked = 0
  const wrapped = withAuthentication(call, {
    onAuthenticate: () => {
      if (++asked === 1) throw new Error('closed')
    },
  })
  await assert.rejects(wrapped(), /closed/)
  assert.equal(await wrapped(), notes)
  assert.equal(asked, 2)
})

test('calls at the same time share one question for each Connector', async () => {
  const { call } = tool(asks('notes'), asks('notes'), asks('vault'))
  const asked: string[] = []
  const wrapped = withAuthentication(call, {
    onAuthenticate: async ({ Connector }) => {
      asked.push(Connector)
      await new Promise(resolve => setTimeout(resolve, 5))
    },
  })
  assert.deepEqual(await Promise.all([wrapped(), wrapped(), wrapped()]), [notes, notes, notes])
  assert.deepEqual(asked, ['notes', 'vault'])
})

test('aborted while the person connects: nothing is called any more', async () => {
  const { call, given } = tool(asks())
  const stop = new AbortController()
  const wrapped = withAuthentication(call, { onAuthenticate: () => stop.abort('gone'), signal: stop.signal })
  await assert.rejects(wrapped(), reason => reason === 'gone')
  assert.equal(given.length, 1)
})

test('a link is over at its time, and one whose time cannot be read is over', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  assert.equal(isExpired({ expires_at: '2026-01-01T12:00:01Z' }, now), false)
  assert.equal(isExpired({ expires_at: '2026-01-01T12:00:00Z' }, now), true)
  assert.equal(isExpired({ expires_at: 'soon' }, now), true)
  assert.equal(isExpired({}, now), false)
})

const address = { baseUrl: 'https://connect.example.com/', toolPackId: 'pack', registeredUserId: 'user' }
const PLAIN = 'https://connect.example.com/api/v1/tool-packs/pack/registered-users/user/mcp'

test('the address of an agent', () => {
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

test('an address that would mean something else is refused', () => {
  for (const wait of [0, -1, 301, 1.5, Number.NaN])
    assert.throws(() => mcpUrl({ ...address, wait }), RangeError, String(wait))
  assert.throws(() => mcpUrl({ ...address, connectors: [] }), RangeError)
  assert.throws(() => mcpUrl({ ...address, toolPackId: '..' }), TypeError)
})
