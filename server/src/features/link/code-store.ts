import type { Mode } from '../../core/mode.ts'
import { columns } from '../../platform/coalesce.ts'
import { one, type Parameter, type Queryable, statement } from '../../platform/database.ts'
import type { SessionStatus } from './link-session.ts'

export type ConfirmRow = {
  codeHash: Buffer
  organizationId: string
  mode: Mode
  registeredUserId: string | null
  candidateId: string
}
export type ConfirmedRow = {
  position: number
  credential_id: string
  connector_slug: string
  registered_user_id: string
}

const CONFIRM_COLUMNS = ['codeHash', 'organizationId', 'mode', 'registeredUserId', 'candidateId'] as const

/**
 * Redeems codes. The user's row is locked first, so that a deactivation comes wholly before or wholly after; the update's
 * WHERE makes one winner; the credential is stored by the same statement, or the code is not used.
 */
const confirmCodes = statement<ConfirmedRow>(
  'link_sessions.confirm',
  `with asked as (
     select * from unnest($1::bytea[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[])
       with ordinality as t(code_hash, organization_id, mode, user_id, candidate_id, position)
   ), waiting as materialized (
     select s.organization_id, s.id, s.registered_user_id, s.connector_slug, s.secret_id, s.sealed, s.scopes, s.account, s.oauth_app,
       s.access_expires_at, s.minted_at, a.position, a.candidate_id
     from asked a join link_sessions s on s.code_hash = a.code_hash and s.organization_id = a.organization_id and s.mode = a.mode
     where s.status = 'code_issued' and s.code_expires_at > app_now() and (a.user_id is null or a.user_id = s.registered_user_id)
   ), users as materialized (
     select u.organization_id, u.id, u.sessions_ended_at from registered_users u
     where (u.organization_id, u.id) in (select organization_id, registered_user_id from waiting) and u.is_active
     order by u.organization_id, u.id for no key update
   ), won as (
     update link_sessions s set status = 'completed', sealed = null
     from waiting w join users u on u.organization_id = w.organization_id and u.id = w.registered_user_id
     where s.organization_id = w.organization_id and s.id = w.id and s.status = 'code_issued' and w.minted_at > u.sessions_ended_at
     returning w.*
   )
   select w.position::integer, w.connector_slug, w.registered_user_id,
     store_credential(w.organization_id, w.registered_user_id, w.connector_slug, w.candidate_id, w.secret_id, w.sealed, w.scopes,
       w.account, w.oauth_app, w.access_expires_at, w.connector_slug = any($6::text[])) as credential_id
   from won w`,
)

export type CodeRow = {
  organization_id: string
  id: string
  registered_user_id: string
  mode: Mode
  status: SessionStatus
  expired: boolean
  user_active: boolean
}

const findCode = statement<CodeRow>(
  'link_sessions.find_code',
  `select s.organization_id, s.id, s.registered_user_id, s.mode, s.status, s.code_expires_at <= app_now() as expired,
     u.is_active as user_active
   from link_sessions s join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
   where s.code_hash = $1`,
)
// The sealed credential goes to the revocation job in the same statement that kills the code.
const endCode = statement<never>(
  'link_sessions.end_code',
  `with ended as (
     update link_sessions s set status = $3, sealed = null
     from link_sessions old
     where s.organization_id = $1 and s.id = $2 and s.status = 'code_issued'
       and old.organization_id = s.organization_id and old.id = s.id
     returning old.*)
   select queue_revocation(organization_id, registered_user_id, connector_slug, oauth_app, secret_id, sealed, $4) from ended`,
)
const overdueCodes = statement<{ organization_id: string; id: string }>(
  'link_sessions.overdue_codes',
  `select organization_id, id from link_sessions where status = 'code_issued' and code_expires_at <= app_now()
   order by code_expires_at limit $1`,
)
// Hashes of dead codes are told apart from unknown ones for 30 days.
const deleteOldSessions = statement<never>(
  'link_sessions.delete_old',
  `delete from link_sessions where status <> 'code_issued' and expires_at < app_now() - interval '30 days'`,
)

export const codeStore = {
  confirm: (db: Queryable, rows: ConfirmRow[], tokenRevoking: string[]) =>
    db.query(confirmCodes, [...(columns(rows, CONFIRM_COLUMNS) as Parameter[][]), tokenRevoking]),
  find: (db: Queryable, codeHash: Buffer) => one(db, findCode, [codeHash]),
  end: (
    db: Queryable,
    { organization_id, id }: { organization_id: string; id: string },
    status: 'code_rejected' | 'code_expired',
    reason: string,
  ) => db.query(endCode, [organization_id, id, status, reason]),
  overdue: (db: Queryable, limit: number) => db.query(overdueCodes, [limit]),
  deleteOldSessions: (db: Queryable) => db.query(deleteOldSessions),
}
