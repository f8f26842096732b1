import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { LinkState } from '@carabiner/contract'
import { eventually } from './eventually.ts'

/** The raw event stream of a session, including the headers and bytes that EventSource does not expose. */
export type EventStream = {
  status: number
  headers: IncomingMessage['headers']
  states: LinkState[]
  /** All bytes received so far. */
  text: () => string
  ended: () => boolean
  /** Waits for the first state that matches. */
  until: (wanted: Partial<LinkState>) => Promise<LinkState>
  untilEnded: () => Promise<void>
  close: () => void
}

type Options = { method?: string; headers?: Record<string, string>; agent?: Agent }

export const requestStream = (
  url: string,
  { method = 'GET', headers = {}, agent }: Options = {},
): ClientRequest =>
  httpRequest(url, { method, headers: { accept: 'text/event-stream', ...headers }, ...(agent && { agent }) })

const readStates = (text: string): LinkState[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .flatMap(event => {
      const [, data] = /^event: state\ndata: (.*)$/m.exec(event) ?? []
      return data === undefined ? [] : [JSON.parse(data) as LinkState]
    })

export const openStream = async (url: string, options: Options = {}): Promise<EventStream> => {
  const request = requestStream(url, options)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject).end()
  })
  let text = ''
  let ended = false
  const stream: EventStream = {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    states: [],
    text: () => text,
    ended: () => ended,
    until: async wanted => {
      const isWanted = (state: LinkState) =>
        Object.entries(wanted).every(([name, value]) => state[name as keyof LinkState] === value)
      await eventually(async () => {
        if (!stream.states.some(isWanted))
          throw new Error(`no ${JSON.stringify(wanted)} in ${JSON.stringify(stream.states)}`)
      })
      return stream.states.find(isWanted) as LinkState
    },
    untilEnded: () =>
      eventually(async () => {
        if (!ended) throw new Error(`still open after ${JSON.stringify(stream.states)}`)
      }),
    close: () => request.destroy(),
  }
  answer.setEncoding('utf8')
  answer.on('data', (chunk: string) => {
    text += chunk
    stream.states = readStates(text)
  })
  for (const event of ['end', 'close', 'error']) answer.on(event, () => (ended = true))
  request.on('error', () => undefined)
  return stream
}
