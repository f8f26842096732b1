import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A stand-in for the APIs of OpenAI and Anthropic, because tests cannot reach them. It calls the tool whose name ends with
 * `list_notes`, and repeats the result of the tool as its answer.
 */
export type ModelStub = { url: string; requests: string[]; stop(): Promise<void> }

type Turn = { text: string } | { tool: string }
type Json = Record<string, any>

const chooseTurn = (body: Json, tools: string[]): Turn => {
  const result = findToolResult(body)
  if (result !== null) return { text: `The tool returned: ${result}` }
  const tool = tools.find(name => name.endsWith('list_notes'))
  return tool === undefined ? { text: 'I have no tool for that.' } : { tool }
}

/** The three APIs name the results of tools differently. */
const findToolResult = ({ input, messages }: Json): string | null => {
  const last = Array.isArray(input) ? input.at(-1) : messages?.at(-1)
  if (last?.type === 'function_call_output') return textOf(last.output)
  if (last?.role === 'tool') return textOf(last.content)
  const block = Array.isArray(last?.content)
    ? last.content.find((part: Json) => part.type === 'tool_result')
    : undefined
  return block ? textOf(block.content) : null
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

const readBody = async (request: IncomingMessage): Promise<Json> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text.startsWith('{') ? (JSON.parse(text) as Json) : {}
}

const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const sendEvents = (response: ServerResponse, events: { event?: string; data: unknown }[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of events)
    response.write(
      `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    )
  response.end()
}

// --- OpenAI: Responses ----------------------------------------------------------------------------------------------

const answerResponses = (response: ServerResponse, body: Json) => {
  const turn = chooseTurn(
    body,
    (body.tools ?? []).map(({ name }: Json) => name),
  )
  const item =
    'tool' in turn
      ? {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_1',
          name: turn.tool,
          arguments: '{}',
          status: 'completed',
        }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: turn.text, annotations: [] }],
        }
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  }
  const result = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: body.model,
    output: [item],
    usage,
    error: null,
    incomplete_details: null,
  }
  if (!body.stream) return sendJson(response, result)
  const parts =
    'tool' in turn
      ? [{ type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: '{}' }]
      : [
          {
            type: 'response.output_text.delta',
            item_id: 'msg_1',
            output_index: 0,
            content_index: 0,
            delta: turn.text,
          },
        ]
  return sendEvents(
    response,
    [
      { type: 'response.created', response: { ...result, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      ...parts,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: result },
    ].map(data => ({ event: data.type, data })),
  )
}

// --- OpenAI: Chat Completions ---------------------------------------------------------------------------------------

const answerChat = (response: ServerResponse, body: Json) => {
  const turn = chooseTurn(
    body,
    (body.tools ?? []).map((tool: Json) => tool.function.name),
  )
  const message =
    'tool' in turn
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            { index: 0, id: 'call_1', type: 'function', function: { name: turn.tool, arguments: '{}' } },
          ],
        }
      : { role: 'assistant', content: turn.text }
  const finish_reason = 'tool' in turn ? 'tool_calls' : 'stop'
  const base = { id: 'chat_1', created: 1, model: body.model }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  if (!body.stream)
    return sendJson(response, {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    })
  const chunk = (delta: Json, reason: string | null) => ({
    data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] },
  })
  return sendEvents(response, [chunk(message, null), chunk({}, finish_reason), { data: '[DONE]' }])
}

// --- Anthropic: Messages --------------------------------------------------------------------------------------------

const answerMessages = (response: ServerResponse, body: Json) => {
  const turn = chooseTurn(
    body,
    (body.tools ?? []).map(({ name }: Json) => name),
  )
  const block =
    'tool' in turn
      ? { type: 'tool_use', id: 'toolu_1', name: turn.tool, input: {} }
      : { type: 'text', text: turn.text }
  const stop_reason = 'tool' in turn ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  if (!body.stream) return sendJson(response, { ...message, content: [block], stop_reason, usage })
  const start = block.type === 'text' ? { type: 'text', text: '' } : block
  const delta =
    'tool' in turn
      ? { type: 'input_json_delta', partial_json: '{}' }
      : { type: 'text_delta', text: turn.text }
  return sendEvents(
    response,
    [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ].map(data => ({ event: data.type, data })),
  )
}

const ROUTES: Record<string, (response: ServerResponse, body: Json) => unknown> = {
  '/v1/responses': answerResponses,
  '/v1/chat/completions': answerChat,
  '/v1/messages': answerMessages,
}

export const startModelStub = async (): Promise<ModelStub> => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    void readBody(request).then(body => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      requests.push(`${request.method} ${pathname}`)
      const answer = ROUTES[pathname]
      return answer ? answer(response, body) : sendJson(response, { error: { message: 'not found' } }, 404)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
