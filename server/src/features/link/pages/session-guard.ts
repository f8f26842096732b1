import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CheckRoutingCode, isMoving, mayShowState } from '../../../core/organization-state.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { parseView, readView, viewQuery } from '../attempts/view.ts'
import { routingCodeOfHandle } from '../sessions/handle.ts'
import { type SessionStanding, sessionStanding } from '../sessions/link-session.ts'
import { linkSessionStore } from '../sessions/link-session-store.ts'
import { readSessionHandle } from '../sessions/magic-link.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { type Mount, type Visit, webOrigins } from './page-response.ts'
import type { Presenter } from './presenter.ts'

export type Form = Record<string, string | undefined>
/** A verified form submission and the browser that sent it. */
export type PostedForm = { visit: Visit; browser: string; form: Form }
export type MountOptions = { mount: Mount; path: string; browsers: BrowserBinding; present: Presenter }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
export type SessionGuard = {
  /** Handles a GET of a session's page: the session must exist, and the opener must be allowed. */
  onGet: (respond: (visit: Visit) => unknown) => Handler
  /**
   * Handles a POST: it must come from a page shown to this browser, and the session must be open or in one of the
   * `alsoAllowed` states.
   */
  onPost: (
    respond: (post: PostedForm) => Promise<unknown>,
    options?: { alsoAllowed?: SessionStanding[] },
  ) => Handler
}

/** Repeated fields are dropped, and the null prototype keeps names such as `constructor` from resolving. */
export const readForm = (body: unknown): Form =>
  Object.assign(
    Object.create(null) as Form,
    Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => typeof value === 'string')),
  )

export const createSessionGuard = (
  { db, signer, checkRoutingCode }: { db: Database; signer: Signer; checkRoutingCode: CheckRoutingCode },
  { mount, path, browsers, present }: MountOptions,
): SessionGuard => {
  const findVisit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: Form | null,
  ): Promise<Visit | null> => {
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
      session,
      standing: sessionStanding(session.facts),
    }
  }

  const onGet: SessionGuard['onGet'] = respond => async (request, reply) => {
    const visit = await findVisit(request, reply, null)
    if (!visit) {
      const view = readView(request.query as Form, 'magic_link')
      return present.refuseAnonymous({ request, reply, mount, view }, 404, 'invalid_link')
    }
    if (isMoving(visit.session.organizationState)) return present.moving(visit, visit)
    if (visit.session.organizationState === 'suspended')
      return present.refuse(visit, 403, 'organization_suspended')
    // Also rejects malformed and repeated values: the component would wait for messages that never arrive.
    const { opener } = request.query as Form
    if (mount === 'link' && opener !== undefined && !webOrigins(visit.session).includes(opener))
      return present.refuse(visit, 400, 'unauthorized_origin')
    return respond(visit)
  }

  const onPost: SessionGuard['onPost'] =
    (respond, { alsoAllowed = [] } = {}) =>
    async (request, reply) => {
      const form = readForm(request.body)
      const visit = await findVisit(request, reply, form)
      if (!visit) {
        const view = readView({}, 'magic_link')
        return present.refuseAnonymous({ request, reply, mount, view }, 404, 'invalid_link')
      }
      // The form is not repeated; the session's page is loaded instead.
      if (isMoving(visit.session.organizationState))
        return present.moving(visit, visit, `${visit.base}${viewQuery(visit.view)}`)
      if (visit.session.organizationState === 'suspended')
        return present.refuse(visit, 403, 'organization_suspended')
      const verified = verifyPost(visit, form)
      if (verified === 'foreign_page') return reply.redirect(consentAddress(visit, form), 303)
      if (verified === 'no_cookie') return present.refuse(visit, 403, 'cookies_blocked')
      if (visit.standing !== 'open' && !alsoAllowed.includes(visit.standing))
        return present.sessionClosed(visit, visit.standing)
      return respond({ visit, browser: verified.browser, form })
    }

  /**
   * Identifies the browser that posted the form. A page that may be framed proves itself by its page token and the Origin
   * header; the cookie is set in this top-level response. `foreign_page`: the token is valid, but the request comes from
   * another origin.
   */
  const verifyPost = (visit: Visit, form: Form): { browser: string } | 'foreign_page' | 'no_cookie' => {
    const { request, reply, handle } = visit
    if (form.page_token !== undefined) {
      if (!browsers.verifyFramed(request, handle, form.page_token)) return 'foreign_page'
      return { browser: mount === 'connect' ? browsers.ensure(request, reply) : browsers.unbound() }
    }
    const browser = mount === 'connect' ? browsers.verify(request, handle, form.form_token ?? '') : null
    return browser === null ? 'no_cookie' : { browser }
  }

  const consentAddress = ({ base, view }: Visit, form: Form): string =>
    `${base}${viewQuery(view, { connector: form.connector ?? null })}`

  return { onGet, onPost }
}
