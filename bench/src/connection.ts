import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Client } from 'undici'
import type { Load, LoadRequest } from './load.ts'

/** One client connection. `exchange` resolves when the whole response has been received. */
export type Connection = { exchange(request: LoadRequest): Promise<void>; close(): Promise<void> }

type PostResult = { status: number; text: string; sessionId: string | undefined }
/** The response bodies to keep: all, or only those with an unexpected status. */
type Keep = 'all' | 'unexpected'

const post = (client: Client, load: Load, headers: Load['headers'], [path, body]: LoadRequest, keep: Keep) =>
  new Promise<PostResult>((resolve, reject) => {
    let status = 0
    let text = ''
    let sessionId: string | undefined
    client.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode, responseHeaders) => {
          status = statusCode
          sessionId = responseHeaders['mcp-session-id'] as string | undefined
        },
        // Decoding a body that is not checked would add the load generator's own time to the latency.
        onResponseData: (_controller, chunk) => {
          if (keep === 'all' || status !== load.expectedStatus) text += String(chunk)
        },
        onResponseEnd: () => resolve({ status, text, sessionId }),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })

const expectStatus = (path: string, { status, text }: PostResult, expected: number): void => {
  if (status !== expected) throw new Error(`${path} returned ${status}: ${text}`)
}

/** Checks the first body of a connection, because a response with the expected status may still contain a JSON-RPC error. */
const createFirstBodyCheck = ({ expectedText }: Load) => {
  let checked = expectedText === undefined
  return {
    keep: (): Keep => (checked ? 'unexpected' : 'all'),
    check: (text: string): void => {
      if (checked) return
      if (!text.includes(expectedText as string)) throw new Error(`unexpected response body: ${text}`)
      checked = true
    },
  }
}

const plainConnection = (load: Load, client: Client, headers = load.headers): Connection => {
  const firstBody = createFirstBodyCheck(load)
  return {
    exchange: async request => {
      const response = await post(client, load, headers, request, firstBody.keep())
      expectStatus(request[0], response, load.expectedStatus)
      firstBody.check(response.text)
    },
    close: () => client.close(),
  }
}

const rpc = (method: string, params: object, id?: number): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params })

const INITIALIZE = rpc(
  'initialize',
  { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  0,
)
const INITIALIZED = rpc('notifications/initialized', {})

/** The 2025 revisions of MCP: a session is opened first, and every request contains its ID. */
const sessionConnection = async (load: Load, client: Client, path: string): Promise<Connection> => {
  const opened = await post(client, load, load.headers, [path, INITIALIZE], 'all')
  expectStatus(path, opened, 200)
  const headers = {
    ...load.headers,
    'mcp-protocol-version': '2025-11-25',
    ...(opened.sessionId && { 'mcp-session-id': opened.sessionId }),
  }
  await post(client, load, headers, [path, INITIALIZED], 'all')
  return plainConnection(load, client, headers)
}

/** The revision 2024-11-05 of MCP: requests are posted, and all responses arrive in one open event stream. */
const streamConnection = async (load: Load, client: Client, path: string): Promise<Connection> => {
  const [stream] = (await once(get(new URL(path, load.origin)), 'response')) as [IncomingMessage]
  stream.setEncoding('utf8')
  let onMessage: ((data: string) => void) | undefined
  let rest = ''
  stream.on('data', (chunk: string) => {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data && !data.includes('"method"')) onMessage?.(data)
    }
  })
  const nextMessage = () => new Promise<string>(resolve => (onMessage = resolve))
  const address = await nextMessage()
  const send = async (body: string): Promise<void> =>
    expectStatus(address, await post(client, load, load.headers, [address, body], 'all'), 202)
  const initialized = nextMessage()
  await send(INITIALIZE)
  await initialized
  await send(INITIALIZED)
  const firstBody = createFirstBodyCheck(load)
  return {
    exchange: async ([, body]) => {
      const response = nextMessage()
      await send(body)
      firstBody.check(await response)
    },
    close: async () => {
      stream.destroy()
      await client.close()
    },
  }
}

export const openConnection = async (load: Load): Promise<Connection> => {
  const client = new Client(load.origin, { pipelining: 1 })
  const [path] = load.requests[0] ?? ['/']
  if (load.transport === 'session') return sessionConnection(load, client, path)
  return load.transport === 'stream' ? streamConnection(load, client, path) : plainConnection(load, client)
}
