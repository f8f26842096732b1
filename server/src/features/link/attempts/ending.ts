import { isAppCallback, originOf, parseUrl } from '../../organizations/callback-origin.ts'
import type { View } from '../../pages/view.ts'
import type { FailureReason } from '../../pages/views/index.ts'
import { type CallbackStatus, withOutcome, withResult } from '../sessions/callback-url.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'

/** The outcome of an attempt. Only a success in authorization code mode has a code. */
export type Ending =
  | { status: 'success'; code: string | null; scopes: string[] }
  | { status: 'exit' }
  | { status: 'error'; reason: FailureReason }

export type EndingAddress =
  | { kind: 'redirect'; href: string }
  /** A custom URL scheme: the page redirects to it and shows a button in case the redirect fails. */
  | { kind: 'app'; href: string; status: CallbackStatus }
  | { kind: 'page' }

export type EndingFacts = Pick<StoredSession, 'callbackUrl' | 'state' | 'settings' | 'allowedOrigins'>
type EndedAttempt = { ending: Ending; view: View; connector: string | null }

/**
 * §4.3: `callback_url` receives every outcome. §4.4: a success on the hosted page goes to the organization's
 * `redirect_uri`. If the embedded component opened the window, the component is notified instead. Otherwise a page of Link
 * is shown.
 */
export const endingAddress = (
  session: EndingFacts,
  { ending, view, connector }: EndedAttempt,
): EndingAddress => {
  if (session.callbackUrl !== null) {
    const code = ending.status === 'success' && ending.code !== null ? { code: ending.code } : {}
    return toEndingAddress(
      withOutcome(session.callbackUrl, { status: ending.status, state: session.state, ...code }),
      ending.status,
    )
  }
  if (view.surface !== 'hosted' || ending.status !== 'success') return { kind: 'page' }
  const href = redirectUriWith(session, ending, connector)
  return href === null ? { kind: 'page' } : toEndingAddress(href, ending.status)
}

const toEndingAddress = (href: string, status: CallbackStatus): EndingAddress =>
  isAppCallback(href) ? { kind: 'app', href, status } : { kind: 'redirect', href }

/** The `redirect_uri` with the result, or null if there is none or its origin is not currently allowed. */
const redirectUriWith = (session: EndingFacts, ending: Ending, connector: string | null): string | null => {
  const address = session.settings?.redirect_uri
  const url = address ? parseUrl(address) : null
  const origin = url && originOf(url)
  if (!url || !origin || !session.allowedOrigins.includes(origin)) return null
  const scopes = ending.status === 'success' ? ending.scopes : []
  return withResult(url.href, { status: ending.status, connector, scopes })
}

/** The target of the "Return to …" link: the organization's `redirect_uri`, or the page that opened Link. */
export const returnAddress = (
  session: EndingFacts,
  { ending, view, connector }: EndedAttempt,
): string | null => {
  if (view.surface === 'embedded') return null
  const opener = view.opener !== null && session.allowedOrigins.includes(view.opener) ? view.opener : null
  return redirectUriWith(session, ending, connector) ?? opener
}
