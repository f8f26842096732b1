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

export const ToolCallResult = Type.Object({
  tool_call_id: orNull({
    ...Id,
    description:
      'ID of the record of the call, for `GET /tool-calls/{tool_call_id}`. Null: a built-in tool has rejected its arguments, which is not recorded.',
  }),
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
