import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, respellToken } from '../../../core/token.ts'
import { createBrowserBinding } from '../../pages/browser-binding.ts'
import type { Form } from '../../pages/form.ts'
import { type Mount, sendPage, unknownFrame } from '../../pages/page-response.ts'
import { readView, type View, viewQuery } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { finishFromCallback } from '../attempts/authorize.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import { routingCodeOfLink, sessionHandle, verifyMagicLink } from '../sessions/magic-link.ts'
import { readSessionForPage } from '../sessions/open-session.ts'
import { accountAddress, accountPages } from './account-pages.ts'
import { endingPages } from './ending-pages.ts'
import { hostedLink } from './hosted-link.ts'
import { createLinkPresenter } from './link-presenter.ts'
import type { PageDeps } from './page-deps.ts'
import { previewPages } from './preview-pages.ts'
import type { SessionPageContext } from './session-context.ts'
import { createSessionGuard, type MountOptions } from './session-guard.ts'
import { sessionRoutes } from './session-routes.ts'
import { siteAddress, sitePages } from './site-pages.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Called by scripts: errors are JSON as in the API, and the rate limit is higher. */
    forScripts?: boolean
  }
}

/** Larger than any accepted key, so that an oversized value is reported as an invalid key instead of a failed request. */
const MAX_FORM_BYTES = 256 * 1024
const CONNECT = '/connect'

/** The pages of Link: magic links and the OAuth redirect under `{base_url}`, embedded and hosted pages under `{link_url}`. */
export const linkPages = (app: FastifyInstance, deps: PageDeps): void => {
  const { db, signer, streams } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl, deps.linkUrl)
  const present = createLinkPresenter({ ...deps, browsers })
  const linkPath = new URL(deps.linkUrl).pathname.replace(/\/$/, '')
  const mountOf = (request: FastifyRequest): Mount =>
    request.routeOptions.url?.startsWith(`${linkPath}/s/`) ? 'link' : 'connect'
  const contextOf = (request: FastifyRequest, reply: FastifyReply, view?: View) => ({
    request,
    reply,
    mount: mountOf(request),
    view: view ?? readView((request.query ?? {}) as Form, 'magic_link'),
  })

  void app.register(formbody, { bodyLimit: MAX_FORM_BYTES })
  app.setErrorHandler(async (error, request, reply) => present.failed(error, contextOf(request, reply)))
  app.addHook('onRequest', async (request, reply) => {
    const { forScripts = false } = request.routeOptions.config
    const use = forScripts ? 'script' : request.method === 'POST' ? 'post' : 'view'
    const wait = await deps.limits.take(request.ip, use)
    if (wait === null) return
    if (forScripts) throw new Refusal('rate_limited', { retryAfterSeconds: wait })
    reply.header('retry-after', String(wait))
    return present.refuseAnonymous(contextOf(request, reply), 429, 'too_many_requests')
  })

  const mounts: MountOptions[] = [
    { mount: 'connect', path: CONNECT, browsers, present },
    { mount: 'link', path: `${linkPath}/s`, browsers, present },
  ]
  for (const options of mounts) {
    const guard = createSessionGuard(deps, options)
    sessionRoutes(app, deps, options, guard)
    endingPages(app, deps, options, guard)
    accountPages(app, deps, options, guard)
    if (options.mount === 'connect') sitePages(app, deps, options, guard)
  }
  hostedLink(app, deps, linkPath)
  previewPages(app, deps, linkPath)

  app.get('/magic-link/:opaque', async (request, reply) => {
    const { opaque } = request.params as { opaque: string }
    const token = verifyMagicLink(signer, opaque)
    const found =
      token && (await readSessionForPage(db, hashToken(respellToken(token, 'magicLink', 'linkToken'))))
    const anonymous = contextOf(request, reply)
    if (!found) {
      await deps.checkRoutingCode(routingCodeOfLink(opaque))
      return present.refuseAnonymous(anonymous, 404, 'invalid_link')
    }
    if (found.session.organizationState === 'suspended')
      return present.refuse(
        ownedContextOf(request, reply, { ...found, view: anonymous.view }),
        403,
        'organization_suspended',
      )
    // The redirect keeps the token out of the address bar, the history and the Referer header.
    return reply.redirect(`${CONNECT}/${handleOf(found.session)}${viewQuery(anonymous.view)}`, 303)
  })

  const handleOf = (session: StoredSession): string => sessionHandle(signer, keyOf(session))

  const ownedContextOf = (
    request: FastifyRequest,
    reply: FastifyReply,
    found: { session: StoredSession; view: View; standing: SessionStanding },
  ): SessionPageContext => {
    const handle = handleOf(found.session)
    return {
      request,
      reply,
      mount: 'connect',
      handle,
      base: `${CONNECT}/${handle}`,
      owner: found.session,
      ...found,
    }
  }

  // No HEAD route, because a request to this address completes the authorization.
  app.get('/oauth/callback/:context', { exposeHeadRoute: false }, async (request, reply) => {
    const parameters = new URLSearchParams(request.url.split('?')[1] ?? '')
    const { context: oauthContext } = request.params as { context: string }
    const result = await finishFromCallback(deps, {
      context: oauthContext,
      parameters,
      browser: browsers.read(request),
    })
    const anonymous = contextOf(request, reply, readView({}, 'magic_link'))
    switch (result.kind) {
      case 'unknown': {
        const model = { connector: null, reason: 'invalid_state', retryHref: null, back: null } as const
        return sendPage(anonymous, 400, views.failedPage(unknownFrame(anonymous), model), null, deps)
      }
      case 'other_browser':
        return present.refuseAnonymous(anonymous, 403, 'other_browser')
      case 'returned_before':
        return reply.redirect(
          `${CONNECT}/${sessionHandle(signer, result.key)}/done${viewQuery(result.view)}`,
          303,
        )
      case 'session_over':
        streams.wake(result.session)
        return present.sessionClosed(ownedContextOf(request, reply, result), result.standing)
      case 'choosing': {
        const base = `${CONNECT}/${handleOf(result.session)}`
        const { view, attemptId } = result
        return reply.redirect(
          result.choice === 'site'
            ? siteAddress(base, view, attemptId)
            : accountAddress(base, view, attemptId, null),
          303,
        )
      }
      case 'ended': {
        streams.wake(result.session)
        const context = ownedContextOf(request, reply, { ...result, standing: 'open' })
        return present.ended(context, { ending: result.ending, slug: result.slug })
      }
    }
  })
}
