import { isFromLink } from './is-from-link.ts'
import { later } from './later.ts'
import { LinkError } from './link-error.ts'
import type { Session } from './load-session.ts'
import { showDialog } from './show-dialog.ts'
import type { LinkEvent, LinkOptions, LinkState } from './types.ts'
import { fetchState, isFinal, watchState } from './watch-state.ts'

/** Delay before the last page closes, so that the user can read it. */
const CLOSE_DELAY_MS = 1_200
/** A token is valid for 30 minutes, and a code issued at the end of that time can be redeemed for 5 more minutes. */
const MAX_WATCH_MS = 2_160_000

/** Handle of an open Link. */
export type Shown = {
  close: () => void
  /** Brings Link to the front. If it is closing without a connection, `open` is called afterwards. */
  reopen: (open: () => void) => void
}

/** Called without arguments after success, otherwise with the error or null. `isFatal`: the session cannot be reopened. */
type Done = (error?: LinkError | null, isFatal?: boolean) => void

/** Shows Link for one session and calls `done` once when it ends. Returns undefined if it redirects this tab. */
export const showLink = (
  session: Session,
  read: () => LinkOptions,
  emit: (...event: LinkEvent) => void,
  life: AbortSignal,
  done: Done,
): Shown | undefined => {
  const { mode = 'iframe', lang, theme } = read()
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('')
  const urlWith = (own: Record<string, string>): string =>
    `${session.url}?${new URLSearchParams({ ...own, ...(lang && { lang }), ...(theme && { theme }) })}`
  const framedUrl = urlWith({ opener: location.origin, nonce })

  let actual = mode
  let popup: Window | null = null
  // A cross-origin isolated page cannot embed Link in a frame.
  if (mode === 'popup' || (mode === 'iframe' && crossOriginIsolated)) {
    // Opened synchronously, because browsers allow popups only during the click event.
    popup = openPopup(framedUrl)
    actual = popup ? 'popup' : 'redirect'
    if (!popup) emit('popup_blocked', null)
  }
  if (actual === 'redirect') {
    emit('open', { mode: actual })
    location.assign(urlWith({}))
    return
  }

  /** Aborting it closes the popup or dialog and ends the stream, the timers and the listeners. */
  const end = new AbortController()
  const signal = AbortSignal.any([life, end.signal])
  let state: LinkState | undefined
  /** End time of the last attempt before Link was opened. Its outcome has already been reported. */
  let reportedAt: string | undefined
  let settling: Promise<void> | undefined
  const wasUsed = session.used

  const handleState = (next: LinkState): void => {
    const at = next.last?.at
    if (!state) reportedAt = at
    state = next
    emit('state', next)
    if (next.status === 'completed') {
      session.used = true
      session.deadline = Infinity
      // The dialog stays open until the user closes it, because the user may connect another account.
      if (popup) later(CLOSE_DELAY_MS, close, signal)
      read().onSuccess?.({ Connector: next.Connector as string, scopes: next.scopes })
    } else if (popup && (isFinal(next) || at !== reportedAt)) {
      // The popup closes after an attempt. On a final state it stays open to show the reason, and is no longer tracked.
      if (isFinal(next)) popup = null
      close()
    }
  }

  const close = (): void => {
    if (settling) return
    end.abort()
    settling = settle()
  }
  const settle = async (): Promise<void> => {
    if (!session.used && !isFinal(state)) {
      // The user may close the success page before the state arrives.
      const latest = await fetchState(session.url, life)
      if (life.aborted) return
      if (latest) handleState(latest)
    }
    if (wasUsed) done(new LinkError('link_token_used'))
    else if (session.used) done()
    else done(errorOf(state, reportedAt), isFinal(state))
  }

  const dialog = popup ? null : showDialog(framedUrl, read(), close, signal)
  const { origin } = new URL(session.url)
  addEventListener(
    'message',
    event => {
      if (!isFromLink(event, { origin, source: dialog ? dialog.frame.contentWindow : popup, nonce })) return
      // Result of a further connection that the user started from the success page.
      if (event.data.result) read().onSuccess?.(event.data.result)
      else if (event.data.type === 'close') close()
      else if (event.data.type === 'ready') {
        dialog?.ready()
        emit('ready', null)
      }
    },
    { signal },
  )
  signal.addEventListener('abort', () => popup?.close())

  // The stored outcome of a used token belongs to a previous use.
  if (wasUsed) later(CLOSE_DELAY_MS, close, signal)
  else watchState(session.url, Date.now() + MAX_WATCH_MS, handleState, signal)

  emit('open', { mode: actual })
  return {
    close,
    reopen: open => {
      if (settling) void settling.then(() => session.used || open())
      else if (popup && !popup.closed) popup.focus()
      // `closed` is also true if the opener was severed. The session then continues in both windows.
      else if (!dialog) popup = openPopup(framedUrl)
    },
  }
}

/** 480 by 760, centered on this window. */
const openPopup = (url: string): Window | null =>
  open(
    url,
    'carabiner',
    `popup,width=480,height=760,left=${screenX + outerWidth / 2 - 240},top=${screenY + outerHeight / 2 - 380}`,
  )

const errorOf = (state?: LinkState, reportedAt?: string): LinkError | null => {
  if (state?.status === 'expired') return new LinkError('link_token_expired')
  // An error always has a reason; an exit has none.
  if (state?.last?.reason && state.last.at !== reportedAt) return new LinkError(state.last.reason)
  return state?.status === 'ended' ? new LinkError('link_ended') : null
}
