import type { FastifyInstance } from 'fastify'
import { chooseSite, findChoice, type OpenChoice } from '../attempts/choose-site.ts'
import { explainRefusal } from '../attempts/refused-completion.ts'
import { type View, viewQuery } from '../attempts/view.ts'
import * as views from '../views/index.ts'
import { accountAddress } from './account-pages.ts'
import type { PageDeps } from './page-deps.ts'
import { frameOf, type Visit } from './page-response.ts'
import { type Form, type MountOptions, type SessionGuard } from './session-guard.ts'
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
  const show = async (visit: Visit, choice: OpenChoice, isUnlisted = false) => {
    const connector = await present.displayOf(visit, choice.slug)
    if (!connector) return present.refuse(visit, 410, 'connector_gone')
    const { attemptId: attempt, slug, kind, sites } = choice
    const choose = formTarget(browsers, visit, `${visit.base}${SITE}`, slug)
    const page = views.chooseSitePage(frameOf(visit, {}, { path: SITE, more: { attempt } }), {
      connector,
      kind,
      sites,
      isUnlisted,
      choose: { ...choose, fields: { ...choose.fields, attempt } },
      cancel: formTarget(browsers, visit, `${visit.base}/cancel`, slug),
    })
    return present.show(visit, isUnlisted ? 422 : 200, page)
  }
  /** The choice was already made or has expired; the next page shows the outcome. */
  const redirectToOutcome = ({ reply, base, view }: Visit) =>
    reply.redirect(`${base}/done${viewQuery(view)}`, 303)

  app.get(
    `${path}/:handle${SITE}`,
    onGet(async visit => {
      const { request, session, standing } = visit
      if (standing !== 'open')
        return standing === 'used' ? redirectToOutcome(visit) : present.sessionClosed(visit, standing)
      const { attempt } = request.query as Form
      const choice = await findChoice(deps, session, browsers.read(request), attempt)
      return choice ? show(visit, choice) : redirectToOutcome(visit)
    }),
  )

  app.post(
    `${path}/:handle${SITE}`,
    onPost(
      async ({ visit, browser, form }) => {
        const { session, standing } = visit
        const choice = standing === 'open' ? await findChoice(deps, session, browser, form.attempt) : null
        if (!choice) return redirectToOutcome(visit)
        // Only listed values are accepted, because the value becomes part of the addresses that the credential is sent to.
        const site = choice.sites.find(({ value }) => value === form.site)
        if (!site) return show(visit, choice, true)
        const completion = await chooseSite(deps, session, choice, site)
        deps.streams.wake(session)
        if (!completion) return redirectToOutcome(visit)
        if ('choosing' in completion)
          return visit.reply.redirect(accountAddress(visit.base, visit.view, choice.attemptId, null), 303)
        if (!completion.completed) {
          const refused = await explainRefusal(deps, session, choice.attemptId, completion)
          return present.refusedCompletion(visit, refused, choice.slug)
        }
        const { code, scopes } = completion
        return present.ended(visit, { ending: { status: 'success', code, scopes }, slug: choice.slug })
      },
      { alsoAllowed: ['used'] },
    ),
  )
}
