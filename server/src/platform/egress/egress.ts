import { Agent, request } from 'undici'
import { SECOND } from '../../core/duration.ts'
import { exceedsJsonLimits } from '../../core/json-limits.ts'
import { collect, readCapped } from './body.ts'
import { requester } from './connect-limit.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { EgressError, toEgressError } from './egress-error.ts'
import { createNameResolver } from './name-resolver.ts'
import { createRoute, type NetworkStandIn, standInForNetwork } from './route.ts'

export { EgressError, type EgressFailure } from './egress-error.ts'
export { type NetworkStandIn, standInForNetwork } from './route.ts'

/** Development only: allows calls to loopback addresses. Production never sets it. */
export const allowLoopback = Symbol('allow loopback targets')

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type EgressMethod = (typeof METHODS)[number]

export type EgressRequest = {
  url: string
  method: EgressMethod
  headers?: Record<string, string>
  body?: string
  /** For the whole request including the body. */
  timeoutMs?: number
  maxBytes?: number
  signal?: AbortSignal
}
export type EgressAnswer = { status: number; headers: Record<string, string>; body: Buffer }

/**
 * A response whose body is streamed. Reading throws at the size limit and at the timeout; leaving the loop closes the
 * connection.
 */
export type EgressStream = {
  status: number
  headers: Record<string, string>
  body: AsyncIterable<Buffer>
  /** Discards a body that is not needed. */
  discard(): void
}

export type Egress = {
  request(options: EgressRequest): Promise<EgressAnswer>
  stream(options: EgressRequest): Promise<EgressStream>
  /** The same guards with the signature of `fetch`, for libraries that need one. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Throws for a URL that `request` would block, including the addresses of its host name, without calling it. */
  mayCall(url: string): Promise<void>
  /** The same egress, with lookups and connects counted for this organization. */
  onBehalfOf(organizationId: string): Egress
  close(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 10 * SECOND
const DEFAULT_MAX_BYTES = 1024 * 1024
/** More than the limit of one organization, so that its hanging calls do not delay others to the same provider. */
const MAX_CONNECTIONS_PER_ORIGIN = 512

type Options = {
  [allowLoopback]?: boolean
  [standInForNetwork]?: NetworkStandIn
  /** Default: the system's name servers. */
  dnsServers?: string[] | undefined
}

/**
 * The only way for outbound requests. Redirects are returned and not followed, because the target would receive the
 * credential.
 */
export const createEgress = (options: Options = {}): Egress => {
  const resolver = createNameResolver(options.dnsServers ? { servers: options.dnsServers } : {})
  const route = createRoute(options[allowLoopback] === true, { resolver, ...options[standInForNetwork] })
  const agent = new Agent({
    connect: route.connector,
    keepAliveTimeout: 10 * SECOND,
    connections: MAX_CONNECTIONS_PER_ORIGIN,
  })

  const parse = (address: string): URL => {
    if (!URL.canParse(address)) throw new EgressError('blocked', 'This is not a valid URL.')
    const url = new URL(address)
    route.vet(url)
    return url
  }

  const stream = async (outgoing: EgressRequest, owner?: string): Promise<EgressStream> => {
    const url = parse(outgoing.url)
    const deadline = startDeadline(outgoing.timeoutMs ?? DEFAULT_TIMEOUT_MS, outgoing.signal)
    const { signal } = deadline
    try {
      const answer = await requester.run({ owner, signal }, () =>
        request(url, {
          dispatcher: agent,
          method: outgoing.method,
          headers: { 'accept-encoding': 'identity', 'user-agent': 'Carabiner', ...outgoing.headers },
          body: outgoing.body ?? null,
          signal,
        }),
      )
      const { body } = answer
      const encoding = String(answer.headers['content-encoding'] ?? '')
      const chunks = readCapped(body, encoding, outgoing.maxBytes ?? DEFAULT_MAX_BYTES)
      return {
        status: answer.statusCode,
        headers: flatten(answer.headers),
        body: readUntil(deadline, chunks, error => toEgressError(error, url, signal)),
        discard: () => {
          deadline.end()
          body.on('error', () => undefined).destroy()
        },
      }
    } catch (error) {
      deadline.end()
      throw toEgressError(error, url, signal)
    }
  }

  const send = async (outgoing: EgressRequest, owner?: string): Promise<EgressAnswer> => {
    const { status, headers, body } = await stream(outgoing, owner)
    return { status, headers, body: await collect(body) }
  }

  const mayCall = async (address: string): Promise<void> => {
    const url = parse(address)
    const deadline = startDeadline(DEFAULT_TIMEOUT_MS)
    try {
      await route.resolve(url.hostname, deadline.signal)
    } catch (error) {
      throw toEgressError(error, url, deadline.signal)
    } finally {
      deadline.end()
    }
  }

  const egressOf = (owner: string | undefined): Egress => ({
    request: outgoing => send(outgoing, owner),
    stream: outgoing => stream(outgoing, owner),
    fetch: async (input, init = {}) => {
      const answer = await send(await readFetch(input, init), owner)
      // Only OAuth libraries use `fetch`, and they parse the response as JSON.
      if (exceedsJsonLimits(answer.body.toString('utf8')))
        throw new EgressError('too_large', `${new URL(input).host} returned too many JSON values.`)
      const empty = [204, 205, 304].includes(answer.status)
      return new Response(empty ? null : new Uint8Array(answer.body), {
        status: answer.status,
        headers: answer.headers,
      })
    },
    mayCall,
    onBehalfOf: egressOf,
    close: () => agent.close(),
  })
  return egressOf(undefined)
}

async function* readUntil(
  deadline: Deadline,
  chunks: AsyncIterable<Buffer>,
  explain: (error: unknown) => EgressError,
): AsyncGenerator<Buffer, void> {
  try {
    yield* chunks
  } catch (error) {
    throw explain(error)
  } finally {
    deadline.end()
  }
}

const readFetch = async (input: string | URL | Request, init: RequestInit): Promise<EgressRequest> => {
  const given = input instanceof Request ? input : null
  const method = METHODS.find(known => known === (init.method ?? given?.method ?? 'GET').toUpperCase())
  if (!method) throw new TypeError(`the method must be one of ${METHODS.join(', ')}`)
  const body = init.body != null ? bodyText(init.body) : given?.body ? await given.text() : undefined
  const signal = init.signal ?? given?.signal
  return {
    url: input instanceof Request ? input.url : String(input),
    method,
    headers: Object.fromEntries(new Headers(init.headers ?? given?.headers)),
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  }
}

/** OAuth libraries send forms and JSON only. */
const bodyText = (body: NonNullable<RequestInit['body']>): string => {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('the body must be text')
}

const flatten = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || /^(content-encoding|content-length|transfer-encoding)$/.test(name)
        ? []
        : [[name, String(value)]],
    ),
  )
