import type {
  ApiKey,
  ApiKeyCreate,
  CallbackOrigin,
  CallbackUrlTested,
  NewApiKey,
  Organization,
  OrganizationPatch,
} from './api-types.ts'
import { createWholeList } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export const organization = (send: Send) => ({
  get: (options?: CallOptions) => send<Organization>('GET', '/organization', options),
  update: (body: OrganizationPatch, options?: CallOptions) =>
    send<Organization>('PATCH', '/organization', options, { body }),
})

/** Requires the production key. Requests that create a key are not retried, because a key is returned only once. */
export const apiKeys = (send: Send) => ({
  list: (options?: CallOptions) => createWholeList(send<{ data: ApiKey[] }>('GET', '/api-keys', options)),
  /** Creates a test key. There is exactly one production key, which can only be regenerated. */
  create: (body: ApiKeyCreate = {}, options?: CallOptions) =>
    send<NewApiKey>('POST', '/api-keys', options, { body, once: true }),
  /** The old key stops working immediately, even if this client uses it. */
  regenerate: (id: string, options?: CallOptions) =>
    send<NewApiKey>('POST', path`/api-keys/${id}/regenerate`, options, { body: {}, once: true }),
  revoke: (id: string, options?: CallOptions) => send<void>('DELETE', path`/api-keys/${id}`, options),
})

/** Origins that browsers may be redirected to and that may embed Link. Requires the production key. */
export const callbackOrigins = (send: Send) => ({
  list: (options?: CallOptions) =>
    createWholeList(send<{ data: CallbackOrigin[] }>('GET', '/callback-origins', options)),
  add: (origin: string, options?: PostOptions) =>
    send<CallbackOrigin>('POST', '/callback-origins', options, { body: { origin } }),
  remove: (origin: string, options?: CallOptions) =>
    send<void>('DELETE', '/callback-origins', options, { body: { origin } }),
  /** Whether a link token could be minted with this `callback_url`, and if not, why. */
  test: (url: string, options?: CallOptions) =>
    send<CallbackUrlTested>('POST', '/callback-origins/test', options, { body: { url }, once: true }),
})
