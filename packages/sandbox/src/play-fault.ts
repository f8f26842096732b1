import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './error-code.ts'
import type { Fault, FaultBehavior } from './faults.ts'

const DEFAULT_DELAY_MS = 1_000
const DEFAULT_HUGE_BYTES = 64 * 1024 * 1024
const CHUNK = Buffer.alloc(64 * 1024, 'a')

/** Faults that still process the request. All others replace the response. */
const PROCESSED: readonly FaultBehavior[] = ['slow', 'late', 'lost']

export function replacesAnswer(fault: Fault): boolean {
  return !PROCESSED.includes(fault.behavior)
}

export async function playFault(fault: Fault, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { behavior, delay_ms = behavior === 'slow' ? DEFAULT_DELAY_MS : 0 } = fault
  if (behavior === 'late')
    return deferResponse(res, send =>
      fault.until ? void fault.until.then(send) : void setTimeout(send, fault.delay_ms ?? DEFAULT_DELAY_MS),
    )
  if (fault.until) await fault.until
  else if (delay_ms > 0) await delay(delay_ms)
  switch (behavior) {
    case 'slow':
      return
    case 'lost':
      return deferResponse(res, () => req.socket.resetAndDestroy())
    case 'status':
      return answerStatus(fault, res)
    case 'redirect':
      res.writeHead(fault.status ?? 302, { location: fault.location })
      res.end()
      return
    case 'malformed':
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end('{"access_token": "trunc')
      return
    case 'huge':
      return stream(fault.bytes ?? DEFAULT_HUGE_BYTES, res)
    case 'hang':
      if (!res.closed) await once(res, 'close')
      return
    case 'reset':
      req.socket.resetAndDestroy()
      return
  }
}

/** The request is processed, but `instead` is called at the point where the response would be sent. */
function deferResponse(res: ServerResponse, instead: (send: () => void) => void): void {
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse
  res.end = (...args: unknown[]) => {
    instead(() => end(...args))
    return res
  }
}

function answerStatus(fault: Fault, res: ServerResponse): void {
  const status = fault.status ?? 503
  const body = fault.body ?? { error: 'scripted_fault' }
  const isText = typeof body === 'string'
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json'
  res.writeHead(status, { 'content-type': type, ...fault.headers })
  res.end(isText ? body : JSON.stringify(body))
}

/**
 * Sends valid JSON of exactly this size, chunked, so that a client that checks only Content-Length gets no warning.
 * One chunk is reused, and a slow reader applies backpressure.
 */
async function stream(bytes: number, res: ServerResponse): Promise<void> {
  res.writeHead(200, { 'content-type': 'application/json' })
  try {
    await pipeline(Readable.from(padding(bytes)), res)
  } catch (error) {
    // The client closed the connection, as a careful client does.
    if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

function* padding(bytes: number): Generator<Buffer> {
  const [head, tail] = [Buffer.from('{"padding":"'), Buffer.from('"}')]
  yield head
  for (let left = bytes - head.length - tail.length; left > 0; left -= CHUNK.length) {
    yield CHUNK.subarray(0, Math.min(left, CHUNK.length))
  }
  yield tail
}
