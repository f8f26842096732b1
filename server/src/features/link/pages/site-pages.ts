import type { FastifyInstance } from 'fastify'
import { chooseSite, findChoice, type OpenChoice } from '../attempts/choose-site.ts'
import { type View, viewQuery } from '../attempts/view.ts'
import * as views from '../views/index.ts'
import { frameOf, type Visit } from './page-response.ts'
import type { PageDeps } from './pages.ts'
import { type DoorOptions, type Form, type SessionGuard } from './session-guard.ts'
import { formTarget } from './session-page.ts'

const SITE = '/site'

/** The page where a person chooses among the sites of the account, after the return from the provider. */
export const siteAddress = (base: string, view: View, attemptId: string): string =>
  `${base}${SITE}${viewQuery(view, { attempt: attemptId })}`

/** Only at the door that the provider sends the browser back to: the grant belongs to the browser with the cookie. */
export const sitePages = (
  app: FastifyInstance,
  deps: PageDeps,
  { path, browsers, present }: DoorOptions,
  { whenOpened, whenPosted }: SessionGuard,
): void => {
  const show = async (visit: Visit, choice: OpenChoice, isUnlisted = false) => {
    const connector = await present.faceOf(visit, choice.slug)
    if (!connector) return present.refuse(visit, 410, 'connector_gone')
    const { attemptId: attempt, slug, sites } = choice
    const choose = formTarget(browsers, visit, `${visit.base}${SITE}`, slug)
    const page = views.chooseSitePage(frameOf(visit, {}, { path: SITE, more: { attempt } }), {
      connector,
      sites,
      isUnlisted,
      choose: { ...choose, fields: { ...choose.fields, attempt } },
      cancel: formTarget(browsers, visit, `${visit.base}/cancel`, slug),
    })
    return present.show(visit, isUnlisted ? 422 : 200, page)
  }
  /** The choice was made or has ended: the person sees what came of it. */
  const moveOn = ({ reply, base, view }: Visit) => reply.redirect(`${base}/done${viewQuery(view)}`, 303)

  app.get(
    `${path}/:handle${SITE}`,
    whenOpened(async visit => {
      const { request, session, standing } = visit
      if (standing !== 'open') return standing === 'used' ? moveOn(visit) : present.over(visit, standing)
      const { attempt } = request.query as Form
      const choice = await findChoice(deps, session, browsers.read(request), attempt)
      return choice ? show(visit, choice) : moveOn(visit)
    }),
  )

  app.post(
    `${path}/:handle${SITE}`,
    whenPosted(
      async ({ visit, browser, form }) => {
        const { session, standing } = visit
        const choice = standing === 'open' ? await findChoice(deps, session, browser, form.attempt) : null
        if (!choice) return moveOn(visit)
        // Only what the provider listed: the value becomes part of the addresses that the credential is sent to.
        const site = choice.sites.find(({ value }) => value === form.site)
        if (!site) return show(visit, choice, true)
        const completion = await chooseSite(deps, session, choice, site)
        deps.streams.wake(session)
        if (!completion) return moveOn(visit)
        if (!completion.completed) {
          deps.afterRevocation()
          return present.over(visit, 'used')
        }
        const { code, scopes } = completion
        return present.ended(visit, { ending: { status: 'success', code, scopes }, slug: choice.slug })
      },
      { also: ['used'] },
    ),
  )
}
