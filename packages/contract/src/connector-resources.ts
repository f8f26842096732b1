import { type Static, Type } from 'typebox'
import { connectorCategories, SLUG_PATTERN, Slug } from './connector.ts'
import { authorizationTypes } from './connector-authorization.ts'
import { Timestamp } from './resources.ts'
import { ShownEffects } from './tool-effects.ts'

const strict = { additionalProperties: false } as const
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

/**
 * `oauth2` and `oauth1`: the user signs in at the provider; `api_key`: the user enters a key; `token_request`: the user enters what the service
 * requests tokens with; `aws_signature`: the user enters an access key that signs requests; `signature`: the user enters secrets that sign
 * requests in another way.
 */
const LinkMethod = Type.Enum(authorizationTypes)

export const Connector = Type.Object({
  slug: Slug,
  name: Type.String(),
  summary: Type.String(),
  categories: Type.Array(Type.Enum(connectorCategories)),
  source: Type.Enum(['catalog', 'file', 'custom'], {
    description:
      '`catalog`: shipped with the service. `file`: a connector file of the operator. `custom`: an MCP server of your organization.',
  }),
  kind: Type.Enum(['http', 'mcp']),
  methods: Type.Array(LinkMethod, {
    description:
      'Available ways to link an account. Empty if no account is needed, or if the authentication of an MCP server has not been discovered yet.',
  }),
  needs_account: Type.Boolean({
    description: 'False: its tools work without an account, so Link does not offer it.',
  }),
  tool_count: orNull(
    Type.Integer({
      minimum: 0,
      description:
        'Number of tools. Null for an MCP server whose tools are unknown until an account is linked.',
    }),
  ),
  is_usable: Type.Boolean({
    description:
      'False: the connector needs an OAuth app, yours or the service’s, before it can be linked, or it has no tools yet (`tool_count` is 0). It is not shown in the picker.',
  }),
  attention: orNull(
    Type.Enum(['changed_tools', 'check_failed'], {
      description:
        'What needs a person. `changed_tools`: the MCP server has changed tools, which wait for a review. `check_failed`: its last check failed. Null: nothing.',
    }),
  ),
  documentation_url: Type.String(),
  logo_url: orNull(
    Type.String({
      description:
        'Square image (SVG or PNG) without rounded corners, as shown in Link. The URL changes with the image, so it can be cached indefinitely. Null if the connector has no logo; show its `tile` then, as Link does.',
    }),
  ),
  tile: Type.Object(
    {
      letters: Type.String({ description: 'One or two.' }),
      hue: Type.Integer({
        minimum: 0,
        maximum: 359,
        description:
          'OKLCH hue. Link uses `oklch(.95 .038 HUE)` with letters in `oklch(.43 .12 HUE)`; on dark pages `oklch(.32 .042 HUE)` and `oklch(.88 .085 HUE)`.',
      }),
    },
    { description: 'Letters and color to show if there is no logo.' },
  ),
})
export const Connectors = Type.Object({ data: Type.Array(Connector) })
export const ConnectorQuery = Type.Object(
  {
    include: Type.Optional(
      Type.Enum(['not_configured'], {
        description:
          'Also lists catalog connectors that need an OAuth app before they can be used, or that have no tools yet.',
      }),
    ),
    linkable_in: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Lists only the connectors whose accounts your users can link for this Tool Pack: its ID, or `default`. Offer exactly these in your own settings page.',
      }),
    ),
  },
  strict,
)

// --- the organization's own OAuth app -------------------------------------------------------------------------------

const Scopes = Type.Array(
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$' }),
  {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
  },
)

export const OAuthAppPut = Type.Object(
  {
    client_id: Type.String({ minLength: 1, maxLength: 512 }),
    client_secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'Stored encrypted and never returned. Default: the stored secret, if the client ID stays the same; otherwise the client is a public one.',
      }),
    ),
    scopes: Type.Optional(Scopes),
    test_mode: Type.Optional(
      Type.Boolean({
        description:
          'Whether the provider has not published the app yet. Some providers end the grants of such apps early; users are then warned. Default: false.',
      }),
    ),
  },
  strict,
)
export type OAuthAppPut = Static<typeof OAuthAppPut>

export const OAuthAppState = Type.Object({
  connector_slug: Slug,
  redirect_uri: Type.String({ description: 'Register exactly this URI with the provider.' }),
  in_use: Type.Enum(['own', 'service', 'none'], { description: 'OAuth app that new links use.' }),
  client_id: orNull(Type.String()),
  has_client_secret: Type.Boolean(),
  scopes: Type.Array(Type.String(), { description: 'Scopes that new links request.' }),
  scopes_overridden: Type.Boolean(),
  test_mode: Type.Boolean({ description: 'Whether the provider has not published the app yet.' }),
  updated_at: orNull(Timestamp),
})
export type OAuthAppState = Static<typeof OAuthAppState>

/** A scope that no call has needed for this many days is unused. */
export const UNUSED_SCOPE_DAYS = 30

export const UnusedScopes = Type.Object({
  data: Type.Array(
    Type.Object({
      connector_slug: Slug,
      scopes: Type.Array(
        Type.Object({
          name: Type.String({ description: 'The scope, as the provider names it.' }),
          title: orNull(Type.String({ description: 'What it allows.' })),
          credentials: Type.Integer({ description: 'Number of active credentials that have it.' }),
          tools: Type.Array(Type.String(), { description: 'The tools of the connector that need it.' }),
        }),
      ),
    }),
  ),
})
export type UnusedScopes = Static<typeof UnusedScopes>

export const OAuthAppTest = Type.Object({
  outcome: Type.Enum(['accepted', 'rejected', 'unknown'], {
    description:
      '`accepted`: the provider accepts the client ID and secret. `unknown`: its answer does not show whether it does.',
  }),
  message: Type.String(),
  provider_error: orNull(Type.String({ description: 'Error code that the provider returned.' })),
  in_use: Type.Enum(['own', 'service']),
})
export type OAuthAppTest = Static<typeof OAuthAppTest>

// --- custom connectors ----------------------------------------------------------------------------------------------

export const mcpAuthentications = ['none', 'user_secret', 'organization_secret', 'oauth'] as const

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\p{Cc}]+$' })
const HeaderName = Type.String({ maxLength: 64, pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$" })

export const McpConnectorCreate = Type.Object(
  {
    // Shorter than the slug of other connectors, because tool names are prefixed with it.
    slug: Type.String({ pattern: SLUG_PATTERN, maxLength: 40 }),
    name: Text(40),
    summary: Type.Optional(Text(80)),
    url: Type.String({ maxLength: 2048 }),
    authentication: Type.Optional(
      Type.Enum(mcpAuthentications, {
        description:
          'Default: discovered. `none` if the server accepts unauthenticated requests, otherwise `oauth` with the metadata that the server publishes.',
      }),
    ),
    header_name: Type.Optional(HeaderName),
    // Braces are excluded because they delimit names in header templates.
    header_prefix: Type.Optional(Type.String({ maxLength: 32, pattern: '^[\\x20-\\x7a\\x7c\\x7e]*$' })),
    secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' })),
    client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    tool_changes: Type.Optional(Type.Enum(['review', 'auto'])),
  },
  strict,
)
export type McpConnectorCreate = Static<typeof McpConnectorCreate>

export const McpConnectorPatch = Type.Object(
  {
    name: Type.Optional(Text(40)),
    summary: Type.Optional(Text(80)),
    secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, pattern: '^[\\x21-\\x7e]+$' })),
    tool_changes: Type.Optional(Type.Enum(['review', 'auto'])),
  },
  strict,
)
export type McpConnectorPatch = Static<typeof McpConnectorPatch>

export const McpConnector = Type.Object({
  slug: Slug,
  name: Type.String(),
  summary: Type.String(),
  source: Type.Enum(['catalog', 'custom']),
  url: Type.String(),
  authentication: Type.Enum(mcpAuthentications),
  authorization_server: orNull(
    Type.String({ description: 'Issuer of the discovered authorization server.' }),
  ),
  redirect_uri: orNull(Type.String()),
  protocol_revision: orNull(Type.String()),
  tool_changes: Type.Enum(['review', 'auto']),
  tools_hash: orNull(
    Type.String({ description: 'Null if the tools are unknown until the first user links an account.' }),
  ),
  pending_hash: orNull(Type.String({ description: 'Hash of changed tools that are pending review.' })),
  checked_at: orNull(Timestamp),
  check_problem: orNull(Type.String()),
  created_at: Timestamp,
})
export type McpConnector = Static<typeof McpConnector>

const McpToolShown = Type.Object({
  name: Type.String(),
  upstream_name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  input_schema: Type.Record(Type.String(), Type.Unknown()),
  annotations: Type.Record(Type.String(), Type.Unknown()),
  effects: ShownEffects,
})
export const McpToolsState = Type.Object({
  tools_hash: orNull(Type.String()),
  tools: Type.Array(McpToolShown),
  problems: Type.Array(Type.String()),
  pending: orNull(
    Type.Object({
      hash: Type.String(),
      since: Timestamp,
      added: Type.Array(Type.String()),
      removed: Type.Array(Type.String()),
      changed: Type.Array(Type.String()),
      tools: Type.Array(McpToolShown),
      problems: Type.Array(Type.String(), {
        description: 'Problems found in the pending tools. Review them before you accept.',
      }),
    }),
  ),
})
export type McpToolsState = Static<typeof McpToolsState>

export const ToolSearch = Type.Object(
  {
    search: Type.String({
      minLength: 2,
      maxLength: 100,
      description: 'Part of the name or title of a tool, or of `connector__tool`, in upper or lower case.',
    }),
  },
  strict,
)
export const FoundTools = Type.Object({
  data: Type.Array(
    Type.Object({
      connector_slug: Type.String(),
      tool_names: Type.Array(Type.String(), { description: 'All tools of the connector.' }),
      tools: Type.Array(McpToolShown, { description: 'The matching tools.' }),
    }),
  ),
  total: Type.Integer({ description: 'Number of matching tools.' }),
})
export type FoundTools = Static<typeof FoundTools>

export const McpToolsAccept = Type.Object(
  {
    hash: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Hash of the pending tools that you reviewed.',
    }),
  },
  strict,
)

// --- recorded calls against changed tools ---------------------------------------------------------------------------

export const pendingToolsBounds = { days: { minimum: 1, maximum: 30, default: 7 }, calls: 500 } as const

export const PendingToolsQuery = Type.Object(
  {
    days: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,2}$',
        description: `Days to look back, 1 to ${pendingToolsBounds.days.maximum}. Default: ${pendingToolsBounds.days.default}`,
      }),
    ),
  },
  strict,
)

export const PendingToolsImpact = Type.Object({
  hash: Type.String({ description: 'Hash of the pending tools that were checked.' }),
  since: Timestamp,
  calls_checked: Type.Integer({
    description: `Recorded calls whose arguments were checked: the latest, at most ${pendingToolsBounds.calls}.`,
  }),
  calls_failing: Type.Integer({ description: 'Calls that the pending definitions would reject.' }),
  calls_not_checked: Type.Integer({
    description:
      'Calls whose arguments were not stored, were truncated, or are too complex to be checked here.',
  }),
  is_complete: Type.Boolean({ description: 'False: there are more calls than were checked.' }),
  failures: Type.Array(
    Type.Object({
      tool: Type.String(),
      param: orNull(Type.String()),
      calls: Type.Integer(),
      message: Type.String(),
      example_tool_call_id: Type.String({ format: 'uuid' }),
    }),
    { description: 'Reasons, the most frequent first.' },
  ),
})
export type PendingToolsImpact = Static<typeof PendingToolsImpact>
