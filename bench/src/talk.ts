import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Client } from 'undici'
import type { Ask, Load } from './load.ts'

/** How one connection speaks: it asks, and has its answer when the promise is fulfilled. */
export type Talk = { exchange(ask: Ask): Promise<void>; close(): Promise<void> }

type Answered = { status: number; text: string; sessionId: string | undefined }
type Keep = 'all' | 'unexpected'

const post = (client: Client, load: Load, headers: Load['headers'], [path, body]: Ask, keep: Keep) =>
  new Promise<Answered>((resolve, reject) => {
    let status = 0
    let text = ''
    let sessionId: string | undefined
    client.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode, answered) => {
          status = statusCode
          sessionId = answered['mcp-session-id'] as string | undefined
        },
        // Reading what nobody looks at would be the generator's time, not the answer's.
        onResponseData: (_controller, chunk) => {
          if (keep === 'all' || status !== load.expectedStatus) text += String(chunk)
        },
        onResponseEnd: () => resolve({ status, text, sessionId }),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })

const expectStatus = (path: string, { status, text }: Answered, wanted: number): void => {
  if (status !== wanted) throw new Error(`${path} answered ${status}: ${text}`)
}

/** An answer of the right status may still be an error in the shape of its protocol: the first one is read. */
const createCheck = ({ answerHolds }: Load) => {
  let checked = answerHolds === undefined
  return {
    keep: (): Keep => (checked ? 'unexpected' : 'all'),
    look: (text: string): void => {
      if (checked) return
      if (!text.includes(answerHolds as string)) throw new Error(`not the answer that was expected: ${text}`)
      checked = true
    },
  }
}

const plainTalk = (load: Load, client: Client, headers = load.headers): Talk => {
  const check = createCheck(load)
  return {
    exchange: async ask => {
      const answered = await post(client, load, headers, ask, check.keep())
      expectStatus(ask[0], answered, load.expectedStatus)
      check.look(answered.text)
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

/** 2025 revisions: a session is opened first, and every request names it. */
const sessionTalk = async (load: Load, client: Client, path: string): Promise<Talk> => {
  const opened = await post(client, load, load.headers, [path, INITIALIZE], 'all')
  expectStatus(path, opened, 200)
  const headers = {
    ...load.headers,
    'mcp-protocol-version': '2025-11-25',
    ...(opened.sessionId && { 'mcp-session-id': opened.sessionId }),
  }
  await post(client, load, headers, [path, INITIALIZED], 'all')
  return plainTalk(load, client, headers)
}

/** 2024-11-05: requests go one way, and every answer comes in one stream that stays open. */
const streamTalk = async (load: Load, client: Client, path: string): Promise<Talk> => {
  const [stream] = (await once(get(new URL(path, load.origin)), 'response')) as [IncomingMessage]
  stream.setEncoding('utf8')
  let waiting: ((data: string) => void) | undefined
  let rest = ''
  stream.on('data', (chunk: string) => {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data && !data.includes('"method"')) waiting?.(data)
    }
  })
  const heard = () => new Promise<string>(resolve => (waiting = resolve))
  const address = await heard()
  const say = async (body: string): Promise<void> =>
    expectStatus(address, await post(client, load, load.headers, [address, body], 'all'), 202)
  const initialized = heard()
  await say(INITIALIZE)
  await initialized
  await say(INITIALIZED)
  const check = createCheck(load)
  return {
    exchange: async ([, body]) => {
      const answer = heard()
      await say(body)
      check.look(await answer)
    },
    close: async () => {
      stream.destroy()
      await client.close()
    },
  }
}

export const openTalk = async (load: Load): Promise<Talk> => {
  const client = new Client(load.origin, { pipelining: 1 })
  const [path] = load.asks[0] ?? ['/']
  if (load.manner === 'session') return sessionTalk(load, client, path)
  return load.manner === 'stream' ? streamTalk(load, client, path) : plainTalk(load, client)
}
