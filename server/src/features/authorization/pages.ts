import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MODES } from '../../core/mode.ts'
import { isServedOrSuspended } from '../../core/organization-state.ts'
import { Refusal } from '../../core/refusal.ts'
import { readOrganizationHandle, routingCode } from '../../core/token.ts'
import { readView, viewQuery } from '../link/attempts/view.ts'
import { createBrowserBinding } from '../link/pages/browser-binding.ts'
import type { PageDeps } from '../link/pages/page-deps.ts'
import { frameOf, type OwnedVisit } from '../link/pages/page-response.ts'
import { createPresenter } from '../link/pages/presenter.ts'
import { type Form, readForm } from '../link/pages/session-guard.ts'
import { isAppCallback } from '../link/sessions/callback-url.ts'
import { hashSecret } from '../link/sessions/hash-secret.ts'
import type { FormTarget } from '../link/views/index.ts'
import { backToClientPage, signInPage } from '../link/views/sign-in.ts'
import { redirectHost } from './clients/redirect-uri.ts'
import { continueSignIn } from './requests/approve-sign-in.ts'
import { beginSignIn } from './requests/begin-sign-in.ts'
import { decide } from './requests/decide.ts'
import { finishSignIn } from './requests/finish-sign-in.ts'
import { type RequestKey, requestStore, type StoredRequest } from './requests/request-store.ts'
import { readRequestHandle, requestHandle } from './requests/sign-in-secrets.ts'
import { SIGN_IN_PATH } from './settings/sign-in-addresses.ts'

const MAX_FORM_BYTES = 16 * 1024

/** The pages that a person sees while signing in: they are never framed, and work without a script. */
export const signInPages = (app: FastifyInstance, deps: PageDeps): void => {
  const { db, signer, log } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl, deps.linkUrl)
  const present = createPresenter({ ...deps, browsers })
  const anonymousVisit = (request: FastifyRequest, reply: FastifyReply) => ({
    request,
    reply,
    mount: 'connect' as const,
    view: readView((request.query ?? {}) as Form, 'magic_link'),
  })

  void app.register(formbody, { bodyLimit: MAX_FORM_BYTES })
  app.setErrorHandler(async (error, request, reply) => present.failed(error, anonymousVisit(request, reply)))
  app.addHook('onRequest', async (request, reply) => {
    const wait = await deps.limits.take(request.ip, request.method === 'POST' ? 'post' : 'view')
    if (wait === null) return
    reply.header('retry-after', String(wait))
    return present.refuseAnonymous(anonymousVisit(request, reply), 429, 'too_many_requests')
  })

  const at = (path: string) => `${SIGN_IN_PATH}/:organization${path}`
  const pathOf = ({ params }: FastifyRequest): string =>
    `${SIGN_IN_PATH}/${(params as { organization: string }).organization}`
  const refuse = async (request: FastifyRequest, reply: FastifyReply, status = 400) => {
    const { organization } = request.params as { organization: string }
    const organizationId = readOrganizationHandle(organization)
    if (organizationId !== null) await deps.checkRoutingCode(routingCode(organizationId))
    return present.refuseAnonymous(anonymousVisit(request, reply), status, 'sign_in_invalid')
  }

  // No HEAD route, because a request stores a row.
  app.get(at('/authorize'), { exposeHeadRoute: false }, async (request, reply) => {
    const organizationId = organizationOf(request)
    const browser = browsers.ensure(request, reply)
    const begun = await beginSignIn(deps, organizationId, queryOf(request), browser)
    if (begun.kind === 'redirect') return reply.redirect(begun.href, 303)
    log.info({ request_id: request.id, reason: begun.why }, 'an authorization request was rejected')
    return refuse(request, reply)
  })

  for (const mode of MODES)
    app.get(at(`/callback/${mode}`), { exposeHeadRoute: false }, async (request, reply) => {
      const finished = await finishSignIn(deps, {
        organizationId: organizationOf(request),
        mode,
        parameters: queryOf(request),
        browser: browsers.read(request),
      })
      switch (finished.kind) {
        case 'identified':
          return reply.redirect(`${pathOf(request)}/requests/${requestHandle(signer, finished.key)}`, 303)
        case 'redirect':
          return reply.redirect(finished.href, 303)
        case 'other_browser':
          return present.refuseAnonymous(anonymousVisit(request, reply), 403, 'other_browser')
        case 'not_allowed':
          return present.refuse(visitOf(request, reply, finished.request), 403, 'sign_in_not_allowed')
        case 'invalid':
          return refuse(request, reply)
      }
    })

  // The link of the application. No HEAD route, because a request uses it up.
  app.get(at('/continue/:request/:token'), { exposeHeadRoute: false }, async (request, reply) => {
    const { request: handle, token } = request.params as { request: string; token: string }
    const key = readRequestHandle(signer, handle)
    if (key?.organizationId !== organizationOf(request)) return refuse(request, reply, 404)
    return (await continueSignIn(db, key, token, browsers.read(request)))
      ? reply.redirect(`${pathOf(request)}/requests/${handle}`, 303)
      : present.refuseAnonymous(anonymousVisit(request, reply), 403, 'other_browser')
  })

  const visitOf = (request: FastifyRequest, reply: FastifyReply, session: StoredRequest): OwnedVisit => ({
    ...anonymousVisit(request, reply),
    base: `${pathOf(request)}/requests/${requestHandle(signer, session)}`,
    session,
  })

  /** The request that the address names, if this browser has started it. */
  const findRequest = async (request: FastifyRequest): Promise<StoredRequest | null> => {
    const key = readRequestHandle(signer, (request.params as { request: string }).request)
    const found = key?.organizationId === organizationOf(request) ? await requestStore.find(db, key) : null
    const browser = browsers.read(request)
    const isOwn = found !== null && browser !== null && hashSecret(browser).equals(found.browserHash)
    return isOwn && !found.expired && isServedOrSuspended(found.organizationState) ? found : null
  }

  app.get(at('/requests/:request'), async (request, reply) => {
    const found = await findRequest(request)
    if (!found || found.registeredUserId === null) return refuse(request, reply, 404)
    const visit = visitOf(request, reply, found)
    if (found.organizationState === 'suspended') return present.refuse(visit, 403, 'organization_suspended')
    if (!found.userActive || found.packName === null) return present.refuse(visit, 403, 'sign_in_not_allowed')
    const isWeb = found.redirectUri.startsWith('https:')
    const model = {
      client: { name: nameOf(found), host: isWeb ? redirectHost(found.redirectUri) : null },
      packName: found.packName,
      allow: formTo(visit, found, '/allow'),
      deny: formTo(visit, found, '/deny'),
    }
    return present.show(visit, 200, signInPage(frameOf(visit), model))
  })

  const formTo = ({ request, reply, base, view }: OwnedVisit, key: RequestKey, path: string): FormTarget => ({
    action: `${base}${path}${viewQuery(view)}`,
    fields: {
      form_token: browsers.formToken(browsers.ensure(request, reply), requestHandle(signer, key)),
    },
  })

  for (const decision of ['allow', 'deny'] as const)
    app.post(at(`/requests/:request/${decision}`), async (request, reply) => {
      const { request: handle } = request.params as { request: string }
      const key = readRequestHandle(signer, handle)
      const browser = browsers.verify(request, handle, readForm(request.body).form_token ?? '')
      if (!key || key.organizationId !== organizationOf(request) || browser === null)
        return refuse(request, reply, 403)
      const found = await findRequest(request)
      const isAllowed = decision === 'allow'
      const href = found && (await decide(deps, key, browser, isAllowed))
      if (!href) return refuse(request, reply, 410)
      if (!isAppCallback(href)) return reply.redirect(href, 303)
      const visit = visitOf(request, reply, found)
      const model = { clientName: nameOf(found), isAllowed, href }
      // The request has ended, so the page cannot be opened again in another language.
      const frame = { ...frameOf(visit), languages: [] }
      return present.show(visit, 200, backToClientPage(frame, model))
    })
}

const nameOf = ({ clientName, redirectUri }: StoredRequest): string => clientName || redirectHost(redirectUri)

const organizationOf = ({ params }: FastifyRequest): string => {
  const organizationId = readOrganizationHandle((params as { organization: string }).organization)
  if (organizationId === null) throw new Refusal('not_found')
  return organizationId
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams => {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}
