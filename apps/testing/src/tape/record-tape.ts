import type { IncomingMessage, ServerResponse } from 'node:http'
import { type JsonRpcRequest, listen, type McpEndpoint, parse, readBody } from '../mcp/mcp-endpoint.ts'
import { readMessages } from './read-messages.ts'
import type { Redact } from './redact.ts'
import type { TapeEntry } from './tape-file.ts'
import { withoutMeta } from './tape-key.ts'

type Recording = {
  url: string
  headers: Readonly<Record<string, string>>
  redact: Redact
  onEntry: (entry: TapeEntry) => void
}

/** Requests of the lifecycle are answered by the player itself. */
const NOT_RECORDED = ['initialize', 'ping', 'server/discover', 'logging/setLevel']
/** Headers of one connection, and those that `fetch` sets. */
const OWN_HEADERS = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'accept-encoding',
]
const OWN_RESPONSE_HEADERS = [
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'content-encoding',
]

/** An MCP endpoint that forwards everything to another one, and records requests with their answers. */
export const startRecorder = (recording: Recording): Promise<McpEndpoint> =>
  listen((request, response) => {
    forward(recording, request, response).catch((error: Error) => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' })
      response.end(`The recorded endpoint cannot be reached: ${error.message}`)
    })
  })

const forward = async (recording: Recording, request: IncomingMessage, response: ServerResponse) => {
  const body = await readBody(request)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const answer = await fetch(recording.url, {
    method: request.method ?? 'GET',
    headers: { ...headersOf(request), ...recording.headers },
    signal: gone.signal,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  })
  response.writeHead(
    answer.status,
    Object.fromEntries([...answer.headers].filter(([name]) => !OWN_RESPONSE_HEADERS.includes(name))),
  )
  const recorder = recorderOf(recording, parse(body), answer)
  for await (const chunk of answer.body ?? []) {
    recorder?.write(chunk)
    response.write(chunk)
  }
  // Recorded before the client gets the end of the answer, so that it may close the tape immediately.
  recorder?.end()
  response.end()
}

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => !OWN_HEADERS.includes(name))
      .map(([name, value]) => [name, String(value)]),
  )

type Recorder = { write(chunk: Uint8Array): void; end(): void }

const recorderOf = (
  { redact, onEntry }: Recording,
  message: JsonRpcRequest | null,
  answer: Response,
): Recorder | null => {
  if (message?.id === undefined || NOT_RECORDED.includes(message.method)) return null
  const chunks: Uint8Array[] = []
  return {
    write: chunk => void chunks.push(chunk),
    end: () => {
      const type = answer.headers.get('content-type') ?? ''
      const found = readMessages(Buffer.concat(chunks).toString(), type).find(({ id }) => id === message.id)
      if (!found) return
      const request = { method: message.method, params: redact(withoutMeta(message.params)) }
      onEntry(
        'error' in found && found.error
          ? { ...request, error: redact(found.error) }
          : { ...request, result: redact(found.result) },
      )
    },
  }
}
