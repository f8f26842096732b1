import assert from 'node:assert/strict'
import { test } from 'node:test'
import { surfaces, type View } from '../../pages/view.ts'
import { type Ending, type EndingFacts, endingAddress, returnAddress } from './ending.ts'

const APP = 'https://app.example.com'
const HOME = `${APP}/linked?from=link#part`
const success: Ending = { status: 'success', code: null, scopes: ['notes:read', 'a b&c'] }
const exit: Ending = { status: 'exit' }
const error: Ending = { status: 'error', reason: 'provider_error' }
const endings = [success, exit, error]

const session = (facts: Partial<EndingFacts> = {}): EndingFacts => ({
  callbackUrl: null,
  state: null,
  settings: null,
  allowedOrigins: [APP, 'myapp://'],
  ...facts,
})
const view = (surface: View['surface'], opener: string | null = null): View => ({
  surface,
  lang: null,
  theme: null,
  opener,
  nonce: null,
  connections: null,
  frame: null,
})
const ended = (ending: Ending, surface: View['surface'], opener: string | null = null) => ({
  ending,
  view: view(surface, opener),
  connector: 'sandbox-notes',
})

test('endingAddress: callback_url gets every outcome on every surface and precedes redirect_uri', () => {
  const direct = session({ callbackUrl: `${APP}/cb?own=1#x`, settings: { redirect_uri: HOME } })
  for (const surface of surfaces)
    for (const ending of endings)
      assert.deepEqual(endingAddress(direct, ended(ending, surface)), {
        kind: 'redirect',
        href: `${APP}/cb?own=1&status=${ending.status}#x`,
      })
})

test('endingAddress: code mode returns state in every outcome, the code only on success', () => {
  const coded = session({ callbackUrl: `${APP}/cb`, state: 's 1' })
  const href = (ending: Ending) => {
    const address = endingAddress(coded, ended(ending, 'magic_link'))
    return address.kind === 'page' ? null : address.href
  }
  assert.equal(href({ ...success, code: 'cb_code_x' }), `${APP}/cb?status=success&code=cb_code_x&state=s%201`)
  assert.equal(href(exit), `${APP}/cb?status=exit&state=s%201`)
  assert.equal(href(error), `${APP}/cb?status=error&state=s%201`)
})

test('endingAddress: redirect_uri gets only successes of the hosted page', () => {
  const settings = { redirect_uri: HOME }
  for (const surface of surfaces)
    for (const ending of endings)
      assert.deepEqual(
        endingAddress(session({ settings }), ended(ending, surface)),
        surface === 'hosted' && ending === success
          ? {
              kind: 'redirect',
              href: `${APP}/linked?from=link&status=success&Connector=sandbox-notes&scopes=notes%3Aread%20a%20b%26c#part`,
            }
          : { kind: 'page' },
        `${surface} ${ending.status}`,
      )
})

test('endingAddress: a success without scopes has an empty scopes parameter', () => {
  const settings = { redirect_uri: `${APP}/linked` }
  const none: Ending = { status: 'success', code: null, scopes: [] }
  assert.deepEqual(endingAddress(session({ settings }), ended(none, 'hosted')), {
    kind: 'redirect',
    href: `${APP}/linked?status=success&Connector=sandbox-notes&scopes=`,
  })
})

test('endingAddress: a custom scheme is opened by a page', () => {
  for (const facts of [{ callbackUrl: 'myapp:///cb' }, { settings: { redirect_uri: 'myapp:///cb' } }]) {
    const address = endingAddress(session(facts), ended(success, 'hosted'))
    assert.equal(address.kind, 'app')
    assert.ok(address.kind === 'app' && address.href.startsWith('myapp:///cb?status=success'))
  }
})

test('endingAddress: a redirect_uri that is malformed or not on the list gets no result', () => {
  for (const redirect_uri of [
    'https://evil.example.com/x',
    `${APP}.evil.com/x`,
    `${APP}:8443/x`,
    'http://app.example.com/x',
    'https://app.example.com@evil.com/',
    'otherapp://x',
    'javascript:alert(1)',
    'not an address',
    '',
  ])
    for (const ending of endings) {
      const facts = session({ settings: { redirect_uri } })
      assert.deepEqual(endingAddress(facts, ended(ending, 'hosted')), { kind: 'page' }, redirect_uri)
      assert.equal(returnAddress(facts, ended(ending, 'hosted')), null, redirect_uri)
    }
})

test('returnAddress: redirect_uri with the outcome, else a listed opener, never when embedded', () => {
  const settings = { redirect_uri: `${APP}/linked` }
  const table: [EndingFacts, Ending, View['surface'], string | null, string | null][] = [
    [session({ settings }), exit, 'hosted', null, `${APP}/linked?status=exit&Connector=sandbox-notes`],
    [session({ settings }), error, 'hosted', null, `${APP}/linked?status=error&Connector=sandbox-notes`],
    [session({ settings }), exit, 'magic_link', APP, `${APP}/linked?status=exit&Connector=sandbox-notes`],
    [session(), exit, 'hosted', APP, APP],
    [session(), success, 'hosted', APP, APP],
    [session(), exit, 'hosted', 'https://evil.example.com', null],
    [session(), exit, 'hosted', null, null],
    [session({ settings }), exit, 'embedded', APP, null],
    [session({ settings }), success, 'embedded', APP, null],
  ]
  for (const [facts, ending, surface, opener, expected] of table)
    assert.equal(
      returnAddress(facts, ended(ending, surface, opener)),
      expected,
      `${surface} ${ending.status} ${opener}`,
    )
})

test('endingAddress and returnAddress: redirect_uri never contains a code', () => {
  const facts = session({ settings: { redirect_uri: HOME } })
  const coded: Ending = { ...success, code: 'cb_code_canary' }
  assert.doesNotMatch(JSON.stringify(endingAddress(facts, ended(coded, 'hosted'))), /canary/)
  assert.doesNotMatch(returnAddress(facts, ended(coded, 'hosted')) ?? '', /canary/)
})
