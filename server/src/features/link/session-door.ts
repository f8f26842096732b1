import type { ConnectorFile } from '@carabiner/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { recordEvent } from '../events/record-event.ts'
import { attemptStore } from './attempt-store.ts'
import { hashSecret, recordEnded, startAuthorization } from './authorize.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { type Ending, wayBack } from './ending.ts'
import { readSessionHandle } from './magic-link.ts'
import { offeredConnectors, readSession, recordOpened } from './open-session.ts'
import { type Door, frameOf, type Visit, webOrigins } from './page-answer.ts'
import type { PageDeps } from './pages.ts'
import type { Presenter } from './presenter.ts'
import { sessionPage } from './session-page.ts'
import { sessionStateStore } from './session-state-store.ts'
import { submitApiKey } from './submit-api-key.ts'
import { parseView, readView, viewQuery } from './view.ts'
import * as views from './views/index.ts'
import { looksLikePerson } from './visitor.ts'

export type Form = Record<string, string | undefined>
type Posted = { visit: Visit; browser: string; form: Form }
type Options = { door: Door; path: string; browsers: BrowserBinding; present: Presenter }

const keyOf = ({ session }: Visit) => ({ organizationId: session.organization_id, sessionId: session.id })

/** A field that was given twice is none. */
const readForm = (body: unknown): Form =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => typeof value === 'string'))

/** The pages of one session, at one door. A GET decides nothing (§4.3: mail scanners open links); a person's POST goes on. */
export const sessionDoor = (app: FastifyInstance, deps: PageDeps, options: Options): void => {
  const { db, signer, connectors, streams } = deps
  const { door, path, browsers, present } = options

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

  /** The timeline is for reading later; a page is shown whether or not it can be written. */
  const note = async (visit: Visit, connector: string | null): Promise<void> => {
    const person = looksLikePerson(visit.request)
    const step = !person ? 'opened_by_scanner' : connector === null ? 'opened_by_person' : 'chosen'
    await sessionStateStore
      .note(db, keyOf(visit), step, connector)
      .catch((error: unknown) => deps.log.warn({ error }, 'a step of a link session was not noted'))
  }

  const connectorOf = (visit: Visit, slug: string | undefined): ConnectorFile | null =>
    offeredConnectors(connectors, visit.session).find(
      connector => connector.slug === (visit.session.locked_connector ?? slug),
    ) ?? null

  const showSession = (visit: Visit, slug: string | undefined, problem: views.KeyProblem | null = null) => {
    const offered = offeredConnectors(connectors, visit.session)
    const chosen = connectorOf(visit, slug)
    if (visit.session.locked_connector !== null && !chosen)
      return present.refuse(visit, 410, 'connector_gone')
    const connectUrl = door === 'connect' ? visit.base : `${deps.baseUrl}/connect/${visit.handle}`
    return present.show(
      visit,
      problem ? 422 : 200,
      sessionPage({ visit, browsers, connectUrl, offered, chosen, problem }),
    )
  }

  /** Every GET of a session's page: for a session that exists, and a frame that may show it. */
  const whenOpened =
    (act: (visit: Visit) => unknown) => async (request: FastifyRequest, reply: FastifyReply) => {
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

  /** Every POST: from a page that this browser was shown. */
  const whenPosted =
    (act: (posted: Posted) => Promise<unknown>, { also }: { also?: 'expired' } = {}) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const form = readForm(request.body)
      const visit = await findVisit(request, reply, form)
      if (!visit) {
        const view = readView({}, 'magic_link')
        return present.turnAway({ request, reply, door, view }, 404, 'invalid_link')
      }
      const click = proveClick(visit, form)
      if (click === 'elsewhere') return reply.redirect(consentAddress(visit, form), 303)
      if (click === 'unbound') return present.refuse(visit, 403, 'cookies_blocked')
      if (visit.standing !== 'open' && visit.standing !== also) return present.over(visit, visit.standing)
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

  const at = (suffix: string) => `${path}/:handle${suffix}`

  app.get(
    at(''),
    whenOpened(async visit => {
      const slug = (visit.request.query as Form).connector
      const { session, standing } = visit
      await note(visit, session.locked_connector === null ? (connectorOf(visit, slug)?.slug ?? null) : null)
      return standing === 'open' ? showSession(visit, slug) : present.over(visit, standing)
    }),
  )

  if (door === 'connect') {
    app.post(
      at('/start'),
      whenPosted(async ({ visit, browser, form }) => {
        const connector = connectorOf(visit, form.connector)
        if (connector?.authorization.type !== 'oauth2') return showSession(visit, form.connector)
        const address = await startAuthorization(deps, visit.session, connector, browser, visit.view)
        return visit.reply.redirect(address, 303)
      }),
    )
  }

  app.post(
    at('/api-key'),
    whenPosted(async ({ visit, browser, form }) => {
      const connector = connectorOf(visit, form.connector)
      if (connector?.authorization.type !== 'api_key') return showSession(visit, form.connector)
      const { session, view } = visit
      const result = await submitApiKey(deps, session, connector, form.api_key ?? '', browser, view)
      streams.wake(keyOf(visit))
      switch (result.kind) {
        case 'completed': {
          const ending: Ending = { status: 'success', code: result.code, scopes: [] }
          const seen = door === 'link' ? { seen: browser } : {}
          return present.ended(visit, { ending, slug: connector.slug, ...seen })
        }
        case 'problem':
          return showSession(visit, connector.slug, result.problem)
        case 'too_many':
          return present.refuse(visit, 429, 'too_many_requests')
        case 'session_over':
          return present.over(visit, 'used')
      }
    }),
  )

  app.post(
    at('/cancel'),
    whenPosted(async ({ visit, form }) => {
      const { session } = visit
      const ending = { status: 'exit' } as const
      const slug = connectorOf(visit, form.connector)?.slug ?? null
      await db.transaction(async tx => {
        await recordOpened(tx, session)
        await recordEnded(tx, session, ending, null)
        await sessionStateStore.note(tx, keyOf(visit), 'cancelled', slug)
      })
      return present.ended(visit, { ending, slug, unexpected: form.unexpected === '1' })
    }),
  )

  // It never mints by itself: the application is told, once an hour at most, and decides.
  app.post(
    at('/renew'),
    whenPosted(
      async ({ visit }) => {
        const { session, standing } = visit
        if (standing !== 'expired') return visit.reply.redirect(`${visit.base}${viewQuery(visit.view)}`, 303)
        await db.transaction(async tx => {
          if (!(await sessionStateStore.requestRenewal(tx, keyOf(visit)))) return
          await sessionStateStore.note(tx, keyOf(visit), 'renewal_requested', session.locked_connector)
          await recordEvent(tx, {
            organizationId: session.organization_id,
            registeredUserId: session.registered_user_id,
            type: 'link.renewal_requested',
            payload: { link_session_id: session.id, connector_slug: session.locked_connector },
          })
        })
        return present.show(visit, 200, views.renewalAskedPage(frameOf(visit)))
      },
      { also: 'expired' },
    ),
  )

  // The answer to a form has the form's address; opened again, it leads back to the page where the form stood.
  app.get(
    at('/*'),
    whenOpened(({ reply, base, view }) => reply.redirect(`${base}${viewQuery(view)}`, 303)),
  )

  app.get(
    at('/ended'),
    whenOpened(visit => {
      const { session, standing, base, view, request } = visit
      if (standing !== 'open') return present.over(visit, standing)
      const query = request.query as Form
      const slug = query.connector ?? session.locked_connector
      const connector = present.faceOf(slug ?? null)
      const reason = views.FAILURE_REASONS.find(known => known === query.reason)
      const failed = query.outcome === 'error' && reason !== undefined
      const unexpected = query.unexpected === '1'
      const more = Object.fromEntries(
        Object.entries({ outcome: query.outcome, reason: query.reason, connector: query.connector }).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      )
      // Whoever closed Link inside the application sees no page; a window of the component's has nothing to add either.
      const close = door === 'connect' ? view.surface === 'embedded' : query.closed === '1'
      const frame = frameOf(visit, close ? { close: '1' } : {}, { path: '/ended', more })
      const retryHref = `${base}${viewQuery(view, { connector: session.locked_connector === null ? (connector?.slug ?? null) : null })}`
      const ending = failed ? ({ status: 'error', reason } as const) : ({ status: 'exit' } as const)
      const backHref = wayBack(session, { ending, view, connector: connector?.slug ?? null })
      const page = failed
        ? views.failedPage(frame, { connector, reason, retryHref, backHref })
        : views.cancelledPage(frame, { connector, retryHref, backHref, unexpected })
      return present.show(visit, 200, page)
    }),
  )

  app.get(
    at('/done'),
    whenOpened(async visit => {
      const { session, standing, base, view, request } = visit
      if (standing === 'open') return visit.reply.redirect(`${base}${viewQuery(view)}`, 303)
      const connector = present.faceOf(session.connector_slug)
      const proof = door === 'connect' ? browsers.read(request) : readForm(request.query).seen
      const completed = await attemptStore.completedHere(db, keyOf(visit), hashSecret(proof ?? ''))
      const embedded = door === 'link' && view.surface === 'embedded'
      const awaited = embedded && session.status === 'code_issued'
      // Whoever else has the address learns only that the link was used; inside the application, what it was used for.
      if ((!completed && !embedded) || !connector || !(awaited || session.status === 'completed'))
        return present.over(visit, standing)
      const events = {
        events: `${base}/events`,
        done: `${base}/done${viewQuery(view)}`,
        home: `${base}${viewQuery(view)}`,
      }
      if (awaited && (await streams.read(keyOf(visit)))?.status !== 'completed')
        return present.show(visit, 200, views.awaitingPage(frameOf(visit, events), { connector }))
      const ending = { status: 'success', code: null, scopes: session.scopes ?? [] } as const
      const close = door === 'connect' && view.surface === 'embedded'
      return present.show(
        visit,
        200,
        views.connectedPage(frameOf(visit, close ? { close: '1' } : {}, { path: '/done' }), {
          connector,
          account: completed ? session.account : null,
          backHref: wayBack(session, { ending, view, connector: connector.slug }),
        }),
      )
    }),
  )
}
