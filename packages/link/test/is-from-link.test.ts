import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFromLink } from '../src/is-from-link.ts'

const frame = {}
const expected = { origin: 'https://link.example', source: frame, nonce: 'n1' }
const good = { origin: 'https://link.example', source: frame, data: { carabiner: 'n1', type: 'close' } }

test('a message of its own frame is taken', () => assert.equal(isFromLink(good, expected), true))

const wrong: [what: string, event: { origin: string; source: unknown; data: unknown }][] = [
  ['another origin', { ...good, origin: 'https://link.example.evil.example' }],
  ['an opaque origin', { ...good, origin: 'null' }],
  ['another scheme', { ...good, origin: 'http://link.example' }],
  ['another window', { ...good, source: {} }],
  ['no window', { ...good, source: null }],
  ['another nonce', { ...good, data: { carabiner: 'n2', type: 'close' } }],
  ['no nonce', { ...good, data: { type: 'close' } }],
  ['a text', { ...good, data: 'n1' }],
  ['nothing', { ...good, data: null }],
  ['not even undefined', { ...good, data: undefined }],
]
for (const [what, event] of wrong)
  test(`a message is not taken: ${what}`, () => assert.equal(isFromLink(event, expected), false))

test('a frame that is gone matches nobody, not even a message without a window', () =>
  assert.equal(isFromLink({ ...good, source: null }, { ...expected, source: null }), false))
