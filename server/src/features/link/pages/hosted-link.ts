import type { LinkState, TradedSession } from '@carabiner/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, parseToken, routingCodeOf } from '../../../core/token.ts'
import { sendError } from '../../../edge/errors.ts'
import { readBearer } from '../../../edge/principal.ts'
import { routingCodeOfHandle } from '../../pages/handle.ts'
import { sendPage, unknownFrame, webOrigins } from '../../pages/page-response.ts'
import { readView } from '../../pages/view.ts'
import { openingPage } from '../../pages/views/index.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import { readSessionHandle, sessionHandle } from '../sessions/magic-link.ts'
import { readSession, readSessionBySecret } from '../sessions/open-session.ts'
import type { PageDeps } from './page-deps.ts'

const HEARTBEAT_INTERVAL_MS = 15 * SECOND
/** Chromium's maximum. The token is in a header, so browsers send a preflight before the first exchange. */
const PREFLIGHT_MAX_AGE_SECONDS = '7200'
const forScripts = { config: { forScripts: true } } as const

/**
 * §4.4: the hosted page, and the two endpoints for the application's page: exchanging a link token for its session, and the
 * session's events.
 */
export const hostedLink = (app: FastifyInstance, deps: PageDeps, linkPath: string): void => {
  const { db, signer, streams, linkUrl } = deps
  const linkOrigin = new URL(linkUrl).origin

  app.get(`${linkPath}/`, (request, reply) => {
    const view = readView(request.query as Record<string, unknown>, 'hosted')
    const anonymous = { request, reply, mount: 'connect', view } as const
    const page = openingPage(unknownFrame(anonymous, { trade: `${linkPath}/sessions` }))
    return sendPage(anonymous, 200, page, null, deps)
  })

  void app.register(async scriptRoutes => {
    // Scripts call these two endpoints, so errors are JSON as in the API.
    scriptRoutes.setErrorHandler((error, request, reply) => {
      // Error responses contain no data of a session, so any origin may read them.
      if (typeof request.headers.origin === 'string') allowOrigin(reply, request.headers.origin)
      return sendError(deps.baseUrl, deps.log)(error, request, reply)
    })

    // Preflight requests allow any headers; the response to the actual request decides whether the origin may read it.
    for (const path of ['/sessions', '/s/:handle/events']) {
      scriptRoutes.options(`${linkPath}${path}`, forScripts, async ({ headers }, reply) => {
        if (typeof headers.origin === 'string') allowOrigin(reply, headers.origin)
        return reply
          .header('access-control-allow-methods', 'GET, POST')
          .header(
            'access-control-allow-headers',
            headers['access-control-request-headers'] ?? 'authorization',
          )
          .header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS)
          .code(204)
          .send()
      })
    }

    scriptRoutes.post(`${linkPath}/sessions`, forScripts, async (request, reply): Promise<TradedSession> => {
      const token = parseToken('linkToken', readBearer(request) ?? '')
      const found = token && (await readSessionBySecret(db, hashToken(token)))
      if (!found) {
        await deps.checkRoutingCode(token && routingCodeOf(token))
        throw new Refusal('invalid_link_token', { param: 'Authorization' })
      }
      const { session, standing } = found
      allowOrigin(reply, requireOrigin(request, session))
      const handle = sessionHandle(signer, keyOf(session))
      return {
        session: handle,
        url: `${linkUrl}/s/${handle}`,
        status: standing,
        expires_at: session.expiresAt.toISOString(),
        Connector: session.lockedConnector,
      }
    })

    scriptRoutes.get(`${linkPath}/s/:handle/events`, forScripts, async (request, reply) => {
      const { handle } = request.params as { handle: string }
      const key = readSessionHandle(signer, handle)
      const found = key && (await readSession(db, key))
      if (!key || !found) {
        await deps.checkRoutingCode(routingCodeOfHandle(handle))
        throw new Refusal('link_session_not_found')
      }
      if (request.headers.origin !== undefined) allowOrigin(reply, requireOrigin(request, found.session))
      // A HEAD request has no body to stream.
      const streamed = request.method === 'GET' && /text\/event-stream/.test(request.headers.accept ?? '')
      if (!streamed) return streams.read(key)
      stream(reply, send => streams.subscribe(key, send.state, send.end))
    })
  })

  /**
   * Returns the origin of the request if it is Link's own or one of the organization's. Browsers do not let a page forge
   * this header.
   */
  const requireOrigin = ({ headers }: FastifyRequest, session: StoredSession): string => {
    const origin = headers.origin ?? ''
    if (origin === linkOrigin || webOrigins(session).includes(origin)) return origin
    throw new Refusal('unauthorized_origin', {
      message: origin
        ? `Unauthorized origin: ${origin} is not on the list of allowed callback origins.`
        : 'Unauthorized origin: the request has no Origin header.',
    })
  }
}

const allowOrigin = (reply: FastifyReply, origin: string): void => {
  reply.header('access-control-allow-origin', origin)
  reply.header('vary', 'Origin')
}

type Sender = { state: (state: LinkState) => void; end: (isFinalState: boolean) => void }

/** Streams states as server-sent events, with heartbeats that keep proxies from closing the connection. */
const stream = (reply: FastifyReply, subscribe: (send: Sender) => (() => void) | null): void => {
  const { raw } = reply
  // If the client disconnected while the session was read, the close event has already fired.
  if (raw.destroyed) return void reply.hijack()
  let heartbeat: NodeJS.Timeout | undefined
  const stop = subscribe({
    state: state => raw.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`),
    end: isFinalState => {
      clearInterval(heartbeat)
      // A client that reconnects receives the final state again, so it should reconnect late.
      raw.end(isFinalState ? 'retry: 60000\n\n' : undefined)
    },
  })
  if (!stop) throw new Refusal('rate_limited', { retryAfterSeconds: 10 })
  reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').hijack()
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  raw.write('retry: 2000\n\n')
  heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_INTERVAL_MS)
  raw.on('close', () => {
    clearInterval(heartbeat)
    stop()
  })
}
