import { Agent } from 'undici'
import { SECOND } from '../../core/duration.ts'
import { exceedsJsonLimits } from '../../core/json/json-limits.ts'
import { collect, decoderOf } from './body.ts'
import { type ClientCertificate, createClientAgents } from './client-agents.ts'
import { requester } from './connect-limit.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { EgressError, isLocalFailure, toEgressError } from './egress-error.ts'
import { dispatchRequest } from './incoming-response.ts'
import { createNameResolver } from './name-resolver.ts'
import { createRoute, type NetworkStandIn, standInForNetwork } from './route.ts'

export type { ClientCertificate } from './client-agents.ts'
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
  body?: string | Buffer
  /** For the whole request including the body. Null: `signal` is the only deadline. */
  timeoutMs?: number | null
  maxBytes?: number
  signal?: AbortSignal
  clientCertificate?: ClientCertificate
}
export type EgressResponse = { status: number; headers: Record<string, string>; body: Buffer }

/** A response whose body is read once, whole or in chunks. Reading throws at the size limit and at the timeout. */
export type EgressStream = {
  status: number
  headers: Record<string, string>
  bytes(): Promise<Buffer>
  /** Leaving the loop closes the connection. */
  chunks(): AsyncIterable<Buffer>
  /** Discards a body that is not needed. */
  discard(): void
}

export type Egress = {
  request(options: EgressRequest): Promise<EgressResponse>
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
  /** A call failed because of this machine. */
  onLocalFailure?: (error: EgressError) => void
}

/**
 * The only way for outbound requests. Redirects are returned and not followed, because the target would receive the
 * credential.
 */
export const createEgress = (options: Options = {}): Egress => {
  const resolver = createNameResolver(options.dnsServers ? { servers: options.dnsServers } : {})
  const route = createRoute(options[allowLoopback] === true, { resolver, ...options[standInForNetwork] })
  const createAgent = (client?: ClientCertificate): Agent =>
    new Agent({
      connect: route.connectorFor(client),
      keepAliveTimeout: 10 * SECOND,
      connections: MAX_CONNECTIONS_PER_ORIGIN,
    })
  const agent = createAgent()
  const clientAgents = createClientAgents(createAgent)

  const parse = (address: string): URL => {
    const url = URL.parse(address)
    if (!url) throw new EgressError('blocked', 'This is not a valid URL.')
    route.vet(url)
    return url
  }

  const agentOf = ({ clientCertificate }: EgressRequest): Agent =>
    clientCertificate ? clientAgents.agentFor(clientCertificate) : agent

  const stream = async (outgoing: EgressRequest, owner?: string): Promise<EgressStream> => {
    const url = parse(outgoing.url)
    const { signal, end } = deadlineOf(outgoing)
    const maxBytes = outgoing.maxBytes ?? DEFAULT_MAX_BYTES
    const sent = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: outgoing.method,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Carabiner', ...outgoing.headers },
      body: outgoing.body ?? null,
    }
    const explain = (error: unknown): never => {
      const failure = toEgressError(error, url, {
        signal,
        presented: outgoing.clientCertificate !== undefined,
      })
      if (isLocalFailure(failure)) options.onLocalFailure?.(failure)
      throw failure
    }
    const { status, headers, body } = await requester
      .run({ owner, signal }, () =>
        dispatchRequest(agentOf(outgoing), sent, { maxBytes, signal, onEnd: end }),
      )
      .catch(explain)
    const decode = decoderOf(String(headers['content-encoding'] ?? ''))
    const chunks = () => explained(decode ? decode(body.chunks(), maxBytes) : body.chunks(), explain)
    return {
      status,
      headers: flatten(headers),
      bytes: () => (decode ? collect(chunks()) : body.bytes().catch(explain)),
      chunks,
      discard: () => body.discard(),
    }
  }

  const send = async (outgoing: EgressRequest, owner?: string): Promise<EgressResponse> => {
    const answer = await stream(outgoing, owner)
    return { status: answer.status, headers: answer.headers, body: await answer.bytes() }
  }

  const mayCall = async (address: string): Promise<void> => {
    const url = parse(address)
    const deadline = startDeadline(DEFAULT_TIMEOUT_MS)
    try {
      await route.resolve(url.hostname, deadline.signal)
    } catch (error) {
      throw toEgressError(error, url, deadline)
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
    close: async () => {
      await Promise.all([agent.close(), clientAgents.close()])
    },
  })
  return egressOf(undefined)
}

const deadlineOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS, signal }: EgressRequest): Deadline => {
  if (timeoutMs !== null) return startDeadline(timeoutMs, signal)
  if (!signal) throw new TypeError('a request without a timeout needs a signal')
  return { signal, end: () => undefined }
}

async function* explained(
  chunks: AsyncIterable<Buffer>,
  explain: (error: unknown) => never,
): AsyncGenerator<Buffer, void> {
  try {
    yield* chunks
  } catch (error) {
    explain(error)
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

/** They describe the body as it was sent, not as it is returned. */
const TRANSFER_HEADERS = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

const flatten = (headers: Record<string, string | string[] | undefined>): Record<string, string> => {
  const flat: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined && !TRANSFER_HEADERS.has(name)) flat[name] = String(value)
  }
  return flat
}
