import { describeError } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toRefusal } from '../../edge/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Signer } from '../../platform/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import { type Ending, endingAddress } from './ending.ts'
import type { SessionStanding } from './link-session.ts'
import type { SessionRow } from './link-session-store.ts'
import { sessionHandle } from './magic-link.ts'
import { frameOf, sendPage, unknownFrame } from './page-answer.ts'
import { face } from './session-page.ts'
import * as views from './views/index.ts'

type Deps = { connectors: Connectors; signer: Signer; development: boolean; log: Log }
type Over = Exclude<SessionStanding, 'open'>

/** Every way in which a page can end, said once: what happened, what became of the person's data, and the reference. */
export const createPresenter = ({ connectors, signer, development, log }: Deps) => {
  const show = (reply: FastifyReply, status: number, page: SafeHtml, session: SessionRow | null) =>
    sendPage(reply, status, page, { session, development })

  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    reason: views.RefusedReason,
    session: SessionRow | null = null,
  ) =>
    show(
      reply,
      status,
      views.refusedPage(session ? frameOf(request, session) : unknownFrame(request), { reason }),
      session,
    )

  const faceOf = (slug: string | null): views.ConnectorFace | null => {
    const connector = slug === null ? null : connectors.find(slug)
    return connector && face(connector)
  }

  const over = (request: FastifyRequest, reply: FastifyReply, session: SessionRow, standing: Over) => {
    const frame = frameOf(request, session)
    switch (standing) {
      case 'used':
        return show(reply, 410, views.usedPage(frame, { connector: faceOf(session.connector_slug) }), session)
      case 'expired':
        return show(reply, 410, views.expiredPage(frame), session)
      case 'user_inactive':
        return refuse(request, reply, 403, 'user_inactive', session)
      case 'unauthorized_origin':
        return refuse(request, reply, 400, 'unauthorized_origin', session)
    }
  }

  /** Where an attempt that ended sends the browser: the application's callback, its app, or a page of ours. */
  const ended = (
    request: FastifyRequest,
    reply: FastifyReply,
    session: SessionRow,
    ending: Ending,
    slug: string | null,
    unexpected = false,
  ) => {
    const address = endingAddress(session, ending)
    if (address.kind === 'redirect') return reply.redirect(address.href, 303)
    if (address.kind === 'app') {
      const model = { outcome: address.status, connector: faceOf(slug), href: address.href }
      return show(reply, 200, views.returnToAppPage(frameOf(request, session), model), session)
    }
    const base = `/connect/${sessionHandle(signer, { organizationId: session.organization_id, sessionId: session.id })}`
    if (ending.status === 'success') return reply.redirect(`${base}/done`, 303)
    const query = new URLSearchParams({
      outcome: ending.status,
      ...(ending.status === 'error' && { reason: ending.reason }),
      ...(slug && { connector: slug }),
      ...(unexpected && { unexpected: '1' }),
    })
    return reply.redirect(`${base}/ended?${query.toString()}`, 303)
  }

  /** A person sees a page, whatever went wrong; the details are in the log, under the reference that the page shows. */
  const failed = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toRefusal(error)
    if (refusal.code === 'unavailable') {
      reply.header('retry-after', String(refusal.retryAfterSeconds ?? 1))
      return refuse(request, reply, 503, 'unavailable')
    }
    const { status } = describeError(refusal.code)
    if (status < 500) return refuse(request, reply, status, 'invalid_link')
    log.error({ request_id: request.id, route: request.routeOptions.url, error }, 'unexpected error')
    return show(
      reply,
      status,
      views.failedPage(unknownFrame(request), { connector: null, reason: 'internal', retryHref: null }),
      null,
    )
  }

  return { show, refuse, faceOf, over, ended, failed }
}
