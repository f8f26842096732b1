import type { FastifyInstance } from 'fastify'
import { type Form, readForm } from '../../pages/form.ts'
import { frameOf, type Mount } from '../../pages/page-response.ts'
import { type View, viewQuery } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { chooseAccount, findAccountChoice, type OpenAccountChoice } from '../attempts/choose-account.ts'
import { explainRefusal } from '../attempts/refused-completion.ts'
import type { PageDeps } from './page-deps.ts'
import type { SessionPageContext } from './session-context.ts'
import { type MountOptions, type SessionGuard } from './session-guard.ts'
import { formTarget } from './session-page.ts'

const ACCOUNT = '/account'
const ADD = 'add'

/** The address of the page “Replace or add?”. `seen`: identifies a framed page, which has no cookie. */
export const accountAddress = (base: string, view: View, attemptId: string, seen: string | null): string =>
  `${base}${ACCOUNT}${viewQuery(view, { attempt: attemptId, seen })}`

/** The browser that made an attempt. A framed page returns the value that it was shown with. */
export const browserOf = (mount: Mount, browser: string, { seen }: Form): string =>
  mount === 'link' ? (seen ?? browser) : browser

/** Asks whether another account replaces one that is linked, or is added. */
export const accountPages = (
  app: FastifyInstance,
  deps: PageDeps,
  { mount, path, browsers, present }: MountOptions,
  { onGet, onPost }: SessionGuard,
): void => {
  const show = async (
    context: SessionPageContext,
    choice: OpenAccountChoice,
    { seen, isUnlisted = false }: { seen: string | undefined; isUnlisted?: boolean },
  ) => {
    const connector = await present.displayOf(context, choice.slug)
    if (!connector) return present.refuse(context, 410, 'connector_gone')
    const { attemptId: attempt, slug, account, linked } = choice
    const proof = mount === 'link' && seen !== undefined ? { seen } : {}
    const target = (action: string, fields: Record<string, string>) => {
      const form = formTarget(browsers, context, `${context.base}${action}`, slug)
      return { ...form, fields: { ...form.fields, ...fields, ...proof } }
    }
    const page = views.chooseAccountPage(
      frameOf(context, {}, { path: ACCOUNT, more: { attempt, ...proof } }),
      {
        connector,
        account,
        linked,
        isUnlisted,
        add: ADD,
        choose: target(ACCOUNT, { attempt }),
        cancel: target('/cancel', {}),
      },
    )
    return present.show(context, isUnlisted ? 422 : 200, page)
  }
  /** The choice was already made or has expired; the next page shows the outcome. */
  const redirectToOutcome = ({ reply, base, view }: SessionPageContext, seen: string | undefined) =>
    reply.redirect(`${base}/done${viewQuery(view, { seen: (mount === 'link' && seen) || null })}`, 303)

  app.get(
    `${path}/:handle${ACCOUNT}`,
    onGet(async context => {
      const { request, session, standing } = context
      const { attempt, seen } = readForm(request.query)
      if (standing !== 'open')
        return standing === 'used'
          ? redirectToOutcome(context, seen)
          : present.sessionClosed(context, standing)
      const browser = mount === 'link' ? (seen ?? null) : browsers.read(request)
      const choice = await findAccountChoice(deps.db, session, browser, attempt)
      return choice ? show(context, choice, { seen }) : redirectToOutcome(context, seen)
    }),
  )

  app.post(
    `${path}/:handle${ACCOUNT}`,
    onPost(
      async ({ context, browser: posted, form }) => {
        const { session, standing } = context
        const browser = browserOf(mount, posted, form)
        const choice =
          standing === 'open' ? await findAccountChoice(deps.db, session, browser, form.attempt) : null
        if (!choice) return redirectToOutcome(context, form.seen)
        const replaced = choice.linked.find(({ id }) => id === form.account) ?? null
        if (!replaced && form.account !== ADD)
          return show(context, choice, { seen: form.seen, isUnlisted: true })
        const completion = await chooseAccount(deps, session, choice, replaced?.id ?? null)
        deps.streams.wake(session)
        if (!completion) return redirectToOutcome(context, form.seen)
        if (!completion.completed) {
          const refused = await explainRefusal(deps, session, choice.attemptId, completion)
          return present.refusedCompletion(context, refused, choice.slug)
        }
        const { code, scopes } = completion
        const ending = { status: 'success', code, scopes } as const
        const seen = mount === 'link' ? { seen: browser } : {}
        return present.ended(context, { ending, slug: choice.slug, ...seen })
      },
      { alsoAllowed: ['used'] },
    ),
  )
}
