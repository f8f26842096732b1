import { type Static, Type } from 'typebox'

/** Lowercase words joined by hyphens. */
export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const Slug = Type.String({ pattern: SLUG_PATTERN, maxLength: 64 })

const strict = { additionalProperties: false } as const
const optional = Type.Optional
const line = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description !== undefined && { description }) })
const described = (description: string) => ({ description })

const url = { pattern: '^https?://', maxLength: 400 }
const Url = Type.String({
  ...url,
  description: 'May hold {tenant.<name>}; the path of a tool may hold {argument} too.',
})
const pointer = { pattern: '^(/[^/]*)*$', maxLength: 120 }
const Pointer = Type.String({ ...pointer, description: 'A JSON pointer (RFC 6901).' })
const Selector = Type.String({
  pattern: '^(base64:)?(/[^/]*)*$',
  maxLength: 120,
  description:
    'A JSON pointer in which `*` stands for every item of a list. After `base64:`, what is there is decoded to text; what is none is left out.',
})
const name = { pattern: '^[a-z][a-z0-9_]*$', maxLength: 40 }
const Name = Type.String(name)
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
    label: line(40, 'What stands above the box.'),
    hint: optional(line(160, 'Where to find it.')),
    placeholder: optional(line(80)),
    suffix: optional(
      Type.String({ maxLength: 60, description: 'What follows the value in the address people know.' }),
    ),
    secret: Type.Boolean(
      described('Hidden while it is typed, and sealed. A tenant’s field is never secret.'),
    ),
    pattern: optional(Pattern),
  },
  strict,
)

const Scope = Type.Object(
  {
    name: line(200),
    title: line(80, 'What it allows, in plain words: people read it before they agree.'),
    detail: optional(line(160)),
    optional: optional(Type.Boolean(described('Asked for only by a link for a tool that needs it.'))),
  },
  strict,
)

/** A value that the third party tells, and that addresses are made of. */
const Learned = Type.Object(
  {
    name: Name,
    from: Type.Enum(
      ['token_response', 'callback', 'identity'],
      described(
        'The token endpoint’s answer, the parameters of the callback, or the answer to the identity call.',
      ),
    ),
    at: Type.String({ maxLength: 120, description: 'A JSON pointer, or the name of a callback parameter.' }),
    pattern: Type.String({
      maxLength: 160,
      description:
        'A regular expression that the whole value must fit. Where it has a group named `value`, that part is what is learned.',
    }),
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
    token: optional(
      Type.Enum(['access', 'refresh'], described('Absent: the refresh token where there is one.')),
    ),
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
    issuer_in_response: optional(
      Type.Boolean(
        described('The server always sends `iss`: an answer without it is not its own (RFC 9207).'),
      ),
    ),
    resource: optional(
      Type.String({
        pattern: '^https?://',
        description: 'Whom the tokens are for, where the server issues them for several (RFC 8707).',
      }),
    ),
    authorization_endpoint: Url,
    token_endpoint: Url,
    client_authentication: Type.Enum(
      ['client_secret_basic', 'client_secret_post', 'none'],
      described('How the token endpoint is told who asks (RFC 6749 §2.3.1).'),
    ),
    pkce: Type.Enum(
      ['S256', 'undocumented', 'rejected'],
      described('Sent unless the provider rejects it: RFC 6749 §3.1 has others ignore it.'),
    ),
    scopes: Type.Array(Scope, described('Empty where the vendor’s app settings decide.')),
    scope_separator: optional(Type.Enum([' ', ','])),
    scope_parameter: optional(Type.String({ ...name, description: 'Where it is not called `scope`.' })),
    extra_authorization_parameters: optional(
      Type.Record(Type.String(), Type.String(), described('Such as `access_type=offline`.')),
    ),
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
    headers: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described('How a call carries {token}, where it is not `Authorization: Bearer {token}`.'),
      ),
    ),
    learns: optional(
      Type.Array(Learned, {
        maxItems: 4,
        description: 'What addresses are made of and nobody is asked for.',
      }),
    ),
  },
  strict,
)

const ApiKeyMethod = Type.Object(
  {
    type: Type.Literal('api_key'),
    fields: Type.Array(Field, { minItems: 1, maxItems: 5 }),
    help_url: optional(Type.String({ ...url, description: 'Where a person makes such a key.' })),
    headers: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described('How a call carries the key: {field} is what was typed.'),
      ),
    ),
    basic: optional(
      Type.Object(
        { username: Type.String(), password: Type.String() },
        { ...strict, description: 'HTTP Basic, made of {field}s.' },
      ),
    ),
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
    account: Type.Union(
      [Pointer, Type.Array(Pointer, { minItems: 1, maxItems: 4 })],
      described('The name that a person knows the account by: the first of these that is there.'),
    ),
    id: optional(Type.String({ ...pointer, description: 'What stays the same when the name changes.' })),
    ok: optional(
      Type.String({
        ...pointer,
        description: 'Absent, false, null, 0 or empty there: the credential is refused.',
      }),
    ),
  },
  strict,
)

const Parameter = Type.String({ minLength: 1, maxLength: 60 })
/** How a third party says that there is no more, where the number of items does not. */
const ends = {
  more: optional(
    Type.String({
      ...pointer,
      description: 'Absent, false, null, 0 or empty there: this was the last page.',
    }),
  ),
  last: optional(Type.String({ ...pointer, description: 'True there: this was the last page.' })),
}

/**
 * The model sees `next_cursor` and gives it back as `cursor`. A request that names `{cursor}` itself is filled there;
 * otherwise it is sent as the query parameter that is named here.
 */
const Pagination = Type.Union([
  Type.Object(
    {
      type: Type.Literal('cursor'),
      parameter: Parameter,
      next: Pointer,
      more: ends.more,
    },
    { ...strict, description: 'The answer holds a cursor for the next page.' },
  ),
  Type.Object(
    {
      type: Type.Literal('last_item'),
      parameter: Parameter,
      id: Type.String({ ...pointer, description: 'Where an item has its id.' }),
      more: Type.String({
        ...pointer,
        description: 'Absent, false, null, 0 or empty there: this was the last page.',
      }),
    },
    { ...strict, description: 'The next page begins after the id of the last item.' },
  ),
  Type.Object(
    {
      type: Type.Literal('next_url'),
      next: Pointer,
      parameters: Type.Array(Parameter, {
        minItems: 1,
        maxItems: 4,
        description: 'The query parameters that carry the position: all that is taken from that address.',
      }),
    },
    { ...strict, description: 'The answer holds the address of the next page.' },
  ),
  Type.Object(
    { type: Type.Literal('page'), parameter: Parameter, first: Type.Integer({ minimum: 0 }), ...ends },
    { ...strict, description: 'Pages have numbers.' },
  ),
  Type.Object(
    {
      type: Type.Literal('offset'),
      parameter: Parameter,
      size: Type.String({
        ...described('The parameter that says how many items a page holds.'),
        minLength: 1,
      }),
      total: optional(Type.String({ ...pointer, description: 'How many items there are in all.' })),
      ...ends,
    },
    { ...strict, description: 'The next page begins at the number of items seen.' },
  ),
  Type.Object(
    { type: Type.Literal('link_header'), parameter: Parameter },
    { ...strict, description: 'A Link header (RFC 8288) holds the address of the next page.' },
  ),
])

const Tool = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 48 }),
    title: line(60),
    description: line(600, 'For the model: what it does, when to use it, what it answers.'),
    input_schema: Type.Record(
      Type.String(),
      Type.Unknown(),
      described('JSON Schema of a closed object. A paged tool gets `cursor` besides.'),
    ),
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
          at: optional(Type.String({ ...pointer, description: 'Where the interesting part is.' })),
          fields: optional(
            Type.Record(
              Type.String(),
              Selector,
              described('Of each item, or of the one: what to keep. Absent: all.'),
            ),
          ),
          ok: optional(
            Type.String({
              ...pointer,
              description:
                'For vendors that answer 200 to a refusal: absent, false, null, 0 or empty there is one.',
            }),
          ),
          error: optional(
            Type.String({
              ...pointer,
              description: 'Where the refusal is put in words. Without `ok`: anything there is one.',
            }),
          ),
        },
        strict,
      ),
    ),
    read_only: Type.Boolean(described('It changes nothing.')),
    destructive: optional(Type.Boolean(described('Cannot be taken back.'))),
  },
  strict,
)

/** One connector: data, not code. Origins name every place its credential may ever be sent to. */
export const ConnectorFile = Type.Object(
  {
    $schema: optional(Type.String()),
    slug: Type.String({
      pattern: SLUG_PATTERN,
      maxLength: 64,
      description: 'Its name for programs, and the name of its file.',
    }),
    name: line(40, 'Its name for people.'),
    summary: line(80, 'One line for the picker.'),
    description: optional(line(400)),
    categories: Type.Array(Type.Enum(connectorCategories), { minItems: 1, maxItems: 3, uniqueItems: true }),
    logo: optional(
      Type.Object(
        {
          letters: Type.String({ minLength: 1, maxLength: 2 }),
          colour: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
        },
        strict,
      ),
    ),
    documentation_url: Type.String({ ...url, description: 'The vendor’s documentation of its API.' }),
    source: optional(
      Type.Object(
        {
          documents: Type.Array(Url, { minItems: 1 }),
          verified: Type.Enum(
            ['stand-in', 'documents'],
            described('Run against a stand-in of the vendor’s API, or read from its documents.'),
          ),
          checked_on: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
        },
        { ...strict, description: 'What the file rests on.' },
      ),
    ),
    tenant: optional(
      Type.Array(Field, {
        minItems: 1,
        maxItems: 3,
        description:
          'Asked first, where each customer of the vendor has an address of its own: {tenant.<name>}.',
      }),
    ),
    authorization: Type.Array(Type.Union([OAuthMethod, ApiKeyMethod]), {
      maxItems: 2,
      description: 'The ways to connect an account, the preferred one first.',
    }),
    identity: optional(IdentityCall),
    credential_origins: Type.Array(Url, {
      minItems: 1,
      description: 'Scheme and host of every place that the credential may ever be sent to.',
    }),
    tools: Type.Array(Tool, { maxItems: 60 }),
    errors: optional(
      Type.Object(
        {
          unauthorized: optional(Type.Array(line(80), described('The credential has ended.'))),
          insufficient_scope: optional(Type.Array(line(80), described('The credential lacks a scope.'))),
        },
        {
          ...strict,
          description: 'What a tool’s `result.error` says where the status does not tell these two apart.',
        },
      ),
    ),
    replaces: optional(
      Type.Boolean(
        described('An operator’s file that takes the place of the shipped connector of this slug.'),
      ),
    ),
    mcp: optional(
      Type.Object(
        { url: Url },
        { ...strict, description: 'The vendor’s own MCP server: tools come from there.' },
      ),
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
