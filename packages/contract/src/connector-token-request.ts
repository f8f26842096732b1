import { type Static, Type } from 'typebox'
import { Lifetime } from './connector-lifetime.ts'
import {
  described,
  Field,
  line,
  Name,
  optional,
  Pointer,
  pointer,
  strict,
  Template,
  TextTemplates,
  Url,
  url,
} from './connector-parts.ts'

const Text = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description })

const Assertion = Type.Object(
  {
    algorithm: Type.Enum(['RS256', 'PS256', 'ES256', 'HS256']),
    key: Type.String({ description: 'Name of the field with the key.' }),
    key_encoding: optional(
      Type.Enum(['utf8', 'hex', 'base64'], described('Encoding of the secret for HS256. Default: utf8.')),
    ),
    header: optional(Template),
    claims: Type.Unknown(
      described(
        'A template with {field}, {tenant.<name>}, {computed.<name>}, and {jwt.issued_at}, {jwt.expires_at} (seconds) and {jwt.id} of this assertion.',
      ),
    ),
    lifetime_seconds: Type.Integer({ minimum: 10, maximum: 31_536_000 }),
    backdate_seconds: optional(
      Type.Integer({
        minimum: 0,
        maximum: 300,
        description: 'Subtracted from the issue time, for vendors whose clocks are behind. Default: 0.',
      }),
    ),
  },
  {
    ...strict,
    description: 'A JSON Web Token, signed once for each token. Templates refer to it as {assertion.<name>}.',
  },
)

const Computed = Type.Object(
  {
    text: Text('Template of the text.'),
    hash: optional(Type.Enum(['md5', 'sha1', 'sha256', 'sha512'])),
    hmac: optional(Type.Enum(['md5', 'sha1', 'sha256', 'sha512'])),
    key: optional(Text('Template of the key of the HMAC.')),
    key_encoding: optional(Type.Enum(['utf8', 'hex', 'base64'], described('Default: utf8.'))),
    encoding: Type.Enum(['hex', 'base64', 'base64url'], described('Encoding of the result.')),
  },
  {
    ...strict,
    description:
      'The hash or HMAC of a text, or only its encoding. Templates refer to it as {computed.<name>}.',
  },
)

const ReadValue = Type.Union([
  Pointer,
  Type.Object(
    {
      at: optional(
        Type.String({ ...pointer, description: 'JSON pointer. Of a response that is a text: empty.' }),
      ),
      header: optional(line(80, 'Name of a response header.')),
      cookie: optional(line(80, 'Name of a cookie that the response sets.')),
      between: optional(
        Type.Array(line(80), {
          minItems: 2,
          maxItems: 2,
          description: 'For a response that is a text, such as XML: the texts before and after the value.',
        }),
      ),
      pattern: optional(
        Type.String({
          maxLength: 160,
          description:
            'Regular expression that the whole value must match. If it has a group named `value`, only that group is used.',
        }),
      ),
      address: optional(
        Type.Boolean(
          described(
            'URLs refer to the value as {tenant.<name>}, such as the host of the account. Needs `pattern`.',
          ),
        ),
      ),
    },
    strict,
  ),
])

const Request = Type.Object(
  {
    method: optional(Type.Enum(['GET', 'POST', 'PUT'], described('Default: POST.'))),
    url: Url,
    query: optional(TextTemplates),
    headers: optional(TextTemplates),
    basic: optional(
      Type.Object(
        { username: Type.String(), password: Type.String() },
        { ...strict, description: 'HTTP Basic credentials.' },
      ),
    ),
    form: optional(TextTemplates),
    json: optional(Template),
    text: optional(Text('Template of a body that is a text. Its type is set in `headers`.')),
    response: optional(Type.Enum(['json', 'text'], described('Format of the response. Default: json.'))),
    ok: optional(
      Type.String({
        ...pointer,
        description:
          'JSON pointer to a success flag. If the value is absent, false, null, 0 or empty, the request was rejected.',
      }),
    ),
    error: optional(
      Type.String({
        ...pointer,
        description: 'JSON pointer to the error code, also in a response with status 200. Default: /error.',
      }),
    ),
    values: optional(
      Type.Record(
        Type.String(),
        ReadValue,
        described(
          'Values of the response, which later templates refer to as {value.<name>}. A response without one of them is not accepted, unless only `expires_in` or `expires_at` of the token refers to it.',
        ),
      ),
    ),
  },
  strict,
)

const Token = Type.Object(
  {
    value: Text('Template of the token, such as {value.token} or {assertion.token}.'),
    expires_in: optional(
      Type.Object(
        { value: Name, unit: Type.Enum(['seconds', 'milliseconds']) },
        { ...strict, description: 'The value with the lifetime.' },
      ),
    ),
    expires_at: optional(
      Type.Object(
        { value: Name, format: Type.Enum(['iso', 'seconds', 'milliseconds']) },
        { ...strict, description: 'The value with the time at which the token expires.' },
      ),
    ),
    lifetime_seconds: Type.Integer({
      minimum: 60,
      maximum: 31_536_000,
      description: 'The maximum lifetime, which applies if the response states none or a longer one.',
    }),
  },
  strict,
)

export const TokenRequestMethod = Type.Object(
  {
    type: Type.Literal('token_request'),
    fields: Type.Array(Field, { minItems: 1, maxItems: 8 }),
    steps: optional(
      Type.Array(line(160), {
        minItems: 1,
        maxItems: 5,
        description: 'Instructions for finding the values, one step per entry.',
      }),
    ),
    help_url: optional(Type.String({ ...url, description: 'Page on which the user finds the values.' })),
    computed: optional(Type.Record(Type.String(), Computed)),
    assertions: optional(Type.Record(Type.String(), Assertion)),
    token_origins: optional(
      Type.Array(Url, {
        minItems: 1,
        maxItems: 4,
        description: 'Origins that token requests may be sent to.',
      }),
    ),
    requests: Type.Array(Request, {
      maxItems: 3,
      description:
        'Requests that return the token, in their order. Templates may contain {field}, {tenant.<name>}, {assertion.<name>}, {computed.<name>}, {value.<name>}, {now.seconds}, {now.milliseconds}, {now.iso}, {end.date} (the last day of the longest lifetime), {random.id}, {fingerprint.<field>}, the fingerprint of a private key (SHA256:…), and {x5t.<field>} and {x5t_s256.<field>}, the thumbprints of a certificate (base64url of its SHA-1 and SHA-256).',
    }),
    token: Token,
    rejections: optional(
      Type.Object(
        {
          statuses: optional(Type.Array(Type.Integer({ minimum: 400, maximum: 499 }), { minItems: 1 })),
          errors: optional(Type.Array(line(80), { minItems: 1 })),
        },
        {
          ...strict,
          description:
            'Responses that mean that the values are no longer valid, besides `invalid_client` and `invalid_grant`. Any other failure leaves the credential as it is.',
        },
      ),
    ),
    headers: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described(
          'Headers that carry {token}. They may also contain fields, {tenant.<name>} and {value.<name>}. Default: `Authorization: Bearer {token}`.',
        ),
      ),
    ),
    lifetime: optional(Lifetime),
  },
  strict,
)
export type TokenRequestMethod = Static<typeof TokenRequestMethod>
export type TokenHttpRequest = Static<typeof Request>
