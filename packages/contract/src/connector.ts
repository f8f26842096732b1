import { type Static, Type } from 'typebox'

/** Lowercase words joined by hyphens. */
export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const Slug = Type.String({ pattern: SLUG_PATTERN, maxLength: 64 })

const Url = Type.String({ pattern: '^https?://' })

const OAuthMethod = Type.Object(
  {
    type: Type.Literal('oauth2'),
    issuer: Type.Optional(Url),
    authorization_endpoint: Url,
    token_endpoint: Url,
    token_endpoint_auth: Type.Union([
      Type.Literal('client_secret_basic'),
      Type.Literal('client_secret_post'),
    ]),
    pkce: Type.Union([Type.Literal('S256'), Type.Literal('rejected')]),
    scopes: Type.Array(
      Type.Object(
        { name: Type.String(), title: Type.String(), detail: Type.Optional(Type.String()) },
        { additionalProperties: false },
      ),
    ),
    /** Parameters that the provider wants at its authorization endpoint besides the standard ones. */
    extra_authorization_parameters: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** `ends: grant`: revoking one token kills its siblings too, so a re-link must not revoke the old one. */
    revocation: Type.Optional(
      Type.Object(
        { endpoint: Url, ends: Type.Union([Type.Literal('token'), Type.Literal('grant')]) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

const ApiKeyMethod = Type.Object(
  {
    type: Type.Literal('api_key'),
    label: Type.String(),
    hint: Type.Optional(Type.String()),
    placeholder: Type.Optional(Type.String()),
    help_url: Type.Optional(Url),
    /** Where the key goes in each request. */
    header: Type.Object({ name: Type.String(), prefix: Type.String() }, { additionalProperties: false }),
  },
  { additionalProperties: false },
)

/** The call that says which account a credential belongs to; for an API key it is also the live check. */
const IdentityCall = Type.Object(
  { url: Url, account: Type.String({ description: 'JSON pointer to the account name in the answer' }) },
  { additionalProperties: false },
)

const Tool = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 48 }),
    title: Type.String(),
    description: Type.String(),
    input_schema: Type.Record(Type.String(), Type.Unknown()),
    scopes: Type.Array(Type.String()),
    request: Type.Object(
      {
        method: Type.Union([Type.Literal('GET'), Type.Literal('POST')]),
        url: Url,
        /** Names of arguments that travel in the query; the rest of a POST's arguments are its JSON body. */
        query: Type.Array(Type.String()),
      },
      { additionalProperties: false },
    ),
    read_only: Type.Boolean(),
  },
  { additionalProperties: false },
)

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

/** One connector: data, not code. Origins name every place its credential may ever be sent to. */
export const ConnectorFile = Type.Object(
  {
    slug: Slug,
    name: Type.String({ minLength: 1, maxLength: 40 }),
    summary: Type.String({ minLength: 1, maxLength: 80 }),
    category: Type.Enum(connectorCategories),
    authorization: Type.Union([OAuthMethod, ApiKeyMethod]),
    identity: IdentityCall,
    credential_origins: Type.Array(Url, { minItems: 1 }),
    tools: Type.Array(Tool),
  },
  { additionalProperties: false },
)

export type ConnectorFile = Static<typeof ConnectorFile>
export type OAuthMethod = Static<typeof OAuthMethod>
export type ApiKeyMethod = Static<typeof ApiKeyMethod>
export type ConnectorTool = Static<typeof Tool>
