import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../../core/hash-secret.ts'
import { type CheckRoutingCode, isMoving, mayShowState } from '../../../core/organization-state.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { BrowserBinding } from '../../pages/browser-binding.ts'
import { type Form, readForm } from '../../pages/form.ts'
import { routingCodeOfHandle } from '../../pages/handle.ts'
import { frameOf, type OwnedPageContext, webOrigins } from '../../pages/page-response.ts'
import { parseView, readView, type Surface, serializeView, viewQuery } from '../../pages/view.ts'
import { openConnectionsPage } from '../../pages/views/connections/list.ts'
import { expiredPage, type FormTarget } from '../../pages/views/index.ts'
import type { LinkPresenter } from '../pages/link-presenter.ts'
import { readConnectionsHandle } from '../sessions/connections-handle.ts'
import { connectionsLinkStanding } from './connections-link.ts'
import { connectionsLinkStore, type StoredConnectionsLink } from './connections-link-store.ts'

/** A request for a page of a link, from the browser that the link is bound to. */
export type ConnectionsPageContext = OwnedPageContext & { handle: string; session: StoredConnectionsLink }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
type Options = {
  db: Database
  signer: Signer
  checkRoutingCode: CheckRoutingCode
  linkUrl: string
  path: string
  browsers: BrowserBinding
  present: LinkPresenter
}

const surfaceOf = ({ query }: FastifyRequest): Surface =>
  (query as Form).opener === undefined ? 'magic_link' : 'embedded'

/** Admits requests to the My connections page: the link must be valid, and belong to this browser. */
export const createConnectionsGuard = (options: Options) => {
  const { db, signer, checkRoutingCode, path, browsers, present } = options
  const ownOrigin = new URL(options.linkUrl).origin

  const contextOf = (request: FastifyRequest, reply: FastifyReply, form: Form | null) => ({
    request,
    reply,
    // Pages under the link URL send their origin with forms.
    mount: 'link' as const,
    view:
      form?.view === undefined ? readView(request.query as Form, surfaceOf(request)) : parseView(form.view),
  })

  const findContext = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: Form | null,
  ): Promise<ConnectionsPageContext | null> => {
    const { handle } = request.params as { handle: string }
    const key = readConnectionsHandle(signer, handle)
    const session = key && (await connectionsLinkStore.find(db, key))
    if (!session || !mayShowState(session.organizationState)) {
      await checkRoutingCode(routingCodeOfHandle(handle))
      return null
    }
    const context = { ...contextOf(request, reply, form), handle, base: `${path}/${handle}` }
    // Only the page that the embedding component has opened may be framed.
    const allowedOrigins = context.view.frame === null ? [] : session.allowedOrigins
    return { ...context, session, owner: { ...session, allowedOrigins } }
  }

  /** Returns the response to a request that does not depend on the browser, or null if the link is open. */
  const refuseClosed = (context: ConnectionsPageContext): Promise<unknown> | null => {
    if (isMoving(context.session.organizationState))
      return present.moving(context, context, `${context.base}${viewQuery(context.view)}`)
    if (context.session.organizationState === 'suspended')
      return present.refuse(context, 403, 'organization_suspended')
    switch (connectionsLinkStanding(context.session.facts)) {
      case 'open':
        return null
      case 'expired':
        return present.show(context, 410, expiredPage(frameOf(context), { renew: null }))
      case 'user_inactive':
        return present.refuse(context, 403, 'user_inactive')
    }
  }

  const isBoundTo = ({ session: { browserHash } }: ConnectionsPageContext, browser: string | null): boolean =>
    browser !== null && browserHash !== null && browserHash.equals(hashSecret(browser))

  /** A form that only this browser, or only this frame, can submit. */
  const formTo = (
    { request, reply, handle, base, view }: ConnectionsPageContext,
    address: string,
  ): FormTarget => ({
    action: `${base}${address}`,
    fields: {
      ...(view.frame === null
        ? { form_token: browsers.formToken(browsers.ensure(request, reply), handle) }
        : { page_token: browsers.framedToken(handle) }),
      view: serializeView(view),
    },
  })

  /** Browsers block or partition the cookies of a frame, so its address contains a key instead. */
  const visitorOf = ({ request, view }: ConnectionsPageContext): string | null =>
    view.frame ?? browsers.read(request)

  /** A GET changes nothing: mail scanners open links. Until a person has opened the page, it shows no connection. */
  const onGet =
    (respond: (context: ConnectionsPageContext) => unknown): Handler =>
    async (request, reply) => {
      const context = await findContext(request, reply, null)
      if (!context) return present.refuseAnonymous(contextOf(request, reply, null), 404, 'invalid_link')
      const closed = refuseClosed(context)
      if (closed) return closed
      const { opener } = request.query as Form
      if (opener !== undefined && !webOrigins(context.owner).includes(opener))
        return present.refuse(context, 400, 'unauthorized_origin')
      if (context.session.browserHash === null && context.view.frame === null)
        return present.show(
          context,
          200,
          openConnectionsPage(frameOf(context), { open: formTo(context, '/open') }),
        )
      return isBoundTo(context, visitorOf(context))
        ? respond(context)
        : present.refuse(context, 403, 'opened_elsewhere')
    }

  /** The form must come from a page that was shown to this browser. */
  const postingBrowser = ({ request, handle, view }: ConnectionsPageContext, form: Form): string | null => {
    const { origin } = request.headers
    if (view.frame !== null)
      return browsers.verifyFramed(request, handle, form.page_token ?? '') ? view.frame : null
    if (origin !== undefined && origin !== ownOrigin) return null
    return browsers.verify(request, handle, form.form_token ?? '')
  }

  const readPost = async (
    request: FastifyRequest,
    reply: FastifyReply,
    respond: (context: ConnectionsPageContext, browser: string) => Promise<unknown>,
  ): Promise<unknown> => {
    const form = readForm(request.body)
    const context = await findContext(request, reply, form)
    if (!context) return present.refuseAnonymous(contextOf(request, reply, form), 404, 'invalid_link')
    const closed = refuseClosed(context)
    if (closed) return closed
    const browser = postingBrowser(context, form)
    const isOther = context.session.browserHash !== null && !isBoundTo(context, browser ?? visitorOf(context))
    if (isOther) return present.refuse(context, 403, 'opened_elsewhere')
    return browser === null ? present.refuse(context, 403, 'cookies_blocked') : respond(context, browser)
  }

  const onPost =
    (respond: (context: ConnectionsPageContext) => Promise<unknown>): Handler =>
    (request, reply) =>
      readPost(request, reply, async context =>
        context.session.browserHash === null
          ? reply.redirect(`${context.base}${viewQuery(context.view)}`, 303)
          : respond(context),
      )

  /** Binds the link to the browser that posts first. */
  const onOpen: Handler = (request, reply) =>
    readPost(request, reply, async (context, browser) => {
      const bound = await connectionsLinkStore.bind(db, context.session, hashSecret(browser))
      return bound
        ? reply.redirect(`${context.base}${viewQuery(context.view)}`, 303)
        : present.refuse(context, 403, 'opened_elsewhere')
    })

  return { onGet, onPost, onOpen, formTo }
}

export type ConnectionsGuard = ReturnType<typeof createConnectionsGuard>
