import type {
  ConnectionsLink,
  Credential,
  CredentialAccess,
  CredentialPause,
  CredentialTest,
  CredentialUpdate,
  Grant,
  McpKey,
  McpKeyCreate,
  NewMcpKey,
  RegisteredUser,
  RegisteredUserCreate,
  RegisteredUserPatch,
  Revocation,
} from './api-types.ts'
import { createPages, createWholeList, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export type UserFilter = PageOptions & {
  /** Returns only the user with this ID of your application. */
  origin_user_id?: string
  /** The beginning of a name, an e-mail address or an ID of your application, in upper or lower case. */
  search?: string
}

export const registeredUsers = (send: Send) => ({
  /** Creates the user, or updates the one with this `origin_user_id`. Safe to call at every sign-in. */
  upsert: (body: RegisteredUserCreate, options?: PostOptions) =>
    send<RegisteredUser>('POST', '/registered-users', options, { body }),
  get: (id: string, options?: CallOptions) =>
    send<RegisteredUser>('GET', path`/registered-users/${id}`, options),
  /** Oldest first. Pages are fetched as you iterate. */
  list: (filter: UserFilter = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<RegisteredUser>>('GET', '/registered-users', options, { query: { ...filter, cursor } }),
    ),
  /** `is_active: false` revokes the user's credentials and makes further tool calls fail. */
  update: (id: string, body: RegisteredUserPatch, options?: CallOptions) =>
    send<RegisteredUser>('PATCH', path`/registered-users/${id}`, options, { body }),
  /** Deletes the user with all data. This cannot be undone. */
  delete: (id: string, options?: CallOptions) => send<void>('DELETE', path`/registered-users/${id}`, options),
  /**
   * Returns a link to the page My connections, where the user sees, pauses, reconnects and disconnects their own accounts.
   * It works for 30 minutes, in one browser.
   */
  connectionsLink: (id: string, options?: PostOptions) =>
    send<ConnectionsLink>('POST', path`/registered-users/${id}/connections-link`, options),
  credentials: credentials(send),
  mcpKeys: mcpKeys(send),
  grants: grants(send),
  /** Outcomes of revoking the user's tokens at third parties. */
  revocations: async (id: string, options?: CallOptions) =>
    (await send<{ data: Revocation[] }>('GET', path`/registered-users/${id}/revocations`, options)).data,
})

/** Linked accounts of a user. The API never returns the secrets. */
const credentials = (send: Send) => ({
  list: (userId: string, options?: CallOptions) =>
    createWholeList(
      send<{ data: Credential[] }>('GET', path`/registered-users/${userId}/credentials`, options),
    ),
  get: (userId: string, credentialId: string, options?: CallOptions) =>
    send<Credential>('GET', path`/registered-users/${userId}/credentials/${credentialId}`, options),
  /** Checks the credential with a call to the third party. */
  test: (userId: string, credentialId: string, options?: PostOptions) =>
    send<CredentialTest>('POST', path`/registered-users/${userId}/credentials/${credentialId}/test`, options),
  /** Changes the label by which tool calls name the account. */
  update: (userId: string, credentialId: string, body: CredentialUpdate, options?: CallOptions) =>
    send<Credential>('PATCH', path`/registered-users/${userId}/credentials/${credentialId}`, options, {
      body,
    }),
  /** Replaces the list of users and Tool Packs that may make calls with the account. */
  share: (userId: string, credentialId: string, body: CredentialAccess, options?: CallOptions) =>
    send<Credential>('PUT', path`/registered-users/${userId}/credentials/${credentialId}/access`, options, {
      body,
    }),
  /** Rejects tool calls with `connection_paused`, by default for an hour. */
  pause: (userId: string, credentialId: string, body: CredentialPause = {}, options?: PostOptions) =>
    send<Credential>('POST', path`/registered-users/${userId}/credentials/${credentialId}/pause`, options, {
      body,
    }),
  /** Has no effect if the credential is not paused. */
  resume: (userId: string, credentialId: string, options?: PostOptions) =>
    send<Credential>('POST', path`/registered-users/${userId}/credentials/${credentialId}/resume`, options),
  delete: (userId: string, credentialId: string, options?: CallOptions) =>
    send<void>('DELETE', path`/registered-users/${userId}/credentials/${credentialId}`, options),
})

/** Keys for agents. A key is limited to one user, selected Tool Packs, an expiry and the MCP endpoint. */
const mcpKeys = (send: Send) => ({
  /** The key is returned only in this response, so the request is not retried. */
  create: (userId: string, body: McpKeyCreate, options?: CallOptions) =>
    send<NewMcpKey>('POST', path`/registered-users/${userId}/mcp-keys`, options, { body, once: true }),
  list: (userId: string, { limit }: PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<McpKey>>('GET', path`/registered-users/${userId}/mcp-keys`, options, {
        query: { limit, cursor },
      }),
    ),
  /** Keys of any user by the last four characters, newest first. */
  find: async (hint: string, options?: CallOptions) =>
    (await send<{ data: McpKey[] }>('GET', '/mcp-keys', options, { query: { hint } })).data,
  /** The key stops working immediately, and its open streams are closed. */
  revoke: (userId: string, keyId: string, options?: CallOptions) =>
    send<void>('DELETE', path`/registered-users/${userId}/mcp-keys/${keyId}`, options),
})

/** MCP clients that the user has signed in with and allowed to use a Tool Pack. */
const grants = (send: Send) => ({
  list: (userId: string, { limit }: PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<Grant>>('GET', path`/registered-users/${userId}/grants`, options, {
        query: { limit, cursor },
      }),
    ),
  /** The tokens of the client stop working immediately. */
  revoke: (userId: string, grantId: string, options?: CallOptions) =>
    send<void>('DELETE', path`/registered-users/${userId}/grants/${grantId}`, options),
})
