import type {
  Connector,
  FoundTools,
  McpConnector,
  McpConnectorCreate,
  McpConnectorPatch,
  McpToolsState,
  OAuthAppPut,
  OAuthAppState,
  OAuthAppTest,
  PendingToolsImpact,
} from './api-types.ts'
import { createWholeList } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, PostOptions, Send } from './send.ts'

export type ConnectorFilter = { include?: 'not_configured' }

export const connectors = (send: Send) => ({
  /** Usable connectors: those of the catalog and your own. `include` adds those that need an OAuth app first. */
  list: ({ include }: ConnectorFilter = {}, options?: CallOptions) =>
    createWholeList(send<{ data: Connector[] }>('GET', '/connectors', options, { query: { include } })),
  /** Tools of all usable connectors by part of their name or title. At most 100 definitions; `total` counts all matches. */
  searchTools: (search: string, options?: CallOptions) =>
    send<FoundTools>('GET', '/connector-tools', options, { query: { search } }),
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
  /** Whether the third party accepts the client ID and secret that new links use. */
  test: (slug: string, options?: CallOptions) =>
    send<OAuthAppTest>('POST', path`/connectors/${slug}/oauth-app/test`, options, { once: true }),
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
  /** How many recorded calls of the last days the pending tools would reject. */
  pendingImpact: (slug: string, { days }: { days?: number } = {}, options?: CallOptions) =>
    send<PendingToolsImpact>('GET', path`/connectors/${slug}/tools/pending/impact`, options, {
      query: { days },
    }),
  /** `hash` identifies the pending tools that you reviewed. */
  acceptTools: (slug: string, hash: string, options?: PostOptions) =>
    send<McpToolsState>('POST', path`/connectors/${slug}/tools/accept`, options, { body: { hash } }),
})
