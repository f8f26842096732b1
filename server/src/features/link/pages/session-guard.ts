import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CheckRoutingCode, isMoving, mayShowState } from '../../../core/organization-state.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { BrowserBinding } from '../../pages/browser-binding.ts'
import { type Form, readForm } from '../../pages/form.ts'
import { routingCodeOfHandle } from '../../pages/handle.ts'
import { type Mount, webOrigins } from '../../pages/page-response.ts'
import { parseView, readView, viewQuery } from '../../pages/view.ts'
import { type SessionStanding, sessionStanding } from '../sessions/link-session.ts'
import { linkSessionStore } from '../sessions/link-session-store.ts'
import { readSessionHandle } from '../sessions/magic-link.ts'
import type { LinkPresenter } from './link-presenter.ts'
import type { SessionPageContext } from './session-context.ts'

/** A verified form submission and the browser that sent it. */
export type PostedForm = { context: SessionPageContext; browser: string; form: Form }
export type MountOptions = { mount: Mount; path: string; browsers: BrowserBinding; present: LinkPresenter }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
export type SessionGuard = {
  /** Handles a GET of a session's page: the session must exist, and the opener must be allowed. */
  onGet: (respond: (context: SessionPageContext) => unknown) => Handler
  /**
   * Handles a POST: it must come from a page shown to this browser, and the session must be open or in one of the
   * `alsoAllowed` states.
   */
  onPost: (
    respond: (post: PostedForm) => Promise<unknown>,
    options?: { alsoAllowed?: SessionStanding[] },
  ) => Handler
}

export const createSessionGuard = (
  { db, signer, checkRoutingCode }: { db: Database; signer: Signer; checkRoutingCode: CheckRoutingCode },
  { mount, path, browsers, present }: MountOptions,
): SessionGuard => {
  const findContext = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: Form | null,
  ): Promise<SessionPageContext | null> => {
    const { handle } = request.params as { handle: string }
    const key = readSessionHandle(signer, handle)
    const session = key && (await linkSessionStore.find(db, key))
    if (!session || !mayShowState(session.organizationState)) {
      await checkRoutingCode(routingCodeOfHandle(handle))
      return null
    }
    const query = request.query as Form
    const opened = readView(query, mount === 'connect' ? 'magic_link' : query.opener ? 'embedded' : 'hosted')
    // The step to the provider is always a top-level page under `connect`, even if it was started from a `link` page.
    const view = form?.view === undefined ? opened : parseView(form.view)
    return {
      request,
      reply,
      mount,
      view,
      handle,
      base: `${path}/${handle}`,
      owner: session,
      session,
      standing: sessionStanding(session.facts),
    }
  }

  const onGet: SessionGuard['onGet'] = respond => async (request, reply) => {
    const context = await findContext(request, reply, null)
    if (!context) {
      const view = readView(request.query as Form, 'magic_link')
      return present.refuseAnonymous({ request, reply, mount, view }, 404, 'invalid_link')
    }
    if (isMoving(context.session.organizationState)) return present.moving(context, context)
    if (context.session.organizationState === 'suspended')
      return present.refuse(context, 403, 'organization_suspended')
    // Also rejects malformed and repeated values: the component would wait for messages that never arrive.
    const { opener } = request.query as Form
    if (mount === 'link' && opener !== undefined && !webOrigins(context.session).includes(opener))
      return present.refuse(context, 400, 'unauthorized_origin')
    return respond(context)
  }

  const onPost: SessionGuard['onPost'] =
    (respond, { alsoAllowed = [] } = {}) =>
    async (request, reply) => {
      const form = readForm(request.body)
      const context = await findContext(request, reply, form)
      if (!context) {
        const view = readView({}, 'magic_link')
        return present.refuseAnonymous({ request, reply, mount, view }, 404, 'invalid_link')
      }
      // The form is not repeated; the session's page is loaded instead.
      if (isMoving(context.session.organizationState))
        return present.moving(context, context, `${context.base}${viewQuery(context.view)}`)
      if (context.session.organizationState === 'suspended')
        return present.refuse(context, 403, 'organization_suspended')
      const verified = verifyPost(context, form)
      if (verified === 'foreign_page') return reply.redirect(consentAddress(context, form), 303)
      if (verified === 'no_cookie') return present.refuse(context, 403, 'cookies_blocked')
      if (context.standing !== 'open' && !alsoAllowed.includes(context.standing))
        return present.sessionClosed(context, context.standing)
      return respond({ context, browser: verified.browser, form })
    }

  /**
   * Identifies the browser that posted the form. A page that may be framed proves itself by its page token and the Origin
   * header; the cookie is set in this top-level response. `foreign_page`: the token is valid, but the request comes from
   * another origin.
   */
  const verifyPost = (
    context: SessionPageContext,
    form: Form,
  ): { browser: string } | 'foreign_page' | 'no_cookie' => {
    const { request, reply, handle } = context
    if (form.page_token !== undefined) {
      if (!browsers.verifyFramed(request, handle, form.page_token)) return 'foreign_page'
      return { browser: mount === 'connect' ? browsers.ensure(request, reply) : browsers.unbound() }
    }
    const browser = mount === 'connect' ? browsers.verify(request, handle, form.form_token ?? '') : null
    return browser === null ? 'no_cookie' : { browser }
  }

  const consentAddress = ({ base, view }: SessionPageContext, form: Form): string =>
    `${base}${viewQuery(view, { connector: form.connector ?? null })}`

  return { onGet, onPost }
}
