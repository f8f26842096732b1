import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'
import { plans } from './plans.ts'

const strict = { additionalProperties: false } as const
export const Id = Type.String({ format: 'uuid' })
export const Timestamp = Type.String({ format: 'date-time' })
const short = (description?: string) =>
  Type.String({ minLength: 1, maxLength: 255, ...(description && { description }) })

export const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const PlanName = Type.Enum(plans)

export const linkBindings = ['interstitial', 'code_only'] as const
export type LinkBinding = (typeof linkBindings)[number]
const LinkBindingName = Type.Enum(linkBindings)

/** Whether arguments and results are stored with the records of tool calls. */
export const captures = ['off', 'on'] as const
export type Capture = (typeof captures)[number]
const CaptureName = Type.Enum(captures)

/** An account that a tool call may name. */
export const AccountOption = Type.Object({
  label: Type.String(),
  credential_id: Id,
  account: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum(['active', 'needs_reauth', 'paused']),
  shared: Type.Boolean({ description: 'The account belongs to another user, or to the organization.' }),
})
export type AccountOption = Static<typeof AccountOption>

export const ArgumentProblem = Type.Object({
  path: Type.String({ description: 'The argument, as names and indexes separated by `/`.' }),
  message: Type.String({ description: 'What is wrong with it, as the rest of a sentence.' }),
  allowed_values: Type.Optional(Type.Array(Type.Unknown(), { description: 'Values that are valid here.' })),
  known_fields: Type.Optional(
    Type.Array(Type.String(), { description: 'Names that are valid here, the most similar one first.' }),
  ),
})
export type ArgumentProblem = Static<typeof ArgumentProblem>

/** What happened, in the body of an error and in the result of a call that has failed. */
export const ErrorDetail = Type.Object({
  type: Type.String(),
  code: Type.String(),
  message: Type.String(),
  param: Type.Optional(Type.String()),
  retryable: Type.Optional(
    Type.Boolean({ description: 'For a provider failure: whether the same call may succeed later.' }),
  ),
  retry_after_seconds: Type.Optional(Type.Integer({ minimum: 0 })),
  resumes_at: Type.Optional(
    Type.String({
      ...Timestamp,
      description: 'For `connection_paused` and `daily_limit_reached`: when calls work again.',
    }),
  ),
  accounts: Type.Optional(
    Type.Array(AccountOption, {
      description: 'For `account_required` and `account_not_found`: the accounts that the call may name.',
    }),
  ),
  carried_out: Type.Optional(
    Type.Enum(['yes', 'no', 'unknown'], {
      description: 'Present if the provider was called: whether it carried out the call.',
    }),
  ),
  errors: Type.Optional(
    Type.Array(ArgumentProblem, { description: 'For `invalid_arguments`: all problems, at most ten.' }),
  ),
  request_id: Type.String(),
  documentation_url: Type.String(),
})
export const ErrorBody = Type.Object({ error: ErrorDetail })

export const Page = {
  Query: Type.Object(
    {
      limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$', description: '1 to 100. Default: 50' })),
      cursor: Type.Optional(Type.String({ maxLength: 256 })),
    },
    strict,
  ),
}

export const pageOf = <T extends Type.TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]) })

// --- organization ---------------------------------------------------------------------------------------------------

export const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  plan: PlanName,
  link_binding: LinkBindingName,
  runtime_callback_url: Type.Union([Type.String(), Type.Null()]),
  capture: CaptureName,
  created_at: Timestamp,
})
export const OrganizationPatch = Type.Object(
  {
    name: Type.Optional(short()),
    link_binding: Type.Optional(LinkBindingName),
    runtime_callback_url: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: 2048 }))),
    capture: Type.Optional(CaptureName),
  },
  strict,
)

export const CallbackOrigin = Type.Object({ origin: Type.String(), created_at: Timestamp })
export const CallbackOrigins = Type.Object({ data: Type.Array(CallbackOrigin) })
export const CallbackOriginBody = Type.Object(
  { origin: Type.String({ minLength: 1, maxLength: 512 }) },
  strict,
)

export const CallbackUrlTest = Type.Object({ url: Type.String({ minLength: 1, maxLength: 2048 }) }, strict)
export const CallbackUrlTested = Type.Object({
  allowed: Type.Boolean({ description: 'Whether a link token could be minted with this `callback_url`.' }),
  origin: orNull(Type.String({ description: 'Origin of the URL. Null if it has none that can be allowed.' })),
  reason: orNull(
    Type.Enum(['invalid_callback_url', 'reserved_callback_parameter', 'unauthorized_origin'], {
      description: 'Error code that minting would return.',
    }),
  ),
  message: orNull(Type.String()),
})
export type CallbackUrlTested = Static<typeof CallbackUrlTested>

// --- Registered Users -----------------------------------------------------------------------------------------------

const Metadata = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 50 })

export const RegisteredUser = Type.Object({
  id: Id,
  origin_user_id: Type.String(),
  origin_user_name: Type.Union([Type.String(), Type.Null()]),
  email: Type.Optional(Type.String()),
  is_active: Type.Boolean(),
  is_test: Type.Boolean(),
  metadata: Metadata,
  rate_limit_per_minute: Type.Optional(Type.Integer()),
  linked_connectors: Type.Array(Slug),
  created_at: Timestamp,
})
export type RegisteredUser = Static<typeof RegisteredUser>
export const RegisteredUsers = pageOf(RegisteredUser)

const UserName = short('Shown to the user on the Link pages')
const Email = Type.String({ format: 'email', maxLength: 320 })
const RateLimit = Type.Integer({ minimum: 1, maximum: 1_000_000 })
export const RegisteredUserCreate = Type.Object(
  {
    origin_user_id: short("Your application's ID of this user"),
    origin_user_name: Type.Optional(UserName),
    email: Type.Optional(Email),
    metadata: Type.Optional(Metadata),
    rate_limit_per_minute: Type.Optional(RateLimit),
  },
  strict,
)
export type RegisteredUserCreate = Static<typeof RegisteredUserCreate>
export const RegisteredUserPatch = Type.Object(
  {
    is_active: Type.Optional(Type.Boolean()),
    origin_user_name: Type.Optional(orNull(UserName)),
    email: Type.Optional(orNull(Email)),
    metadata: Type.Optional(orNull(Metadata)),
    rate_limit_per_minute: Type.Optional(orNull(RateLimit)),
  },
  strict,
)
export type RegisteredUserPatch = Static<typeof RegisteredUserPatch>

// --- linking --------------------------------------------------------------------------------------------------------

/** §2: `Connector` and `connector_slug` are aliases; `connector` is accepted as well. */
/** The maximum length of an account's label. */
export const MAX_ACCOUNT_LABEL = 100
export const AccountLabel = Type.String({
  minLength: 1,
  maxLength: MAX_ACCOUNT_LABEL,
  description:
    'Label of the account, one line of visible characters. It is unique among the user’s accounts of the connector, regardless of case.',
})

export const LinkTokenRequest = Type.Object(
  {
    connector: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Slug of the connector to link. Default: the user chooses one of the Tool Pack.',
      }),
    ),
    Connector: Type.Optional(Type.String({ maxLength: 64, description: 'The same as `connector`.' })),
    connector_slug: Type.Optional(Type.String({ maxLength: 64, description: 'The same as `connector`.' })),
    tool_pack_id: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'The Tool Pack whose connectors can be linked. Default: the default Tool Pack of the organization.',
      }),
    ),
    callback_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'Authorization code mode: the browser returns here with a code. Its origin must be an allowed callback origin.',
      }),
    ),
    state: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Returned to `callback_url` unchanged. At most 1,024 bytes.',
      }),
    ),
    account: Type.Optional(
      Type.Enum(['ask', 'add', 'replace'], {
        description:
          'What happens if the user links another account than those already linked. `ask` (default): Link asks “Replace or add?”. `add`: the account is added. `replace`: it replaces `credential_id`. The same account always replaces its own credential.',
      }),
    ),
    credential_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'The credential to reconnect, or to replace.' }),
    ),
    account_label: Type.Optional(AccountLabel),
    tools: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 200,
        description:
          'Tools of the Connector, with or without its prefix: the link requests the scopes that they need, besides the required ones and those granted before. Default: the tools that the Tool Pack has chosen; required scopes only if it has chosen none.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 100,
        description:
          'Scopes of the Connector that the link requests, besides the required ones, those of `tools` and those granted before.',
      }),
    ),
  },
  strict,
)
export type LinkTokenRequest = Static<typeof LinkTokenRequest>

export const LinkToken = Type.Object({
  link_token: Type.String(),
  expires_at: Timestamp,
  magic_link_url: Type.String(),
})
export type LinkToken = Static<typeof LinkToken>

export const ConnectionsLink = Type.Object({
  url: Type.String({
    description: 'Opens the My connections page. It works in the browser that uses it first.',
  }),
  expires_at: Timestamp,
})
export type ConnectionsLink = Static<typeof ConnectionsLink>

export const LinkSearch = Type.Object(
  { url: Type.String({ minLength: 1, maxLength: 2048, description: 'A link, or the token in it.' }) },
  strict,
)
export type LinkSearch = Static<typeof LinkSearch>
export const FoundLink = Type.Object({
  registered_user_id: Id,
  link_session_id: Type.Union([Id, Type.Null()], { description: 'Null: a link to My connections.' }),
})
export type FoundLink = Static<typeof FoundLink>

export const ConfirmRequest = Type.Object(
  {
    // No maximum length: a string of any length that is not a code results in the error for an invalid code.
    code: Type.String(),
    registered_user_id: Type.Optional(Type.String({ maxLength: 64 })),
  },
  strict,
)
export const ConfirmedCredential = Type.Object({
  credential_id: Id,
  connector_slug: Slug,
  registered_user_id: Id,
})
export type ConfirmedCredential = Static<typeof ConfirmedCredential>
