import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFromLink } from '../src/is-from-link.ts'

const frame = {}
const expected = { origin: 'https://link.example', source: frame, nonce: 'n1' }
const valid = { origin: 'https://link.example', source: frame, data: { carabiner: 'n1', type: 'close' } }

test('accepts a message from its own frame', () => assert.equal(isFromLink(valid, expected), true))

const invalid: [title: string, event: { origin: string; source: unknown; data: unknown }][] = [
  ['another origin', { ...valid, origin: 'https://link.example.evil.example' }],
  ['an opaque origin', { ...valid, origin: 'null' }],
  ['another scheme', { ...valid, origin: 'http://link.example' }],
  ['another window', { ...valid, source: {} }],
  ['no window', { ...valid, source: null }],
  ['another nonce', { ...valid, data: { carabiner: 'n2', type: 'close' } }],
  ['no nonce', { ...valid, data: { type: 'close' } }],
  ['a string as data', { ...valid, data: 'n1' }],
  ['null as data', { ...valid, data: null }],
  ['undefined as data', { ...valid, data: undefined }],
]
for (const [title, event] of invalid)
  test(`rejects a message with ${title}`, () => assert.equal(isFromLink(event, expected), false))

test('a removed frame matches no message, not even one without a window', () =>
  assert.equal(isFromLink({ ...valid, source: null }, { ...expected, source: null }), false))
