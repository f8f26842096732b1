import { describeError } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import { toRefusal } from '../../../edge/errors.ts'
import type { Log } from '../../../platform/log.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { type Ending, endingAddress } from '../attempts/ending.ts'
import { viewQuery } from '../attempts/view.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import * as views from '../views/index.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { frameOf, type Stranger, sendPage, translatorFor, unknownFrame, type Visit } from './page-response.ts'
import { face, formTarget } from './session-page.ts'

type Deps = {
  connectors: Connectors
  browsers: BrowserBinding
  development: boolean
  baseUrl: string
  log: Log
}
type Over = Exclude<SessionStanding, 'open'>
export type Ended = { ending: Ending; slug: string | null; unexpected?: boolean; seen?: string }

/** Every way in which a page can end, said once: what happened, what became of the person's data, and the reference. */
export const createPresenter = (deps: Deps) => {
  const { connectors, browsers, log } = deps

  const show = (visit: Visit, status: number, page: SafeHtml) =>
    sendPage(visit, status, page, visit.session, deps)

  const turnAway = (stranger: Stranger, status: number, reason: views.RefusedReason) =>
    sendPage(stranger, status, views.refusedPage(unknownFrame(stranger), { reason }), null, deps)

  const refuse = (visit: Visit, status: number, reason: views.RefusedReason) =>
    show(visit, status, views.refusedPage(frameOf(visit), { reason }))

  const faceOf = async (visit: Visit, slug: string | null): Promise<views.ConnectorFace | null> => {
    const connector = slug === null ? null : await connectors.find(visit.session.organization_id, slug)
    return connector && face(connector, translatorFor(visit, connectors))
  }

  /** A code that was rejected, or that ran out, has connected nothing. */
  const usedModel = async (visit: Visit) => {
    const { status, code_waits: isUnconfirmed, connector_slug: slug } = visit.session
    const isConnected = status === 'completed' || status === 'code_issued'
    const connector = isUnconfirmed || isConnected ? await faceOf(visit, slug) : null
    return { connector, isUnconfirmed }
  }
  /** No link can be minted for an inactive user. */
  const renewForm = (visit: Visit): views.FormTarget | null =>
    visit.session.user_active ? formTarget(browsers, visit, `${visit.base}/renew`) : null

  const over = async (visit: Visit, standing: Over) => {
    switch (standing) {
      case 'used':
        return show(
          visit,
          410,
          views.usedPage(frameOf(visit), { ...(await usedModel(visit)), renew: renewForm(visit) }),
        )
      case 'expired':
        return show(visit, 410, views.expiredPage(frameOf(visit), { renew: renewForm(visit) }))
      case 'user_inactive':
        return refuse(visit, 403, 'user_inactive')
      case 'unauthorized_origin':
        return refuse(visit, 400, 'unauthorized_origin')
    }
  }

  /** Where an attempt that ended sends the browser: the application, its app, or a page of ours. */
  const ended = async (visit: Visit, { ending, slug, unexpected = false, seen }: Ended) => {
    const { reply, view, base, door } = visit
    const framed = door === 'link' && view.surface === 'embedded'
    const address = endingAddress(visit.session, { ending, view, connector: slug })
    // A person who closes Link inside the application is there already.
    if (address.kind !== 'page' && !(framed && ending.status === 'exit')) {
      if (address.kind === 'redirect' && !framed) return reply.redirect(address.href, 303)
      const model = {
        outcome: ending.status,
        connector: await faceOf(visit, slug),
        href: address.href,
        framed,
      }
      return show(visit, 200, views.returnToAppPage(frameOf(visit), model))
    }
    if (ending.status === 'success')
      return reply.redirect(
        `${base}/done${viewQuery(view, { seen: seen ?? null, news: framed ? '1' : null })}`,
        303,
      )
    const query = viewQuery(view, {
      outcome: ending.status,
      reason: ending.status === 'error' ? ending.reason : null,
      connector: slug,
      unexpected: unexpected ? '1' : null,
      closed: framed && ending.status === 'exit' && !unexpected ? '1' : null,
    })
    return reply.redirect(`${base}/ended${query}`, 303)
  }

  /** A person sees a page, whatever went wrong; the details are in the log, under the reference that the page shows. */
  const failed = (error: unknown, stranger: Stranger) => {
    const { request, reply } = stranger
    const refusal = toRefusal(error)
    if (refusal.code === 'unavailable') {
      reply.header('retry-after', String(refusal.retryAfterSeconds ?? 1))
      return turnAway(stranger, 503, 'unavailable')
    }
    const { status } = describeError(refusal.code)
    if (status < 500) return turnAway(stranger, status, 'invalid_link')
    log.error({ request_id: request.id, route: request.routeOptions.url, error }, 'unexpected error')
    const model = { connector: null, reason: 'internal', retryHref: null, backHref: null } as const
    return sendPage(stranger, status, views.failedPage(unknownFrame(stranger), model), null, deps)
  }

  return { show, turnAway, refuse, faceOf, over, ended, failed }
}

export type Presenter = ReturnType<typeof createPresenter>
