import type { FastifyInstance } from 'fastify'
import { hashSecret } from '../../../core/hash-secret.ts'
import { type Form, readForm } from '../../pages/form.ts'
import { frameOf } from '../../pages/page-response.ts'
import { viewQuery } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { attemptStore } from '../attempts/attempt-store.ts'
import { type Ending, returnAddress } from '../attempts/ending.ts'
import { readConnectionsHandle } from '../sessions/connections-handle.ts'
import { successorRefusal } from '../sessions/link-session.ts'
import { keyOf } from '../sessions/link-session-store.ts'
import { sessionHandle } from '../sessions/magic-link.ts'
import { offersAnother, startSuccessor } from '../sessions/start-successor.ts'
import type { PageDeps } from './page-deps.ts'
import type { SessionPageContext } from './session-context.ts'
import { type MountOptions, type SessionGuard } from './session-guard.ts'
import { formTarget } from './session-page.ts'

/** The pages shown after an attempt. They have their own addresses, so that reloading them repeats nothing. */
export const endingPages = (
  app: FastifyInstance,
  { db, streams, connectors, signer, linkUrl }: PageDeps,
  { mount, path, browsers, present }: MountOptions,
  { onGet, onPost }: SessionGuard,
): void => {
  const at = (suffix: string) => `${path}/:handle${suffix}`

  /** A person who came from the My connections page returns to it. */
  const backLink = (
    { session, view }: SessionPageContext,
    ending: Ending,
    connector: string | null,
  ): views.BackLink | null => {
    const origin = view.connections === null ? null : readConnectionsHandle(signer, view.connections)
    if (origin?.organizationId === session.organizationId)
      return {
        to: 'connections',
        href: `${linkUrl}/connections/${view.connections}${viewQuery(view, { connections: null })}`,
      }
    const href = returnAddress(session, { ending, view, connector })
    return href === null ? null : { to: 'application', href }
  }

  app.get(
    at('/ended'),
    onGet(async context => {
      const { session, standing, base, view, request } = context
      if (standing !== 'open') return present.sessionClosed(context, standing)
      const query = request.query as Form
      const slug = query.connector ?? session.lockedConnector
      const connector = await present.displayOf(context, slug ?? null)
      const reason = views.FAILURE_REASONS.find(known => known === query.reason)
      const failed = query.outcome === 'error' && reason !== undefined
      const unexpected = query.unexpected === '1'
      const more = Object.fromEntries(
        Object.entries({ outcome: query.outcome, reason: query.reason, connector: query.connector }).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      )
      // If the person closed the embedded Link, or the window was opened by the component, the page only closes itself.
      const close = mount === 'connect' ? view.surface === 'embedded' : query.closed === '1'
      const frame = frameOf(context, close ? { close: '1' } : {}, { path: '/ended', more })
      const retryHref = `${base}${viewQuery(view, { connector: session.lockedConnector === null ? (connector?.slug ?? null) : null })}`
      const ending = failed ? ({ status: 'error', reason } as const) : ({ status: 'exit' } as const)
      const back = backLink(context, ending, connector?.slug ?? null)
      const page = failed
        ? views.failedPage(frame, { connector, reason, retryHref, back })
        : views.cancelledPage(frame, { connector, retryHref, back, unexpected })
      return present.show(context, 200, page)
    }),
  )

  app.get(
    at('/done'),
    onGet(async context => {
      const { session, standing, base, view, request } = context
      if (standing === 'open') return context.reply.redirect(`${base}${viewQuery(view)}`, 303)
      const { progress } = session
      if (progress.status !== 'completed' && progress.status !== 'code_issued')
        return present.sessionClosed(context, standing)
      const { grant } = progress
      const connector = await present.displayOf(context, grant.connectorSlug)
      const query = readForm(request.query)
      const proof = mount === 'connect' ? browsers.read(request) : query.seen
      const completed = await attemptStore.completedBy(db, keyOf(context.session), hashSecret(proof ?? ''))
      const embedded = mount === 'link' && view.surface === 'embedded'
      const awaited = embedded && progress.status === 'code_issued'
      // Anyone else who opens the address learns only that the link was used. An embedded page also shows what was
      // connected.
      if ((!completed && !embedded) || !connector || !(awaited || progress.status === 'completed'))
        return present.sessionClosed(context, standing)
      const events = {
        events: `${base}/events`,
        done: `${base}/done${viewQuery(view)}`,
        home: `${base}${viewQuery(view)}`,
      }
      if (awaited && (await streams.read(keyOf(context.session)))?.status !== 'completed')
        return present.show(context, 200, views.awaitingPage(frameOf(context, events), { connector }))
      const ending = { status: 'success', code: null, scopes: grant.scopes } as const
      const close = mount === 'connect' && view.surface === 'embedded'
      // The component subscribes only to the session that it opened, so the page reports the result of a successor, once.
      const reportsResult = embedded && session.successorOf !== null && query.news === '1'
      const result = { Connector: grant.connectorSlug, scopes: grant.scopes }
      const data = {
        ...(close && { close: '1' as const }),
        ...(reportsResult && { result: JSON.stringify(result) }),
      }
      const seen = mount === 'link' && query.seen !== undefined ? { seen: query.seen } : {}
      const offered = completed && !close && (await offersAnother(connectors, session))
      const another = offered ? formTarget(browsers, context, `${base}/another`) : null
      return present.show(
        context,
        200,
        views.connectedPage(frameOf(context, data, { path: '/done', more: seen }), {
          connector,
          account: completed ? grant.account : null,
          back: backLink(context, ending, connector.slug),
          another: another && { ...another, fields: { ...another.fields, ...seen } },
        }),
      )
    }),
  )

  app.post(
    at('/another'),
    onPost(
      async ({ context, browser, form }) => {
        const { session, standing, base, view, reply } = context
        if (standing === 'open') return reply.redirect(`${base}${viewQuery(view)}`, 303)
        const proof = mount === 'connect' ? browser : (form.seen ?? '')
        const completed = await attemptStore.completedBy(db, keyOf(session), hashSecret(proof))
        const successor = completed && (await startSuccessor(db, session))
        if (!successor) return present.sessionClosed(context, successorRefusal(session.facts))
        return reply.redirect(`${path}/${sessionHandle(signer, successor)}${viewQuery(view)}`, 303)
      },
      { alsoAllowed: ['used'] },
    ),
  )
}
