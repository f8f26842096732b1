import { type Static, Type } from 'typebox'
import {
  described,
  line,
  optional,
  Pointer,
  pointer,
  Selector,
  strict,
  Template,
  TextTemplates,
  Url,
} from './connector-parts.ts'

export const Parameter = Type.String({ minLength: 1, maxLength: 60 })
/** How a third party says that there is no more, where the number of items does not. */
export const ends = {
  more: optional(
    Type.String({
      ...pointer,
      description: 'Absent, false, null, 0 or empty there: this was the last page.',
    }),
  ),
  last: optional(Type.String({ ...pointer, description: 'True there: this was the last page.' })),
}

/**
 * The model sees `next_cursor` and gives it back as `cursor`. If the request names `{cursor}`, the value is put there, and a
 * page number or an offset is put there for the first page too; otherwise it is sent as the query parameter that is named here.
 */
export const Pagination = Type.Union([
  Type.Object(
    {
      type: Type.Literal('cursor'),
      parameter: Parameter,
      next: Pointer,
      more: ends.more,
    },
    { ...strict, description: 'The answer holds a cursor for the next page.' },
  ),
  Type.Object(
    {
      type: Type.Literal('last_item'),
      parameter: Parameter,
      id: Type.String({ ...pointer, description: 'Where an item has its id.' }),
      more: Type.String({
        ...pointer,
        description: 'Absent, false, null, 0 or empty there: this was the last page.',
      }),
    },
    { ...strict, description: 'The next page begins after the id of the last item.' },
  ),
  Type.Object(
    {
      type: Type.Literal('next_url'),
      next: Pointer,
      parameters: Type.Array(Parameter, {
        minItems: 1,
        maxItems: 4,
        description: 'The query parameters that carry the position: all that is taken from that address.',
      }),
    },
    { ...strict, description: 'The answer holds the address of the next page.' },
  ),
  Type.Object(
    { type: Type.Literal('page'), parameter: Parameter, first: Type.Integer({ minimum: 0 }), ...ends },
    { ...strict, description: 'Pages have numbers.' },
  ),
  Type.Object(
    {
      type: Type.Literal('offset'),
      parameter: Parameter,
      first: optional(
        Type.Integer({ minimum: 0, description: 'The position of the first item. Default: 0.' }),
      ),
      size: optional(
        Type.String({
          ...described('The parameter that says how many items a page holds.'),
          minLength: 1,
        }),
      ),
      total: optional(Type.String({ ...pointer, description: 'How many items there are in all.' })),
      ...ends,
    },
    { ...strict, description: 'The next page begins at the number of items seen.' },
  ),
  Type.Object(
    { type: Type.Literal('link_header'), parameter: Parameter },
    { ...strict, description: 'A Link header (RFC 8288) holds the address of the next page.' },
  ),
])

export const Tool = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 48 }),
    title: line(60),
    description: line(600, 'For the model: what it does, when to use it, what it answers.'),
    input_schema: Type.Record(
      Type.String(),
      Type.Unknown(),
      described('JSON Schema of a closed object. A paged tool gets `cursor` besides.'),
    ),
    scopes: Type.Array(
      Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
      described('Each is needed; of an inner list one is enough.'),
    ),
    request: Type.Object(
      {
        method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
        url: Url,
        query: optional(Type.Record(Type.String(), Template)),
        headers: optional(TextTemplates),
        body: optional(Template),
        body_type: optional(
          Type.Enum(
            ['json', 'form', 'text', 'related'],
            described(
              'Default: json. `text`: the body is one text, as text/plain unless `headers` has a Content-Type. `related`: multipart/related (RFC 2387); the body is a list of `{type, content}`.',
            ),
          ),
        ),
        redirect_hosts: optional(
          Type.Array(Type.String({ pattern: '^(\\*\\.)?[a-z0-9-]+(\\.[a-z0-9-]+)+$', maxLength: 100 }), {
            minItems: 1,
            maxItems: 8,
            description:
              'For a GET that the vendor answers with a redirect to a download address: the hosts that may be followed to, once and without the credential. `*.` stands for any subdomain.',
          }),
        ),
      },
      strict,
    ),
    pagination: optional(Pagination),
    result: optional(
      Type.Object(
        {
          at: optional(Type.String({ ...pointer, description: 'Where the interesting part is.' })),
          fields: optional(
            Type.Record(
              Type.String(),
              Selector,
              described('Of each item, or of the one: what to keep. Absent: all.'),
            ),
          ),
          ok: optional(
            Type.String({
              ...pointer,
              description:
                'For vendors that answer 200 to a refusal: absent, false, null, 0 or empty there is one.',
            }),
          ),
          error: optional(
            Type.String({
              ...pointer,
              description: 'Where the refusal is put in words. Without `ok`: anything there is one.',
            }),
          ),
        },
        strict,
      ),
    ),
    read_only: Type.Boolean(described('It changes nothing.')),
    idempotent: optional(
      Type.Boolean(described('It writes, but made twice it does no more than once: it may be tried again.')),
    ),
    destructive: optional(Type.Boolean(described('Cannot be taken back.'))),
  },
  strict,
)

export type ConnectorTool = Static<typeof Tool>
export type ToolPagination = Static<typeof Pagination>
