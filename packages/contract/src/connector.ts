import { type Static, Type } from 'typebox'
import { ApiKeyMethod, OAuthMethod } from './connector-authorization.ts'
import {
  described,
  Field,
  line,
  optional,
  Pointer,
  pointer,
  strict,
  Template,
  TextTemplates,
  Url,
  url,
} from './connector-parts.ts'
import { Tool } from './connector-tool.ts'

export type {
  ApiKeyMethod,
  ConnectorScope,
  ConnectorSite,
  OAuthMethod,
  TokenResponsePointers,
} from './connector-authorization.ts'
export type { ConnectorTool, ToolPagination } from './connector-tool.ts'

/** Lowercase words joined by hyphens. */
export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const Slug = Type.String({ pattern: SLUG_PATTERN, maxLength: 64 })

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
    product: optional(
      line(
        40,
        'The product that people know, where `name` says more than that. Connectors of one product share one tile in the picker.',
      ),
    ),
    keywords: optional(
      Type.Array(line(30), {
        maxItems: 8,
        description: 'Other words that people search for it by, such as “email”.',
      }),
    ),
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
    headers: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described(
          'Sent with the identity call and with every request of a tool, such as the version of the API. A header that a request names itself takes precedence.',
        ),
      ),
    ),
    tools: Type.Array(Tool, { maxItems: 60 }),
    errors: optional(
      Type.Object(
        {
          unauthorized: optional(Type.Array(line(80), described('The credential has ended.'))),
          insufficient_scope: optional(Type.Array(line(80), described('The credential lacks a scope.'))),
          missing_scopes: optional(
            Type.String({
              ...pointer,
              description: 'Where such an answer names the scopes that are missing, as text.',
            }),
          ),
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
export type ConnectorField = Static<typeof Field>

/** A connector has each method once at most, so that a credential's kind says which one it was made by. */
export const oauthMethod = ({ authorization }: Pick<ConnectorFile, 'authorization'>): OAuthMethod | null =>
  authorization.find(method => method.type === 'oauth2') ?? null
export const apiKeyMethod = ({ authorization }: Pick<ConnectorFile, 'authorization'>): ApiKeyMethod | null =>
  authorization.find(method => method.type === 'api_key') ?? null
