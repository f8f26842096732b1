import { useState } from 'react'
import { enter } from './enter.ts'
import { LinkSignIn } from './link-sign-in.tsx'
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

const OwnSignIn = ({ next, error }: { next: string; error: string | undefined }) => {
  const [needsSecondFactor, setNeedsSecondFactor] = useState(false)
  const onSignedIn = () => enter(next)
  if (needsSecondFactor)
    return (
      <SignInFrame title="Second factor" note="Enter a code to finish signing in.">
        <SecondFactorForm onSignedIn={onSignedIn} />
      </SignInFrame>
    )
  return (
    <SignInFrame title="Sign in" note="Sign in to the Carabiner dashboard.">
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error === 'account_not_linked' || error === 'unable_to_link_account'
            ? 'Sign-in failed. Your identity provider has not verified your email address, or another of its accounts is linked to this address. Ask the operator of this service.'
            : 'Sign-in failed. Ask an administrator whether you were invited with this email address.'}
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
