import { useEffect, useRef } from 'react'

/** The editors on this page that have unsaved changes. */
type Unsaved = { discard: () => void }

const entries = new Set<Unsaved>()
const listeners = new Set<() => void>()
let isReleased = false

const notify = (): void => {
  for (const listener of listeners) listener()
}

export const unsavedChanges = {
  exist: (): boolean => entries.size > 0 && !isReleased,
  discard: (): void => {
    for (const { discard } of entries) discard()
  },
  /** Lets the browser load another page without a question, because the person has just asked for it. Drafts are kept. */
  release: (): void => {
    isReleased = true
    notify()
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Asks before the person leaves the page, as long as `isChanged`. */
export const useUnsavedChanges = (isChanged: boolean, discard: () => void): void => {
  const latest = useRef(discard)
  latest.current = discard
  useEffect(() => {
    if (!isChanged) return
    const entry = { discard: () => latest.current() }
    entries.add(entry)
    notify()
    return () => {
      entries.delete(entry)
      notify()
    }
  }, [isChanged])
}
