import { describeError } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import { MOVE_RETRY_SECONDS } from '../../core/organization-state.ts'
import { toRefusal } from '../../edge/errors.ts'
import type { Log } from '../../platform/log.ts'
import { frameOf, type OwnedPageContext, type PageContext, sendPage, unknownFrame } from './page-response.ts'
import * as views from './views/index.ts'

export type PresenterDeps = { development: boolean; baseUrl: string; log: Log }

/** Sends pages, and the error pages that every flow has. */
export const createPresenter = (deps: PresenterDeps) => {
  const show = (context: OwnedPageContext, status: number, page: SafeHtml) =>
    sendPage(context, status, page, context.owner, deps)

  const refuseAnonymous = (
    anonymous: PageContext,
    status: number,
    reason: views.RefusedReason,
    client: views.RefusedClient | null = null,
  ) => sendPage(anonymous, status, views.refusedPage(unknownFrame(anonymous), { reason, client }), null, deps)

  /** Reloads the page while the organization is being moved. `retryHref`: what to load; default: the same URL. */
  const moving = (
    anonymous: PageContext,
    context: OwnedPageContext | null,
    retryHref = anonymous.request.url,
  ) => {
    anonymous.reply.headers({
      'retry-after': String(MOVE_RETRY_SECONDS),
      refresh: `${MOVE_RETRY_SECONDS}; url=${retryHref}`,
    })
    const frame = context ? frameOf(context) : unknownFrame(anonymous)
    const page = views.refusedPage(frame, { reason: 'organization_moving', retryHref })
    return sendPage(anonymous, 503, page, context?.owner ?? null, deps)
  }

  const refuse = (
    context: OwnedPageContext,
    status: number,
    reason: views.RefusedReason,
    client: views.RefusedClient | null = null,
  ) => show(context, status, views.refusedPage(frameOf(context), { reason, client }))

  /** Shows an error page. The details are logged under the request ID that the page shows. */
  const failed = (error: unknown, anonymous: PageContext) => {
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
    deps.log.error({ request_id: request.id, route: request.routeOptions.url, error }, 'unexpected error')
    const model = { connector: null, reason: 'internal', retryHref: null, back: null } as const
    return sendPage(anonymous, status, views.failedPage(unknownFrame(anonymous), model), null, deps)
  }

  return { show, refuseAnonymous, refuse, moving, failed }
}

export type Presenter = ReturnType<typeof createPresenter>
