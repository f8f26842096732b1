import { Type } from 'typebox'

/** What the descriptions of connectors are made of. */
export const strict = { additionalProperties: false } as const
export const optional = Type.Optional
export const line = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description !== undefined && { description }) })
export const described = (description: string) => ({ description })

export const url = { pattern: '^https?://', maxLength: 400 }
export const Url = Type.String({
  ...url,
  description: 'May hold {tenant.<name>}; the path of a tool may hold {argument} too.',
})
export const pointer = { pattern: '^(/[^/]*)*$', maxLength: 120 }
export const Pointer = Type.String({ ...pointer, description: 'A JSON pointer (RFC 6901).' })
export const Selector = Type.String({
  pattern: '^(base64:|text:)?(/[^/]*)*$',
  maxLength: 120,
  description:
    'A JSON pointer in which `*` stands for every item of a list. `base64:` in front decodes what is found to text and leaves out what is not text; `text:` joins the texts that are found.',
})
export const name = { pattern: '^[a-z][a-z0-9_]*$', maxLength: 40 }
export const Name = Type.String(name)
export const Pattern = Type.String({
  maxLength: 160,
  description: 'A regular expression that the whole value must fit.',
})
export const Template = Type.Unknown(
  described(
    'Constants and {names}. A text that is one name and nothing else stands for its value, of whatever type; what was not given is left out.',
  ),
)
export const TextTemplates = Type.Record(Type.String(), Type.String())

const AddressPart = Type.String({ pattern: '^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$', maxLength: 120 })

/** One of the values that a person chooses from, such as the region that an account is hosted in. */
const Choice = Type.Object(
  {
    value: AddressPart,
    label: line(60, 'What the person reads.'),
    sets: optional(
      Type.Record(
        Type.String(),
        AddressPart,
        described(
          'Further values that follow from this choice: {tenant.<name>}. Every choice sets the same names.',
        ),
      ),
    ),
  },
  strict,
)

/** A box on a form: of a key, or of the place where a customer has an address of its own. */
export const Field = Type.Object(
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
    choices: optional(
      Type.Array(Choice, {
        minItems: 2,
        maxItems: 8,
        description:
          'For a field of `tenant`: the values to choose from, instead of a text box. Excludes `pattern`, `placeholder` and `suffix`.',
      }),
    ),
  },
  strict,
)
