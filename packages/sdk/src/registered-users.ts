import type {
  Credential,
  CredentialTest,
  McpKey,
  McpKeyCreate,
  NewMcpKey,
  RegisteredUser,
  RegisteredUserCreate,
  RegisteredUserPatch,
  Revocation,
} from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export type UserFilter = PageOptions & {
  /** The one with this id of your own. */
  origin_user_id?: string
}

export const registeredUsers = (send: Send) => ({
  /** Creates the user, or updates the one that has this `origin_user_id`: safe to call at every sign-in. */
  upsert: (body: RegisteredUserCreate, options?: PostOptions) =>
    send<RegisteredUser>('POST', '/registered-users', options, { body }),
  get: (id: string, options?: CallOptions) =>
    send<RegisteredUser>('GET', path`/registered-users/${id}`, options),
  /** Oldest first, page by page as you read on. */
  list: (filter: UserFilter = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<RegisteredUser>>('GET', '/registered-users', options, { query: { ...filter, cursor } }),
    ),
  /** `is_active: false` revokes the user's credentials, and its tool calls fail from then on. */
  update: (id: string, body: RegisteredUserPatch, options?: CallOptions) =>
    send<RegisteredUser>('PATCH', path`/registered-users/${id}`, options, { body }),
  /** Takes along everything that belongs to the user. There is no way back. */
  delete: (id: string, options?: CallOptions) => send<void>('DELETE', path`/registered-users/${id}`, options),
  credentials: credentials(send),
  mcpKeys: mcpKeys(send),
  /** What was and was not revoked at third parties. */
  revocations: async (id: string, options?: CallOptions) =>
    (await send<{ data: Revocation[] }>('GET', path`/registered-users/${id}/revocations`, options)).data,
})

/** What a user has linked. The secrets themselves are never shown to anybody. */
const credentials = (send: Send) => ({
  list: async (userId: string, options?: CallOptions) =>
    (await send<{ data: Credential[] }>('GET', path`/registered-users/${userId}/credentials`, options)).data,
  get: (userId: string, credentialId: string, options?: CallOptions) =>
    send<Credential>('GET', path`/registered-users/${userId}/credentials/${credentialId}`, options),
  /** Asks the third party, now. */
  test: (userId: string, credentialId: string, options?: PostOptions) =>
    send<CredentialTest>('POST', path`/registered-users/${userId}/credentials/${credentialId}/test`, options),
  delete: (userId: string, credentialId: string, options?: CallOptions) =>
    send<void>('DELETE', path`/registered-users/${userId}/credentials/${credentialId}`, options),
})

/** Keys for agents and laptops: one user, chosen packs, an expiry, the MCP address and nothing else. */
const mcpKeys = (send: Send) => ({
  /** The key is shown in this answer and never again, so it is not tried twice. */
  create: (userId: string, body: McpKeyCreate, options?: CallOptions) =>
    send<NewMcpKey>('POST', path`/registered-users/${userId}/mcp-keys`, options, { body, once: true }),
  list: (userId: string, { limit }: PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<McpKey>>('GET', path`/registered-users/${userId}/mcp-keys`, options, {
        query: { limit, cursor },
      }),
    ),
  /** It stops working at once, and its open streams end. */
  revoke: (userId: string, keyId: string, options?: CallOptions) =>
    send<void>('DELETE', path`/registered-users/${userId}/mcp-keys/${keyId}`, options),
})
