import type { FastifyInstance } from 'fastify'
import { attemptStore } from '../attempts/attempt-store.ts'
import { wayBack } from '../attempts/ending.ts'
import { viewQuery } from '../attempts/view.ts'
import { hashSecret } from '../sessions/hash-secret.ts'
import { keyOf } from '../sessions/link-session-store.ts'
import { sessionHandle } from '../sessions/magic-link.ts'
import { offersAnother, startSuccessor } from '../sessions/start-successor.ts'
import * as views from '../views/index.ts'
import { frameOf } from './page-response.ts'
import type { PageDeps } from './pages.ts'
import { type DoorOptions, type Form, readForm, type SessionGuard } from './session-guard.ts'
import { formTarget } from './session-page.ts'

/** What a person sees after an attempt, at an address of its own: it can be loaded again without doing anything again. */
export const endingPages = (
  app: FastifyInstance,
  { db, streams, connectors, signer }: PageDeps,
  { door, path, browsers, present }: DoorOptions,
  { whenOpened, whenPosted }: SessionGuard,
): void => {
  const at = (suffix: string) => `${path}/:handle${suffix}`

  app.get(
    at('/ended'),
    whenOpened(async visit => {
      const { session, standing, base, view, request } = visit
      if (standing !== 'open') return present.over(visit, standing)
      const query = request.query as Form
      const slug = query.connector ?? session.locked_connector
      const connector = await present.faceOf(visit, slug ?? null)
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
      const connector = await present.faceOf(visit, session.connector_slug)
      const query = readForm(request.query)
      const proof = door === 'connect' ? browsers.read(request) : query.seen
      const completed = await attemptStore.completedHere(db, keyOf(visit.session), hashSecret(proof ?? ''))
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
      if (awaited && (await streams.read(keyOf(visit.session)))?.status !== 'completed')
        return present.show(visit, 200, views.awaitingPage(frameOf(visit, events), { connector }))
      const ending = { status: 'success', code: null, scopes: session.scopes ?? [] } as const
      const close = door === 'connect' && view.surface === 'embedded'
      // The component watches the session that it opened; the page reports a successor's result, once.
      const isNews = embedded && session.successor_of !== null && query.news === '1'
      const result = { Connector: session.connector_slug, scopes: session.scopes ?? [] }
      const data = {
        ...(close && { close: '1' as const }),
        ...(isNews && { result: JSON.stringify(result) }),
      }
      const seen = door === 'link' && query.seen !== undefined ? { seen: query.seen } : {}
      const offered = completed && !close && (await offersAnother(connectors, session))
      const another = offered ? formTarget(browsers, visit, `${base}/another`) : null
      return present.show(
        visit,
        200,
        views.connectedPage(frameOf(visit, data, { path: '/done', more: seen }), {
          connector,
          account: completed ? session.account : null,
          backHref: wayBack(session, { ending, view, connector: connector.slug }),
          another: another && { ...another, fields: { ...another.fields, ...seen } },
        }),
      )
    }),
  )

  app.post(
    at('/another'),
    whenPosted(
      async ({ visit, browser, form }) => {
        const { session, standing, base, view, reply } = visit
        if (standing === 'open') return reply.redirect(`${base}${viewQuery(view)}`, 303)
        const proof = door === 'connect' ? browser : (form.seen ?? '')
        const completed = await attemptStore.completedHere(db, keyOf(session), hashSecret(proof))
        const successor = completed && (await startSuccessor(db, session))
        if (!successor) return present.over(visit, standing)
        return reply.redirect(`${path}/${sessionHandle(signer, successor)}${viewQuery(view)}`, 303)
      },
      { also: ['used'] },
    ),
  )
}
