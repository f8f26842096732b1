import type { FastifyInstance } from 'fastify'
import type { Form } from '../../pages/form.ts'
import { frameOf } from '../../pages/page-response.ts'
import { type View, viewQuery } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { chooseSite, findChoice, type OpenChoice } from '../attempts/choose-site.ts'
import { explainRefusal } from '../attempts/refused-completion.ts'
import { accountAddress } from './account-pages.ts'
import type { PageDeps } from './page-deps.ts'
import type { SessionPageContext } from './session-context.ts'
import { type MountOptions, type SessionGuard } from './session-guard.ts'
import { formTarget } from './session-page.ts'

const SITE = '/site'

/** The address of the page where a person chooses one of the account's sites after returning from the provider. */
export const siteAddress = (base: string, view: View, attemptId: string): string =>
  `${base}${SITE}${viewQuery(view, { attempt: attemptId })}`

/** Served only under `connect`, because the grant belongs to the browser with the cookie. */
export const sitePages = (
  app: FastifyInstance,
  deps: PageDeps,
  { path, browsers, present }: MountOptions,
  { onGet, onPost }: SessionGuard,
): void => {
  const show = async (context: SessionPageContext, choice: OpenChoice, isUnlisted = false) => {
    const connector = await present.displayOf(context, choice.slug)
    if (!connector) return present.refuse(context, 410, 'connector_gone')
    const { attemptId: attempt, slug, kind, sites } = choice
    const choose = formTarget(browsers, context, `${context.base}${SITE}`, slug)
    const page = views.chooseSitePage(frameOf(context, {}, { path: SITE, more: { attempt } }), {
      connector,
      kind,
      sites,
      isUnlisted,
      choose: { ...choose, fields: { ...choose.fields, attempt } },
      cancel: formTarget(browsers, context, `${context.base}/cancel`, slug),
    })
    return present.show(context, isUnlisted ? 422 : 200, page)
  }
  /** The choice was already made or has expired; the next page shows the outcome. */
  const redirectToOutcome = ({ reply, base, view }: SessionPageContext) =>
    reply.redirect(`${base}/done${viewQuery(view)}`, 303)

  app.get(
    `${path}/:handle${SITE}`,
    onGet(async context => {
      const { request, session, standing } = context
      if (standing !== 'open')
        return standing === 'used' ? redirectToOutcome(context) : present.sessionClosed(context, standing)
      const { attempt } = request.query as Form
      const choice = await findChoice(deps, session, browsers.read(request), attempt)
      return choice ? show(context, choice) : redirectToOutcome(context)
    }),
  )

  app.post(
    `${path}/:handle${SITE}`,
    onPost(
      async ({ context, browser, form }) => {
        const { session, standing } = context
        const choice = standing === 'open' ? await findChoice(deps, session, browser, form.attempt) : null
        if (!choice) return redirectToOutcome(context)
        // Only listed values are accepted, because the value becomes part of the addresses that the credential is sent to.
        const site = choice.sites.find(({ value }) => value === form.site)
        if (!site) return show(context, choice, true)
        const completion = await chooseSite(deps, session, choice, site)
        deps.streams.wake(session)
        if (!completion) return redirectToOutcome(context)
        if ('choosing' in completion)
          return context.reply.redirect(
            accountAddress(context.base, context.view, choice.attemptId, null),
            303,
          )
        if (!completion.completed) {
          const refused = await explainRefusal(deps, session, choice.attemptId, completion)
          return present.refusedCompletion(context, refused, choice.slug)
        }
        const { code, scopes } = completion
        return present.ended(context, { ending: { status: 'success', code, scopes }, slug: choice.slug })
      },
      { alsoAllowed: ['used'] },
    ),
  )
}
