import { type Static, Type } from 'typebox'
import { Lifetime } from './connector-lifetime.ts'
import { Field, line, optional, strict, url } from './connector-parts.ts'

const AwsEndpoint = Type.Object(
  {
    origin: Type.String({ ...url, description: 'One of `credential_origins`.' }),
    service: Type.String({
      pattern: '^[a-z0-9-]{1,40}$',
      description: 'Name of the service in the credential scope of its signatures, such as `s3`.',
    }),
    region: Type.String({
      minLength: 1,
      maxLength: 60,
      description: 'Region in the credential scope. May contain {tenant.<name>}.',
    }),
  },
  strict,
)

/** An access key that signs each request with AWS Signature Version 4. */
export const AwsSignatureMethod = Type.Object(
  {
    type: Type.Literal('aws_signature'),
    fields: Type.Array(Field, {
      minItems: 2,
      maxItems: 3,
      description:
        'The fields `access_key_id`, `secret_access_key`, and `session_token` for keys that are temporary.',
    }),
    steps: optional(
      Type.Array(line(160), {
        minItems: 1,
        maxItems: 5,
        description: 'Instructions for creating an access key, one step per entry.',
      }),
    ),
    help_url: optional(Type.String({ ...url, description: 'Page on which the user creates an access key.' })),
    endpoints: Type.Array(AwsEndpoint, {
      minItems: 1,
      maxItems: 20,
      description: 'How requests to each of `credential_origins` are signed.',
    }),
    lifetime: optional(Lifetime),
  },
  strict,
)

export type AwsSignatureMethod = Static<typeof AwsSignatureMethod>
