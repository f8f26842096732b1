import type {
  ConfirmedCredential,
  ConfirmRequest,
  FoundLink,
  LinkSession,
  LinkToken,
  LinkTokenRequest,
  OrganizationAccounts,
} from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export const linkTokens = (send: Send) => ({
  /** Creates a token for Link in your page and a magic link for the user. Both open one session and expire after 30 minutes. */
  mint: (registeredUserId: string, body: LinkTokenRequest = {}, options?: PostOptions) =>
    send<LinkToken>('POST', path`/registered-users/${registeredUserId}/link-token`, options, { body }),
  /**
   * Redeems the code of a callback. A code is valid once, for 5 minutes. Set `registered_user_id` to the user who is signed in to
   * your application, so that a code of another user is rejected.
   */
  confirm: (body: ConfirmRequest, options?: PostOptions) =>
    send<ConfirmedCredential>('POST', '/link-token/confirm', options, { body }),
})

/** Accounts that an administrator links once for the organization, and shares with `registeredUsers.credentials.share`. */
export const organizationAccounts = (send: Send) => ({
  list: (options?: CallOptions) => send<OrganizationAccounts>('GET', '/organization-accounts', options),
  /** No user may use the account before it is shared. */
  linkToken: (body: LinkTokenRequest, options?: PostOptions) =>
    send<LinkToken>('POST', '/organization-accounts/link-token', options, { body }),
})

/** Timelines of Link sessions, for support. */
export const linkSessions = (send: Send) => ({
  get: (id: string, options?: CallOptions) => send<LinkSession>('GET', path`/link-sessions/${id}`, options),
  /** The user and the session of a magic link, a link token, or a page of Link or My connections. Nothing is opened or consumed. */
  find: (url: string, options?: CallOptions) =>
    send<FoundLink>('POST', '/links/find', options, { body: { url }, once: true }),
  /** Newest first. */
  list: (registeredUserId: string, { limit }: PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<LinkSession>>('GET', path`/registered-users/${registeredUserId}/link-sessions`, options, {
        query: { limit, cursor },
      }),
    ),
})
