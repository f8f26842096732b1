import type { LinkState, TradedSession } from '@carabiner/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, parseToken } from '../../../core/token.ts'
import { answerError } from '../../../edge/errors.ts'
import { readView } from '../attempts/view.ts'
import { judgeSession } from '../sessions/link-session.ts'
import { factsOf, keyOf, linkSessionStore, type SessionRow } from '../sessions/link-session-store.ts'
import { readSessionHandle, sessionHandle } from '../sessions/magic-link.ts'
import { openingPage } from '../views/index.ts'
import { sendPage, unknownFrame, webOrigins } from './page-response.ts'
import type { PageDeps } from './pages.ts'

const HEARTBEAT = 15 * SECOND
const forScripts = { config: { forScripts: true } } as const

/** §4.4, and the two addresses that an application's page speaks to: its token's session, and that session's events. */
export const hostedLink = (app: FastifyInstance, deps: PageDeps, linkPath: string): void => {
  const { db, signer, streams, linkUrl } = deps
  const linkOrigin = new URL(linkUrl).origin

  app.get(`${linkPath}/`, (request, reply) => {
    const view = readView(request.query as Record<string, unknown>, 'hosted')
    const stranger = { request, reply, door: 'connect', view } as const
    const page = openingPage(unknownFrame(stranger, { trade: `${linkPath}/sessions` }))
    return sendPage(stranger, 200, page, null, deps)
  })

  void app.register(async machine => {
    // These two are spoken to by scripts, so they refuse as the API does.
    machine.setErrorHandler((error, request, reply) => {
      // A refusal says nothing of anybody, so any page may read why it got one.
      if (typeof request.headers.origin === 'string') allow(reply, request.headers.origin)
      return answerError(deps.baseUrl, deps.log)(error, request, reply)
    })

    // Whatever a page asks to send it may send; whether it may read the answer is for the answer to say.
    for (const path of ['/sessions', '/s/:handle/events']) {
      machine.options(`${linkPath}${path}`, forScripts, async ({ headers }, reply) => {
        if (typeof headers.origin === 'string') allow(reply, headers.origin)
        return reply
          .header('access-control-allow-methods', 'GET, POST')
          .header('access-control-allow-headers', headers['access-control-request-headers'] ?? 'content-type')
          .header('access-control-max-age', '600')
          .code(204)
          .send()
      })
    }

    machine.post(`${linkPath}/sessions`, forScripts, async (request, reply): Promise<TradedSession> => {
      const { link_token } = (request.body ?? {}) as { link_token?: unknown }
      const token = parseToken('linkToken', typeof link_token === 'string' ? link_token : '')
      const session = token && (await linkSessionStore.findBySecret(db, hashToken(token)))
      if (!session) throw new Refusal('invalid_link_token', { param: 'link_token' })
      allow(reply, requireOrigin(request, session))
      const handle = sessionHandle(signer, keyOf(session))
      return {
        session: handle,
        url: `${linkUrl}/s/${handle}`,
        status: judgeSession(factsOf(session)),
        expires_at: session.expires_at.toISOString(),
        Connector: session.locked_connector,
      }
    })

    machine.get(`${linkPath}/s/:handle/events`, forScripts, async (request, reply) => {
      const key = readSessionHandle(signer, (request.params as { handle: string }).handle)
      const session = key && (await linkSessionStore.find(db, key))
      if (!key || !session) throw new Refusal('link_session_not_found')
      if (request.headers.origin !== undefined) allow(reply, requireOrigin(request, session))
      // A HEAD has no body that could ever end.
      const streamed = request.method === 'GET' && /text\/event-stream/.test(request.headers.accept ?? '')
      if (!streamed) return streams.read(key)
      stream(reply, send => streams.follow(key, send.state, send.end))
    })
  })

  /** Link's own page, or one of the organization's; a browser cannot be made to name another than its own. */
  const requireOrigin = ({ headers }: FastifyRequest, session: SessionRow): string => {
    const origin = headers.origin ?? ''
    if (origin === linkOrigin || webOrigins(session).includes(origin)) return origin
    throw new Refusal('unauthorized_origin', {
      message: `Unauthorized origin: ${origin || 'this request names no origin'}${origin ? ' is not on the list of allowed callback origins' : ''}.`,
    })
  }
}

const allow = (reply: FastifyReply, origin: string): void => {
  reply.header('access-control-allow-origin', origin)
  reply.header('vary', 'Origin')
}

type Sender = { state: (state: LinkState) => void; end: () => void }

/** Server-sent events: each state whole, a heartbeat that keeps proxies from closing, and the end when nothing more can come. */
const stream = (reply: FastifyReply, follow: (send: Sender) => (() => void) | null): void => {
  const { raw } = reply
  // Whoever left while the session was being read closes no more: the close has been and gone.
  if (raw.destroyed) return void reply.hijack()
  let heartbeat: NodeJS.Timeout | undefined
  const stop = follow({
    state: state => raw.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`),
    end: () => {
      clearInterval(heartbeat)
      // Whoever connects again is told the last state once more, and that slowly.
      raw.end('retry: 60000\n\n')
    },
  })
  if (!stop) throw new Refusal('rate_limited', { retryAfterSeconds: 10 })
  reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').hijack()
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  raw.write('retry: 2000\n\n')
  heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT)
  raw.on('close', () => {
    clearInterval(heartbeat)
    stop()
  })
}
