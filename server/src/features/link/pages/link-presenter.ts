import type { Connectors } from '../../connectors/availability.ts'
import type { BrowserBinding } from '../../pages/browser-binding.ts'
import { frameOf, type OwnedPageContext, translatorFor } from '../../pages/page-response.ts'
import { createPresenter, type PresenterDeps } from '../../pages/presenter.ts'
import { viewQuery } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { type Ending, endingAddress } from '../attempts/ending.ts'
import type { RefusedCompletion } from '../attempts/refused-completion.ts'
import type { ClosedStanding } from '../sessions/link-session.ts'
import type { SessionPageContext } from './session-context.ts'
import { connectorDisplay, formTarget } from './session-page.ts'

type Deps = PresenterDeps & { connectors: Connectors; browsers: BrowserBinding }
export type EndedAttempt = { ending: Ending; slug: string | null; unexpected?: boolean; seen?: string }

/** Renders the outcome and error pages of Link. */
export const createLinkPresenter = (deps: Deps) => {
  const { connectors, browsers } = deps
  const pages = createPresenter(deps)
  const { show, refuse } = pages

  const displayOf = async (
    context: OwnedPageContext,
    slug: string | null,
  ): Promise<views.ConnectorDisplay | null> => {
    const connector = slug === null ? null : await connectors.find(context.owner.organizationId, slug)
    return connector && connectorDisplay(connector, translatorFor(context, connectors))
  }

  /** A rejected or expired code has not connected anything. */
  const usedPageModel = async (context: SessionPageContext) => {
    const { progress } = context.session
    const isConnected = progress.status === 'completed' || progress.status === 'code_issued'
    const connector = isConnected ? await displayOf(context, progress.grant.connectorSlug) : null
    return { connector, isUnconfirmed: progress.status === 'code_issued' && progress.codePending }
  }
  /** No link can be minted for an inactive user. */
  const renewForm = (context: SessionPageContext): views.FormTarget | null =>
    context.session.facts.userActive ? formTarget(browsers, context, `${context.base}/renew`) : null

  const sessionClosed = async (context: SessionPageContext, standing: ClosedStanding) => {
    switch (standing) {
      case 'used':
        return show(
          context,
          410,
          views.usedPage(frameOf(context), { ...(await usedPageModel(context)), renew: renewForm(context) }),
        )
      case 'expired':
        return show(context, 410, views.expiredPage(frameOf(context), { renew: renewForm(context) }))
      case 'withdrawn':
        return show(context, 410, views.withdrawnPage(frameOf(context), { renew: renewForm(context) }))
      case 'user_inactive':
        return refuse(context, 403, 'user_inactive')
      case 'unauthorized_origin':
        return refuse(context, 400, 'unauthorized_origin')
    }
  }

  /** Sends the browser on after an attempt: to the application, to its custom URL scheme, or to a page of Link. */
  const ended = async (
    context: SessionPageContext,
    { ending, slug, unexpected = false, seen }: EndedAttempt,
  ) => {
    const { reply, view, base, mount } = context
    const framed = mount === 'link' && view.surface === 'embedded'
    const address = endingAddress(context.session, { ending, view, connector: slug })
    // A person who closes the embedded Link is already in the application.
    if (address.kind !== 'page' && !(framed && ending.status === 'exit')) {
      if (address.kind === 'redirect' && !framed) return reply.redirect(address.href, 303)
      const model = {
        outcome: ending.status,
        connector: await displayOf(context, slug),
        href: address.href,
        framed,
      }
      return show(context, 200, views.returnToAppPage(frameOf(context), model))
    }
    if (ending.status === 'success')
      return reply.redirect(
        `${base}/done${viewQuery(view, { seen: seen ?? null, news: framed ? '1' : null })}`,
        303,
      )
    const query = viewQuery(view, {
      outcome: ending.status,
      reason: ending.status === 'error' ? ending.reason : null,
      connector: slug,
      unexpected: unexpected ? '1' : null,
      closed: framed && ending.status === 'exit' && !unexpected ? '1' : null,
    })
    return reply.redirect(`${base}/ended${query}`, 303)
  }

  /** Nothing was stored. */
  const refusedCompletion = (context: SessionPageContext, refused: RefusedCompletion, slug: string) =>
    'ending' in refused
      ? ended(context, { ending: refused.ending, slug })
      : sessionClosed(context, refused.standing)

  return { ...pages, displayOf, sessionClosed, ended, refusedCompletion }
}

export type LinkPresenter = ReturnType<typeof createLinkPresenter>
