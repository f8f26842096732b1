import { type Static, Type } from 'typebox'
import { Lifetime } from './connector-lifetime.ts'
import { described, Field, line, optional, strict, url } from './connector-parts.ts'

const Text = (description: string) => Type.String({ minLength: 1, maxLength: 500, description })
const Secret = Text('Template with the secret, such as `{secret}`.')

const HmacPart = Type.Union(
  [
    Type.Enum(
      [
        'method',
        'host',
        'path',
        'query',
        'path_and_query',
        'url',
        'body',
        'body_digest',
        'timestamp',
        'nonce',
      ],
      described('A part of the request, or one of the values that are sent with the signature.'),
    ),
    Type.Object(
      {
        header: optional(line(80, 'Name of a header of the request. Its value is signed.')),
        text: optional(Text('Template of a text.')),
      },
      strict,
    ),
  ],
  described('What is signed: a name, `{ "header": … }` or `{ "text": … }`.'),
)

const Hmac = Type.Object(
  {
    type: Type.Literal('hmac'),
    secret: Secret,
    secret_encoding: optional(Type.Enum(['utf8', 'hex', 'base64'], described('Default: utf8.'))),
    algorithm: Type.Enum(['sha1', 'sha256', 'sha512']),
    parts: Type.Array(HmacPart, {
      minItems: 1,
      maxItems: 12,
      description: 'What is signed, in this order.',
    }),
    separator: optional(Type.String({ maxLength: 8, description: 'Between the parts. Default: none.' })),
    encoding: Type.Enum(['hex', 'base64', 'base64url'], described('Encoding of the signature.')),
    timestamp: optional(
      Type.Enum(['seconds', 'milliseconds', 'iso', 'http_date'], described('Default: seconds.')),
    ),
    body_digest: optional(
      Type.Object(
        {
          algorithm: Type.Enum(['md5', 'sha1', 'sha256', 'sha512']),
          encoding: Type.Enum(['hex', 'base64']),
        },
        { ...strict, description: 'Default: sha256 in hex.' },
      ),
    ),
    headers: Type.Record(
      Type.String(),
      Type.String(),
      described(
        'Headers that carry {signature}, {timestamp}, {nonce} and {body_digest}. They may also contain fields that are not secret, and {tenant.<name>}.',
      ),
    ),
  },
  strict,
)

const Wsse = Type.Object(
  {
    type: Type.Literal('wsse'),
    username: Text('Template of the user name.'),
    secret: Secret,
    algorithm: optional(Type.Enum(['sha1', 'sha256'], described('Default: sha1.'))),
    digest_of: optional(
      Type.Enum(
        ['bytes', 'hex_digits'],
        described(
          'What the password digest encodes in base64: the hash, or its hexadecimal digits. Default: bytes.',
        ),
      ),
    ),
  },
  strict,
)

const OAuth1 = Type.Object(
  {
    type: Type.Literal('oauth1'),
    method: Type.Enum(['HMAC-SHA1', 'HMAC-SHA256']),
    consumer_key: Text('Template of the consumer key.'),
    consumer_secret: Text('Template of the consumer secret.'),
    token: Text('Template of the access token.'),
    token_secret: Text('Template of the secret of the access token.'),
    realm: optional(Text('Template of the realm, such as the account.')),
  },
  { ...strict, description: 'OAuth 1.0a with an access token that the user has created at the vendor.' },
)

/** Requests that are signed with entered secrets, which are not sent themselves. */
export const SignatureMethod = Type.Object(
  {
    type: Type.Literal('signature'),
    fields: Type.Array(Field, { minItems: 1, maxItems: 5 }),
    steps: optional(
      Type.Array(line(160), {
        minItems: 1,
        maxItems: 5,
        description: 'Instructions for finding the values, one step per entry.',
      }),
    ),
    help_url: optional(Type.String({ ...url, description: 'Page on which the user finds the values.' })),
    scheme: Type.Union([Hmac, Wsse, OAuth1]),
    lifetime: optional(Lifetime),
  },
  strict,
)

export type SignatureMethod = Static<typeof SignatureMethod>
export type SignatureScheme = SignatureMethod['scheme']
