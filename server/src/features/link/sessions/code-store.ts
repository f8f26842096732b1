import type { Mode } from '../../../core/mode.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import { boolean, bytea, text, typed, uuid, type Values } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { SessionStatus } from './link-session.ts'

const codeColumns = {
  organizationId: uuid,
  organizationState: typed<OrganizationState>(text),
  id: uuid,
  registeredUserId: uuid,
  mode: typed<Mode>(text),
  status: typed<SessionStatus>(text),
  /** The code's secret is still pending: neither redeemed nor destroyed. */
  waiting: boolean,
  expired: boolean,
  userActive: boolean,
}
export type IssuedCode = Values<typeof codeColumns>

const findCode = statement({
  name: 'link_sessions.find_code',
  parameters: { codeHash: bytea },
  columns: codeColumns,
  sql: `select s.organization_id, o.state as organization_state, s.id, s.registered_user_id, s.mode, s.status, s.code_expires_at <= app_now() as expired,
     u.is_active as user_active,
     exists (select from pending_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash) as waiting
   from link_sessions s join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
   join organizations o on o.id = s.organization_id
   where s.code_hash = :codeHash`,
})
// For 30 days, a used or expired code can still be distinguished from an unknown one.
const deleteOldSessions = statement({
  name: 'link_sessions.delete_old',
  sql: `delete from link_sessions where expires_at < app_now() - interval '30 days'
   and organization_id not in (select id from unserved_organizations)`,
})

export const codeStore = {
  find: (db: Queryable, codeHash: Buffer) => one(db, findCode, { codeHash }),
  deleteOldSessions: (db: Queryable) => db.query(deleteOldSessions),
}
