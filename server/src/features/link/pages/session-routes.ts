import { formMethod, signInMethod } from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import type { UsableConnector } from '../../connectors/availability.ts'
import { knownTools } from '../../connectors/mcp-servers/known-tools.ts'
import { healthOfAccount } from '../../credentials/read-credentials.ts'
import { type Form, readForm } from '../../pages/form.ts'
import { frameOf, translatorFor } from '../../pages/page-response.ts'
import { viewQuery } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { startAuthorization } from '../attempts/authorize.ts'
import { cancelSession } from '../attempts/cancel-session.ts'
import type { Ending } from '../attempts/ending.ts'
import { readFields } from '../attempts/read-fields.ts'
import { recordEnded } from '../attempts/record-ended.ts'
import { submitForm } from '../attempts/submit-form.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import { offeredConnectors } from '../sessions/open-session.ts'
import { reconnectReason } from '../sessions/reconnect-reason.ts'
import { requestRenewal } from '../sessions/request-renewal.ts'
import { sessionStateStore } from '../sessions/session-state-store.ts'
import { accountAddress, browserOf } from './account-pages.ts'
import type { PageDeps } from './page-deps.ts'
import { usesSignIn } from './product.ts'
import { isSameServer } from './server-binding.ts'
import type { SessionPageContext } from './session-context.ts'
import { type MountOptions, type SessionGuard } from './session-guard.ts'
import { sessionPage } from './session-page.ts'
import { looksLikePerson } from './user-agent.ts'

/**
 * The routes of one session under one mount. A GET request never changes the session (§4.3: mail scanners open links); only
 * a person's POST does.
 */
export const sessionRoutes = (
  app: FastifyInstance,
  deps: PageDeps,
  { mount, path, browsers, present }: MountOptions,
  { onGet, onPost }: SessionGuard,
): void => {
  const { db, connectors, streams } = deps

  /** Recording a step is best effort: the page is shown even if it fails. */
  const recordStep = async (context: SessionPageContext, connector: string | null): Promise<void> => {
    const person = looksLikePerson(context.request)
    const step = !person ? 'opened_by_scanner' : connector === null ? 'opened_by_person' : 'chosen'
    await sessionStateStore
      .recordStep(db, keyOf(context.session), step, connector)
      .catch((error: unknown) => deps.log.warn({ error }, 'failed to record a step of a link session'))
  }

  type Choice = { offered: UsableConnector[]; chosen: UsableConnector | null }

  const choiceOf = async ({ session }: SessionPageContext, slug: string | undefined): Promise<Choice> => {
    const offered = await offeredConnectors(connectors, session)
    const wanted = session.lockedConnector ?? slug
    return { offered, chosen: offered.find(connector => connector.slug === wanted) ?? null }
  }

  /** A link that adds an account is not about those that exist. */
  const reasonOf = async (session: StoredSession, { slug }: UsableConnector) => {
    if (session.accountChoice === 'add') return null
    const health = await healthOfAccount(deps, session, { slug, credentialId: session.credentialId })
    return health && reconnectReason(health)
  }

  type SessionPageOptions = {
    method?: string | undefined
    problem?: views.KeyProblem
    invalidField?: string | undefined
    form?: Form
  }

  const showSession = async (
    context: SessionPageContext,
    { offered, chosen }: Choice,
    { method, problem, invalidField, form = readForm({}) }: SessionPageOptions = {},
  ) => {
    const { session } = context
    if (session.lockedConnector !== null && !chosen) return present.refuse(context, 410, 'connector_gone')
    const connectUrl = mount === 'connect' ? context.base : `${deps.baseUrl}/connect/${context.handle}`
    const client = chosen && (await deps.apps.forLinking(session.organizationId, chosen.slug))
    return present.show(
      context,
      problem ? 422 : 200,
      sessionPage({
        context,
        browsers,
        translate: translatorFor(context, deps.connectors),
        connectUrl,
        offered,
        chosen,
        tools: chosen ? await knownTools(db, session.organizationId, chosen) : [],
        reconnectReason: chosen && (await reasonOf(session, chosen)),
        method: method ?? null,
        problem: problem ?? null,
        invalidField: invalidField ?? null,
        typed: form,
        ownScopes: client?.scopes ?? null,
      }),
    )
  }

  const at = (suffix: string) => `${path}/:handle${suffix}`

  app.get(
    at(''),
    onGet(async context => {
      const { connector: slug, method } = context.request.query as Form
      const { session, standing } = context
      const choice = await choiceOf(context, slug)
      await recordStep(context, session.lockedConnector === null ? (choice.chosen?.slug ?? null) : null)
      return standing === 'open'
        ? showSession(context, choice, { method })
        : present.sessionClosed(context, standing)
    }),
  )

  if (mount === 'connect') {
    app.post(
      at('/start'),
      onPost(async ({ context, browser, form }) => {
        const choice = await choiceOf(context, form.connector)
        const { chosen } = choice
        if (!chosen || !usesSignIn(chosen)) return showSession(context, choice)
        if (!isSameServer(form.server, chosen))
          return showSession(context, choice, { problem: 'server_changed' })
        const tenant = readFields(chosen.tenant ?? [], form, { prefix: views.TENANT_PREFIX })
        if ('problem' in tenant) return showSession(context, choice, { ...tenant, form })
        const connector = await deps.mcpConnectors.prepare(context.session.organizationId, chosen)
        if (!connector || !signInMethod(connector)) {
          const ending: Ending = { status: 'error', reason: 'provider_unavailable' }
          await db.transaction(tx => recordEnded(tx, context.session, ending, null))
          return present.ended(context, { ending, slug: chosen.slug })
        }
        const authorization = {
          connector,
          tenant: tenant.values,
          browser,
          frame: form.seen ?? null,
          view: context.view,
        }
        const started = await startAuthorization(deps, context.session, authorization)
        return 'ending' in started
          ? present.ended(context, { ending: started.ending, slug: connector.slug })
          : context.reply.redirect(started.href, 303)
      }),
    )
  }

  app.post(
    at('/api-key'),
    onPost(async ({ context, browser, form }) => {
      const choice = await choiceOf(context, form.connector)
      const connector = choice.chosen
      const method = connector && formMethod(connector)
      if (!connector || !method) return showSession(context, choice)
      if (!isSameServer(form.server, connector))
        return showSession(context, choice, { method: method.type, problem: 'server_changed' })
      const { session, view } = context
      const result = await submitForm(deps, session, { connector, method }, form, browser, view)
      streams.wake(context.session)
      switch (result.kind) {
        case 'completed': {
          const ending: Ending = { status: 'success', code: result.code, scopes: [] }
          const seen = mount === 'link' ? { seen: browser } : {}
          return present.ended(context, { ending, slug: connector.slug, ...seen })
        }
        case 'choosing':
          return context.reply.redirect(
            accountAddress(context.base, view, result.attemptId, mount === 'link' ? browser : null),
            303,
          )
        case 'problem':
          return showSession(context, choice, {
            method: method.type,
            problem: result.problem,
            invalidField: result.invalidField,
            form,
          })
        case 'too_many':
          return present.refuse(context, 429, 'too_many_requests')
        case 'refused':
          return present.refusedCompletion(context, result.refused, connector.slug)
      }
    }),
  )

  app.post(
    at('/cancel'),
    onPost(async ({ context, browser, form }) => {
      const { session } = context
      const slug = (await choiceOf(context, form.connector)).chosen?.slug ?? null
      const revoked = await cancelSession(db, session, browserOf(mount, browser, form), slug)
      if (revoked) {
        streams.wake(session)
        deps.afterRevocation()
      }
      return present.ended(context, { ending: { status: 'exit' }, slug, unexpected: form.unexpected === '1' })
    }),
  )

  // This route never mints a link.
  app.post(
    at('/renew'),
    onPost(
      async ({ context }) => {
        const { session, standing } = context
        if (standing === 'open')
          return context.reply.redirect(`${context.base}${viewQuery(context.view)}`, 303)
        await requestRenewal(db, session)
        return present.show(context, 200, views.renewalRequestedPage(frameOf(context)))
      },
      { alsoAllowed: ['expired', 'withdrawn', 'used'] },
    ),
  )

  // The response to a form has the form's address; opening that address again redirects to the session's page.
  app.get(
    at('/*'),
    onGet(({ reply, base, view }) => reply.redirect(`${base}${viewQuery(view)}`, 303)),
  )
}
