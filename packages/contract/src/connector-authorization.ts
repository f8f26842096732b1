import { type Static, Type } from 'typebox'
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

export const Scope = Type.Object(
  {
    name: line(200),
    title: line(80, 'What it allows, in plain words: people read it before they agree.'),
    detail: optional(line(160)),
    optional: optional(Type.Boolean(described('Asked for only by a link for a tool that needs it.'))),
  },
  strict,
)

/** A value that the third party tells, and that addresses are made of. */
export const Learned = Type.Object(
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

/** One customer's site at the vendor. A credential works with one site; the person chooses if there are several. */
export const Site = Type.Object(
  {
    name: Type.String({ ...name, description: 'The site is {tenant.<name>} in addresses.' }),
    url: Type.String({ ...url, description: 'The call that lists the sites that the account can use.' }),
    list: Type.String({
      ...pointer,
      description: 'A JSON pointer to the list in the response; empty if the response is the list.',
    }),
    value: Type.String({ ...pointer, description: 'A JSON pointer to the value, in an entry of the list.' }),
    title: Type.String({ ...pointer, description: 'The name of the site, in an entry.' }),
    detail: optional(
      Type.String({
        ...pointer,
        description: 'A second line, such as the address of the site, in an entry.',
      }),
    ),
    pattern: Type.String({
      maxLength: 160,
      description: 'A regular expression that the whole value must match. Other entries are left out.',
    }),
  },
  strict,
)

export const TokenResponse = Type.Object(
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

export const Revocation = Type.Object(
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

export const OAuthMethod = Type.Object(
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
    site: optional(Site),
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
        description: 'How a person creates such a key, one step each.',
      }),
    ),
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

export type OAuthMethod = Static<typeof OAuthMethod>
export type ApiKeyMethod = Static<typeof ApiKeyMethod>
export type ConnectorSite = Static<typeof Site>
export type ConnectorScope = Static<typeof Scope>
export type TokenResponsePointers = Static<typeof TokenResponse>
