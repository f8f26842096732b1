import { isFromLink } from './is-from-link.ts'
import { later } from './later.ts'
import { LinkError } from './link-error.ts'
import type { Session } from './load-session.ts'
import { showDialog } from './show-dialog.ts'
import type { LinkEvent, LinkOptions, LinkState } from './types.ts'
import { askOutcome, isFinal, watchOutcome } from './watch-outcome.ts'

/** How long the last page stays where it closes by itself, so that the person sees what came of it. */
const LAST_PAGE = 1_200
/** A token lives 30 minutes, and a code that went out at the very end may be redeemed for five more. */
const LONGEST_WATCH = 2_160_000

/** Link while it is shown. */
export type Shown = {
  leave: () => void
  /** Brings it to the front; where it is about to end with nothing connected, it is opened anew after that. */
  again: (open: () => void) => void
}

/** Called with nothing after success. Otherwise with the problem, if there was one; `isOver`: no other try can help. */
type Done = (problem?: LinkError | null, isOver?: boolean) => void

/** Shows Link for one session, and tells once how it ended. Nothing is left where it goes on in this very tab. */
export const showLink = (
  session: Session,
  read: () => LinkOptions,
  emit: (...event: LinkEvent) => void,
  life: AbortSignal,
  done: Done,
): Shown | undefined => {
  const { mode = 'iframe', lang, theme } = read()
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('')
  const address = (own: Record<string, string>): string =>
    `${session.url}?${new URLSearchParams({ ...own, ...(lang && { lang }), ...(theme && { theme }) })}`
  const framed = address({ opener: location.origin, nonce })

  let actual = mode
  let popup: Window | null = null
  // An isolated page may frame nobody.
  if (mode === 'popup' || (mode === 'iframe' && crossOriginIsolated)) {
    // Right here, with nothing awaited: a browser lets a window open only in answer to the click.
    popup = openPopup(framed)
    actual = popup ? 'popup' : 'redirect'
    if (!popup) emit('popup_blocked', null)
  }
  if (actual === 'redirect') {
    emit('open', { mode: actual })
    location.assign(address({}))
    return
  }

  /** The window, the stream, the timers and the listeners all end with it. */
  const end = new AbortController()
  const signal = AbortSignal.any([life, end.signal])
  let state: LinkState | undefined
  /** When the attempt ended that was the last one before this opening: what came of it was told then. */
  let known: string | undefined
  let settling: Promise<void> | undefined
  const wasUsed = session.used

  const take = (news: LinkState): void => {
    const at = news.last?.at
    if (!state) known = at
    state = news
    emit('state', news)
    if (news.status === 'completed') {
      session.used = true
      session.deadline = Infinity
      // The dialog stays until the person closes it: another connection may follow.
      if (popup) later(LAST_PAGE, leave, signal)
      read().onSuccess?.({ Connector: news.Connector as string, scopes: news.scopes })
    } else if (popup && (isFinal(news) || at !== known)) {
      // After an attempt the window closes by itself. A final one stays and says why; whether it is ever closed, nobody can tell.
      if (isFinal(news)) popup = null
      leave()
    }
  }

  const leave = (): void => {
    if (settling) return
    end.abort()
    settling = settle()
  }
  const settle = async (): Promise<void> => {
    if (!session.used && !isFinal(state)) {
      // Whoever closes the page that says "connected" may be faster than the news of it.
      const news = await askOutcome(session.url, life)
      if (life.aborted) return
      if (news) take(news)
    }
    if (wasUsed) done(new LinkError('link_token_used'))
    else if (session.used) done()
    else done(problemOf(state, known), isFinal(state))
  }

  const dialog = popup ? null : showDialog(framed, read(), leave, signal)
  const { origin } = new URL(session.url)
  addEventListener(
    'message',
    event => {
      if (!isFromLink(event, { origin, source: dialog ? dialog.frame.contentWindow : popup, nonce })) return
      // Of a connection that was started from the page of the one before it.
      if (event.data.result) read().onSuccess?.(event.data.result)
      else if (event.data.type === 'close') leave()
      else if (event.data.type === 'ready') {
        dialog?.ready()
        emit('ready', null)
      }
    },
    { signal },
  )
  signal.addEventListener('abort', () => popup?.close())

  // A used token has an outcome already, and it is not this one's.
  if (wasUsed) later(LAST_PAGE, leave, signal)
  else watchOutcome(session.url, Date.now() + LONGEST_WATCH, take, signal)

  emit('open', { mode: actual })
  return {
    leave,
    again: open => {
      if (settling) void settling.then(() => session.used || open())
      else if (popup && !popup.closed) popup.focus()
      // `closed` may mean severed: then this is a second window, and the session goes on in either.
      else if (!dialog) popup = openPopup(framed)
    },
  }
}

/** 480 by 760, centered on this window. */
const openPopup = (address: string): Window | null =>
  open(
    address,
    'carabiner',
    `popup,width=480,height=760,left=${screenX + outerWidth / 2 - 240},top=${screenY + outerHeight / 2 - 380}`,
  )

const problemOf = (state?: LinkState, known?: string): LinkError | null => {
  if (state?.status === 'expired') return new LinkError('link_token_expired')
  // An error has a reason, always; an exit has none.
  if (state?.last?.reason && state.last.at !== known) return new LinkError(state.last.reason)
  return state?.status === 'ended' ? new LinkError('link_ended') : null
}
