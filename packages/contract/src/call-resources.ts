import { type Static, Type } from 'typebox'
import { ApprovalMeta } from './approval-resources.ts'
import { AuthenticateMeta } from './authenticate-meta.ts'
import { ErrorDetail, Id, orNull } from './resources.ts'

const strict = { additionalProperties: false } as const

export const callBounds = { nameLength: 128, accountLength: 200, waitSeconds: 300 } as const

/** Fields of every call that code makes. */
const options = {
  account: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: callBounds.accountLength,
      description:
        'Label or credential ID of the account to use, if the user has several of the connector. The same as the argument `carabiner_account`.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: callBounds.waitSeconds,
      description:
        'For how many seconds to wait if the user has to connect an account or a person has to approve the call. Default: 0, which returns `authenticate_meta` or `approval_meta` at once.',
    }),
  ),
}

export const ToolCallRequest = Type.Object(
  {
    registered_user_id: Type.String({ minLength: 1, maxLength: 64 }),
    tool_pack_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Default: the default Tool Pack.' }),
    ),
    name: Type.String({
      minLength: 1,
      maxLength: callBounds.nameLength,
      description: 'Name of the tool as in `tools/list`, such as `slack__send_message`.',
    }),
    arguments: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments of the tool. Default: none.' }),
    ),
    ...options,
  },
  strict,
)
export type ToolCallRequest = Static<typeof ToolCallRequest>

/** Why a call has no result of its tool. */
const obstacles = {
  authenticate_meta: Type.Optional(AuthenticateMeta),
  approval_meta: Type.Optional(ApprovalMeta),
  error: Type.Optional(ErrorDetail),
}

const Recorded = orNull({
  ...Id,
  description:
    'ID of the record of the call, for `GET /tool-calls/{tool_call_id}`. Null: a built-in tool has rejected its arguments, which is not recorded.',
})

export const ToolCallResult = Type.Object({
  tool_call_id: Recorded,
  is_error: Type.Boolean({
    description:
      'Whether the call has failed. `error` says why, unless the tool of an MCP server reports the error in `content`.',
  }),
  content: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Content blocks of the result, as in MCP.',
  }),
  structured_content: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The result as an object, if it is one.' }),
  ),
  ...obstacles,
})
export type ToolCallResult = Static<typeof ToolCallResult>

export const ProviderRequest = Type.Object(
  {
    tool_pack_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The Tool Pack that allows the request. Default: the default Tool Pack.',
      }),
    ),
    method: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16,
        description: 'HTTP method. Default: the first one that the Tool Pack allows.',
      }),
    ),
    path: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Path of the provider’s API, without parameters.',
    }),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Query parameters: texts, numbers and booleans. A list repeats its parameter.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          'Any of: accept, accept-language, content-type (a JSON type), if-match, if-modified-since, if-none-match, if-unmodified-since, prefer.',
      }),
    ),
    body: Type.Optional(Type.Unknown({ description: 'The body, which is sent as JSON.' })),
    ...options,
  },
  strict,
)
export type ProviderRequest = Static<typeof ProviderRequest>

export const ProviderResponse = Type.Object({
  status: Type.Integer({ description: 'Status of the response. Redirects are not followed.' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'Headers by name in lower case, without cookies and those of the connection.',
  }),
  body: Type.Unknown({ description: 'The body, at most 1 MiB.' }),
  body_encoding: Type.Enum(['json', 'text', 'base64', 'none'], {
    description: '`json`: `body` is the parsed value. `none`: the response has no body, and `body` is null.',
  }),
})
export type ProviderResponse = Static<typeof ProviderResponse>

export const ProviderRequestResult = Type.Object({
  tool_call_id: Recorded,
  response: Type.Optional(ProviderResponse),
  ...obstacles,
})
export type ProviderRequestResult = Static<typeof ProviderRequestResult>
