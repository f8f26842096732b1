/**
 * Requests that fail because the session has expired wait here until the person has signed in again. The sign-in dialog opens over
 * the current page, so that nothing typed into a form is lost.
 */
/** `old`: the session is valid, but the request needs a recent sign-in. */
export type GateReason = 'expired' | 'old'

export type SessionGate = {
  /** Resolves when the person has signed in again. Concurrent requests share one dialog. */
  waitForSignIn: (reason?: GateReason) => Promise<void>
  reason: () => GateReason
  signedIn: () => void
  /** Fails the waiting requests. */
  abandon: (reason: unknown) => void
  isOpen: () => boolean
  subscribe: (listener: () => void) => () => void
}

export const createSessionGate = (): SessionGate => {
  let waiting: PromiseWithResolvers<void> | null = null
  let current: GateReason = 'expired'
  const listeners = new Set<() => void>()
  const change = (next: typeof waiting): void => {
    waiting = next
    for (const listener of listeners) listener()
  }
  return {
    reason: () => current,
    waitForSignIn: (reason = 'expired') => {
      current = reason
      if (!waiting) change(Promise.withResolvers<void>())
      return (waiting as PromiseWithResolvers<void>).promise
    },
    signedIn: () => {
      waiting?.resolve()
      change(null)
    },
    abandon: reason => {
      waiting?.reject(reason)
      change(null)
    },
    isOpen: () => waiting !== null,
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const sessionGate = createSessionGate()
