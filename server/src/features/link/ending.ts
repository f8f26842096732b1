import { type CallbackStatus, isAppCallback, withOutcome } from './callback-url.ts'
import type { SessionRow } from './link-session-store.ts'
import type { FailureReason } from './views/index.ts'

/** How an attempt ended. Only a success may carry a code, and only in authorization code mode. */
export type Ending =
  | { status: 'success'; code: string | null }
  | { status: 'exit' }
  | { status: 'error'; reason: FailureReason }

export type EndingAddress =
  | { kind: 'redirect'; href: string }
  /** An app's own scheme: the page sends the browser there, and shows a button in case nothing happens. */
  | { kind: 'app'; href: string; status: CallbackStatus }
  | { kind: 'page' }

/** §4.3: to `callback_url` with the outcome, or to a page of our own where none was given. */
export const endingAddress = (
  session: Pick<SessionRow, 'callback_url' | 'callback_origin' | 'state'>,
  ending: Ending,
): EndingAddress => {
  if (session.callback_url === null) return { kind: 'page' }
  const code = ending.status === 'success' && ending.code !== null ? { code: ending.code } : {}
  const href = withOutcome(session.callback_url, { status: ending.status, state: session.state, ...code })
  return isAppCallback(session.callback_url)
    ? { kind: 'app', href, status: ending.status }
    : { kind: 'redirect', href }
}
