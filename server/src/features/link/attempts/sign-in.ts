import { signInMethod } from '@carabiner/contract'
import { OAuthError } from '../../oauth/protocol.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'
import type { LinkDeps } from './link-deps.ts'
import { beginOAuth1, finishOAuth1 } from './oauth1-sign-in.ts'
import { beginOAuth2, finishOAuth2 } from './oauth2-sign-in.ts'
import type { SignInResult, SignInReturn, SignInStart, StartedSignIn } from './sign-in-state.ts'

export const beginSignIn = (
  deps: LinkDeps,
  session: StoredSession,
  start: SignInStart,
): Promise<StartedSignIn> =>
  signInMethod(start.connector)?.type === 'oauth1'
    ? beginOAuth1(deps, session, start)
    : beginOAuth2(deps, session, start)

/** The connector's file may have changed since the attempt was started. */
export const finishSignIn = (
  deps: LinkDeps,
  organizationId: string,
  { kept, ...returned }: SignInReturn,
): Promise<SignInResult> => {
  if (signInMethod(returned.connector)?.type !== kept.type) throw new OAuthError({ kind: 'exchange_failed' })
  return kept.type === 'oauth1'
    ? finishOAuth1(deps, organizationId, { ...returned, kept })
    : finishOAuth2(deps, organizationId, { ...returned, kept })
}
