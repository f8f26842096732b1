import { type Static, Type } from 'typebox'

/** Lowercase words joined by hyphens. */
export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const Slug = Type.String({ pattern: SLUG_PATTERN, maxLength: 64 })

const strict = { additionalProperties: false } as const
const optional = Type.Optional
const line = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const described = (description: string) => ({ description })

const Url = Type.String({
  pattern: '^https?://',
  maxLength: 400,
  description: 'May hold {tenant.<name>}; the path of a tool may hold {argument} too.',
})
const Pointer = Type.String({ pattern: '^(/[^/]*)*$', maxLength: 120, description: 'A JSON pointer.' })
const Name = Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 40 })
const Pattern = Type.String({
  maxLength: 160,
  description: 'A regular expression that the whole value must fit.',
})
const Template = Type.Unknown(
  described(
    'Constants and {names}. A text that is one name and nothing else stands for its value, of whatever type; what was not given is left out.',
  ),
)
const TextTemplates = Type.Record(Type.String(), Type.String())

/** What the picker groups by. */
export const connectorCategories = [
  'communication',
  'productivity',
  'files',
  'development',
  'sales',
  'support',
  'finance',
  'data',
  'other',
] as const
export type ConnectorCategory = (typeof connectorCategories)[number]

/** A box on a form: of a key, or of the place where a customer has an address of its own. */
const Field = Type.Object(
  {
    name: Name,
    label: line(40),
    hint: optional(line(160)),
    placeholder: optional(line(80)),
    suffix: optional(
      Type.String({ maxLength: 60, description: 'What follows the value in the address people know.' }),
    ),
    secret: Type.Boolean(),
    pattern: optional(Pattern),
  },
  strict,
)

const Scope = Type.Object(
  {
    name: line(200),
    title: line(80),
    detail: optional(line(160)),
    optional: optional(Type.Boolean(described('Asked for only by a link for a tool that needs it.'))),
  },
  strict,
)

/** A value that the third party tells, and that addresses are made of. */
const Learned = Type.Object(
  {
    name: Name,
    from: Type.Enum(['token_response', 'callback', 'identity']),
    at: Type.String({ maxLength: 120, description: 'A JSON pointer, or the name of a callback parameter.' }),
    pattern: Pattern,
  },
  strict,
)

const TokenResponse = Type.Object(
  {
    access_token: optional(Pointer),
    refresh_token: optional(Pointer),
    scope: optional(Pointer),
    expires_in: optional(Pointer),
    ok: optional(Type.String({ pattern: '^(/[^/]*)*$', description: 'False there means a refusal.' })),
    error: optional(Pointer),
  },
  strict,
)

const Revocation = Type.Object(
  {
    style: Type.Enum(['rfc7009', 'request'], described('`rfc7009`: a form; `request`: as described here.')),
    endpoint: Url,
    method: optional(Type.Enum(['GET', 'POST', 'DELETE'])),
    headers: optional(TextTemplates),
    body: optional(Template),
    basic: optional(Type.Boolean(described('The client and its secret as HTTP Basic.'))),
    token: optional(Type.Enum(['access', 'refresh'], described('Absent: the refresh token where there is one.'))),
    ends: Type.Enum(
      ['token', 'grant', 'account'],
      described('This token; its siblings too; everything between the app and the account.'),
    ),
  },
  strict,
)

const OAuthMethod = Type.Object(
  {
    type: Type.Literal('oauth2'),
    issuer: optional(Type.String({ pattern: '^https?://', description: 'Compared with `iss` (RFC 9207).' })),
    authorization_endpoint: Url,
    token_endpoint: Url,
    client_authentication: Type.Enum(['client_secret_basic', 'client_secret_post', 'none']),
    pkce: Type.Enum(
      ['S256', 'undocumented', 'rejected'],
      described('Sent unless the provider rejects it: RFC 6749 §3.1 has others ignore it.'),
    ),
    scopes: Type.Array(Scope),
    scope_separator: optional(Type.Enum([' ', ','])),
    scope_parameter: optional(Name),
    extra_authorization_parameters: optional(TextTemplates),
    token_request: optional(
      Type.Object(
        {
          body: Type.Enum(['form', 'json']),
          headers: optional(TextTemplates),
          parameters: optional(TextTemplates),
        },
        strict,
      ),
    ),
    token_response: optional(TokenResponse),
    refresh: optional(
      Type.Object(
        { rotates: Type.Boolean(), endpoint: optional(Url), response: optional(TokenResponse) },
        strict,
      ),
    ),
    revocation: optional(Revocation),
    headers: optional(TextTemplates),
    learns: optional(Type.Array(Learned, { maxItems: 4 })),
  },
  strict,
)

const ApiKeyMethod = Type.Object(
  {
    type: Type.Literal('api_key'),
    fields: Type.Array(Field, { minItems: 1, maxItems: 5 }),
    help_url: optional(Url),
    headers: optional(TextTemplates),
    basic: optional(Type.Object({ username: Type.String(), password: Type.String() }, strict)),
  },
  strict,
)

/** Which account a credential belongs to; for a key it is also the live check. */
const IdentityCall = Type.Object(
  {
    method: optional(Type.Enum(['GET', 'POST'])),
    url: Url,
    headers: optional(TextTemplates),
    body: optional(Template),
    account: Type.Union([Pointer, Type.Array(Pointer, { minItems: 1, maxItems: 4 })]),
    id: optional(Pointer),
    ok: optional(Pointer),
  },
  strict,
)

const Pagination = Type.Union([
  Type.Object(
    { type: Type.Literal('cursor'), parameter: Type.String(), next: Pointer, more: optional(Pointer) },
    strict,
  ),
  Type.Object(
    { type: Type.Literal('last_item'), parameter: Type.String(), id: Pointer, more: Pointer },
    strict,
  ),
  Type.Object({ type: Type.Literal('next_url'), next: Pointer }, strict),
  Type.Object({ type: Type.Literal('page'), parameter: Type.String(), first: Type.Integer() }, strict),
  Type.Object({ type: Type.Literal('offset'), parameter: Type.String(), size: Type.String() }, strict),
  Type.Object({ type: Type.Literal('link_header'), parameter: Type.String() }, strict),
])

const Tool = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 48 }),
    title: line(60),
    description: line(600),
    input_schema: Type.Record(Type.String(), Type.Unknown()),
    scopes: Type.Array(
      Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
      described('Each is needed; of an inner list one is enough.'),
    ),
    request: Type.Object(
      {
        method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
        url: Url,
        query: optional(Type.Record(Type.String(), Template)),
        headers: optional(TextTemplates),
        body: optional(Template),
        body_type: optional(Type.Enum(['json', 'form'])),
      },
      strict,
    ),
    pagination: optional(Pagination),
    result: optional(
      Type.Object(
        {
          at: optional(Pointer),
          fields: optional(Type.Record(Type.String(), Pointer)),
          ok: optional(Pointer),
          error: optional(Pointer),
        },
        strict,
      ),
    ),
    read_only: Type.Boolean(),
    destructive: optional(Type.Boolean(described('Cannot be taken back.'))),
  },
  strict,
)

/** One connector: data, not code. Origins name every place its credential may ever be sent to. */
export const ConnectorFile = Type.Object(
  {
    $schema: optional(Type.String()),
    slug: Slug,
    name: line(40),
    summary: line(80),
    description: optional(line(400)),
    categories: Type.Array(Type.Enum(connectorCategories), { minItems: 1, maxItems: 3, uniqueItems: true }),
    logo: optional(
      Type.Object(
        { letters: Type.String({ minLength: 1, maxLength: 2 }), colour: Type.String({ pattern: '^#[0-9a-f]{6}$' }) },
        strict,
      ),
    ),
    documentation_url: Url,
    source: optional(
      Type.Object(
        {
          documents: Type.Array(Url, { minItems: 1 }),
          verified: Type.Enum(['stand-in', 'documents']),
          checked_on: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
        },
        strict,
      ),
    ),
    tenant: optional(Type.Array(Field, { minItems: 1, maxItems: 3 })),
    authorization: Type.Array(Type.Union([OAuthMethod, ApiKeyMethod]), { maxItems: 2 }),
    identity: optional(IdentityCall),
    credential_origins: Type.Array(Url, { minItems: 1 }),
    tools: Type.Array(Tool, { maxItems: 60 }),
    mcp: optional(
      Type.Object({ url: Url }, { ...strict, description: 'The vendor’s own MCP server: tools come from there.' }),
    ),
  },
  { ...strict, title: 'Carabiner connector' },
)

export type ConnectorFile = Static<typeof ConnectorFile>
export type OAuthMethod = Static<typeof OAuthMethod>
export type ApiKeyMethod = Static<typeof ApiKeyMethod>
export type ConnectorTool = Static<typeof Tool>
export type ConnectorField = Static<typeof Field>
export type ConnectorScope = Static<typeof Scope>
export type TokenResponsePointers = Static<typeof TokenResponse>
export type ToolPagination = Static<typeof Pagination>

/** A connector has each method once at most, so that a credential's kind says which one it was made by. */
export const oauthMethod = ({ authorization }: Pick<ConnectorFile, 'authorization'>): OAuthMethod | null =>
  authorization.find(method => method.type === 'oauth2') ?? null
export const apiKeyMethod = ({ authorization }: Pick<ConnectorFile, 'authorization'>): ApiKeyMethod | null =>
  authorization.find(method => method.type === 'api_key') ?? null
