import { type Static, Type } from 'typebox'
import { DeclaredRoles } from './argument-roles.ts'
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
import { ToolEffects } from './tool-effects.ts'

export const Parameter = Type.String({ minLength: 1, maxLength: 60 })
const PositionParameters = Type.Array(Parameter, {
  minItems: 1,
  maxItems: 4,
  description: 'Query parameters that carry the position. Nothing else is taken from the URL.',
})
/** Indicators of the last page, for providers where the number of items does not show it. */
export const ends = {
  more: optional(
    Type.String({
      ...pointer,
      description: 'JSON pointer. If the value is absent, false, null, 0 or empty, this is the last page.',
    }),
  ),
  last: optional(
    Type.String({ ...pointer, description: 'JSON pointer. If the value is true, this is the last page.' }),
  ),
}

/**
 * The model receives `next_cursor` and passes it as `cursor` in the next call. If the request contains `{cursor}`, the value
 * is inserted there (page numbers and offsets also for the first page); otherwise it is sent as the query parameter named here.
 */
export const Pagination = Type.Union([
  Type.Object(
    {
      type: Type.Literal('cursor'),
      parameter: Parameter,
      next: Pointer,
      more: ends.more,
    },
    { ...strict, description: 'The response contains a cursor for the next page.' },
  ),
  Type.Object(
    {
      type: Type.Literal('last_item'),
      parameter: Parameter,
      id: Type.String({ ...pointer, description: 'JSON pointer to the ID within an item.' }),
      more: Type.String({
        ...pointer,
        description: 'JSON pointer. If the value is absent, false, null, 0 or empty, this is the last page.',
      }),
    },
    { ...strict, description: 'The next page starts after the ID of the last item.' },
  ),
  Type.Object(
    {
      type: Type.Literal('next_url'),
      next: Pointer,
      parameters: PositionParameters,
    },
    { ...strict, description: 'The response contains the URL of the next page.' },
  ),
  Type.Object(
    {
      type: Type.Literal('continuation'),
      next: Pointer,
      more: ends.more,
      pattern: optional(
        Type.String({
          maxLength: 160,
          description:
            'Regular expression that the whole value at `next` must match. If it has a group named `value`, only that group is the cursor.',
        }),
      ),
      url: Url,
      body: optional(Template),
    },
    {
      ...strict,
      description:
        'Further pages are requested at `url`, with the method and headers of the request and this body. `{cursor}` is required in one of them.',
    },
  ),
  Type.Object(
    {
      type: Type.Literal('page'),
      parameter: Parameter,
      first: Type.Integer({ minimum: 0 }),
      pages: optional(Type.String({ ...pointer, description: 'JSON pointer to the number of pages.' })),
      ...ends,
    },
    { ...strict, description: 'Pages are numbered.' },
  ),
  Type.Object(
    {
      type: Type.Literal('offset'),
      parameter: Parameter,
      first: optional(Type.Integer({ minimum: 0, description: 'Position of the first item. Default: 0.' })),
      size: optional(
        Type.String({
          ...described('Parameter that sets the page size.'),
          minLength: 1,
        }),
      ),
      total: optional(Type.String({ ...pointer, description: 'JSON pointer to the total number of items.' })),
      ...ends,
    },
    { ...strict, description: 'The next page starts at the number of items already returned.' },
  ),
  Type.Object(
    { type: Type.Literal('link_header'), parameters: PositionParameters },
    { ...strict, description: 'A Link header (RFC 8288) contains the URL of the next page.' },
  ),
])

const ToolName = Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 48 })

export const Preview = Type.Object(
  {
    tool: Type.String({
      ...ToolName,
      ...described('A read-only tool of this file. It is called with the same account.'),
    }),
    arguments: Type.Record(
      Type.String(),
      Template,
      described(
        'Arguments of that tool, made from those of the call: `{name}`. If the call lacks one of them, the preview is omitted.',
      ),
    ),
    fields: Type.Array(
      Type.Object(
        {
          label: line(40, 'What the value is, such as “Channel”.'),
          at: Selector,
          display_only: optional(
            Type.Boolean(
              described(
                'The value may change between the approval and the call, such as a number of members.',
              ),
            ),
          ),
        },
        strict,
      ),
      {
        minItems: 1,
        maxItems: 6,
        description: 'Values of the result of that tool. Several values are joined; absent ones are omitted.',
      },
    ),
  },
  strict,
)
export type Preview = Static<typeof Preview>

export const Tool = Type.Object(
  {
    name: ToolName,
    title: line(60),
    description: line(600, 'For the model: what the tool does, when to use it, what it returns.'),
    input_schema: Type.Record(
      Type.String(),
      Type.Unknown(),
      described(
        'JSON Schema of an object without additional properties. `cursor` is added to the schema of a paginated tool.',
      ),
    ),
    scopes: Type.Array(
      Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
      described('All entries are required. Of a nested list, one scope is sufficient.'),
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
              'Default: json. `text`: the body is a string, sent as text/plain unless `headers` sets a Content-Type. `related`: multipart/related (RFC 2387); the body is a list of `{type, content}`.',
            ),
          ),
        ),
        path_encoding: optional(
          Type.Record(
            Type.String(),
            Type.Enum(['segments', 'slash_twice']),
            described(
              'Arguments in the path that are not encoded as one segment. `segments`: slashes separate segments; `slash_twice`: a value with a slash is percent-encoded twice.',
            ),
          ),
        ),
        redirect_hosts: optional(
          Type.Array(Type.String({ pattern: '^(\\*\\.)?[a-z0-9-]+(\\.[a-z0-9-]+)+$', maxLength: 100 }), {
            minItems: 1,
            maxItems: 8,
            description:
              'For a GET request that the vendor redirects to a download URL: hosts to which one redirect is followed, without the credential. `*.` matches any subdomain.',
          }),
        ),
      },
      strict,
    ),
    pagination: optional(Pagination),
    result: optional(
      Type.Object(
        {
          at: optional(
            Type.String({ ...pointer, description: 'JSON pointer to the relevant part of the response.' }),
          ),
          fields: optional(
            Type.Record(
              Type.String(),
              Selector,
              described('Fields to keep, of each item of a list or of a single object. Default: all.'),
            ),
          ),
          ok: optional(
            Type.String({
              ...pointer,
              description:
                'For vendors that return errors with status 200: JSON pointer to a success flag. If the value is absent, false, null, 0 or empty, the call failed.',
            }),
          ),
          error: optional(
            Type.String({
              ...pointer,
              description:
                'JSON pointer to the error message. Without `ok`, any value there means that the call failed.',
            }),
          ),
        },
        strict,
      ),
    ),
    read_only: Type.Boolean(described('The tool changes nothing.')),
    idempotency_header: optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9-]{2,63}$',
        ...described(
          'The header by which the provider recognizes a repeated request, according to its documentation. The idempotency key of a call is sent in it, and the call may be retried.',
        ),
      }),
    ),
    idempotent: optional(
      Type.Boolean(
        described(
          'The tool writes, but repeating the call has no further effect, so the call may be retried.',
        ),
      ),
    ),
    effects: optional(ToolEffects),
    roles: optional(DeclaredRoles),
    preview: optional(
      Type.Array(Preview, {
        minItems: 1,
        maxItems: 3,
        description:
          'For a tool that writes: what a person who approves a call sees besides its arguments, such as the name of a channel instead of its ID.',
      }),
    ),
  },
  strict,
)

export type ConnectorTool = Static<typeof Tool>
export type ToolPagination = Static<typeof Pagination>
