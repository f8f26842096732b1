import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { SessionStatus } from './link-session.ts'

export type CodeRow = {
  organization_id: string
  id: string
  registered_user_id: string
  mode: Mode
  status: SessionStatus
  /** The code's secret is still pending: neither redeemed nor destroyed. */
  waiting: boolean
  expired: boolean
  user_active: boolean
}

const findCode = statement<CodeRow>(
  'link_sessions.find_code',
  `select s.organization_id, s.id, s.registered_user_id, s.mode, s.status, s.code_expires_at <= app_now() as expired,
     u.is_active as user_active,
     exists (select from waiting_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash) as waiting
   from link_sessions s join registered_users u on u.organization_id = s.organization_id and u.id = s.registered_user_id
   where s.code_hash = $1`,
)
// For 30 days, a used or expired code can still be distinguished from an unknown one.
const deleteOldSessions = statement<never>(
  'link_sessions.delete_old',
  `delete from link_sessions where expires_at < app_now() - interval '30 days'`,
)

export const codeStore = {
  find: (db: Queryable, codeHash: Buffer) => one(db, findCode, [codeHash]),
  deleteOldSessions: (db: Queryable) => db.query(deleteOldSessions),
}
