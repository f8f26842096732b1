import { apiKeyMethod, oauthMethod } from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import type { UsableConnector } from '../../connectors/availability.ts'
import { knownTools } from '../../connectors/mcp-servers/known-tools.ts'
import { startAuthorization } from '../attempts/authorize.ts'
import { cancelSession } from '../attempts/cancel-session.ts'
import type { Ending } from '../attempts/ending.ts'
import { readFields } from '../attempts/read-fields.ts'
import { recordEnded } from '../attempts/record-ended.ts'
import { submitApiKey } from '../attempts/submit-api-key.ts'
import { viewQuery } from '../attempts/view.ts'
import { keyOf } from '../sessions/link-session-store.ts'
import { offeredConnectors } from '../sessions/open-session.ts'
import { requestRenewal } from '../sessions/request-renewal.ts'
import { sessionStateStore } from '../sessions/session-state-store.ts'
import * as views from '../views/index.ts'
import { accountAddress, browserOf } from './account-pages.ts'
import type { PageDeps } from './page-deps.ts'
import { frameOf, translatorFor, type Visit } from './page-response.ts'
import { usesSignIn } from './product.ts'
import { isSameServer } from './server-binding.ts'
import { type Form, type MountOptions, readForm, type SessionGuard } from './session-guard.ts'
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
  const recordStep = async (visit: Visit, connector: string | null): Promise<void> => {
    const person = looksLikePerson(visit.request)
    const step = !person ? 'opened_by_scanner' : connector === null ? 'opened_by_person' : 'chosen'
    await sessionStateStore
      .recordStep(db, keyOf(visit.session), step, connector)
      .catch((error: unknown) => deps.log.warn({ error }, 'failed to record a step of a link session'))
  }

  type Choice = { offered: UsableConnector[]; chosen: UsableConnector | null }

  const choiceOf = async ({ session }: Visit, slug: string | undefined): Promise<Choice> => {
    const offered = await offeredConnectors(connectors, session)
    const wanted = session.lockedConnector ?? slug
    return { offered, chosen: offered.find(connector => connector.slug === wanted) ?? null }
  }

  type SessionPageOptions = {
    method?: string | undefined
    problem?: views.KeyProblem
    invalidField?: string | undefined
    form?: Form
  }

  const showSession = async (
    visit: Visit,
    { offered, chosen }: Choice,
    { method, problem, invalidField, form = readForm({}) }: SessionPageOptions = {},
  ) => {
    const { session } = visit
    if (session.lockedConnector !== null && !chosen) return present.refuse(visit, 410, 'connector_gone')
    const connectUrl = mount === 'connect' ? visit.base : `${deps.baseUrl}/connect/${visit.handle}`
    const client = chosen && (await deps.apps.forLinking(session.organizationId, chosen.slug))
    return present.show(
      visit,
      problem ? 422 : 200,
      sessionPage({
        visit,
        browsers,
        translate: translatorFor(visit, deps.connectors),
        connectUrl,
        offered,
        chosen,
        tools: chosen ? await knownTools(db, session.organizationId, chosen) : [],
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
    onGet(async visit => {
      const { connector: slug, method } = visit.request.query as Form
      const { session, standing } = visit
      const choice = await choiceOf(visit, slug)
      await recordStep(visit, session.lockedConnector === null ? (choice.chosen?.slug ?? null) : null)
      return standing === 'open'
        ? showSession(visit, choice, { method })
        : present.sessionClosed(visit, standing)
    }),
  )

  if (mount === 'connect') {
    app.post(
      at('/start'),
      onPost(async ({ visit, browser, form }) => {
        const choice = await choiceOf(visit, form.connector)
        const { chosen } = choice
        if (!chosen || !usesSignIn(chosen)) return showSession(visit, choice)
        if (!isSameServer(form.server, chosen))
          return showSession(visit, choice, { problem: 'server_changed' })
        const tenant = readFields(chosen.tenant ?? [], form, views.TENANT_PREFIX)
        if ('problem' in tenant) return showSession(visit, choice, { ...tenant, form })
        const connector = await deps.mcpConnectors.prepare(visit.session.organizationId, chosen)
        if (!connector || !oauthMethod(connector)) {
          const ending: Ending = { status: 'error', reason: 'provider_unavailable' }
          await db.transaction(tx => recordEnded(tx, visit.session, ending, null))
          return present.ended(visit, { ending, slug: chosen.slug })
        }
        const authorization = {
          connector,
          tenant: tenant.values,
          browser,
          frame: form.seen ?? null,
          view: visit.view,
        }
        const address = await startAuthorization(deps, visit.session, authorization)
        return visit.reply.redirect(address, 303)
      }),
    )
  }

  app.post(
    at('/api-key'),
    onPost(async ({ visit, browser, form }) => {
      const choice = await choiceOf(visit, form.connector)
      const connector = choice.chosen
      if (!connector || !apiKeyMethod(connector)) return showSession(visit, choice)
      if (!isSameServer(form.server, connector))
        return showSession(visit, choice, { method: 'api_key', problem: 'server_changed' })
      const { session, view } = visit
      const result = await submitApiKey(deps, session, connector, form, browser, view)
      streams.wake(visit.session)
      switch (result.kind) {
        case 'completed': {
          const ending: Ending = { status: 'success', code: result.code, scopes: [] }
          const seen = mount === 'link' ? { seen: browser } : {}
          return present.ended(visit, { ending, slug: connector.slug, ...seen })
        }
        case 'choosing':
          return visit.reply.redirect(
            accountAddress(visit.base, view, result.attemptId, mount === 'link' ? browser : null),
            303,
          )
        case 'problem':
          return showSession(visit, choice, {
            method: 'api_key',
            problem: result.problem,
            invalidField: result.invalidField,
            form,
          })
        case 'too_many':
          return present.refuse(visit, 429, 'too_many_requests')
        case 'refused':
          return present.refusedCompletion(visit, result.refused, connector.slug)
      }
    }),
  )

  app.post(
    at('/cancel'),
    onPost(async ({ visit, browser, form }) => {
      const { session } = visit
      const slug = (await choiceOf(visit, form.connector)).chosen?.slug ?? null
      const revoked = await cancelSession(db, session, browserOf(mount, browser, form), slug)
      if (revoked) {
        streams.wake(session)
        deps.afterRevocation()
      }
      return present.ended(visit, { ending: { status: 'exit' }, slug, unexpected: form.unexpected === '1' })
    }),
  )

  // This route never mints a link.
  app.post(
    at('/renew'),
    onPost(
      async ({ visit }) => {
        const { session, standing } = visit
        if (standing === 'open') return visit.reply.redirect(`${visit.base}${viewQuery(visit.view)}`, 303)
        await requestRenewal(db, session)
        return present.show(visit, 200, views.renewalRequestedPage(frameOf(visit)))
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
