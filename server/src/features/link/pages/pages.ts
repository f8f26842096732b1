import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, respellToken } from '../../../core/token.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { finishFromCallback, type LinkDeps } from '../attempts/authorize.ts'
import { readView, type View, viewQuery } from '../attempts/view.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import { keyOf, linkSessionStore, type SessionRow } from '../sessions/link-session-store.ts'
import { sessionHandle, verifyMagicLink } from '../sessions/magic-link.ts'
import type { SessionStreams } from '../sessions/session-streams.ts'
import * as views from '../views/index.ts'
import { createBrowserBinding } from './browser-binding.ts'
import { endingPages } from './ending-pages.ts'
import { hostedLink } from './hosted-link.ts'
import type { PageLimits } from './page-limits.ts'
import { type Door, sendPage, unknownFrame, type Visit } from './page-response.ts'
import { createPresenter } from './presenter.ts'
import { previewPages } from './preview-pages.ts'
import { sessionDoor } from './session-door.ts'
import { createSessionGuard, type DoorOptions, type Form } from './session-guard.ts'
import { siteAddress, sitePages } from './site-pages.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked by scripts and not by people: refused as the API refuses, and more often allowed. */
    forScripts?: boolean
  }
}

export type PageDeps = LinkDeps & {
  signer: Signer
  limits: PageLimits
  streams: SessionStreams
  linkUrl: string
  development: boolean
}

/** A key pasted with far too much around it is answered as a wrong key; only more than this is no form at all. */
const FORM_LIMIT = 256 * 1024
const CONNECT = '/connect'

/** The pages of Link: magic links and the third party's step under `{base_url}`, the application's under `{link_url}`. */
export const linkPages = (app: FastifyInstance, deps: PageDeps): void => {
  const { db, signer, streams } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl, deps.linkUrl)
  const present = createPresenter({ ...deps, browsers })
  const linkPath = new URL(deps.linkUrl).pathname.replace(/\/$/, '')
  const doorOf = (request: FastifyRequest): Door =>
    request.routeOptions.url?.startsWith(`${linkPath}/s/`) ? 'link' : 'connect'
  const strangerAt = (request: FastifyRequest, reply: FastifyReply, view?: View) => ({
    request,
    reply,
    door: doorOf(request),
    view: view ?? readView((request.query ?? {}) as Form, 'magic_link'),
  })

  void app.register(formbody, { bodyLimit: FORM_LIMIT })
  app.setErrorHandler(async (error, request, reply) => present.failed(error, strangerAt(request, reply)))
  app.addHook('onRequest', async (request, reply) => {
    const { forScripts = false } = request.routeOptions.config
    const use = forScripts ? 'script' : request.method === 'POST' ? 'post' : 'view'
    const wait = await deps.limits.take(request.ip, use)
    if (wait === null) return
    if (forScripts) throw new Refusal('rate_limited', { retryAfterSeconds: wait })
    reply.header('retry-after', String(wait))
    return present.turnAway(strangerAt(request, reply), 429, 'too_many_requests')
  })

  const doors: DoorOptions[] = [
    { door: 'connect', path: CONNECT, browsers, present },
    { door: 'link', path: `${linkPath}/s`, browsers, present },
  ]
  for (const options of doors) {
    const guard = createSessionGuard(deps, options)
    sessionDoor(app, deps, options, guard)
    endingPages(app, deps, options, guard)
    if (options.door === 'connect') sitePages(app, deps, options, guard)
  }
  hostedLink(app, deps, linkPath)
  previewPages(app, deps, linkPath)

  app.get('/magic-link/:opaque', async (request, reply) => {
    const token = verifyMagicLink(signer, (request.params as { opaque: string }).opaque)
    const session =
      token &&
      (await linkSessionStore.findBySecret(db, hashToken(respellToken(token, 'magicLink', 'linkToken'))))
    const stranger = strangerAt(request, reply)
    if (!session) return present.turnAway(stranger, 404, 'invalid_link')
    // The token does not stay in the address bar, the history or a referrer.
    return reply.redirect(`${CONNECT}/${handleOf(session)}${viewQuery(stranger.view)}`, 303)
  })

  const handleOf = (session: SessionRow): string => sessionHandle(signer, keyOf(session))

  const visitOf = (
    request: FastifyRequest,
    reply: FastifyReply,
    found: { session: SessionRow; view: View; standing: SessionStanding },
  ): Visit => {
    const handle = handleOf(found.session)
    return { request, reply, door: 'connect', handle, base: `${CONNECT}/${handle}`, ...found }
  }

  // No HEAD: this one address finishes what the person began.
  app.get('/oauth/callback/:context', { exposeHeadRoute: false }, async (request, reply) => {
    const parameters = new URLSearchParams(request.url.split('?')[1] ?? '')
    const { context } = request.params as { context: string }
    const returned = await finishFromCallback(deps, { context, parameters, browser: browsers.read(request) })
    const stranger = strangerAt(request, reply, readView({}, 'magic_link'))
    switch (returned.kind) {
      case 'unknown': {
        const model = { connector: null, reason: 'invalid_state', retryHref: null, backHref: null } as const
        return sendPage(stranger, 400, views.failedPage(unknownFrame(stranger), model), null, deps)
      }
      case 'other_browser':
        return present.turnAway(stranger, 403, 'other_browser')
      case 'returned_before':
        return reply.redirect(
          `${CONNECT}/${sessionHandle(signer, returned.key)}/done${viewQuery(returned.view)}`,
          303,
        )
      case 'session_over':
        streams.wake(returned.session)
        return present.over(visitOf(request, reply, returned), returned.standing)
      case 'choosing':
        return reply.redirect(
          siteAddress(`${CONNECT}/${handleOf(returned.session)}`, returned.view, returned.attemptId),
          303,
        )
      case 'ended': {
        streams.wake(returned.session)
        const visit = visitOf(request, reply, { ...returned, standing: 'open' })
        return present.ended(visit, { ending: returned.ending, slug: returned.slug })
      }
    }
  })
}
