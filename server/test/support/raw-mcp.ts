import { request as httpRequest, type IncomingMessage } from 'node:http'
import { eventually } from './eventually.ts'

/** Raw response of the MCP endpoint, without a client library. */
export type RawAnswer = {
  status: number
  headers: IncomingMessage['headers']
  /** JSON-RPC messages received so far; exactly one if the response is plain JSON. */
  messages: any[]
  text: () => string
  ended: () => boolean
  /** Waits for the first message that matches. */
  until: (fits: (message: any) => boolean) => Promise<any>
  untilEnded: () => Promise<void>
  close: () => void
}

export const STATELESS = '2026-07-28'
const META = 'io.modelcontextprotocol/'

export type RawOptions = {
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Record<string, string>
  body?: unknown
}

/** Resolves when the response headers arrive; messages follow later. */
export const sendRawRequest = async (
  url: string,
  key: string,
  { method = 'POST', headers = {}, body }: RawOptions,
): Promise<RawAnswer> => {
  const request = httpRequest(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
  const isStream = (response.headers['content-type'] ?? '').startsWith('text/event-stream')
  let text = ''
  let ended = false
  const answer: RawAnswer = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages: [],
    text: () => text,
    ended: () => ended,
    until: async fits => {
      await eventually(async () => {
        if (!answer.messages.some(fits)) throw new Error(`not in ${text}`)
      })
      return answer.messages.find(fits)
    },
    untilEnded: () =>
      eventually(async () => {
        if (!ended) throw new Error(`still open after ${text}`)
      }),
    close: () => request.destroy(),
  }
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    if (isStream)
      answer.messages = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string))
  })
  response.on('end', () => {
    if (!isStream && text.startsWith('{')) answer.messages = [JSON.parse(text)]
  })
  for (const event of ['end', 'close', 'error']) response.on(event, () => (ended = true))
  request.on('error', () => undefined)
  if (!isStream) await answer.untilEnded()
  return answer
}

type RequestOptions = {
  id?: string | number
  capabilities?: object
  meta?: object
  headers?: Record<string, string>
}

/** A request of revision 2026-07-28. By default its headers match its body. */
export const statelessRequest = (
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, capabilities = {}, meta = {}, headers = {} }: RequestOptions = {},
): RawOptions => ({
  headers: {
    'mcp-protocol-version': STATELESS,
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    ...(typeof params.taskId === 'string' && { 'mcp-name': params.taskId }),
    ...headers,
  },
  body: {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        [`${META}protocolVersion`]: STATELESS,
        [`${META}clientCapabilities`]: capabilities,
        ...meta,
      },
    },
  },
})

export const handshakeRequest = (
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, headers = {} }: Pick<RequestOptions, 'id' | 'headers'> = {},
): RawOptions => ({ headers, body: { jsonrpc: '2.0', id, method, params } })
