import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findApprovalMeta, findAuthenticateMeta } from './find-meta.ts'

const meta = {
  type: 'authenticate_meta',
  Connector: 'notes',
  link_token: 'cb_lnk_1',
  expires_at: '2026-01-01T12:30:00.000Z',
  message: 'Connect Notes to go on.',
}
const json = JSON.stringify(meta)
const text = (value: string) => [{ type: 'text', text: value }]

const uiMessage = (output: unknown) => ({
  id: 'm1',
  role: 'assistant',
  parts: [
    { type: 'step-start' },
    { type: 'dynamic-tool', toolName: 'list', toolCallId: '1', state: 'output-available', input: {}, output },
    { type: 'text', text: 'Connect it.', state: 'done' },
  ],
})

const FOUND: [title: string, value: unknown][] = [
  ['bare', meta],
  ['JSON text', json],
  ['structured content', { content: text('Connect Notes'), structuredContent: meta, isError: false }],
  ['text content', { content: text(json) }],
  [
    'the second text, after one that is not JSON',
    { content: [...text('authenticate_meta {'), ...text(json)] },
  ],
  ['a streamed event', { type: 'function_call_result', result: meta }],
  ['a streamed event with JSON text', { type: 'function_call_result', result: json }],
  ['a streamed event with a tool result', { type: 'function_call_result', result: { content: text(json) } }],
  [
    'a JSON-RPC response',
    { jsonrpc: '2.0', id: 1, result: { content: text(json), structuredContent: meta } },
  ],
  [
    'a JSON-RPC response as text',
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { structuredContent: meta } }),
  ],
  ['AI SDK: a tool result', { type: 'tool-result', toolName: 'x', output: { structuredContent: meta } }],
  ['AI SDK: in a message, as JSON', { type: 'tool-result', output: { type: 'json', value: meta } }],
  ['AI SDK: in a message, as text', { type: 'tool-result', output: { type: 'text', value: json } }],
  [
    'AI SDK: in a message, as content',
    { type: 'tool-result', output: { type: 'content', value: text(json) } },
  ],
  [
    'AI SDK: a part of a UI message',
    { type: 'dynamic-tool', state: 'output-available', output: { content: text(json) } },
  ],
  ['OpenAI Agents: an item', { type: 'tool_call_output_item', output: { type: 'text', text: json } }],
  [
    'OpenAI Agents: a streamed event',
    {
      type: 'run_item_stream_event',
      item: { rawItem: { type: 'function_call_result', output: [{ type: 'input_text', text: json }] } },
    },
  ],
  ['Mastra: a chunk', { type: 'tool-result', payload: { toolName: 'x', result: meta } }],
  ['LangChain: a message', { tool_call_id: '1', content: json }],
  [
    'LangChain: a message of its MCP adapters',
    { content: JSON.stringify({ type: 'text', text: json, structuredContent: meta }), status: 'success' },
  ],
  ['LangChain: a message with blocks', { tool_call_id: '1', content: text(json) }],
  ['LangChain: a serialized message', { lc: 1, type: 'constructor', kwargs: { content: json } }],
  ['LangChain: blocks', text(json)],
  [
    'OpenAI Agents: the new items of a run',
    {
      newItems: [
        { type: 'tool_call_item', rawItem: { type: 'function_call', name: 'list', arguments: '{}' } },
        {
          type: 'tool_call_output_item',
          rawItem: { type: 'function_call_result', name: 'list', output: { type: 'text', text: json } },
          output: json,
        },
        { type: 'message_output_item', rawItem: { role: 'assistant', content: [] } },
      ],
    },
  ],
  [
    'OpenAI Agents: the history of a run',
    {
      history: [
        { type: 'message', role: 'user', content: 'List my notes' },
        { type: 'function_call', name: 'list', arguments: '{}' },
        { type: 'function_call_result', name: 'list', output: { type: 'text', text: json } },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Connect it.' }] },
      ],
    },
  ],
  ['AI SDK: a whole UI message', uiMessage({ content: text(json), structuredContent: meta })],
  ['AI SDK: the UI messages of a page', [{ role: 'user', parts: text('List my notes') }, uiMessage(meta)]],
  [
    'AI SDK: a tool message',
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolName: 'list', output: { type: 'json', value: meta } }],
    },
  ],
  [
    'LangGraph: an update',
    { tools: { messages: [{ type: 'tool', tool_call_id: '1', name: 'list', content: json }] } },
  ],
  [
    'LangGraph: the state',
    {
      messages: [
        { type: 'human', content: 'List my notes' },
        { type: 'ai', content: '', tool_calls: [] },
        { type: 'tool', tool_call_id: '1', name: 'list', content: text(json) },
        { type: 'ai', content: 'Connect it.' },
      ],
    },
  ],
  [
    'LangGraph: a serialized state',
    {
      messages: [
        { lc: 1, type: 'constructor', id: ['ToolMessage'], kwargs: { tool_call_id: '1', content: json } },
      ],
    },
  ],
]

for (const [title, value] of FOUND)
  test(`findAuthenticateMeta: finds the payload in ${title}`, () => {
    assert.deepEqual(findAuthenticateMeta(value), meta)
    assert.equal(findApprovalMeta(value), null)
  })

const approval = {
  type: 'approval_meta',
  approval_id: '0198c0de-0000-7000-8000-000000000013',
  approval_url: 'https://link.example/approvals/1',
  expires_at: '2026-01-01T12:15:00.000Z',
  message: 'A person must approve this call.',
}
/** The same form with the other payload. */
const withApproval = (value: unknown): unknown => {
  if (value === meta) return approval
  if (typeof value === 'string') return value.replaceAll(json, JSON.stringify(approval))
  if (Array.isArray(value)) return value.map(withApproval)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withApproval(part)]))
}

for (const [title, value] of FOUND)
  test(`findApprovalMeta: finds the payload in ${title}`, () => {
    const waiting = withApproval(value)
    assert.deepEqual(findApprovalMeta(waiting), approval)
    assert.equal(findAuthenticateMeta(waiting), null)
  })

const cycle: Record<string, unknown> = { type: 'function_call_result' }
cycle['result'] = cycle
cycle['content'] = [{ text: 'authenticate_meta' }, cycle]

const toolMessage = (name: string, content: string) => ({ type: 'tool', tool_call_id: '1', name, content })
const endless: { messages: unknown[] } = { messages: [] }
endless.messages.push(...Array.from({ length: 300 }, () => ({ role: 'tool', ...endless })))

const NOT_FOUND: [title: string, value: unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 7],
  ['another text', 'authenticate_meta is a word in this sentence'],
  ['another type', { ...meta, type: 'tool_result' }],
  ['no token', { ...meta, link_token: undefined }],
  ['a token that is not a string', { ...meta, link_token: { toString: () => 'x' } }],
  ['no Connector', { ...meta, Connector: 3 }],
  [
    'a result whose structured content contradicts its text',
    { content: text(json), structuredContent: { notes: [] } },
  ],
  ['an item of a list in the result', { structuredContent: { items: [meta] } }],
  ['a list', [meta]],
  ['a list in a list', { output: { notes: [[meta]] } }],
  [
    'a history in which the user has answered',
    { messages: [toolMessage('list', json), { role: 'user', content: 'Done' }] },
  ],
  [
    'a tool that succeeded later',
    { messages: [toolMessage('list', json), toolMessage('list', '{"notes":[]}')] },
  ],
  [
    'text that the model wrote',
    {
      messages: [
        { role: 'assistant', content: json },
        { type: 'ai', content: json },
      ],
    },
  ],
  ['an entry that is a payload', { messages: [meta], newItems: [meta], history: [[meta]], parts: [json] }],
  ['a history that contains itself', endless],
  ['an unknown wrapper', { unknown_wrapper: meta }],
  ['a cycle', cycle],
  ['a text longer than any payload', JSON.stringify({ ...meta, message: 'x'.repeat(70_000) })],
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

for (const [title, value] of NOT_FOUND)
  test(`findAuthenticateMeta: returns null for ${title}`, () =>
    assert.equal(findAuthenticateMeta(value), null))

test('findAuthenticateMeta: returns null for input that is nested too deeply', () => {
  let deep: unknown = meta
  for (let level = 0; level < 100_000; level++) deep = { result: deep }
  assert.equal(findAuthenticateMeta(deep), null)
})
