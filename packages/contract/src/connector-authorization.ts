import { type Static, Type } from 'typebox'
import { AwsSignatureMethod } from './connector-aws-signature.ts'
import { Lifetime } from './connector-lifetime.ts'
import { OAuth1Method } from './connector-oauth1.ts'
import {
  described,
  Field,
  line,
  Name,
  name,
  optional,
  Pointer,
  pointer,
  strict,
  Template,
  TextTemplates,
  Url,
  url,
} from './connector-parts.ts'
import { SignatureMethod } from './connector-signature.ts'
import { TokenRequestMethod } from './connector-token-request.ts'

export const Scope = Type.Object(
  {
    name: line(200),
    title: line(80, 'What the scope allows, in plain language. Shown to the user on the consent page.'),
    detail: optional(line(160)),
    optional: optional(Type.Boolean(described('Requested only when the link is for a tool that needs it.'))),
  },
  strict,
)

/** A value that the provider returns and that is inserted into URLs. */
export const Learned = Type.Object(
  {
    name: Name,
    from: Type.Enum(
      ['token_response', 'callback', 'identity'],
      described('The token response, the callback parameters, or the response to the identity call.'),
    ),
    at: Type.String({ maxLength: 120, description: 'JSON pointer, or name of a callback parameter.' }),
    pattern: Type.String({
      maxLength: 160,
      description:
        'Regular expression that the whole value must match. If it has a group named `value`, only that group is stored.',
    }),
  },
  strict,
)

/** What the vendor calls the places that an account can be used with. */
export const siteKinds = ['site', 'organization'] as const
export type SiteKind = (typeof siteKinds)[number]

/** One customer's site at the vendor. A credential works with one site; the user chooses if there are several. */
export const Site = Type.Object(
  {
    kind: optional(Type.Enum(siteKinds, described('What users call a site of this vendor. Default: site.'))),
    name: Type.String({ ...name, description: 'URLs refer to the site as {tenant.<name>}.' }),
    url: Type.String({ ...url, description: 'Endpoint that lists the sites available to the account.' }),
    list: Type.String({
      ...pointer,
      description: 'JSON pointer to the list in the response; empty if the response is the list.',
    }),
    value: Type.String({ ...pointer, description: 'JSON pointer to the value within a list entry.' }),
    title: Type.String({
      ...pointer,
      description: 'JSON pointer to the name of the site within a list entry.',
    }),
    detail: optional(
      Type.String({
        ...pointer,
        description: 'JSON pointer to a second line, such as the URL of the site, within a list entry.',
      }),
    ),
    pattern: Type.String({
      maxLength: 160,
      description:
        'Regular expression that the whole value must match. Entries that do not match are omitted.',
    }),
    sets: optional(
      Type.Array(Type.Omit(Learned, ['from']), {
        minItems: 1,
        maxItems: 3,
        description:
          'Further values of the chosen entry that URLs refer to, such as its host. Entries in which one does not match are omitted.',
      }),
    ),
  },
  strict,
)

export const TokenResponse = Type.Object(
  {
    access_token: optional(Pointer),
    refresh_token: optional(Pointer),
    scope: optional(Pointer),
    expires_in: optional(Pointer),
    refresh_expires_in: optional(
      Type.String({
        ...pointer,
        description:
          'JSON pointer to the lifetime of the refresh token in seconds. Default: /refresh_token_expires_in.',
      }),
    ),
    ok: optional(
      Type.String({
        pattern: '^(/[^/]*)*$',
        description: 'JSON pointer to a success flag. If the value is false, the request was rejected.',
      }),
    ),
    error: optional(Pointer),
  },
  strict,
)

export const Revocation = Type.Object(
  {
    style: Type.Enum(
      ['rfc7009', 'request'],
      described(
        '`rfc7009`: a form request as defined in RFC 7009; `request`: the request defined by the fields below.',
      ),
    ),
    endpoint: Url,
    method: optional(Type.Enum(['GET', 'POST', 'DELETE'])),
    headers: optional(TextTemplates),
    body: optional(Template),
    basic: optional(Type.Boolean(described('Send client ID and secret with HTTP Basic.'))),
    token: optional(
      Type.Enum(
        ['access', 'refresh'],
        described('Default: the refresh token if there is one, otherwise the access token.'),
      ),
    ),
    ends: Type.Enum(
      ['token', 'grant', 'account'],
      described(
        'What the revocation invalidates. `token`: this token; `grant`: all tokens of the same grant; `account`: all grants between the app and the account.',
      ),
    ),
  },
  strict,
)

export const OAuthMethod = Type.Object(
  {
    type: Type.Literal('oauth2'),
    issuer: optional(
      Type.String({
        pattern: '^https?://',
        description: 'Compared with `iss` in the authorization response (RFC 9207).',
      }),
    ),
    issuer_in_response: optional(
      Type.Boolean(
        described('The server always sends `iss`, so a response without it is rejected (RFC 9207).'),
      ),
    ),
    resource: optional(
      Type.String({
        pattern: '^https?://',
        description: 'Resource indicator, if the server issues tokens for several resources (RFC 8707).',
      }),
    ),
    authorization_endpoint: Url,
    token_endpoint: Url,
    client_authentication: Type.Enum(
      ['client_secret_basic', 'client_secret_post', 'none'],
      described('Client authentication at the token endpoint (RFC 6749 §2.3.1).'),
    ),
    pkce: Type.Enum(
      ['S256', 'undocumented', 'rejected'],
      described(
        'PKCE is used unless the value is `rejected`: RFC 6749 §3.1 requires servers to ignore unknown parameters.',
      ),
    ),
    scopes: Type.Array(Scope, described('Empty if the vendor’s app settings determine the scopes.')),
    scope_separator: optional(Type.Enum([' ', ','])),
    scope_parameter: optional(
      Type.String({ ...name, description: 'Name of the scope parameter. Default: `scope`.' }),
    ),
    extra_authorization_parameters: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described(
          'Additional query parameters, such as `access_type=offline`. They may contain {tenant.<name>} and {client_id}.',
        ),
      ),
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
        described('Headers that carry {token}. Default: `Authorization: Bearer {token}`.'),
      ),
    ),
    learned_values: optional(
      Type.Array(Learned, {
        maxItems: 4,
        description:
          'Values that are inserted into URLs and that the provider returns, so the user is not asked for them.',
      }),
    ),
    site: optional(Site),
    lifetime: optional(Lifetime),
  },
  strict,
)

export const ApiKeyMethod = Type.Object(
  {
    type: Type.Literal('api_key'),
    fields: Type.Array(Field, { minItems: 1, maxItems: 5 }),
    steps: optional(
      Type.Array(line(160), {
        minItems: 1,
        maxItems: 5,
        description: 'Instructions for creating a key, one step per entry.',
      }),
    ),
    help_url: optional(Type.String({ ...url, description: 'Page on which the user creates a key.' })),
    headers: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described('Headers that carry the key. {field} is replaced by the value that the user entered.'),
      ),
    ),
    basic: optional(
      Type.Object(
        { username: Type.String(), password: Type.String() },
        {
          ...strict,
          description: 'HTTP Basic credentials. {field} is replaced by the value that the user entered.',
        },
      ),
    ),
    lifetime: optional(Lifetime),
  },
  strict,
)

/** The authorization kinds. Everything but the schema of a kind is in `server/src/features/upstream/authorization-kinds`. */
export const AuthorizationMethod = Type.Union([
  OAuthMethod,
  ApiKeyMethod,
  TokenRequestMethod,
  AwsSignatureMethod,
  SignatureMethod,
  OAuth1Method,
])
export type AuthorizationType = AuthorizationMethod['type']
export const authorizationTypes = AuthorizationMethod.anyOf.map(({ properties }) => properties.type.const)

export type OAuthMethod = Static<typeof OAuthMethod>
export type ApiKeyMethod = Static<typeof ApiKeyMethod>
export type AuthorizationMethod = Static<typeof AuthorizationMethod>
/** A method with which the user signs in at the provider, through an OAuth app. */
export type SignInMethod = Exclude<AuthorizationMethod, { fields: unknown }>
/** A method whose credential is made from what the user enters in a form. */
export type FormMethod = Extract<AuthorizationMethod, { fields: unknown }>
export type ConnectorSite = Static<typeof Site>
export type ConnectorScope = Static<typeof Scope>
export type TokenResponsePointers = Static<typeof TokenResponse>
