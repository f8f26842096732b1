import { formMethod } from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import { userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import { isReplaceable, openEntered, replaceEntered } from '../../credentials/accounts/replace-entered.ts'
import { findCredential } from '../../credentials/read-credentials.ts'
import { readForm } from '../../pages/form.ts'
import { frameOf, translatorFor } from '../../pages/page-response.ts'
import { viewQuery } from '../../pages/view.ts'
import { replacePage } from '../../pages/views/connections/replace.ts'
import type { KeyProblem } from '../../pages/views/index.ts'
import { asksFor } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import { freeTextFields } from '../../upstream/authorization-kinds/free-text-fields.ts'
import { concealAll, revealAll } from '../../upstream/secret-values.ts'
import { readFields } from '../attempts/read-fields.ts'
import { MAX_KEY_CHECKS } from '../attempts/submit-form.ts'
import { toField } from '../pages/form-field.ts'
import type { LinkPresenter } from '../pages/link-presenter.ts'
import type { PageDeps } from '../pages/page-deps.ts'
import { connectorDisplay } from '../pages/session-page.ts'
import type { ConnectionsGuard, ConnectionsPageContext } from './connections-guard.ts'
import { connectionsLinkStore } from './connections-link-store.ts'
import { ownerOf } from './read-connections.ts'

type Deps = PageDeps & { wakeUps: WakeUps; guard: ConnectionsGuard; present: LinkPresenter; path: string }

/** What the form of a connection replaces. Null: the user has entered nothing, or the account is not known. */
const findReplaceable = async (
  { db, connectors }: Pick<Deps, 'db' | 'connectors'>,
  context: ConnectionsPageContext,
  id: string,
) => {
  const owner = ownerOf(context)
  const credential = await findCredential(db, owner, id)
  const connector =
    credential && (await connectors.findUsable(owner.organizationId, credential.connectorSlug))
  const method = connector && formMethod(connector)
  return connector && method && isReplaceable(credential, method)
    ? { credential: { ...credential, organizationId: owner.organizationId }, connector, method }
    : null
}

/** What the link to the form says, by what the user has entered. Null: nothing can be replaced. */
export const replaceableEntry = async (
  deps: Pick<Deps, 'db' | 'connectors'>,
  context: ConnectionsPageContext,
  id: string,
) => {
  const found = await findReplaceable(deps, context, id)
  return found && asksFor(found.method)
}

/**
 * The form that replaces a key or other entered values without linking the account again. Values that are not entered stay. The account
 * must remain the same, so a link that somebody else opens cannot put another account in its place.
 */
export const replacePages = (
  app: FastifyInstance,
  deps: Deps,
  showReplaced: (context: ConnectionsPageContext) => Promise<unknown>,
): void => {
  const { db, wakeUps, guard, present, path } = deps
  const address = `${path}/:handle/:credential/replace`

  type Found = NonNullable<Awaited<ReturnType<typeof findReplaceable>>>
  const idOf = ({ request }: ConnectionsPageContext) => (request.params as { credential: string }).credential

  const withFound =
    (respond: (context: ConnectionsPageContext, found: Found) => Promise<unknown>) =>
    async (context: ConnectionsPageContext): Promise<unknown> => {
      const found = await findReplaceable(deps, context, idOf(context))
      return found
        ? respond(context, found)
        : context.reply.redirect(`${context.base}${viewQuery(context.view)}`, 303)
    }

  const toConnection = ({ reply, base, view }: ConnectionsPageContext, { id }: { id: string }) =>
    reply.redirect(`${base}/${id}${viewQuery(view)}`, 303)

  const showForm = (
    context: ConnectionsPageContext,
    { credential: { id }, connector, method }: Found,
    rejected: { problem: KeyProblem; invalidField?: string | undefined } | null = null,
  ) => {
    const translate = translatorFor(context, deps.connectors)
    const form = { translate, typed: readForm(context.request.body) }
    const page = replacePage(frameOf(context, {}, { path: `/${id}/replace` }), {
      connector: connectorDisplay(connector, translate),
      asksFor: asksFor(method),
      fields: method.fields.map(field => ({ ...toField(form, field), required: false })),
      steps: (method.steps ?? []).map(translate),
      helpUrl: method.help_url ?? null,
      problem: rejected?.problem ?? null,
      invalidField: rejected?.invalidField ?? null,
      submit: guard.formTo(context, `/${id}/replace`),
      backHref: `${context.base}/${id}${viewQuery(context.view)}`,
    })
    return present.show(context, rejected ? 422 : 200, page)
  }

  app.get(address, guard.onGet(withFound(showForm)))

  app.post(
    address,
    guard.onPost(
      withFound(async (context, found) => {
        const { method, connector, credential } = found
        const entered = await openEntered(deps, credential)
        if (!entered) return toConnection(context, credential)
        const optional = method.fields.map(field => ({ ...field, optional: true }))
        const read = readFields(optional, readForm(context.request.body), {
          freeText: freeTextFields(method),
          kept: revealAll(entered.fields),
        })
        if ('problem' in read) return showForm(context, found, read)
        if (Object.keys(read.values).length === 0)
          return showForm(context, found, { problem: 'nothing_entered' })
        if (!(await connectionsLinkStore.countKeyCheck(db, context.session, MAX_KEY_CHECKS)))
          return present.refuse(context, 429, 'too_many_requests')
        const result = await replaceEntered(deps, entered, { connector, method }, concealAll(read.values))
        if (result.kind === 'problem') return showForm(context, found, result)
        wakeUps.wake(userTopic(context.session.registeredUserId))
        return result.kind === 'replaced' ? showReplaced(context) : toConnection(context, credential)
      }),
    ),
  )
}
