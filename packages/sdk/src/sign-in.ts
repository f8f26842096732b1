import type { ApprovedSignIn, SignIn, SignInWrite } from './api-types.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

/** How users of the mode (production or test) of the client's key sign in with their own MCP clients. */
export const signIn = (send: Send) => ({
  get: (options?: CallOptions) => send<SignIn>('GET', '/sign-in', options),
  replace: (body: SignInWrite, options?: CallOptions) => send<SignIn>('PUT', '/sign-in', options, { body }),
  /** Clients that are signed in get no new tokens; their access tokens expire within an hour. */
  delete: (options?: CallOptions) => send<void>('DELETE', '/sign-in', options),
  /**
   * Signs in a user who has opened your `sign_in_url`. Redirect the browser to the returned `url`, which works once, so the request is not
   * retried.
   */
  approve: (requestId: string, registeredUserId: string, options?: PostOptions) =>
    send<ApprovedSignIn>('POST', path`/sign-in/requests/${requestId}/approve`, options, {
      body: { registered_user_id: registeredUserId },
      once: true,
    }),
})
