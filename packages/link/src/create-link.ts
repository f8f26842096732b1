import { later } from './later.ts'
import { LinkError } from './link-error.ts'
import { loadSession, type Session } from './load-session.ts'
import { type Shown, showLink } from './show-link.ts'
import type { Link, LinkEvent, LinkOptions } from './types.ts'

export const createLink = (options: LinkOptions): Link => startLink(() => options)

/** `read` returns the current options, which may change over time. `onChange` is called when `isReady` or `error` changes. */
export const startLink = (read: () => LinkOptions, onChange = (): void => {}): Link => {
  const life = new AbortController()
  const { signal } = life
  let session: Session | undefined
  let error: LinkError | null = null
  let shown: Shown | undefined

  const emit = (...event: LinkEvent): void => {
    if (!signal.aborted) read().onEvent?.(...event)
  }
  const fail = (cause: LinkError): void => {
    session = undefined
    error = cause
    onChange()
    emit('error', cause)
  }
  const expire = (): void => {
    if (session && !shown && Date.now() >= session.deadline) fail(new LinkError('link_token_expired'))
  }

  const load = async (): Promise<void> => {
    // Deferred by a microtask, so that an instance that is destroyed immediately, as in React's strict mode, sends no request.
    await Promise.resolve()
    if (signal.aborted) return
    const { linkUrl, linkToken } = read()
    const loaded = await loadSession(linkUrl, linkToken, signal).catch((cause: LinkError) => cause)
    if (signal.aborted) return
    if (loaded instanceof Error) return fail(loaded)
    session = loaded
    later(session.deadline - Date.now(), expire, signal)
    onChange()
    emit('loaded', null)
    read().onLoad?.()
  }
  void load()

  const open = (): void => {
    if (shown) return shown.reopen(open)
    expire()
    if (!session) return emit('open_ignored', { code: error?.code ?? 'not_ready' })
    shown = showLink(session, read, emit, signal, (cause, isFatal) => {
      shown = undefined
      if (cause && isFatal) fail(cause)
      expire()
      if (cause !== undefined && !signal.aborted) read().onExit?.(cause)
      // `close` is emitted last, so that a handler that destroys Link misses no event.
      emit('close', null)
    })
  }

  return {
    open,
    exit: () => shown?.close(),
    destroy: () => {
      life.abort()
      session = shown = undefined
    },
    get isReady() {
      return !!session
    },
    get error() {
      return error
    },
  }
}
