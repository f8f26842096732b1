import { lookup as dnsLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Agent, type Dispatcher, request } from 'undici'
import { SECOND } from '../core/duration.ts'
import { judgeAddress, literalAddress } from './address-guard.ts'

/** Development only: lets the egress reach this machine. Production refuses to set it. */
export const allowLoopback = Symbol('allow loopback targets')

export type EgressFailure = 'blocked' | 'timeout' | 'too_large' | 'unreachable'

export class EgressError extends Error {
  readonly failure: EgressFailure

  constructor(failure: EgressFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EgressError'
    this.failure = failure
  }
}

export type EgressMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type EgressRequest = {
  url: string
  method: EgressMethod
  headers?: Record<string, string>
  body?: string
  timeoutMs?: number
  maxBytes?: number
  signal?: AbortSignal
}
export type EgressAnswer = { status: number; headers: Record<string, string>; body: Buffer }

export type Egress = {
  request(options: EgressRequest): Promise<EgressAnswer>
  /** The same guards in the shape of `fetch`, for libraries that ask for one. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

const DEFAULT_TIMEOUT = 10 * SECOND
const DEFAULT_MAX_BYTES = 1024 * 1024

type Options = { [allowLoopback]?: boolean }

/** The one way out. Names are resolved once and the checked address is what gets dialled; redirects are not followed. */
export const createEgress = (options: Options = {}): Egress => {
  const loopbackAllowed = options[allowLoopback] === true
  const mayDial = (address: string): boolean => {
    const verdict = judgeAddress(address)
    return verdict === 'public' || (verdict === 'loopback' && loopbackAllowed)
  }
  const guardedLookup: LookupFunction = (hostname, lookupOptions, callback) => {
    dnsLookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const refused = addresses.find(({ address }) => !mayDial(address))
      const first = addresses[0]
      if (refused || !first)
        return callback(
          new EgressError('blocked', `${hostname} resolves to an address that may not be called.`),
          '',
          0,
        )
      return lookupOptions.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
  const agent = new Agent({
    connect: { lookup: guardedLookup, timeout: 5 * SECOND },
    keepAliveTimeout: 10 * SECOND,
    connections: 64,
  })

  const vet = (url: URL): void => {
    const literal = literalAddress(url.hostname)
    // A custom lookup is never asked for literals, so they are judged here.
    if (literal && !mayDial(literal)) throw new EgressError('blocked', `${url.hostname} may not be called.`)
    const local = url.hostname === 'localhost' || (literal !== null && judgeAddress(literal) === 'loopback')
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && loopbackAllowed)) {
      throw new EgressError('blocked', `${url.protocol}//${url.hostname} may not be called: https only.`)
    }
    if (url.username || url.password)
      throw new EgressError('blocked', 'An address with credentials in it may not be called.')
  }

  const send = async (asked: EgressRequest): Promise<EgressAnswer> => {
    if (!URL.canParse(asked.url)) throw new EgressError('blocked', 'This is not an address.')
    const url = new URL(asked.url)
    vet(url)
    const deadline = AbortSignal.timeout(asked.timeoutMs ?? DEFAULT_TIMEOUT)
    const signal = asked.signal ? AbortSignal.any([deadline, asked.signal]) : deadline
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: asked.method,
        headers: { 'accept-encoding': 'identity', 'user-agent': 'Carabiner', ...asked.headers },
        body: asked.body ?? null,
        signal,
      })
      const body = await readCapped(answer, asked.maxBytes ?? DEFAULT_MAX_BYTES)
      return { status: answer.statusCode, headers: flatten(answer.headers), body }
    } catch (error) {
      throw explain(error, url, deadline.aborted)
    }
  }

  return {
    request: send,
    fetch: async (input, init = {}) => {
      const answer = await send({
        url: input instanceof Request ? input.url : String(input),
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.body != null && { body: bodyText(init.body) }),
        ...(init.signal && { signal: init.signal }),
      })
      const empty = [204, 205, 304].includes(answer.status)
      return new Response(empty ? null : new Uint8Array(answer.body), {
        status: answer.status,
        headers: answer.headers,
      })
    },
    close: () => agent.close(),
  }
}

/** OAuth sends forms and JSON; nothing else has reason to leave by this way. */
const bodyText = (body: NonNullable<RequestInit['body']>): string => {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('the egress sends text')
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The cap counts decoded bytes: a small bomb does not get to unfold. */
const readCapped = async (answer: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> => {
  const decoder = decoders[String(answer.headers['content-encoding'] ?? '') as keyof typeof decoders]
  // `compose` leaves a decoder's error unhandled: a broken answer would end the process.
  const source = decoder ? pipeline(answer.body, decoder(), () => undefined) : answer.body
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    size += (chunk as Buffer).length
    if (size > maxBytes) {
      answer.body.destroy()
      throw new EgressError('too_large', `The answer is larger than ${maxBytes} bytes.`)
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

const flatten = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || /^(content-encoding|content-length|transfer-encoding)$/.test(name)
        ? []
        : [[name, String(value)]],
    ),
  )

const explain = (error: unknown, url: URL, timedOut: boolean): EgressError => {
  if (error instanceof EgressError) return error
  const cause = (error as Error).cause
  if (cause instanceof EgressError) return cause
  if (timedOut || /Timeout/.test((error as Error).name))
    return new EgressError('timeout', `${url.host} did not answer in time.`, error)
  return new EgressError('unreachable', `${url.host} cannot be reached.`, error)
}
