import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { fetchSession, sessionQuery } from '../api/session.ts'
import { sessionGate } from '../api/session-gate.ts'
import { SecondFactorForm } from '../pages/sign-in/second-factor-form.tsx'
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useSession } from './use-session.ts'

/** Over the current page. After the sign-in, the failed requests are repeated. */
const SignInDialog = () => {
  const { person } = useSession()
  const resume = useResume()
  const isOld = sessionGate.reason() === 'old'
  const [needsSecondFactor, setNeedsSecondFactor] = useState(false)
  useEffect(() => {
    // A valid session would continue at once, although it is too old.
    if (isOld) return
    // The person may have signed in on another tab.
    const onFocus = (): void => void resume().catch(() => undefined)
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [resume, isOld])
  return (
    <Dialog
      isOpen
      onClose={() => isOld && sessionGate.abandon(new Error('The person did not sign in again.'))}
      mustAnswer={!isOld}
      title="Sign in again"
      description={
        isOld
          ? 'For this, you must have signed in within the last ten minutes. Sign in to continue.'
          : 'Your session has expired. Your work on this page is kept.'
      }
    >
      {needsSecondFactor ? (
        <SecondFactorForm onSignedIn={resume} />
      ) : (
        <SignInForm
          email={person.email}
          onSignedIn={resume}
          onSecondFactor={() => setNeedsSecondFactor(true)}
        />
      )}
      <p className="text-center text-xs text-muted">
        No password?{' '}
        <a
          href="/dashboard/sign-in"
          target="_blank"
          rel="noreferrer"
          className="underline underline-offset-3"
        >
          Sign in on another tab
        </a>
        , then come back.
      </p>
    </Dialog>
  )
}

/** Continues if the same person has a session again. For another person, the page is loaded again, and what was typed is not sent. */
const useResume = () => {
  const queryClient = useQueryClient()
  return useCallback(async (): Promise<void> => {
    // Not stored in the cache while nobody is signed in: the page below needs the person's data.
    const session = await fetchSession()
    if (!session) return
    queryClient.setQueryData(sessionQuery.queryKey, session)
    sessionGate.signedIn()
  }, [queryClient])
}

export default SignInDialog
