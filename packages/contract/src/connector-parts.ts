import { Type } from 'typebox'

/** Building blocks of the connector schema. */
export const strict = { additionalProperties: false } as const
export const optional = Type.Optional
export const line = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description !== undefined && { description }) })
export const described = (description: string) => ({ description })

export const url = { pattern: '^https?://', maxLength: 400 }
export const Url = Type.String({
  ...url,
  description: 'May contain {tenant.<name>}. The path of a tool’s URL may also contain {argument}.',
})
export const pointer = { pattern: '^(/[^/]*)*$', maxLength: 120 }
export const Pointer = Type.String({ ...pointer, description: 'JSON pointer (RFC 6901).' })
export const Selector = Type.String({
  pattern: '^(base64:|text:)?(/[^/]*)*$',
  maxLength: 120,
  description:
    'JSON pointer in which `*` matches every item of a list. The prefix `base64:` decodes the matched values to text and omits values that are not text; the prefix `text:` joins the matched strings.',
})
export const name = { pattern: '^[a-z][a-z0-9_]*$', maxLength: 40 }
export const Name = Type.String(name)
export const Pattern = Type.String({
  maxLength: 160,
  description: 'Regular expression that the whole value must match.',
})
export const Template = Type.Unknown(
  described(
    'Constants and {names}. A string that consists of one {name} is replaced by its value and keeps the type of the value. Names without a value are omitted.',
  ),
)
export const TextTemplates = Type.Record(Type.String(), Type.String())

const AddressPart = Type.String({ pattern: '^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$', maxLength: 120 })

/** One option of a select field, such as the region that hosts the account. */
const Choice = Type.Object(
  {
    value: AddressPart,
    label: line(60, 'Label shown to the user.'),
    sets: optional(
      Type.Record(
        Type.String(),
        AddressPart,
        described(
          'Additional values that this choice sets, available as {tenant.<name>}. Every choice must set the same names.',
        ),
      ),
    ),
  },
  strict,
)

const PrivateKey = Type.Object(
  {
    type: Type.Enum(['rsa', 'p256'], described('`rsa`: at least 2048 bits; `p256`: the curve of ES256.')),
    file: optional(
      Type.Object(
        {
          key: Pointer,
          values: optional(
            Type.Record(
              Type.String(),
              Pointer,
              described('Further values of the file, which templates refer to like fields.'),
            ),
          ),
        },
        {
          ...strict,
          description: 'The user enters a JSON file of the vendor, which contains the key in PEM.',
        },
      ),
    ),
  },
  {
    ...strict,
    description:
      'For a secret field of `token_request`: the value is a private key in PEM, entered as text of several lines or as a file.',
  },
)

const ClientCertificate = Type.Object(
  {
    private_key: Type.String({ ...name, description: 'The field with the private key of the certificate.' }),
  },
  {
    ...strict,
    description:
      'For a field of `token_request`: the value is a certificate in PEM, with its chain if there is one. Token requests and calls present it (mTLS).',
  },
)

const Certificate = Type.Object(
  {
    private_key: Type.String({ ...name, description: 'The field with the private key of the certificate.' }),
  },
  {
    ...strict,
    description:
      'For a field of `token_request`: the value is a certificate in PEM whose thumbprint assertions contain. Unlike a client certificate, it is not presented.',
  },
)

/** A form field, either of an API key or of the customer's tenant (its own host name at the vendor). */
export const Field = Type.Object(
  {
    name: Name,
    label: line(40, 'Label of the field.'),
    hint: optional(line(160, 'Help text that says where to find the value.')),
    placeholder: optional(line(80)),
    suffix: optional(
      Type.String({
        maxLength: 60,
        description: 'Text shown after the value, such as the domain of the vendor.',
      }),
    ),
    secret: Type.Boolean(
      described(
        'The input is masked and the value is stored encrypted. Must be false for a field of `tenant`.',
      ),
    ),
    optional: optional(
      Type.Boolean(
        described(
          'The user may leave the field empty. Parameters, headers and claims that refer to it are then omitted. Not allowed for fields of `tenant`.',
        ),
      ),
    ),
    pattern: optional(Pattern),
    private_key: optional(PrivateKey),
    client_certificate: optional(ClientCertificate),
    certificate: optional(Certificate),
    choices: optional(
      Type.Array(Choice, {
        minItems: 2,
        maxItems: 8,
        description:
          'For a field of `tenant`: options to choose from instead of a text box. Cannot be combined with `pattern`, `placeholder` or `suffix`.',
      }),
    ),
  },
  strict,
)
