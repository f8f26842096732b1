import { type ConnectorFile, describeError } from '@carabiner/contract'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashToken } from '../../core/token.ts'
import { toRefusal } from '../../edge/errors.ts'
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
import { type Ending, endingAddress } from './ending.ts'
import type { SessionStanding } from './link-session.ts'
import { linkSessionStore, type SessionRow } from './link-session-store.ts'
import { readSessionHandle, sessionHandle, verifyMagicLink } from './magic-link.ts'
import { offeredConnectors, readSession, recordOpened } from './open-session.ts'
import { frameOf, sendPage, unknownFrame } from './page-answer.ts'
import type { PageLimits } from './page-limits.ts'
import { submitApiKey } from './submit-api-key.ts'
import * as views from './views/index.ts'

type Deps = LinkDeps & { signer: Signer; limits: PageLimits; development: boolean }
type Visit = { handle: string; session: SessionRow; standing: SessionStanding }
type Form = Record<string, string | undefined>

const FORM_LIMIT = 16 * 1024

/** The pages of Link. A GET changes nothing (§4.3: mail scanners and unfurlers open links); a person's POST goes on. */
export const linkPages = (app: FastifyInstance, deps: Deps): void => {
  const { db, signer, connectors, development } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl)

  const show = (
    reply: FastifyReply,
    status: number,
    page: ReturnType<typeof views.usedPage>,
    session: SessionRow | null,
  ) => sendPage(reply, status, page, { session, development })
  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    reason: views.RefusedReason,
    session: SessionRow | null = null,
  ) =>
    show(
      reply,
      status,
      views.refusedPage(session ? frameOf(request, session) : unknownFrame(request), { reason }),
      session,
    )

  const visit = async (request: FastifyRequest): Promise<Visit | null> => {
    const { handle } = request.params as { handle: string }
    const key = readSessionHandle(signer, handle)
    const found = key && (await readSession(db, key))
    return found && { handle, ...found }
  }
  const faceOf = (slug: string | null): views.ConnectorFace | null => {
    const connector = slug === null ? null : connectors.find(slug)
    return connector && face(connector)
  }

  /** Why a session does not go on; the person is told what became of their data. */
  const showOver = (
    request: FastifyRequest,
    reply: FastifyReply,
    session: SessionRow,
    standing: Exclude<SessionStanding, 'open'>,
  ) => {
    const frame = frameOf(request, session)
    switch (standing) {
      case 'used':
        return show(reply, 410, views.usedPage(frame, { connector: faceOf(session.connector_slug) }), session)
      case 'expired':
        return show(reply, 410, views.expiredPage(frame), session)
      case 'user_inactive':
        return refuse(request, reply, 403, 'user_inactive', session)
      case 'unauthorized_origin':
        return refuse(request, reply, 400, 'unauthorized_origin', session)
    }
  }

  /** Where an attempt that ended sends the browser: the application's callback, its app, or a page of ours. */
  const showEnding = (
    request: FastifyRequest,
    reply: FastifyReply,
    session: SessionRow,
    ending: Ending,
    slug: string | null,
    unexpected = false,
  ) => {
    const address = endingAddress(session, ending)
    if (address.kind === 'redirect') return reply.redirect(address.href, 303)
    if (address.kind === 'app') {
      const model = { outcome: address.status, connector: faceOf(slug), href: address.href }
      return show(reply, 200, views.returnToAppPage(frameOf(request, session), model), session)
    }
    const base = `/connect/${sessionHandle(signer, { organizationId: session.organization_id, sessionId: session.id })}`
    if (ending.status === 'success') return reply.redirect(`${base}/done`, 303)
    const query = new URLSearchParams({
      outcome: ending.status,
      ...(ending.status === 'error' && { reason: ending.reason }),
      ...(slug && { connector: slug }),
      ...(unexpected && { unexpected: '1' }),
    })
    return reply.redirect(`${base}/ended?${query.toString()}`, 303)
  }

  const showSession = (
    request: FastifyRequest,
    reply: FastifyReply,
    { handle, session }: Visit,
    problem: views.KeyProblem | null = null,
  ) => {
    const offered = offeredConnectors(connectors, session)
    const wanted =
      session.locked_connector ??
      (request.query as Form).connector ??
      (request.body as Form | undefined)?.connector
    const connector = offered.find(({ slug }) => slug === wanted)
    const formToken = browsers.formToken(browsers.ensure(request, reply), handle)
    const target = (action: string, slug?: string) => ({
      action: `/connect/${handle}/${action}`,
      fields: { form_token: formToken, ...(slug && { connector: slug }) },
    })
    const frame = frameOf(request, session)
    if (!connector) {
      if (session.locked_connector !== null) return refuse(request, reply, 503, 'unavailable', session)
      return show(
        reply,
        200,
        views.pickerPage(frame, {
          connectors: offered.map(file => ({
            ...face(file),
            connected: session.linked_connectors.includes(file.slug),
          })),
          chooseHref: slug => `/connect/${handle}?connector=${slug}`,
          cancel: target('cancel'),
        }),
        session,
      )
    }
    const backHref = session.locked_connector === null ? `/connect/${handle}` : null
    const cancel = target('cancel', connector.slug)
    if (connector.authorization.type === 'oauth2') {
      const permissions = connector.authorization.scopes.map(({ title, detail }) => ({
        title,
        detail: detail ?? null,
      }))
      const model = {
        connector: face(connector),
        permissions,
        alreadyConnectedAs: null,
        start: target('start', connector.slug),
        cancel,
        backHref,
      }
      return show(reply, 200, views.consentPage(frame, model), session)
    }
    const { label, hint, placeholder, help_url } = connector.authorization
    const model = {
      connector: face(connector),
      fields: [
        {
          name: 'api_key',
          label,
          hint: hint ?? null,
          placeholder: placeholder ?? null,
          secret: true,
          value: null,
        },
      ],
      helpUrl: help_url ?? null,
      problem,
      submit: target('api-key', connector.slug),
      cancel,
      backHref,
    }
    return show(reply, problem ? 422 : 200, views.apiKeyPage(frame, model), session)
  }

  /** Every POST: limited, from a page that this browser was shown, and for a session that is still open. */
  const whenPosted =
    (
      act: (
        request: FastifyRequest,
        reply: FastifyReply,
        visit: Visit,
        browser: string,
        form: Form,
      ) => Promise<unknown>,
    ) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const found = await visit(request)
      if (!found) return refuse(request, reply, 404, 'invalid_link')
      const form = (request.body ?? {}) as Form
      const browser = browsers.verify(request, found.handle, form.form_token ?? '')
      if (!browser) return refuse(request, reply, 403, 'cookies_blocked', found.session)
      if (found.standing !== 'open') return showOver(request, reply, found.session, found.standing)
      return act(request, reply, found, browser, form)
    }

  void app.register(formbody, { bodyLimit: FORM_LIMIT })
  app.addHook('onRequest', async (request, reply) => {
    const wait = await deps.limits.take(request.ip, request.method === 'POST')
    if (wait === null) return
    reply.header('retry-after', String(wait))
    return refuse(request, reply, 429, 'too_many_requests')
  })

  // A person sees a page, whatever went wrong; the details are in the log, under the reference the page shows.
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = toRefusal(error)
    if (refusal.code === 'unavailable') {
      reply.header('retry-after', String(refusal.retryAfterSeconds ?? 1))
      return refuse(request, reply, 503, 'unavailable')
    }
    const { status } = describeError(refusal.code)
    if (status < 500) return refuse(request, reply, status, 'invalid_link')
    deps.log.error({ request_id: request.id, route: request.routeOptions.url, error }, 'unexpected error')
    const failure = { connector: null, reason: 'internal', retryHref: null } as const
    return show(reply, status, views.failedPage(unknownFrame(request), failure), null)
  })

  app.get('/magic-link/:opaque', async (request, reply) => {
    const token = verifyMagicLink(signer, (request.params as { opaque: string }).opaque)
    const session = token && (await linkSessionStore.findByMagicLink(db, hashToken(token)))
    if (!session) return refuse(request, reply, 404, 'invalid_link')
    const handle = sessionHandle(signer, { organizationId: session.organization_id, sessionId: session.id })
    // The token does not stay in the address bar, the history or a referrer.
    return reply.redirect(`/connect/${handle}`, 303)
  })

  app.get('/connect/:handle', async (request, reply) => {
    const found = await visit(request)
    if (!found) return refuse(request, reply, 404, 'invalid_link')
    return found.standing === 'open'
      ? showSession(request, reply, found)
      : showOver(request, reply, found.session, found.standing)
  })

  app.post(
    '/connect/:handle/start',
    whenPosted(async (request, reply, found, browser, form) => {
      const connector = offeredConnectors(connectors, found.session).find(
        ({ slug }) => slug === form.connector,
      )
      if (connector?.authorization.type !== 'oauth2') return showSession(request, reply, found)
      return reply.redirect(await startAuthorization(deps, found.session, connector, browser), 303)
    }),
  )

  app.post(
    '/connect/:handle/api-key',
    whenPosted(async (request, reply, found, browser, form) => {
      const { session } = found
      const connector = offeredConnectors(connectors, session).find(({ slug }) => slug === form.connector)
      if (connector?.authorization.type !== 'api_key') return showSession(request, reply, found)
      const result = await submitApiKey(deps, session, connector, form.api_key ?? '', browser)
      switch (result.kind) {
        case 'completed':
          return showEnding(request, reply, session, { status: 'success', code: result.code }, connector.slug)
        case 'problem':
          return showSession(request, reply, found, result.problem)
        case 'too_many':
          return refuse(request, reply, 429, 'too_many_requests', session)
        case 'session_over':
          return showOver(request, reply, session, 'used')
      }
    }),
  )

  app.post(
    '/connect/:handle/cancel',
    whenPosted(async (request, reply, { session }, _browser, form) => {
      const ending = { status: 'exit' } as const
      await db.transaction(async tx => {
        await recordOpened(tx, session)
        await recordEnded(tx, session, ending, null)
      })
      return showEnding(
        request,
        reply,
        session,
        ending,
        form.connector ?? session.locked_connector,
        form.unexpected === '1',
      )
    }),
  )

  app.get('/connect/:handle/ended', async (request, reply) => {
    const found = await visit(request)
    if (!found) return refuse(request, reply, 404, 'invalid_link')
    const { session, standing, handle } = found
    if (standing !== 'open') return showOver(request, reply, session, standing)
    const query = request.query as Form
    const connector = faceOf(query.connector ?? session.locked_connector)
    const frame = frameOf(request, session)
    const retryHref = `/connect/${handle}${query.connector && session.locked_connector === null ? `?connector=${query.connector}` : ''}`
    const reason = views.FAILURE_REASONS.find(known => known === query.reason)
    if (query.outcome === 'error' && reason)
      return show(reply, 200, views.failedPage(frame, { connector, reason, retryHref }), session)
    return show(
      reply,
      200,
      views.cancelledPage(frame, { connector, retryHref, unexpected: query.unexpected === '1' }),
      session,
    )
  })

  app.get('/connect/:handle/done', async (request, reply) => {
    const found = await visit(request)
    if (!found) return refuse(request, reply, 404, 'invalid_link')
    const { session, standing, handle } = found
    if (standing === 'open') return reply.redirect(`/connect/${handle}`, 303)
    const key = { organizationId: session.organization_id, sessionId: session.id }
    const completed = await attemptStore.completedHere(db, key, hashSecret(browsers.read(request) ?? ''))
    const connector = faceOf(session.connector_slug)
    // Whoever else has the address learns only that the link was used.
    if (!completed || !connector || session.status !== 'completed')
      return showOver(request, reply, session, standing)
    return show(
      reply,
      200,
      views.connectedPage(frameOf(request, session), { connector, account: session.account, appHref: null }),
      session,
    )
  })

  app.get('/oauth/callback/:context', async (request, reply) => {
    const parameters = new URLSearchParams(request.url.split('?')[1] ?? '')
    const { context } = request.params as { context: string }
    const returned = await finishFromCallback(deps, { context, parameters, browser: browsers.read(request) })
    switch (returned.kind) {
      case 'unknown':
        return show(
          reply,
          400,
          views.failedPage(unknownFrame(request), {
            connector: null,
            reason: 'invalid_state',
            retryHref: null,
          }),
          null,
        )
      case 'other_browser':
        return refuse(request, reply, 403, 'other_browser')
      case 'session_over':
        return showOver(request, reply, returned.session, returned.standing)
      case 'ended':
        return showEnding(request, reply, returned.session, returned.ending, returned.connector.slug)
    }
  })
}

const face = ({ slug, name, summary, authorization }: ConnectorFile): views.ConnectorFace => ({
  slug,
  name,
  summary,
  method: authorization.type === 'oauth2' ? 'oauth' : 'api_key',
})
