import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, respellToken } from '../../core/token.ts'
import type { Signer } from '../../platform/vault.ts'
import { attemptStore } from './attempt-store.ts'
import {
  finishFromCallback,
  hashSecret,
  type LinkDeps,
  recordEnded,
  startAuthorization,
} from './authorize.ts'
import { createBrowserBinding } from './browser-binding.ts'
import type { SessionStanding } from './link-session.ts'
import { linkSessionStore, type SessionRow } from './link-session-store.ts'
import { readSessionHandle, sessionHandle, verifyMagicLink } from './magic-link.ts'
import { offeredConnectors, readSession, recordOpened } from './open-session.ts'
import { frameOf, unknownFrame } from './page-answer.ts'
import type { PageLimits } from './page-limits.ts'
import { createPresenter } from './presenter.ts'
import { sessionPage } from './session-page.ts'
import { submitApiKey } from './submit-api-key.ts'
import * as views from './views/index.ts'

type Deps = LinkDeps & { signer: Signer; limits: PageLimits; development: boolean }
type Visit = { handle: string; session: SessionRow; standing: SessionStanding }
type Form = Record<string, string | undefined>
type Posted = { request: FastifyRequest; reply: FastifyReply; visit: Visit; browser: string; form: Form }

const FORM_LIMIT = 16 * 1024

/** The pages of Link. A GET changes nothing (§4.3: mail scanners and unfurlers open links); a person's POST goes on. */
export const linkPages = (app: FastifyInstance, deps: Deps): void => {
  const { db, signer, connectors } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl)
  const present = createPresenter(deps)

  const findVisit = async (request: FastifyRequest): Promise<Visit | null> => {
    const { handle } = request.params as { handle: string }
    const key = readSessionHandle(signer, handle)
    const found = key && (await readSession(db, key))
    return found && { handle, ...found }
  }

  const showSession = (
    request: FastifyRequest,
    reply: FastifyReply,
    { handle, session }: Visit,
    slug: string | undefined,
    problem: views.KeyProblem | null = null,
  ) => {
    const offered = offeredConnectors(connectors, session)
    const chosen = offered.find(connector => connector.slug === (session.locked_connector ?? slug)) ?? null
    if (session.locked_connector !== null && !chosen)
      return present.refuse(request, reply, 410, 'connector_gone', session)
    const formToken = browsers.formToken(browsers.ensure(request, reply), handle)
    const page = sessionPage({
      frame: frameOf(request, session),
      session,
      handle,
      formToken,
      offered,
      chosen,
      problem,
    })
    return present.show(reply, problem ? 422 : 200, page, session)
  }

  /** Every GET of a session's page: for a session that exists. */
  const whenOpened =
    (act: (request: FastifyRequest, reply: FastifyReply, visit: Visit) => unknown) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const visit = await findVisit(request)
      return visit ? act(request, reply, visit) : present.refuse(request, reply, 404, 'invalid_link')
    }

  /** Every POST: from a page that this browser was shown, and for a session that is still open. */
  const whenPosted = (act: (posted: Posted) => Promise<unknown>) =>
    whenOpened(async (request, reply, visit) => {
      const form = readForm(request.body)
      const browser = browsers.verify(request, visit.handle, form.form_token ?? '')
      if (!browser) return present.refuse(request, reply, 403, 'cookies_blocked', visit.session)
      if (visit.standing !== 'open') return present.over(request, reply, visit.session, visit.standing)
      return act({ request, reply, visit, browser, form })
    })

  void app.register(formbody, { bodyLimit: FORM_LIMIT })
  app.setErrorHandler(async (error, request, reply) => present.failed(error, request, reply))
  app.addHook('onRequest', async (request, reply) => {
    const wait = await deps.limits.take(request.ip, request.method === 'POST')
    if (wait === null) return
    reply.header('retry-after', String(wait))
    return present.refuse(request, reply, 429, 'too_many_requests')
  })

  app.get('/magic-link/:opaque', async (request, reply) => {
    const token = verifyMagicLink(signer, (request.params as { opaque: string }).opaque)
    const session =
      token &&
      (await linkSessionStore.findBySecret(db, hashToken(respellToken(token, 'magicLink', 'linkToken'))))
    if (!session) return present.refuse(request, reply, 404, 'invalid_link')
    const handle = sessionHandle(signer, { organizationId: session.organization_id, sessionId: session.id })
    // The token does not stay in the address bar, the history or a referrer.
    return reply.redirect(`/connect/${handle}`, 303)
  })

  app.get(
    '/connect/:handle',
    whenOpened((request, reply, visit) =>
      visit.standing === 'open'
        ? showSession(request, reply, visit, (request.query as Form).connector)
        : present.over(request, reply, visit.session, visit.standing),
    ),
  )

  app.post(
    '/connect/:handle/start',
    whenPosted(async ({ request, reply, visit, browser, form }) => {
      const connector = offeredConnectors(connectors, visit.session).find(
        ({ slug }) => slug === form.connector,
      )
      if (connector?.authorization.type !== 'oauth2')
        return showSession(request, reply, visit, form.connector)
      return reply.redirect(await startAuthorization(deps, visit.session, connector, browser), 303)
    }),
  )

  app.post(
    '/connect/:handle/api-key',
    whenPosted(async ({ request, reply, visit, browser, form }) => {
      const { session } = visit
      const connector = offeredConnectors(connectors, session).find(({ slug }) => slug === form.connector)
      if (connector?.authorization.type !== 'api_key')
        return showSession(request, reply, visit, form.connector)
      const result = await submitApiKey(deps, session, connector, form.api_key ?? '', browser)
      switch (result.kind) {
        case 'completed':
          return present.ended(
            request,
            reply,
            session,
            { status: 'success', code: result.code },
            connector.slug,
          )
        case 'problem':
          return showSession(request, reply, visit, connector.slug, result.problem)
        case 'too_many':
          return present.refuse(request, reply, 429, 'too_many_requests', session)
        case 'session_over':
          return present.over(request, reply, session, 'used')
      }
    }),
  )

  app.post(
    '/connect/:handle/cancel',
    whenPosted(async ({ request, reply, visit: { session }, form }) => {
      const ending = { status: 'exit' } as const
      await db.transaction(async tx => {
        await recordOpened(tx, session)
        await recordEnded(tx, session, ending, null)
      })
      return present.ended(
        request,
        reply,
        session,
        ending,
        form.connector ?? session.locked_connector,
        form.unexpected === '1',
      )
    }),
  )

  // The answer to a form has the form's address; opened again, it leads back to the page where the form stood.
  app.get(
    '/connect/:handle/*',
    whenOpened((_request, reply, { handle }) => reply.redirect(`/connect/${handle}`, 303)),
  )

  app.get(
    '/connect/:handle/ended',
    whenOpened((request, reply, { session, standing, handle }) => {
      if (standing !== 'open') return present.over(request, reply, session, standing)
      const query = request.query as Form
      const connector = present.faceOf(query.connector ?? session.locked_connector)
      const frame = frameOf(request, session)
      const retryHref = `/connect/${handle}${connector && session.locked_connector === null ? `?connector=${connector.slug}` : ''}`
      const reason = views.FAILURE_REASONS.find(known => known === query.reason)
      const page =
        query.outcome === 'error' && reason
          ? views.failedPage(frame, { connector, reason, retryHref })
          : views.cancelledPage(frame, { connector, retryHref, unexpected: query.unexpected === '1' })
      return present.show(reply, 200, page, session)
    }),
  )

  app.get(
    '/connect/:handle/done',
    whenOpened(async (request, reply, { session, standing, handle }) => {
      if (standing === 'open') return reply.redirect(`/connect/${handle}`, 303)
      const key = { organizationId: session.organization_id, sessionId: session.id }
      const completed = await attemptStore.completedHere(db, key, hashSecret(browsers.read(request) ?? ''))
      const connector = present.faceOf(session.connector_slug)
      // Whoever else has the address learns only that the link was used.
      if (!completed || !connector || session.status !== 'completed')
        return present.over(request, reply, session, standing)
      const page = views.connectedPage(frameOf(request, session), {
        connector,
        account: session.account,
        appHref: null,
      })
      return present.show(reply, 200, page, session)
    }),
  )

  // No HEAD: this one address finishes what the person began.
  app.get('/oauth/callback/:context', { exposeHeadRoute: false }, async (request, reply) => {
    const parameters = new URLSearchParams(request.url.split('?')[1] ?? '')
    const { context } = request.params as { context: string }
    const returned = await finishFromCallback(deps, { context, parameters, browser: browsers.read(request) })
    switch (returned.kind) {
      case 'unknown': {
        const model = { connector: null, reason: 'invalid_state', retryHref: null } as const
        return present.show(reply, 400, views.failedPage(unknownFrame(request), model), null)
      }
      case 'other_browser':
        return present.refuse(request, reply, 403, 'other_browser')
      case 'returned_before':
        return reply.redirect(`/connect/${sessionHandle(signer, returned.key)}/done`, 303)
      case 'session_over':
        return present.over(request, reply, returned.session, returned.standing)
      case 'ended':
        return present.ended(request, reply, returned.session, returned.ending, returned.connector.slug)
    }
  })
}

/** A field that was given twice is none. */
const readForm = (body: unknown): Form =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => typeof value === 'string'))
