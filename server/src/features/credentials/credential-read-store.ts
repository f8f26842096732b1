import type { AuthorizationType, Credential } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { NIL_UUID } from '../../core/uuid.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  boolean,
  ensured,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import { credentialColumns } from './credential-store.ts'
import type { RevocationOutcome } from './revocation-store.ts'
import { HEALTH, healthColumns } from './risks/health-columns-store.ts'

export type CredentialOwner = { organizationId: string; mode: Mode; registeredUserId: string }

const credentialSummaryColumns = {
  ...credentialColumns,
  ...healthColumns,
  registeredUserId: uuid,
  connectorSlug: text,
  method: typed<AuthorizationType>(text),
  account: nullable(text),
  accountId: nullable(text),
  createdAt: timestamptz,
  updatedAt: timestamptz,
  checkedAt: nullable(timestamptz),
  sharedWith: typed<Credential['shared_with']>(jsonb),
}
export type CredentialSummary = Values<typeof credentialSummaryColumns>
const revocationSummaryColumns = {
  credentialId: nullable(uuid),
  connectorSlug: text,
  account: nullable(text),
  reason: text,
  outcome: nullable(typed<RevocationOutcome>(text)),
  attempts: integer,
  queuedAt: timestamptz,
  finishedAt: nullable(timestamptz),
}
export type RevocationSummary = Values<typeof revocationSummaryColumns>

/** A safety limit; a user has only a few credentials and revocations. */
const MAX_ROWS = 500

const SUMMARY = `
  select a.id, a.label, a.status, a.status_reason, a.secret_id, a.sealed, a.version, a.scopes, a.oauth_app, a.access_expires_at,
    a.refresh_due, a.paused_until, ${HEALTH},
    a.registered_user_id, a.connector_slug, c.method, c.account, c.account_id, c.created_at, c.updated_at, c.checked_at,
      u.data_key as user_key, (
        select jsonb_build_object('everyone', coalesce(bool_or(s.registered_user_id is null and s.tool_pack_id is null), false),
          'registered_user_ids', coalesce(jsonb_agg(s.registered_user_id) filter (where s.registered_user_id is not null), '[]'),
          'tool_pack_ids', coalesce(jsonb_agg(s.tool_pack_id) filter (where s.tool_pack_id is not null), '[]'))
        from credential_shares s where s.organization_id = a.organization_id and s.credential_id = a.id) as shared_with
  from admission_credentials a
  join credentials c on c.organization_id = a.organization_id and c.id = a.id
  join registered_users u on u.organization_id = a.organization_id and u.id = a.registered_user_id
  where a.organization_id = :organizationId and u.mode = :mode and a.registered_user_id = :registeredUserId`

const selectOfUser = statement({
  name: 'credentials.of_user',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid },
  columns: credentialSummaryColumns,
  sql: `${SUMMARY} order by a.connector_slug, a.label, a.id limit ${MAX_ROWS}`,
})
const sharedColumns = {
  id: uuid,
  connectorSlug: text,
  label: text,
  account: nullable(text),
  status: credentialColumns.status,
  pausedUntil: nullable(timestamptz),
  isOfOrganization: boolean,
}
export type SharedCredential = Values<typeof sharedColumns>
// Without accounts that are shared with a Tool Pack: whether the user uses the pack is unknown.
const selectSharedWith = statement({
  name: 'credentials.shared_with_user',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid, everyone: uuid },
  columns: sharedColumns,
  sql: `select distinct a.id, a.connector_slug, a.label, a.account, a.status, a.paused_until, o.kind = 'organization' as is_of_organization
   from credential_shares s
   join admission_credentials a on a.organization_id = s.organization_id and a.id = s.credential_id
   join registered_users o on o.organization_id = s.organization_id and o.id = s.owner_id
   where s.organization_id = :organizationId and s.grantee in (:registeredUserId, :everyone) and s.owner_id <> :registeredUserId
     and a.status <> 'revoked' and o.mode = :mode and o.is_active
   order by a.connector_slug, a.label, a.id limit ${MAX_ROWS}`,
})
const selectOne = statement({
  name: 'credentials.summary',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid, id: uuid },
  columns: credentialSummaryColumns,
  sql: `${SUMMARY} and a.id = :id`,
})
const selectUser = statement({
  name: 'credentials.user_exists',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid },
  columns: { exists: typed<true>(boolean) },
  sql: `select true as exists from registered_users where organization_id = :organizationId and mode = :mode
   and id = :registeredUserId`,
})
const selectRevocations = statement({
  name: 'revocations.of_user',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  columns: revocationSummaryColumns,
  sql: `select credential_id, connector_slug, account, reason, outcome, attempts, queued_at, finished_at
   from revocations where organization_id = :organizationId and registered_user_id = :registeredUserId
     order by queued_at desc limit ${MAX_ROWS}`,
})
const revokeOne = statement({
  name: 'credentials.revoke_one',
  parameters: { organizationId: uuid, registeredUserId: uuid, id: uuid, reason: text },
  columns: { revoked: boolean },
  sql: 'select revoke_credential(:organizationId, :registeredUserId, :id, :reason) as revoked',
})
const renameOne = statement({
  name: 'credentials.rename',
  parameters: { organizationId: uuid, registeredUserId: uuid, id: uuid, label: text },
  columns: { id: uuid },
  sql: `update credentials c set label = :label
   where c.organization_id = :organizationId and c.registered_user_id = :registeredUserId and c.id = :id and c.status <> 'revoked'
     and not exists (select from credentials o where o.organization_id = :organizationId
       and o.registered_user_id = :registeredUserId and o.connector_slug = c.connector_slug and account_label_key(o.label) = account_label_key(:label)
       and o.status <> 'revoked' and o.id <> :id)
   returning c.id`,
})
const recordCheck = statement({
  name: 'credentials.note_check',
  parameters: { organizationId: uuid, id: uuid, account: nullable(text), accountId: nullable(text) },
  columns: { checkedAt: ensured(timestamptz) },
  sql: `update credentials set checked_at = app_now(), account = coalesce(:account, account),
   account_id = coalesce(:accountId, account_id)
   where organization_id = :organizationId and id = :id returning checked_at`,
})

export const credentialReadStore = {
  ofUser: (db: Queryable, credentialOwner: CredentialOwner) => db.query(selectOfUser, credentialOwner),
  /** Accounts of others that the user may use, without their secrets. */
  sharedWith: (db: Queryable, credentialOwner: CredentialOwner): Promise<SharedCredential[]> =>
    db.query(selectSharedWith, { ...credentialOwner, everyone: NIL_UUID }),
  find: (db: Queryable, { organizationId, mode, registeredUserId }: CredentialOwner, id: string) =>
    one(db, selectOne, { organizationId, mode, registeredUserId, id }),
  userExists: async (db: Queryable, { organizationId, mode, registeredUserId }: CredentialOwner) =>
    (await one(db, selectUser, { organizationId, mode, registeredUserId })) !== null,
  revocationsOfUser: (db: Queryable, credentialOwner: CredentialOwner) =>
    db.query(selectRevocations, credentialOwner),
  revoke: async (
    tx: Queryable,
    { organizationId, registeredUserId }: CredentialOwner,
    id: string,
    reason: string,
  ) => (await one(tx, revokeOne, { organizationId, registeredUserId, id, reason }))?.revoked === true,
  /** Returns null if another account of the connector has this label. */
  rename: (
    tx: Queryable,
    renamed: { organizationId: string; registeredUserId: string; id: string; label: string },
  ) => one(tx, renameOne, renamed),
  recordCheck: (
    db: Queryable,
    organizationId: string,
    id: string,
    found: { account: string | null; accountId: string | null },
  ) => one(db, recordCheck, { organizationId, id, account: found.account, accountId: found.accountId }),
}
