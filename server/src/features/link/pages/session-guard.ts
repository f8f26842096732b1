import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { parseView, readView, viewQuery } from '../attempts/view.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import { readSessionHandle } from '../sessions/magic-link.ts'
import { readSession } from '../sessions/open-session.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { type Door, type Visit, webOrigins } from './page-response.ts'
import type { Presenter } from './presenter.ts'

export type Form = Record<string, string | undefined>
/** What a person did on a page of ours, and in which browser. */
export type Posted = { visit: Visit; browser: string; form: Form }
export type DoorOptions = { door: Door; path: string; browsers: BrowserBinding; present: Presenter }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
export type SessionGuard = {
  /** Every GET of a session's page: for a session that exists, and a frame that may show it. */
  whenOpened: (act: (visit: Visit) => unknown) => Handler
  /** Every POST: from a page that this browser was shown, for a session that is open or in one of the states named by `also`. */
  whenPosted: (act: (posted: Posted) => Promise<unknown>, options?: { also?: SessionStanding[] }) => Handler
}

/** A field that was given twice is none, and neither is what every object has by itself. */
export const readForm = (body: unknown): Form =>
  Object.assign(
    Object.create(null) as Form,
    Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => typeof value === 'string')),
  )

/** Who may look at a session's pages, and whose click counts. */
export const createSessionGuard = (
  { db, signer }: { db: Database; signer: Signer },
  { door, path, browsers, present }: DoorOptions,
): SessionGuard => {
  const findVisit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: Form | null,
  ): Promise<Visit | null> => {
    const { handle } = request.params as { handle: string }
    const key = readSessionHandle(signer, handle)
    const found = key && (await readSession(db, key))
    if (!found) return null
    const query = request.query as Form
    const opened = readView(query, door === 'connect' ? 'magic_link' : query.opener ? 'embedded' : 'hosted')
    // The third party's step is always a top-level page of this door, also for a page of the other one.
    const view = form?.view === undefined ? opened : parseView(form.view)
    return { request, reply, door, view, handle, base: `${path}/${handle}`, ...found }
  }

  const whenOpened: SessionGuard['whenOpened'] = act => async (request, reply) => {
    const visit = await findVisit(request, reply, null)
    if (!visit) {
      const view = readView(request.query as Form, 'magic_link')
      return present.turnAway({ request, reply, door, view }, 404, 'invalid_link')
    }
    // Also what is no origin at all, or was given twice: the component would wait for a page that never speaks to it.
    const { opener } = request.query as Form
    if (door === 'link' && opener !== undefined && !webOrigins(visit.session).includes(opener))
      return present.refuse(visit, 400, 'unauthorized_origin')
    return act(visit)
  }

  const whenPosted: SessionGuard['whenPosted'] =
    (act, { also = [] } = {}) =>
    async (request, reply) => {
      const form = readForm(request.body)
      const visit = await findVisit(request, reply, form)
      if (!visit) {
        const view = readView({}, 'magic_link')
        return present.turnAway({ request, reply, door, view }, 404, 'invalid_link')
      }
      const click = proveClick(visit, form)
      if (click === 'elsewhere') return reply.redirect(consentAddress(visit, form), 303)
      if (click === 'unbound') return present.refuse(visit, 403, 'cookies_blocked')
      if (visit.standing !== 'open' && !also.includes(visit.standing))
        return present.over(visit, visit.standing)
      return act({ visit, browser: click.browser, form })
    }

  /**
   * The browser in which a person clicked on our page. A page that may be framed proves it by its token and its origin; the
   * cookie is then set here, on a top-level answer. `elsewhere`: the token is one of ours, but what posts it is not.
   */
  const proveClick = (visit: Visit, form: Form): { browser: string } | 'elsewhere' | 'unbound' => {
    const { request, reply, handle } = visit
    if (form.page_token !== undefined) {
      if (!browsers.verifyFramed(request, handle, form.page_token)) return 'elsewhere'
      return { browser: door === 'connect' ? browsers.ensure(request, reply) : browsers.unbound() }
    }
    const browser = door === 'connect' ? browsers.verify(request, handle, form.form_token ?? '') : null
    return browser === null ? 'unbound' : { browser }
  }

  const consentAddress = ({ base, view }: Visit, form: Form): string =>
    `${base}${viewQuery(view, { connector: form.connector ?? null })}`

  return { whenOpened, whenPosted }
}
