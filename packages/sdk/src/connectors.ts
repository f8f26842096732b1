import type {
  Connector,
  McpConnector,
  McpConnectorCreate,
  McpConnectorPatch,
  McpToolsState,
  OAuthAppPut,
  OAuthAppState,
} from './api-types.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export const connectors = (send: Send) => ({
  /** Usable connectors: those of the catalog and your own. */
  list: async (options?: CallOptions) =>
    (await send<{ data: Connector[] }>('GET', '/connectors', options)).data,
  oauthApp: oauthApp(send),
})

/** Your own OAuth app, so that users see your name at the third party. */
const oauthApp = (send: Send) => ({
  get: (slug: string, options?: CallOptions) =>
    send<OAuthAppState>('GET', path`/connectors/${slug}/oauth-app`, options),
  put: (slug: string, body: OAuthAppPut, options?: CallOptions) =>
    send<OAuthAppState>('PUT', path`/connectors/${slug}/oauth-app`, options, { body }),
  remove: (slug: string, options?: CallOptions) =>
    send<void>('DELETE', path`/connectors/${slug}/oauth-app`, options),
})

/** Connectors for MCP servers. */
export const mcpConnectors = (send: Send) => ({
  create: (body: McpConnectorCreate, options?: PostOptions) =>
    send<McpConnector>('POST', '/connectors', options, { body }),
  get: (slug: string, options?: CallOptions) => send<McpConnector>('GET', path`/connectors/${slug}`, options),
  update: (slug: string, body: McpConnectorPatch, options?: CallOptions) =>
    send<McpConnector>('PATCH', path`/connectors/${slug}`, options, { body }),
  delete: (slug: string, options?: CallOptions) => send<void>('DELETE', path`/connectors/${slug}`, options),
  /** Accepted tools, and changed tools that are pending review. */
  tools: (slug: string, options?: CallOptions) =>
    send<McpToolsState>('GET', path`/connectors/${slug}/tools`, options),
  checkTools: (slug: string, options?: PostOptions) =>
    send<McpToolsState>('POST', path`/connectors/${slug}/tools/check`, options),
  /** `hash` identifies the pending tools that you reviewed. */
  acceptTools: (slug: string, hash: string, options?: PostOptions) =>
    send<McpToolsState>('POST', path`/connectors/${slug}/tools/accept`, options, { body: { hash } }),
})
