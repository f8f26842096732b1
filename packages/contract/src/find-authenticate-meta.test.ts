import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAuthenticateMeta } from './find-authenticate-meta.ts'

const meta = {
  type: 'authenticate_meta',
  Connector: 'notes',
  link_token: 'cb_lnk_1',
  expires_at: '2026-01-01T12:30:00.000Z',
  message: 'Connect Notes to go on.',
}
const json = JSON.stringify(meta)
const text = (value: string) => [{ type: 'text', text: value }]

const found: [where: string, value: unknown][] = [
  ['bare', meta],
  ['JSON text', json],
  ['structured content', { content: text('Connect Notes'), structuredContent: meta, isError: false }],
  ['text content', { content: text(json) }],
  [
    'the second text, after one that is no JSON',
    { content: [...text('authenticate_meta {'), ...text(json)] },
  ],
  ['one text of a result, as OpenAI’s Agents SDK hands it on', { type: 'text', text: json }],
  [
    'a tool message of LangChain',
    { content: JSON.stringify({ type: 'text', text: json, structuredContent: meta }), status: 'success' },
  ],
  ['a tool message whose content is the text', { role: 'tool', content: json }],
  ['a streamed event', { type: 'function_call_result', result: meta }],
  ['a streamed event with JSON text', { type: 'function_call_result', result: json }],
  ['a streamed event with a tool result', { type: 'function_call_result', result: { content: text(json) } }],
  ['a JSON-RPC answer', { jsonrpc: '2.0', id: 1, result: { content: text(json), structuredContent: meta } }],
  [
    'a JSON-RPC answer as text',
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { structuredContent: meta } }),
  ],
]

for (const [where, value] of found)
  test(`finds the payload: ${where}`, () => assert.deepEqual(findAuthenticateMeta(value), meta))

const cycle: Record<string, unknown> = { type: 'function_call_result' }
cycle['result'] = cycle
cycle['content'] = [{ text: 'authenticate_meta' }, cycle]

const nothing: [what: string, value: unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
  ['another text', 'authenticate_meta is a word in this sentence'],
  ['another type', { ...meta, type: 'tool_result' }],
  ['no token', { ...meta, link_token: undefined }],
  ['a token that is no text', { ...meta, link_token: { toString: () => 'x' } }],
  ['no Connector', { ...meta, Connector: 3 }],
  ['a result that says otherwise than its text', { content: text(json), structuredContent: { notes: [] } }],
  ['an item of somebody’s list', { structuredContent: { items: [meta] } }],
  ['a list', [meta]],
  ['a cycle', cycle],
  ['a text longer than any payload', JSON.stringify({ ...meta, message: 'x'.repeat(70_000) })],
  ['a text block that says otherwise', { type: 'text', text: json, structuredContent: { notes: [] } }],
  ['no texts in the content', { content: [null, 3, 'x', { text: 3 }] }],
  [
    'a getter that throws',
    {
      get result() {
        throw new Error('no')
      },
    },
  ],
  [
    'a proxy that throws',
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    ),
  ],
]

for (const [what, value] of nothing)
  test(`finds nothing and does not throw: ${what}`, () => assert.equal(findAuthenticateMeta(value), null))

test('gives up on what is nested without end', () => {
  let deep: unknown = meta
  for (let level = 0; level < 100_000; level++) deep = { result: deep }
  assert.equal(findAuthenticateMeta(deep), null)
})
