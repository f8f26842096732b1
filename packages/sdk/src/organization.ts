import type {
  ApiKey,
  ApiKeyCreate,
  CallbackOrigin,
  NewApiKey,
  Organization,
  OrganizationPatch,
} from './api-types.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export const organization = (send: Send) => ({
  get: (options?: CallOptions) => send<Organization>('GET', '/organization', options),
  update: (body: OrganizationPatch, options?: CallOptions) =>
    send<Organization>('PATCH', '/organization', options, { body }),
})

/** With the production key. A key is shown in the answer that makes it and never again, so these are not tried twice. */
export const apiKeys = (send: Send) => ({
  list: async (options?: CallOptions) => (await send<{ data: ApiKey[] }>('GET', '/api-keys', options)).data,
  /** A test key; the production key exists once and is regenerated. */
  create: (body: ApiKeyCreate = {}, options?: CallOptions) =>
    send<NewApiKey>('POST', '/api-keys', options, { body, once: true }),
  /** The old key stops working at once, also that of this client if it is the one. */
  regenerate: (id: string, options?: CallOptions) =>
    send<NewApiKey>('POST', path`/api-keys/${id}/regenerate`, options, { body: {}, once: true }),
  revoke: (id: string, options?: CallOptions) => send<void>('DELETE', path`/api-keys/${id}`, options),
})

/** With the production key: where browsers may be sent to, and which pages may have Link in them. */
export const callbackOrigins = (send: Send) => ({
  list: async (options?: CallOptions) =>
    (await send<{ data: CallbackOrigin[] }>('GET', '/callback-origins', options)).data,
  add: (origin: string, options?: PostOptions) =>
    send<CallbackOrigin>('POST', '/callback-origins', options, { body: { origin } }),
  remove: (origin: string, options?: CallOptions) =>
    send<void>('DELETE', '/callback-origins', options, { body: { origin } }),
})
