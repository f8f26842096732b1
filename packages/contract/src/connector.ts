import { type Static, Type } from 'typebox'
import {
  AuthorizationMethod,
  type AuthorizationType,
  type FormMethod,
  type OAuthMethod,
  type SignInMethod,
} from './connector-authorization.ts'
import {
  described,
  Field,
  line,
  optional,
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
  AuthorizationMethod,
  AuthorizationType,
  ConnectorScope,
  ConnectorSite,
  FormMethod,
  OAuthMethod,
  SignInMethod,
  SiteKind,
  TokenResponsePointers,
} from './connector-authorization.ts'
export type { AwsSignatureMethod } from './connector-aws-signature.ts'
export type { Lifetime } from './connector-lifetime.ts'
export type { OAuth1Method } from './connector-oauth1.ts'
export type { SignatureMethod, SignatureScheme } from './connector-signature.ts'
export type { TokenHttpRequest, TokenRequestMethod } from './connector-token-request.ts'
export type { ConnectorTool, ToolPagination } from './connector-tool.ts'

/** Lowercase words joined by hyphens. */
export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const Slug = Type.String({ pattern: SLUG_PATTERN, maxLength: 64 })

/** Groups of the picker. */
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

const date = { pattern: '^\\d{4}-\\d\\d-\\d\\d$' }

/** A description of the vendor's API that the file was compared with. */
const Verified = Type.Object(
  {
    name: line(80, 'Repository or package, and the vendor’s version of the API if it has one.'),
    version: line(40, 'Version of the package, or commit with its date.'),
    date: Type.String({ ...date, description: 'Date of the comparison.' }),
    part: optional(line(40, 'What was compared, if not requests, results and scopes of all tools.')),
  },
  strict,
)

const AccountName = Type.String({ pattern: '^((/[^/]*)*|[^/]*\\{.*)$', maxLength: 120 })

/** Where the vendor states when a key ends. */
const StatedEnd = Type.Object(
  {
    url: optional(
      Type.String({
        ...url,
        description:
          'Address of a further GET request, if the response to the identity call does not state it.',
      }),
    ),
    at: optional(Type.String({ ...pointer, description: 'JSON pointer to the time.' })),
    header: optional(line(80, 'Name of the response header with the time.')),
    source: Type.String({
      pattern: '^https://',
      maxLength: 400,
      description: 'The vendor’s page that documents it.',
    }),
    checked_on: Type.String({ ...date, description: 'Date on which the page was read.' }),
  },
  {
    ...strict,
    description:
      'When a key that a user has entered ends: a date, a time, or a Unix time in seconds or milliseconds. If it is absent, the end is not known.',
  },
)

/** Determines the account that a credential belongs to. For an API key the call also checks that the key works. */
const IdentityCall = Type.Object(
  {
    method: optional(Type.Enum(['GET', 'POST'])),
    url: Url,
    headers: optional(TextTemplates),
    body: optional(Template),
    account: Type.Union(
      [AccountName, Type.Array(AccountName, { minItems: 1, maxItems: 4 })],
      described(
        'JSON pointer to the account name that users recognize or, if the response contains none, a template of what the user has entered, such as {tenant.site} or {client_id}. Of a list, the first one with a value is used.',
      ),
    ),
    id: optional(
      Type.String({
        ...pointer,
        description: 'JSON pointer to an identifier that does not change when the account is renamed.',
      }),
    ),
    ok: optional(
      Type.String({
        ...pointer,
        description:
          'JSON pointer to a success flag. If the value is absent, false, null, 0 or empty, the credential is rejected.',
      }),
    ),
    ends_at: optional(StatedEnd),
    accepts_forbidden: optional(
      Type.Boolean(
        described(
          'Status 403 means that the credential is valid but must not read the account. The account then has no name.',
        ),
      ),
    ),
  },
  strict,
)

/** A connector is data, not code. `credential_origins` lists every origin that its credential may be sent to. */
export const ConnectorFile = Type.Object(
  {
    $schema: optional(Type.String()),
    slug: Type.String({
      pattern: SLUG_PATTERN,
      maxLength: 64,
      description: 'Identifier of the connector and name of its file.',
    }),
    name: line(40, 'Display name.'),
    product: optional(
      line(
        40,
        'Name of the product, if it differs from `name`. Connectors of the same product share a tile in the picker.',
      ),
    ),
    keywords: optional(
      Type.Array(line(30), {
        maxItems: 8,
        description: 'Additional search terms, such as “email”.',
      }),
    ),
    summary: line(80, 'One-line summary, shown in the picker.'),
    description: optional(line(400)),
    categories: Type.Array(Type.Enum(connectorCategories), { minItems: 1, maxItems: 3, uniqueItems: true }),
    logo: optional(
      Type.Object(
        {
          letters: Type.String({ minLength: 1, maxLength: 2 }),
          color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
        },
        strict,
      ),
    ),
    documentation_url: Type.String({ ...url, description: 'API documentation of the vendor.' }),
    source: optional(
      Type.Object(
        {
          documents: Type.Array(Url, { minItems: 1 }),
          checked_on: Type.String({ ...date, description: 'Date on which the documents were read.' }),
          tested_with: optional(
            Type.Literal('stand-in', described('Tests call the tools at a simulation of the vendor’s API.')),
          ),
          verified: optional(
            Type.Array(Verified, {
              minItems: 1,
              maxItems: 4,
              description:
                'Machine-readable descriptions of the vendor’s API that the file was compared with. Default: none.',
            }),
          ),
          unverified: optional(
            Type.Array(line(240), {
              minItems: 1,
              maxItems: 5,
              description: 'What none of the documents states, with the reason why the file assumes it.',
            }),
          ),
        },
        { ...strict, description: 'Sources that this file was written from.' },
      ),
    ),
    tenant: optional(
      Type.Array(Field, {
        minItems: 1,
        maxItems: 4,
        description:
          'Fields that the user fills in first, if each customer of the vendor has its own host name. URLs refer to them as {tenant.<name>}.',
      }),
    ),
    authorization: Type.Array(AuthorizationMethod, {
      maxItems: 2,
      description: 'Methods of linking an account, in order of preference.',
    }),
    identity: optional(IdentityCall),
    credential_origins: Type.Array(Url, {
      minItems: 1,
      description: 'Origins (scheme and host) that the credential may be sent to.',
    }),
    headers: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described(
          'Headers sent with the identity call and every tool request, such as the API version. Headers defined by the request take precedence.',
        ),
      ),
    ),
    tools: Type.Array(Tool, { maxItems: 60 }),
    errors: optional(
      Type.Object(
        {
          unauthorized: optional(
            Type.Array(line(80), described('Error values that mean the same as status 401.')),
          ),
          revoked: optional(
            Type.Array(
              line(80),
              described(
                'Error values that the vendor sends only for a credential that was revoked or has ended. One such response ends it.',
              ),
            ),
          ),
          code: optional(
            Type.String({
              ...pointer,
              description:
                'JSON pointer to the error value in responses with status 401, and in responses to the identity call.',
            }),
          ),
          insufficient_scope: optional(
            Type.Array(line(80), described('Error values that mean that the credential lacks a scope.')),
          ),
          missing_scopes: optional(
            Type.String({
              ...pointer,
              description: 'JSON pointer to the missing scopes in such a response, as text.',
            }),
          ),
        },
        {
          ...strict,
          description:
            'Error values that identify these errors. They are compared with the value at `result.error` of a tool, and with the value at `code`.',
        },
      ),
    ),
    replaces: optional(
      Type.Boolean(
        described('Set in an operator’s file that replaces the built-in connector with the same slug.'),
      ),
    ),
    mcp: optional(
      Type.Object(
        { url: Url },
        { ...strict, description: 'MCP server of the vendor, which provides the tools.' },
      ),
    ),
  },
  { ...strict, title: 'Carabiner connector' },
)

export type ConnectorFile = Static<typeof ConnectorFile>
export type ConnectorField = Static<typeof Field>

type Methods = Pick<ConnectorFile, 'authorization'>

/** A connector has each method at most once, so the type of a credential identifies the method that created it. */
export const methodOf = <T extends AuthorizationType>({ authorization }: Methods, type: T) =>
  (authorization.find(method => method.type === type) ?? null) as Extract<
    AuthorizationMethod,
    { type: T }
  > | null

export const oauthMethod = (connector: Methods): OAuthMethod | null => methodOf(connector, 'oauth2')

export const isFormMethod = (method: AuthorizationMethod): method is FormMethod => 'fields' in method

/** What a form asks for: an API key, or anything else that authenticates, such as a client secret or a private key. */
export type AsksFor = 'key' | 'credentials'

/** The certificate that a field is for, presented in the TLS handshake or not. */
export const certificateOf = ({ certificate, client_certificate }: ConnectorField) =>
  client_certificate ?? certificate ?? null

/** The method with which users sign in at the provider. A connector has at most one. */
export const signInMethod = ({ authorization }: Methods): SignInMethod | null =>
  authorization.find(method => !isFormMethod(method)) ?? null

/** The method with a form. A connector has at most one. */
export const formMethod = ({ authorization }: Methods): FormMethod | null =>
  authorization.find(isFormMethod) ?? null
