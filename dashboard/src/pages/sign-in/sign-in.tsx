import { CarabinerError } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fetchSession } from '../../api/session.ts'
import { redeemSignInLink } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { OtherWays } from './other-ways.tsx'
import { safeNext } from './safe-next.ts'
import { SecondFactorForm } from './second-factor-form.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

/** The token of a one-time link is in the fragment, which browsers do not send. It is removed from the address bar and the history. */
const takeToken = (): string | null => {
  const token = window.location.hash.slice(1)
  if (token === '') return null
  window.history.replaceState(null, '', window.location.pathname)
  return token
}
/** The page is prerendered without an address. */
const linkToken = import.meta.env.SSR ? null : takeToken()

/** `next`: the page to open afterwards; `error`: why the identity provider did not sign the person in. */
export type SignInProps = { next?: string | undefined; error?: string | undefined }

/** Sign-in with a password or with a one-time link. */
export const SignIn = ({ next, error }: SignInProps) =>
  linkToken === null ? <OwnSignIn next={safeNext(next)} error={error} /> : <LinkSignIn token={linkToken} />

/** Loads the page again, so that nothing of a previous person stays in memory. */
const enter = async (path: string): Promise<void> => window.location.assign(path)

const OwnSignIn = ({ next, error }: { next: string; error: string | undefined }) => {
  const [needsSecondFactor, setNeedsSecondFactor] = useState(false)
  const onSignedIn = () => enter(next)
  if (needsSecondFactor)
    return (
      <SignInFrame title="Second factor" note="Your password is correct.">
        <SecondFactorForm onSignedIn={onSignedIn} />
      </SignInFrame>
    )
  return (
    <SignInFrame title="Sign in" note="To the dashboard of this Carabiner service.">
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error === 'account_not_linked' || error === 'unable_to_link_account'
            ? 'You could not be signed in. Your identity provider has not verified your e-mail address, or another of its accounts is linked to this address. Ask the operator of this service.'
            : 'You could not be signed in. Ask an administrator whether you were invited with this e-mail address.'}
        </p>
      )}
      <SignInForm onSignedIn={onSignedIn} onSecondFactor={() => setNeedsSecondFactor(true)} />
      <OtherWays next={next} onSignedIn={onSignedIn} />
      <p className="text-xs text-muted text-pretty">
        Forgot your password? An administrator of your organization, or the operator of this service, can send
        you a one-time sign-in link.
      </p>
    </SignInFrame>
  )
}

const LinkSignIn = ({ token }: { token: string }) => {
  const attempt = useMutation({
    mutationFn: async () => {
      await redeemSignInLink(token)
      const session = await fetchSession()
      await enter(session?.person.has_password ? '/dashboard' : '/dashboard/password')
    },
  })
  return (
    <SignInFrame
      title="Sign in with this link"
      note="The link works once. Continue only if you requested it."
    >
      {attempt.error && <ErrorNote error={attempt.error} />}
      {attempt.error instanceof CarabinerError && attempt.error.code === 'account_exists' ? (
        <Button kind="primary" onClick={() => void enter('/dashboard/sign-in')}>
          Sign in as usual
        </Button>
      ) : (
        <Button kind="primary" isBusy={attempt.isPending} onClick={() => attempt.mutate()}>
          Continue to the dashboard
        </Button>
      )}
    </SignInFrame>
  )
}
