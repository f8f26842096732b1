import { lazy, Suspense, useSyncExternalStore } from 'react'
import { sessionGate } from '../api/session-gate.ts'

const SignInDialog = lazy(() => import('./sign-in-dialog.tsx'))

/** Opens the sign-in dialog when the session has expired. */
export const SignInGate = () => {
  const isOpen = useSyncExternalStore(sessionGate.subscribe, sessionGate.isOpen, sessionGate.isOpen)
  return isOpen ? (
    <Suspense>
      <SignInDialog />
    </Suspense>
  ) : null
}
