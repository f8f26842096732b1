import { lazy, Suspense, useSyncExternalStore } from 'react'
import type { Message } from './toast-host.tsx'

let messages: readonly Message[] = []
let count = 0
const listeners = new Set<() => void>()

/** Reports the result of an action that has no other visible effect. Errors of forms are shown in the form. */
export const toast = (message: Omit<Message, 'id'>): void => {
  messages = [...messages, { ...message, id: ++count }]
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const ToastHost = lazy(() => import('./toast-host.tsx'))

/** Shows the messages. Its code is loaded with the first one. */
export const Toasts = () => {
  const shown = useSyncExternalStore(subscribe, () => messages)
  return shown.length === 0 ? null : (
    <Suspense>
      <ToastHost messages={shown} />
    </Suspense>
  )
}
