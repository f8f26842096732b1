import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'
import { authorizationTypes } from './connector-authorization.ts'
import { AccountLabel, Id, Timestamp } from './resources.ts'

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

const MAX_SHARES = 1000
/** The length rejects `urn:uuid:…`, which is a UUID for validators and not for the database. */
const UUID_LENGTH = 36
const ids = (description: string) =>
  Type.Array(Type.String({ ...Id, maxLength: UUID_LENGTH }), { maxItems: MAX_SHARES, description })

/** Who besides its user may make calls with a credential. */
export const CredentialAccess = Type.Object(
  {
    everyone: Type.Optional(Type.Boolean({ description: 'Every user of the same mode. Default: false.' })),
    registered_user_ids: Type.Optional(ids('These users.')),
    tool_pack_ids: Type.Optional(ids('Everyone who uses one of these Tool Packs.')),
  },
  { additionalProperties: false },
)
export type CredentialAccess = Static<typeof CredentialAccess>

const SharedWith = Type.Object(
  {
    everyone: Type.Boolean(),
    registered_user_ids: Type.Array(Id),
    tool_pack_ids: Type.Array(Id),
  },
  { description: 'Who besides the user may make calls with the credential.' },
)

export const credentialHealthStates = ['healthy', 'at_risk', 'needs_reauth'] as const
export type CredentialHealthState = (typeof credentialHealthStates)[number]

/** Why a credential may end soon. */
export const riskReasons = [
  'expires',
  'unused',
  'maximum_lifetime',
  'test_mode',
  'rotation_due',
  'refused',
  'refresh_failing',
  'scopes_lost',
] as const
export type RiskReason = (typeof riskReasons)[number]

export const RiskReasonSchema = Type.Enum([...riskReasons], {
  description:
    '`expires`: the provider has stated when it ends. `unused`: the provider ends it if it is not used until then. `maximum_lifetime`: the provider ends it however often it is used. `test_mode`: the OAuth app is not published. `rotation_due`: the provider asks for a new key. `refused`: the provider has refused it for an hour. `refresh_failing`: refreshes have failed for two days. `scopes_lost`: the provider no longer grants some of its scopes.',
})

export const CredentialHealth = Type.Object(
  {
    state: Type.Enum([...credentialHealthStates], {
      description:
        '`at_risk`: it works, and may end soon. `needs_reauth`: the user must link the account again.',
    }),
    reason: orNull(RiskReasonSchema),
    ends_at: orNull(
      Type.String({
        ...Timestamp,
        description: 'When it is expected to end. Null: not known, or not at risk.',
      }),
    ),
  },
  { description: 'Whether it works, and whether it will end soon.' },
)
export type CredentialHealth = Static<typeof CredentialHealth>

/** Metadata of a credential. The API never returns the secret itself. */
export const Credential = Type.Object({
  credential_id: Id,
  registered_user_id: Id,
  connector_slug: Slug,
  label: Type.String({
    description:
      'Names the account among the user’s accounts of the connector. Default: the name of the account. Tool calls name the account by it.',
  }),
  method: Type.Enum(authorizationTypes),
  status: Type.Enum(['active', 'needs_reauth', 'revoked']),
  status_reason: orNull(Type.String()),
  health: CredentialHealth,
  account: orNull(Type.String({ description: 'Account name that the owner recognizes.' })),
  account_id: orNull(
    Type.String({ description: 'Identifier that does not change when the account is renamed.' }),
  ),
  scopes: Type.Array(Type.String()),
  oauth_app: orNull(Type.Enum(['own', 'service'])),
  access_expires_at: orNull(Timestamp),
  shared_with: SharedWith,
  created_at: Timestamp,
  updated_at: Timestamp,
  checked_at: orNull(Timestamp),
  paused_until: orNull(
    Type.String({
      ...Timestamp,
      description: 'Tool calls are rejected with `connection_paused` until this time. Null: not paused.',
    }),
  ),
})
export type Credential = Static<typeof Credential>
export const Credentials = Type.Object({ data: Type.Array(Credential) })

export const OrganizationAccounts = Type.Object({
  registered_user_id: orNull({
    ...Id,
    description: 'The user that the accounts belong to. Null until the first link token was minted.',
  }),
  data: Type.Array(Credential),
})
export type OrganizationAccounts = Static<typeof OrganizationAccounts>

/** More are not listed: `has_more` is true. */
export const MAX_AT_RISK = 1000

export const CredentialsAtRisk = Type.Object({
  data: Type.Array(
    Type.Object({
      credential_id: Id,
      registered_user_id: Id,
      origin_user_id: Type.String({ description: 'Empty for an organization account.' }),
      connector_slug: Slug,
      label: Type.String({ description: 'Label of the account.' }),
      account: orNull(Type.String()),
      reason: RiskReasonSchema,
      ends_at: orNull(
        Type.String({ ...Timestamp, description: 'When it is expected to end. Null: not known.' }),
      ),
    }),
  ),
  has_more: Type.Boolean({ description: `Whether more than ${MAX_AT_RISK} are at risk.` }),
})
export type CredentialsAtRisk = Static<typeof CredentialsAtRisk>

export const CredentialUpdate = Type.Object({ label: AccountLabel }, { additionalProperties: false })
export type CredentialUpdate = Static<typeof CredentialUpdate>

/** The maximum duration of a pause. */
export const MAX_PAUSE_SECONDS = 30 * 24 * 3600
export const DEFAULT_PAUSE_SECONDS = 3600

export const CredentialPause = Type.Object(
  {
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAUSE_SECONDS,
        description: `Duration of the pause. Default: ${DEFAULT_PAUSE_SECONDS}, one hour.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type CredentialPause = Static<typeof CredentialPause>

export const CredentialTest = Type.Object({
  works: Type.Boolean(),
  outcome: Type.Enum(['works', 'rejected', 'needs_reauth', 'revoked', 'paused', 'unavailable']),
  message: Type.String(),
  account: orNull(Type.String()),
  checked_at: Timestamp,
})
export type CredentialTest = Static<typeof CredentialTest>

/** Outcome of revoking tokens at the provider. */
export const Revocation = Type.Object({
  credential_id: orNull(Id),
  connector_slug: Slug,
  account: orNull(Type.String()),
  reason: Type.String(),
  outcome: Type.Enum(['pending', 'revoked', 'not_supported', 'kept_shared', 'gave_up']),
  attempts: Type.Integer(),
  queued_at: Timestamp,
  finished_at: orNull(Timestamp),
})
export type Revocation = Static<typeof Revocation>
export const Revocations = Type.Object({ data: Type.Array(Revocation) })
