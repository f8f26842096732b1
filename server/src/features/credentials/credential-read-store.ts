import type { Mode } from '../../core/mode.ts'
import { one, type Queryable, statement } from '../../platform/database/database.ts'
import type { CredentialRow, RevocationOutcome } from './credential-store.ts'

export type CredentialOwner = { organizationId: string; mode: Mode; registeredUserId: string }

export type CredentialSummaryRow = CredentialRow & {
  registered_user_id: string
  connector_slug: string
  account: string | null
  account_id: string | null
  created_at: Date
  updated_at: Date
  checked_at: Date | null
}
export type RevocationSummaryRow = {
  credential_id: string | null
  connector_slug: string
  account: string | null
  reason: string
  outcome: RevocationOutcome | null
  attempts: number
  queued_at: Date
  finished_at: Date | null
}

/** A safety limit; a user has only a few credentials and revocations. */
const MAX_ROWS = 500

const SUMMARY = `
  select a.id, a.status, a.status_reason, a.secret_id, a.sealed, a.version, a.scopes, a.oauth_app, a.access_expires_at, a.refresh_due,
    a.registered_user_id, a.connector_slug, c.account, c.account_id, c.created_at, c.updated_at, c.checked_at, u.data_key as user_key
  from admission_credentials a
  join credentials c on c.organization_id = a.organization_id and c.id = a.id
  join registered_users u on u.organization_id = a.organization_id and u.id = a.registered_user_id
  where a.organization_id = $1 and u.mode = $2 and a.registered_user_id = $3`

const selectOfUser = statement<CredentialSummaryRow>(
  'credentials.of_user',
  `${SUMMARY} order by a.connector_slug limit ${MAX_ROWS}`,
)
const selectOne = statement<CredentialSummaryRow>('credentials.summary', `${SUMMARY} and a.id = $4`)
const selectUser = statement<{ exists: true }>(
  'credentials.user_exists',
  'select true as exists from registered_users where organization_id = $1 and mode = $2 and id = $3',
)
const selectRevocations = statement<RevocationSummaryRow>(
  'revocations.of_user',
  `select credential_id, connector_slug, account, reason, outcome, attempts, queued_at, finished_at
   from revocations where organization_id = $1 and registered_user_id = $2 order by queued_at desc limit ${MAX_ROWS}`,
)
const revokeOne = statement<{ revoked: boolean }>(
  'credentials.revoke_one',
  'select revoke_credential($1, $2, $3, $4) as revoked',
)
const recordCheck = statement<{ checked_at: Date }>(
  'credentials.note_check',
  `update credentials set checked_at = app_now(), account = coalesce($3, account), account_id = coalesce($4, account_id)
   where organization_id = $1 and id = $2 returning checked_at`,
)

export const credentialReadStore = {
  ofUser: (db: Queryable, { organizationId, mode, registeredUserId }: CredentialOwner) =>
    db.query(selectOfUser, [organizationId, mode, registeredUserId]),
  find: (db: Queryable, { organizationId, mode, registeredUserId }: CredentialOwner, id: string) =>
    one(db, selectOne, [organizationId, mode, registeredUserId, id]),
  userExists: async (db: Queryable, { organizationId, mode, registeredUserId }: CredentialOwner) =>
    (await one(db, selectUser, [organizationId, mode, registeredUserId])) !== null,
  revocationsOfUser: (db: Queryable, { organizationId, registeredUserId }: CredentialOwner) =>
    db.query(selectRevocations, [organizationId, registeredUserId]),
  revoke: async (
    tx: Queryable,
    { organizationId, registeredUserId }: CredentialOwner,
    id: string,
    reason: string,
  ) => (await one(tx, revokeOne, [organizationId, registeredUserId, id, reason]))?.revoked === true,
  recordCheck: (
    db: Queryable,
    organizationId: string,
    id: string,
    found: { account: string | null; accountId: string | null },
  ) => one(db, recordCheck, [organizationId, id, found.account, found.accountId]),
}
