import { describeError } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import { MOVE_RETRY_SECONDS } from '../../../core/organization-state.ts'
import { toRefusal } from '../../../edge/errors.ts'
import type { Log } from '../../../platform/log.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { type Ending, endingAddress } from '../attempts/ending.ts'
import type { RefusedCompletion } from '../attempts/refused-completion.ts'
import { viewQuery } from '../attempts/view.ts'
import type { ClosedStanding } from '../sessions/link-session.ts'
import * as views from '../views/index.ts'
import type { BrowserBinding } from './browser-binding.ts'
import {
  type AnonymousVisit,
  frameOf,
  type OwnedVisit,
  sendPage,
  translatorFor,
  unknownFrame,
  type Visit,
} from './page-response.ts'
import { connectorDisplay, formTarget } from './session-page.ts'

type Deps = {
  connectors: Connectors
  browsers: BrowserBinding
  development: boolean
  baseUrl: string
  log: Log
}
export type EndedAttempt = { ending: Ending; slug: string | null; unexpected?: boolean; seen?: string }

/** Renders the outcome and error pages of Link. */
export const createPresenter = (deps: Deps) => {
  const { connectors, browsers, log } = deps

  const show = (visit: OwnedVisit, status: number, page: SafeHtml) =>
    sendPage(visit, status, page, visit.session, deps)

  const refuseAnonymous = (
    anonymous: AnonymousVisit,
    status: number,
    reason: views.RefusedReason,
    client: views.RefusedClient | null = null,
  ) => sendPage(anonymous, status, views.refusedPage(unknownFrame(anonymous), { reason, client }), null, deps)

  /** Reloads the page while the organization is being moved. `retryHref`: what to load; default: the same URL. */
  const moving = (anonymous: AnonymousVisit, visit: OwnedVisit | null, retryHref = anonymous.request.url) => {
    anonymous.reply.headers({
      'retry-after': String(MOVE_RETRY_SECONDS),
      refresh: `${MOVE_RETRY_SECONDS}; url=${retryHref}`,
    })
    const frame = visit ? frameOf(visit) : unknownFrame(anonymous)
    const page = views.refusedPage(frame, { reason: 'organization_moving', retryHref })
    return sendPage(anonymous, 503, page, visit?.session ?? null, deps)
  }

  const refuse = (
    visit: OwnedVisit,
    status: number,
    reason: views.RefusedReason,
    client: views.RefusedClient | null = null,
  ) => show(visit, status, views.refusedPage(frameOf(visit), { reason, client }))

  const displayOf = async (
    visit: OwnedVisit,
    slug: string | null,
  ): Promise<views.ConnectorDisplay | null> => {
    const connector = slug === null ? null : await connectors.find(visit.session.organizationId, slug)
    return connector && connectorDisplay(connector, translatorFor(visit, connectors))
  }

  /** A rejected or expired code has not connected anything. */
  const usedPageModel = async (visit: Visit) => {
    const { progress } = visit.session
    const isConnected = progress.status === 'completed' || progress.status === 'code_issued'
    const connector = isConnected ? await displayOf(visit, progress.grant.connectorSlug) : null
    return { connector, isUnconfirmed: progress.status === 'code_issued' && progress.codePending }
  }
  /** No link can be minted for an inactive user. */
  const renewForm = (visit: Visit): views.FormTarget | null =>
    visit.session.facts.userActive ? formTarget(browsers, visit, `${visit.base}/renew`) : null

  const sessionClosed = async (visit: Visit, standing: ClosedStanding) => {
    switch (standing) {
      case 'used':
        return show(
          visit,
          410,
          views.usedPage(frameOf(visit), { ...(await usedPageModel(visit)), renew: renewForm(visit) }),
        )
      case 'expired':
        return show(visit, 410, views.expiredPage(frameOf(visit), { renew: renewForm(visit) }))
      case 'withdrawn':
        return show(visit, 410, views.withdrawnPage(frameOf(visit), { renew: renewForm(visit) }))
      case 'user_inactive':
        return refuse(visit, 403, 'user_inactive')
      case 'unauthorized_origin':
        return refuse(visit, 400, 'unauthorized_origin')
    }
  }

  /** Sends the browser on after an attempt: to the application, to its custom URL scheme, or to a page of Link. */
  const ended = async (visit: Visit, { ending, slug, unexpected = false, seen }: EndedAttempt) => {
    const { reply, view, base, mount } = visit
    const framed = mount === 'link' && view.surface === 'embedded'
    const address = endingAddress(visit.session, { ending, view, connector: slug })
    // A person who closes the embedded Link is already in the application.
    if (address.kind !== 'page' && !(framed && ending.status === 'exit')) {
      if (address.kind === 'redirect' && !framed) return reply.redirect(address.href, 303)
      const model = {
        outcome: ending.status,
        connector: await displayOf(visit, slug),
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

  /** Nothing was stored. */
  const refusedCompletion = (visit: Visit, refused: RefusedCompletion, slug: string) =>
    'ending' in refused
      ? ended(visit, { ending: refused.ending, slug })
      : sessionClosed(visit, refused.standing)

  /** Shows an error page. The details are logged under the request ID that the page shows. */
  const failed = (error: unknown, anonymous: AnonymousVisit) => {
    const { request, reply } = anonymous
    const refusal = toRefusal(error)
    if (refusal.code === 'unavailable') {
      reply.header('retry-after', String(refusal.retryAfterSeconds ?? 1))
      return refuseAnonymous(anonymous, 503, 'unavailable')
    }
    if (refusal.code === 'organization_moving') return moving(anonymous, null)
    if (refusal.code === 'wrong_cell') return refuseAnonymous(anonymous, 421, 'wrong_cell')
    if (refusal.code === 'organization_suspended')
      return refuseAnonymous(anonymous, 403, 'organization_suspended')
    const { status } = describeError(refusal.code)
    if (status < 500) return refuseAnonymous(anonymous, status, 'invalid_link')
    log.error({ request_id: request.id, route: request.routeOptions.url, error }, 'unexpected error')
    const model = { connector: null, reason: 'internal', retryHref: null, back: null } as const
    return sendPage(anonymous, status, views.failedPage(unknownFrame(anonymous), model), null, deps)
  }

  return { show, refuseAnonymous, refuse, moving, displayOf, sessionClosed, ended, refusedCompletion, failed }
}

export type Presenter = ReturnType<typeof createPresenter>
