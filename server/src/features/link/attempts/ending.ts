import { originOf, parseUrl } from '../../organizations/callback-origin.ts'
import { type CallbackStatus, isAppCallback, withOutcome, withResult } from '../sessions/callback-url.ts'
import type { SessionRow } from '../sessions/link-session-store.ts'
import type { FailureReason } from '../views/index.ts'
import type { View } from './view.ts'

/** How an attempt ended. Only a success may carry a code, and only in authorization code mode. */
export type Ending =
  | { status: 'success'; code: string | null; scopes: string[] }
  | { status: 'exit' }
  | { status: 'error'; reason: FailureReason }

export type EndingAddress =
  | { kind: 'redirect'; href: string }
  /** An app's own scheme: the page sends the browser there, and shows a button in case nothing happens. */
  | { kind: 'app'; href: string; status: CallbackStatus }
  | { kind: 'page' }

export type EndingFacts = Pick<SessionRow, 'callback_url' | 'state' | 'settings' | 'allowed_origins'>
type Ended = { ending: Ending; view: View; connector: string | null }

/**
 * §4.3: to `callback_url` with the outcome. §4.4: on the hosted page a success goes to the organization's `redirect_uri`;
 * where its component opened the window, that is told instead. Otherwise a page of our own.
 */
export const endingAddress = (session: EndingFacts, { ending, view, connector }: Ended): EndingAddress => {
  if (session.callback_url !== null) {
    const code = ending.status === 'success' && ending.code !== null ? { code: ending.code } : {}
    return leadTo(
      withOutcome(session.callback_url, { status: ending.status, state: session.state, ...code }),
      ending.status,
    )
  }
  if (view.surface !== 'hosted' || ending.status !== 'success') return { kind: 'page' }
  const href = redirectUriWith(session, ending, connector)
  return href === null ? { kind: 'page' } : leadTo(href, ending.status)
}

const leadTo = (href: string, status: CallbackStatus): EndingAddress =>
  isAppCallback(href) ? { kind: 'app', href, status } : { kind: 'redirect', href }

/** The `redirect_uri` with the result, if it has one and its origin is on the list now. */
const redirectUriWith = (session: EndingFacts, ending: Ending, connector: string | null): string | null => {
  const address = session.settings?.redirect_uri
  const url = address ? parseUrl(address) : null
  const origin = url && originOf(url)
  if (!url || !origin || !session.allowed_origins.includes(origin)) return null
  const scopes = ending.status === 'success' ? ending.scopes : []
  return withResult(url.href, { status: ending.status, connector, scopes })
}

/** Where "Return to …" leads from a page of our own: the organization's `redirect_uri`, or the page that Link was opened from. */
export const wayBack = (session: EndingFacts, { ending, view, connector }: Ended): string | null => {
  if (view.surface === 'embedded') return null
  const opener = view.opener !== null && session.allowed_origins.includes(view.opener) ? view.opener : null
  return redirectUriWith(session, ending, connector) ?? opener
}
