import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { chooseModel } from '../examples/agent-chat/agent/choose-model.ts'
import type { Message, Model, ModelOutput, ToolCall } from '../examples/agent-chat/agent/model.ts'
import { createOpenAiModel } from '../examples/agent-chat/agent/openai-model.ts'
import { runAgent } from '../examples/agent-chat/agent/run-agent.ts'
import { createScriptedModel } from '../examples/agent-chat/agent/scripted-model.ts'
import type { Toolbox, ToolResult } from '../examples/agent-chat/agent/toolbox.ts'
import { buildPackages } from '../scripts/build-packages.ts'

const never = new AbortController().signal
const tools = ['list_notes', 'create_note'].map(name => ({
  name: `sandbox-notes__${name}`,
  description: '',
  inputSchema: { type: 'object' },
}))

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
const textOf = (outputs: ModelOutput[]): string =>
  outputs.map(output => (output.type === 'text' ? output.text : '')).join('')
const callsOf = (outputs: ModelOutput[]): ToolCall[] =>
  outputs.flatMap(output => (output.type === 'call' ? [output.call] : []))

const prompts: [prompt: string, tool: string | undefined, expectedArguments?: object][] = [
  ['List my notes', 'sandbox-notes__list_notes', {}],
  ['show me the notes about kitchen quotes.', 'sandbox-notes__list_notes', { query: 'kitchen quotes' }],
  ['Add a note: call Marta', 'sandbox-notes__create_note', { title: 'call Marta', text: 'call Marta' }],
  ['add a note Groceries: bread', 'sandbox-notes__create_note', { title: 'Groceries', text: 'bread' }],
  ['Add a note', undefined],
  ['What is the weather?', undefined],
]
for (const [prompt, tool, expectedArguments] of prompts) {
  test(`the scripted model understands "${prompt}"`, async () => {
    const messages: Message[] = [{ role: 'user', text: prompt }]
    const outputs = await collect(createScriptedModel(0).answer(messages, tools, never))
    const [call] = callsOf(outputs)
    assert.equal(call?.name, tool)
    if (expectedArguments) assert.deepEqual(call?.arguments, expectedArguments)
    assert.ok(textOf(outputs))
  })
}

type Received = { url: string | undefined; key: string | undefined; body: any }

/** A server that records complete requests and sends the response that the test defines. */
const listen = async (
  t: TestContext,
  respond: (received: Received, response: ServerResponse) => void,
): Promise<{ url: string; received: Received[] }> => {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part as Buffer))
    request.on('end', () => {
      const { url, headers } = request
      const text = Buffer.concat(parts).toString()
      const entry = { url, key: headers.authorization, body: text === '' ? null : JSON.parse(text) }
      received.push(entry)
      respond(entry, response)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const startCompletions = async (t: TestContext, chunks: Uint8Array[], status = 200) => {
  const { url, received } = await listen(t, (_received, response) => {
    response.writeHead(status, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  })
  const model = createOpenAiModel({ baseUrl: `${url}/v1/`, apiKey: 'sk-1', model: 'some-model' })
  return { received, model }
}
const delta = (value: object) => `data: ${JSON.stringify({ choices: [{ delta: value }] })}\n\n`

test('the OpenAI model: streams text, and emits tool calls when complete, however chunks are split', async t => {
  const whole = [
    delta({ content: 'Let me ' }),
    delta({ content: 'löok.' }),
    delta({
      tool_calls: [
        { index: 0, id: 'c1', function: { name: 'sandbox-notes__list_notes', arguments: '{"li' } },
      ],
    }),
    delta({
      tool_calls: [
        { index: 0, function: { arguments: 'mit":2}' } },
        { index: 1, id: 'c2', function: { name: 'x' } },
      ],
    }),
    'data: [DONE]\n\n',
  ].join('')
  const bytes = Buffer.from(whole)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) =>
    bytes.subarray(n * 7, n * 7 + 7),
  )
  const { model, received } = await startCompletions(t, pieces)
  const outputs = await collect(model.answer([{ role: 'user', text: 'List my notes' }], tools, never))
  assert.equal(textOf(outputs), 'Let me löok.')
  assert.deepEqual(callsOf(outputs), [
    { id: 'c1', name: 'sandbox-notes__list_notes', arguments: { limit: 2 } },
    { id: 'c2', name: 'x', arguments: {} },
  ])
  const { url, key, body } = received[0] as Received
  assert.deepEqual(
    [url, key, body.model, body.stream],
    ['/v1/chat/completions', 'Bearer sk-1', 'some-model', true],
  )
  assert.equal(body.tools[0].function.name, 'sandbox-notes__list_notes')
  assert.deepEqual(body.messages.at(-1), { role: 'user', content: 'List my notes' })
})

test('the OpenAI model: an error status becomes a ModelError without the body', async t => {
  const { model } = await startCompletions(t, [Buffer.from('no')], 401)
  await assert.rejects(collect(model.answer([], [], never)), {
    name: 'ModelError',
    message: 'The model returned status 401.',
  })
})

test('environment variables select the model', () => {
  assert.equal(chooseModel({}).name, 'Scripted model')
  assert.equal(chooseModel({ OPENAI_BASE_URL: 'http://localhost:1', MODEL: 'local' }).name, 'local')
  assert.equal(chooseModel({ ANTHROPIC_API_KEY: 'k', MODEL: 'theirs' }).name, 'theirs')
  assert.throws(() => chooseModel({ OPENAI_API_KEY: 'k' }), /MODEL/)
})

const toolbox = (result: Partial<ToolResult>): Toolbox & { called: ToolCall[] } => {
  const called: ToolCall[] = []
  return {
    tools,
    called,
    describe: () => ({ title: 'List notes', app: 'Notes' }),
    call: async call => {
      called.push(call)
      return { result: {}, text: '{}', isError: false, authRequired: null, ...result }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
const eager: Model = {
  name: 'eager',
  answer: async function* () {
    yield { type: 'call', call: { id: 'c', name: 'sandbox-notes__list_notes', arguments: {} } }
  },
}

test('the agent stops after the maximum number of turns', async () => {
  const box = toolbox({})
  const events = await collect(runAgent(eager, box, [], never))
  assert.equal(box.called.length, 8)
  assert.match(JSON.stringify(events.at(-1)), /more steps than I am allowed/)
})

test('the agent stops when a tool needs a connection, and streams its authenticate_meta', async () => {
  const meta = { type: 'authenticate_meta', Connector: 'sandbox-notes', link_token: 'cb_lnk_1' } as const
  const box = toolbox({ result: meta, authRequired: meta })
  const events = await collect(runAgent(eager, box, [], never))
  assert.deepEqual(
    events.map(({ type }) => type),
    ['function_call', 'function_call_result'],
  )
  assert.deepEqual((events[1] as { result: unknown }).result, meta)
})

test('an aborted tool call sends a cancellation before the connection is closed', async t => {
  await buildPackages()
  const { openToolbox } = await import('../examples/agent-chat/agent/toolbox.ts')
  const stop = new AbortController()
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
    },
    'tools/list': { tools },
  }
  const { url, received } = await listen(t, ({ body }, response) => {
    // The call gets no response; only the abort ends it.
    if (body?.method === 'tools/call') return stop.abort()
    const result = results[body?.method]
    response.writeHead(result ? 200 : body?.id === undefined ? 202 : 405, {
      'content-type': 'application/json',
    })
    response.end(result && JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
  })
  const call = async (): Promise<void> => {
    await using box = await openToolbox({
      url,
      apiKey: 'k',
      apps: new Map([['sandbox-notes', 'Notes']]),
      justConnected: undefined,
      signal: stop.signal,
    })
    assert.deepEqual(box.describe('sandbox-notes__list_notes').app, 'Notes')
    await box.call({ id: 'c', name: 'sandbox-notes__list_notes', arguments: {} })
  }
  await assert.rejects(call())
  const methods = received.map(({ body }) => body?.method)
  assert.equal(methods.at(-1), 'notifications/cancelled', String(methods))
})
