import { later } from './later.ts'
import { LinkError } from './link-error.ts'
import { loadSession, type Session } from './load-session.ts'
import { type Shown, showLink } from './show-link.ts'
import type { Link, LinkEvent, LinkOptions } from './types.ts'

export const createLink = (options: LinkOptions): Link => startLink(() => options)

/** `read` is asked each time, since options may change while Link lives; `changed` follows `isReady` and `error`. */
export const startLink = (read: () => LinkOptions, changed = (): void => {}): Link => {
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
    changed()
    emit('error', cause)
  }
  const expire = (): void => {
    if (session && !shown && Date.now() >= session.deadline) fail(new LinkError('link_token_expired'))
  }

  const load = async (): Promise<void> => {
    // A turn later, so that one that is taken away at once, as in React's strict mode, has asked for nothing.
    await Promise.resolve()
    if (signal.aborted) return
    const { linkUrl, linkToken } = read()
    const loaded = await loadSession(linkUrl, linkToken, signal).catch((cause: LinkError) => cause)
    if (signal.aborted) return
    if (loaded instanceof Error) return fail(loaded)
    session = loaded
    later(session.deadline - Date.now(), expire, signal)
    changed()
    emit('loaded', null)
    read().onLoad?.()
  }
  void load()

  const open = (): void => {
    if (shown) return shown.again(open)
    expire()
    if (!session) return emit('open_ignored', { code: error?.code ?? 'not_ready' })
    shown = showLink(session, read, emit, signal, (problem, isOver) => {
      shown = undefined
      if (problem && isOver) fail(problem)
      expire()
      if (problem !== undefined && !signal.aborted) read().onExit?.(problem)
      // The very last, so that whoever takes Link away now misses nothing.
      emit('close', null)
    })
  }

  return {
    open,
    exit: () => shown?.leave(),
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
