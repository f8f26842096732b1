import type {
  ConfirmedCredential,
  ConfirmRequest,
  LinkSession,
  LinkToken,
  LinkTokenRequest,
} from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export const linkTokens = (send: Send) => ({
  /** A token for Link in your page and a link to hand to the person: both open one session, for 30 minutes. */
  mint: (registeredUserId: string, body: LinkTokenRequest = {}, options?: PostOptions) =>
    send<LinkToken>('POST', path`/registered-users/${registeredUserId}/link-token`, options, { body }),
  /**
   * Redeems the code of a callback, once and within 5 minutes. Give `registered_user_id`, the user who is signed in at your
   * application: a code that belongs to somebody else is refused.
   */
  confirm: (body: ConfirmRequest, options?: PostOptions) =>
    send<ConfirmedCredential>('POST', '/link-token/confirm', options, { body }),
})

/** What happened in Link, for support. */
export const linkSessions = (send: Send) => ({
  get: (id: string, options?: CallOptions) => send<LinkSession>('GET', path`/link-sessions/${id}`, options),
  /** Newest first. */
  list: (registeredUserId: string, { limit }: PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<LinkSession>>('GET', path`/registered-users/${registeredUserId}/link-sessions`, options, {
        query: { limit, cursor },
      }),
    ),
})
