import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CheckRoutingCode, isMoving, mayShowState } from '../../../core/organization-state.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { parseView, readView, type Surface, serializeView, viewQuery } from '../attempts/view.ts'
import type { BrowserBinding } from '../pages/browser-binding.ts'
import { frameOf, type OwnedVisit, webOrigins } from '../pages/page-response.ts'
import type { Presenter } from '../pages/presenter.ts'
import { type Form, readForm } from '../pages/session-guard.ts'
import { readConnectionsHandle } from '../sessions/connections-handle.ts'
import { routingCodeOfHandle } from '../sessions/handle.ts'
import { hashSecret } from '../sessions/hash-secret.ts'
import { openConnectionsPage } from '../views/connections/list.ts'
import { expiredPage, type FormTarget } from '../views/index.ts'
import { connectionsLinkStanding } from './connections-link.ts'
import { connectionsLinkStore, type StoredConnectionsLink } from './connections-link-store.ts'

/** A request for a page of a link, from the browser that the link is bound to. */
export type ConnectionsVisit = OwnedVisit & { handle: string; session: StoredConnectionsLink }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
type Options = {
  db: Database
  signer: Signer
  checkRoutingCode: CheckRoutingCode
  linkUrl: string
  path: string
  browsers: BrowserBinding
  present: Presenter
}

const surfaceOf = ({ query }: FastifyRequest): Surface =>
  (query as Form).opener === undefined ? 'magic_link' : 'embedded'

/** Admits requests to the page My connections: the link must be valid, and belong to this browser. */
export const createConnectionsGuard = (options: Options) => {
  const { db, signer, checkRoutingCode, path, browsers, present } = options
  const ownOrigin = new URL(options.linkUrl).origin

  const anonymousVisit = (request: FastifyRequest, reply: FastifyReply, form: Form | null) => ({
    request,
    reply,
    // Pages under the link URL send their origin with forms.
    mount: 'link' as const,
    view:
      form?.view === undefined ? readView(request.query as Form, surfaceOf(request)) : parseView(form.view),
  })

  const findVisit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: Form | null,
  ): Promise<ConnectionsVisit | null> => {
    const { handle } = request.params as { handle: string }
    const key = readConnectionsHandle(signer, handle)
    const session = key && (await connectionsLinkStore.find(db, key))
    if (!session || !mayShowState(session.organizationState)) {
      await checkRoutingCode(routingCodeOfHandle(handle))
      return null
    }
    const visit = { ...anonymousVisit(request, reply, form), handle, base: `${path}/${handle}` }
    // Only the page that the embedding component has opened may be framed.
    const allowedOrigins = visit.view.frame === null ? [] : session.allowedOrigins
    return { ...visit, session: { ...session, allowedOrigins } }
  }

  /** Returns the response to a request that does not depend on the browser, or null if the link is open. */
  const refuseClosed = (visit: ConnectionsVisit): Promise<unknown> | null => {
    if (isMoving(visit.session.organizationState))
      return present.moving(visit, visit, `${visit.base}${viewQuery(visit.view)}`)
    if (visit.session.organizationState === 'suspended')
      return present.refuse(visit, 403, 'organization_suspended')
    switch (connectionsLinkStanding(visit.session.facts)) {
      case 'open':
        return null
      case 'expired':
        return present.show(visit, 410, expiredPage(frameOf(visit), { renew: null }))
      case 'user_inactive':
        return present.refuse(visit, 403, 'user_inactive')
    }
  }

  const isBoundTo = ({ session: { browserHash } }: ConnectionsVisit, browser: string | null): boolean =>
    browser !== null && browserHash !== null && browserHash.equals(hashSecret(browser))

  /** A form that only this browser, or only this frame, can submit. */
  const formTo = ({ request, reply, handle, base, view }: ConnectionsVisit, address: string): FormTarget => ({
    action: `${base}${address}`,
    fields: {
      ...(view.frame === null
        ? { form_token: browsers.formToken(browsers.ensure(request, reply), handle) }
        : { page_token: browsers.framedToken(handle) }),
      view: serializeView(view),
    },
  })

  /** Browsers block or partition the cookies of a frame, so its address contains a key instead. */
  const visitorOf = ({ request, view }: ConnectionsVisit): string | null =>
    view.frame ?? browsers.read(request)

  /** A GET changes nothing: mail scanners open links. Until a person has opened the page, it shows no connection. */
  const onGet =
    (respond: (visit: ConnectionsVisit) => unknown): Handler =>
    async (request, reply) => {
      const visit = await findVisit(request, reply, null)
      if (!visit) return present.refuseAnonymous(anonymousVisit(request, reply, null), 404, 'invalid_link')
      const closed = refuseClosed(visit)
      if (closed) return closed
      const { opener } = request.query as Form
      if (opener !== undefined && !webOrigins(visit.session).includes(opener))
        return present.refuse(visit, 400, 'unauthorized_origin')
      if (visit.session.browserHash === null && visit.view.frame === null)
        return present.show(visit, 200, openConnectionsPage(frameOf(visit), { open: formTo(visit, '/open') }))
      return isBoundTo(visit, visitorOf(visit))
        ? respond(visit)
        : present.refuse(visit, 403, 'opened_elsewhere')
    }

  /** The form must come from a page that was shown to this browser. */
  const postingBrowser = ({ request, handle, view }: ConnectionsVisit, form: Form): string | null => {
    const { origin } = request.headers
    if (view.frame !== null)
      return browsers.verifyFramed(request, handle, form.page_token ?? '') ? view.frame : null
    if (origin !== undefined && origin !== ownOrigin) return null
    return browsers.verify(request, handle, form.form_token ?? '')
  }

  const readPost = async (
    request: FastifyRequest,
    reply: FastifyReply,
    respond: (visit: ConnectionsVisit, browser: string) => Promise<unknown>,
  ): Promise<unknown> => {
    const form = readForm(request.body)
    const visit = await findVisit(request, reply, form)
    if (!visit) return present.refuseAnonymous(anonymousVisit(request, reply, form), 404, 'invalid_link')
    const closed = refuseClosed(visit)
    if (closed) return closed
    const browser = postingBrowser(visit, form)
    const isOther = visit.session.browserHash !== null && !isBoundTo(visit, browser ?? visitorOf(visit))
    if (isOther) return present.refuse(visit, 403, 'opened_elsewhere')
    return browser === null ? present.refuse(visit, 403, 'cookies_blocked') : respond(visit, browser)
  }

  const onPost =
    (respond: (visit: ConnectionsVisit) => Promise<unknown>): Handler =>
    (request, reply) =>
      readPost(request, reply, async visit =>
        visit.session.browserHash === null
          ? reply.redirect(`${visit.base}${viewQuery(visit.view)}`, 303)
          : respond(visit),
      )

  /** Binds the link to the browser that posts first. */
  const onOpen: Handler = (request, reply) =>
    readPost(request, reply, async (visit, browser) => {
      const bound = await connectionsLinkStore.bind(db, visit.session, hashSecret(browser))
      return bound
        ? reply.redirect(`${visit.base}${viewQuery(visit.view)}`, 303)
        : present.refuse(visit, 403, 'opened_elsewhere')
    })

  return { onGet, onPost, onOpen, formTo }
}

export type ConnectionsGuard = ReturnType<typeof createConnectionsGuard>
