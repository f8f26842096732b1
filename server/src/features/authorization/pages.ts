import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../core/addresses/network.ts'
import { hashSecret } from '../../core/hash-secret.ts'
import { MODES, type Mode } from '../../core/mode.ts'
import { type CheckRoutingCode, isServedOrSuspended } from '../../core/organization-state.ts'
import { Refusal } from '../../core/refusal.ts'
import { readOrganizationHandle, routingCode } from '../../core/token.ts'
import { isAppCallback } from '../organizations/callback-origin.ts'
import { createBrowserBinding } from '../pages/browser-binding.ts'
import { type Form, readForm } from '../pages/form.ts'
import type { PageLimits } from '../pages/page-limits.ts'
import { frameOf, type OwnedPageContext } from '../pages/page-response.ts'
import { createPresenter, type PresenterDeps } from '../pages/presenter.ts'
import { readView, viewQuery } from '../pages/view.ts'
import type { FormTarget, RefusedClient, RefusedReason } from '../pages/views/index.ts'
import { backToClientPage, signInPage } from '../pages/views/sign-in.ts'
import { redirectHost } from './clients/redirect-uri.ts'
import { continueSignIn } from './requests/approve-sign-in.ts'
import { beginSignIn, type SignInDeps, type WayBack } from './requests/begin-sign-in.ts'
import { decide } from './requests/decide-consent.ts'
import { finishSignIn } from './requests/finish-sign-in.ts'
import { REJECTIONS } from './requests/rejection.ts'
import { type RequestKey, requestStore, type StoredRequest } from './requests/request-store.ts'
import { readRequestHandle, requestHandle } from './requests/sign-in-secrets.ts'
import { SIGN_IN_PATH } from './settings/sign-in-addresses.ts'

const MAX_FORM_BYTES = 16 * 1024
const BUSY_RETRY_SECONDS = 10

/**
 * A sign-in of another feature, which returns to the same address, because organizations register one per mode. Returns null unless `state`
 * is its own.
 */
export type OtherSignIn = (returned: {
  organizationId: string
  mode: Mode
  parameters: URLSearchParams
  browser: string | null
}) => Promise<{ href: string } | { refused: RefusedReason } | null>

type Deps = SignInDeps &
  PresenterDeps & {
    limits: PageLimits
    linkUrl: string
    checkRoutingCode: CheckRoutingCode
    otherSignIn: OtherSignIn
  }

/** The pages that a person sees while signing in: they are never framed, and work without a script. */
export const signInPages = (app: FastifyInstance, deps: Deps): void => {
  const { db, signer, log } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl, deps.linkUrl)
  const present = createPresenter(deps)
  const contextOf = (request: FastifyRequest, reply: FastifyReply) => ({
    request,
    reply,
    mount: 'connect' as const,
    view: readView((request.query ?? {}) as Form, 'magic_link'),
  })

  void app.register(formbody, { bodyLimit: MAX_FORM_BYTES })
  app.setErrorHandler(async (error, request, reply) => present.failed(error, contextOf(request, reply)))
  app.addHook('onRequest', async (request, reply) => {
    const wait = await deps.limits.take(request.ip, request.method === 'POST' ? 'post' : 'view')
    return wait === null ? undefined : refuseBusy(request, reply, wait)
  })

  const at = (path: string) => `${SIGN_IN_PATH}/:organization${path}`
  const pathOf = ({ params }: FastifyRequest): string =>
    `${SIGN_IN_PATH}/${(params as { organization: string }).organization}`
  const refuse = async (
    request: FastifyRequest,
    reply: FastifyReply,
    status = 400,
    client: RefusedClient | null = null,
  ) => {
    const { organization } = request.params as { organization: string }
    const organizationId = readOrganizationHandle(organization)
    if (organizationId !== null) await deps.checkRoutingCode(routingCode(organizationId))
    return present.refuseAnonymous(contextOf(request, reply), status, 'sign_in_invalid', client)
  }
  const refuseBusy = (request: FastifyRequest, reply: FastifyReply, waitSeconds: number) => {
    reply.header('retry-after', String(waitSeconds))
    return present.refuseAnonymous(contextOf(request, reply), 429, 'too_many_requests')
  }
  const requestPath = (request: FastifyRequest, key: RequestKey): string =>
    `${pathOf(request)}/requests/${requestHandle(signer, key)}`

  // No HEAD route, because a request stores a row.
  app.get(at('/authorize'), { exposeHeadRoute: false }, async (request, reply) => {
    const organizationId = organizationOf(request)
    const browser = browsers.ensure(request, reply)
    const network = networkOf(request.ip)
    const begun = await beginSignIn(deps, { organizationId, parameters: queryOf(request), browser, network })
    switch (begun.kind) {
      case 'redirect':
        return reply.redirect(begun.href, 303)
      case 'rejected':
        return reply.redirect(requestPath(request, begun.key), 303)
      case 'off':
        return refuse(request, reply, 404)
      case 'busy':
        return refuseBusy(request, reply, BUSY_RETRY_SECONDS)
      case 'invalid':
        log.info({ request_id: request.id, reason: begun.why }, 'an authorization request was rejected')
        return refuse(request, reply, 400, begun.back && backTo(begun.back))
    }
  })

  for (const mode of MODES)
    app.get(at(`/callback/${mode}`), { exposeHeadRoute: false }, async (request, reply) => {
      const returned = {
        organizationId: organizationOf(request),
        mode,
        parameters: queryOf(request),
        browser: browsers.read(request),
      }
      const other = await deps.otherSignIn(returned)
      if (other)
        return 'href' in other
          ? reply.redirect(other.href, 303)
          : present.refuseAnonymous(contextOf(request, reply), 403, other.refused)
      const finished = await finishSignIn(deps, returned)
      switch (finished.kind) {
        case 'returned':
          return reply.redirect(requestPath(request, finished.key), 303)
        case 'other_browser':
          return present.refuseAnonymous(contextOf(request, reply), 403, 'other_browser')
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
      : present.refuseAnonymous(contextOf(request, reply), 403, 'other_browser')
  })

  const ownedContextOf = (
    request: FastifyRequest,
    reply: FastifyReply,
    owner: StoredRequest,
  ): OwnedPageContext => ({
    ...contextOf(request, reply),
    base: requestPath(request, owner),
    owner,
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
    const rejection = found && rejectionOf(found)
    if (!found || (!rejection && found.registeredUserId === null)) return refuse(request, reply, 404)
    const context = ownedContextOf(request, reply, found)
    if (found.organizationState === 'suspended') return present.refuse(context, 403, 'organization_suspended')
    const deny = formTo(context, found, '/deny')
    const client = shownClient(found.clientName, found.redirectUri)
    if (rejection) {
      // The page shows the ID of this request.
      log.info(
        { request_id: request.id, organization_id: found.organizationId, reason: rejection },
        'a person was shown why the sign-in was rejected',
      )
      return present.refuse(context, 403, REJECTIONS[rejection].page, { ...client, back: deny })
    }
    const model = {
      client,
      packName: found.packName ?? '',
      allow: formTo(context, found, '/allow'),
      deny,
    }
    return present.show(context, 200, signInPage(frameOf(context), model))
  })

  const formTo = (
    { request, reply, base, view }: OwnedPageContext,
    key: RequestKey,
    path: string,
  ): FormTarget => ({
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
      const rejection = found && rejectionOf(found)
      const href = found && (await decide(deps, key, browser, { isAllowed, rejection }))
      if (!href) return refuse(request, reply, 410)
      if (!isAppCallback(href)) return reply.redirect(href, 303)
      const context = ownedContextOf(request, reply, found)
      const outcome = rejection ? 'error' : isAllowed ? 'success' : 'exit'
      const model = {
        clientName: shownClient(found.clientName, found.redirectUri).name,
        outcome,
        href,
      } as const
      // The request has ended, so the page cannot be opened again in another language.
      const frame = { ...frameOf(context), languages: [] }
      return present.show(context, 200, backToClientPage(frame, model))
    })
}

/** Why the person cannot continue. The user or the pack may have been removed since the person signed in. */
const rejectionOf = ({ rejection, registeredUserId, userActive, packName }: StoredRequest) =>
  rejection ?? (registeredUserId !== null && (!userActive || packName === null) ? 'user_inactive' : null)

/** A client on the person's device has no host to show. */
const shownClient = (name: string, redirectUri: string): { name: string; host: string | null } => ({
  name: name || redirectHost(redirectUri),
  host: redirectUri.startsWith('https:') ? redirectHost(redirectUri) : null,
})

const backTo = ({ client, redirectUri, href }: WayBack): RefusedClient => ({
  ...shownClient(client.name, redirectUri),
  back: { href },
})

const organizationOf = ({ params }: FastifyRequest): string => {
  const organizationId = readOrganizationHandle((params as { organization: string }).organization)
  if (organizationId === null) throw new Refusal('not_found')
  return organizationId
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams => {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}
