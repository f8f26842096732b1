import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, type TestContext, test } from 'node:test'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { dynamicTool, jsonSchema } from 'ai'
import { chooseModel } from '../examples/agent-chat/agent/choose-model.ts'
import type { AgentEvent, runAgent as RunAgent } from '../examples/agent-chat/agent/run-agent.ts'
import { createScriptedModel } from '../examples/agent-chat/agent/scripted-model.ts'
import type { Toolbox, ToolResult } from '../examples/agent-chat/agent/toolbox.ts'
import { buildPackages } from '../scripts/build-packages.ts'

before(() => buildPackages())
/** Imported when the packages are built. */
async function* runAgent(...args: Parameters<typeof RunAgent>): AsyncIterable<AgentEvent> {
  yield* (await import('../examples/agent-chat/agent/run-agent.ts')).runAgent(...args)
}

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
const textOf = (events: AgentEvent[]): string =>
  events.map(event => (event.type === 'text' ? event.text : '')).join('')

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
    const { stream } = await createScriptedModel(0).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      tools: tools.map(({ name }) => ({ type: 'function', name, inputSchema: {} })),
    })
    const parts = await collect(stream as AsyncIterable<LanguageModelV4StreamPart>)
    const call = parts.find(part => part.type === 'tool-call')
    assert.equal(call?.toolName, tool)
    if (expectedArguments) assert.deepEqual(JSON.parse(call?.input ?? ''), expectedArguments)
    assert.ok(parts.some(part => part.type === 'text-delta'))
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

/** Each request gets the next answer. */
const startCompletions = async (t: TestContext, answers: Uint8Array[][], status = 200) => {
  const { url, received } = await listen(t, (_received, response) => {
    response.writeHead(status, { 'content-type': 'text/event-stream' })
    for (const chunk of answers[received.length - 1] ?? []) response.write(chunk)
    response.end()
  })
  const model = chooseModel({ OPENAI_BASE_URL: `${url}/v1/`, OPENAI_API_KEY: 'sk-1', MODEL: 'some-model' })
  return { received, model }
}
const delta = (value: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: value }] })}\n\n`
const finish = (reason: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })}\n\ndata: [DONE]\n\n`
const inPieces = (text: string): Uint8Array[] => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.subarray(n * 7, n * 7 + 7))
}
const question = [{ role: 'user' as const, content: 'List my notes' }]

test('a configured model: streams text, and its calls run when complete, however chunks are split', async t => {
  const asks = [
    delta({ content: 'Let me ' }),
    delta({ content: 'löok.' }),
    delta({
      tool_calls: [
        { index: 0, id: 'c1', function: { name: 'sandbox-notes__list_notes', arguments: '{"li' } },
      ],
    }),
    delta({ tool_calls: [{ index: 0, function: { arguments: 'mit":2}' } }] }),
    finish('tool_calls'),
  ].join('')
  const tells = delta({ content: ' Two notes.' }) + finish('stop')
  const { model, received } = await startCompletions(t, [inPieces(asks), inPieces(tells)])
  const box = toolbox({ text: '{"notes":2}' })
  const events = await collect(runAgent(model, box, question, never))
  assert.equal(textOf(events), 'Let me löok. Two notes.')
  assert.deepEqual(box.called, [{ name: 'sandbox-notes__list_notes', arguments: { limit: 2 } }])
  const [{ url, key, body }, second] = received as [Received, Received]
  assert.deepEqual(
    [url, key, body.model, body.stream],
    ['/v1/chat/completions', 'Bearer sk-1', 'some-model', true],
  )
  assert.ok(body.tools.some((tool: any) => tool.function.name === 'sandbox-notes__list_notes'))
  assert.deepEqual(body.messages.at(-1), { role: 'user', content: 'List my notes' })
  assert.deepEqual(second.body.messages.at(-1), { role: 'tool', tool_call_id: 'c1', content: '{"notes":2}' })
})

test('a configured model: an error status is reported without the body', async t => {
  const { describeError } = await import('../examples/agent-chat/chat-routes.ts')
  const { model } = await startCompletions(t, [[Buffer.from('no')]], 401)
  await assert.rejects(collect(runAgent(model, toolbox({}), question, never)), error => {
    assert.equal(describeError(error).message, 'The model returned status 401.')
    return true
  })
})

test('environment variables select the model', () => {
  assert.equal(chooseModel({}).modelId, 'Scripted model')
  assert.equal(chooseModel({ OPENAI_BASE_URL: 'http://localhost:1', MODEL: 'local' }).modelId, 'local')
  assert.equal(chooseModel({ ANTHROPIC_API_KEY: 'k', MODEL: 'theirs' }).modelId, 'theirs')
  assert.throws(() => chooseModel({ OPENAI_API_KEY: 'k' }), /MODEL/)
})

type Called = { name: string; arguments: unknown }

const toolbox = (result: Partial<ToolResult>): Toolbox & { called: Called[] } => {
  const called: Called[] = []
  const toTool = (name: string) =>
    dynamicTool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: async (input): Promise<ToolResult> => {
        called.push({ name, arguments: input })
        return { result: {}, text: '{}', isError: false, ...result }
      },
      toModelOutput: ({ output }) => ({ type: 'text', value: (output as ToolResult).text }),
    })
  return {
    tools: Object.fromEntries(tools.map(({ name }) => [name, toTool(name)])),
    called,
    call: async (name, args) => {
      called.push({ name, arguments: args })
      return { result: {}, text: '{}', isError: false, ...result }
    },
    describe: () => ({ title: 'List notes', app: 'Notes' }),
    [Symbol.asyncDispose]: async () => undefined,
  }
}
/** Calls a tool in every step. */
const eager: LanguageModelV4 = {
  ...createScriptedModel(0),
  doStream: options =>
    createScriptedModel(0).doStream({
      ...options,
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'List my notes' }] }],
    }),
}

test('the agent stops after the maximum number of turns', async () => {
  const box = toolbox({})
  const events = await collect(runAgent(eager, box, question, never))
  assert.equal(box.called.length, 8)
  assert.match(JSON.stringify(events.at(-1)), /more steps than I am allowed/)
})

test('the agent stops when a tool needs a connection, and streams its authenticate_meta', async () => {
  const meta = { type: 'authenticate_meta', Connector: 'sandbox-notes', link_token: 'cb_lnk_1' } as const
  const box = toolbox({ result: meta })
  const events = await collect(runAgent(eager, box, question, never))
  assert.deepEqual(
    events.flatMap(({ type }) => (type === 'text' ? [] : [type])),
    ['function_call', 'function_call_result'],
  )
  assert.deepEqual((events.at(-1) as { result: unknown }).result, meta)
})

test('the agent stops when a call needs an approval, and streams its approval_meta', async () => {
  const box = toolbox({ result: { type: 'approval_meta', approval_id: '1' } })
  const events = await collect(runAgent(eager, box, question, never))
  assert.equal(box.called.length, 1)
  assert.equal(events.at(-1)?.type, 'function_call_result')
})

test('a decided call is made first, exactly as shown to the person, and the model gets its result', async () => {
  const decided = { name: 'sandbox-notes__list_notes', arguments: { query: 'as approved' } }
  let received: unknown
  const answering: LanguageModelV4 = {
    ...eager,
    doStream: options => {
      received = options.prompt.slice(-2)
      return createScriptedModel(0).doStream(options)
    },
  }
  const box = toolbox({ result: { notes: [] }, text: '{"notes":[]}' })
  const events = await collect(runAgent(answering, box, question, never, decided))
  assert.deepEqual(box.called, [decided])
  assert.match(JSON.stringify(received), /"tool-call".*as approved.*"tool-result".*notes/)
  assert.match(textOf(events), /no such notes/)

  const undecided = toolbox({ result: { type: 'approval_meta', approval_id: '1' } })
  const waiting = await collect(runAgent(answering, undecided, question, never, decided))
  assert.equal(waiting.at(-1)?.type, 'function_call_result')
})

test('an aborted tool call sends a cancellation before the connection is closed', async t => {
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
    const options = { toolCallId: 'c', messages: [], context: {} }
    await box.tools['sandbox-notes__list_notes']?.execute?.({}, options)
  }
  await assert.rejects(call())
  const methods = received.map(({ body }) => body?.method)
  assert.equal(methods.at(-1), 'notifications/cancelled', String(methods))
})
