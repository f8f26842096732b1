import type { Role } from '@carabiner/contract/permissions'
import { callDashboard } from './call-dashboard.ts'

export type SignInOptions = { single_sign_on: { name: string } | null; development: boolean }

export const fetchSignInOptions = (): Promise<SignInOptions> => callDashboard('GET', '/sign-in-options')

/** Whether a second factor is needed before the session starts. */
export const signIn = async (email: string, password: string): Promise<{ needsSecondFactor: boolean }> => {
  const result = await callDashboard<{ twoFactorRedirect?: boolean } | undefined>(
    'POST',
    '/auth/sign-in/email',
    {
      email,
      password,
    },
  )
  return { needsSecondFactor: result?.twoFactorRedirect === true }
}

/** A code of the authenticator app has six digits; a backup code is longer. */
export const verifySecondFactor = (code: string): Promise<void> =>
  /^\d{6}$/.test(code)
    ? callDashboard('POST', '/auth/two-factor/verify-totp', { code })
    : callDashboard('POST', '/auth/two-factor/verify-backup-code', { code })

/** Redirects to the identity provider. */
export const startSingleSignOn = async (next: string): Promise<void> => {
  const { url } = await callDashboard<{ url: string }>('POST', '/auth/sign-in/social', {
    provider: 'sso',
    callbackURL: next,
    errorCallbackURL: '/dashboard/sign-in',
  })
  window.location.assign(url)
}

export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

export const signInWithPasskey = async (): Promise<void> => {
  const options = await callDashboard<PublicKeyCredentialRequestOptionsJSON>(
    'GET',
    '/auth/passkey/generate-authenticate-options',
  )
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  await callDashboard('POST', '/auth/passkey/verify-authentication', {
    response: (credential as PublicKeyCredential).toJSON() as object,
  })
}

export const signOut = (): Promise<void> => callDashboard('POST', '/auth/sign-out', {})
export type SignInLinkDetails = {
  /** `invites`: the link accepts an invitation. */
  organization: { name: string; role: Role; invites: boolean } | null
  issued_by: string | null
}

/** Uses nothing up. */
export const describeSignInLink = (token: string): Promise<SignInLinkDetails> =>
  callDashboard('POST', '/sign-in-link/details', { token })

/** A one-time link is redeemed by a POST only, because mail scanners open links. */
export const redeemSignInLink = (token: string): Promise<void> =>
  callDashboard('POST', '/sign-in-link', { token })

export type NewPassword = { password: string; current_password?: string; name?: string; email?: string }
export const setPassword = (body: NewPassword): Promise<void> => callDashboard('POST', '/password', body)
