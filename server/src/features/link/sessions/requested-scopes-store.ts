import { one, type Queryable, statement } from '../../../platform/database/database.ts'

// In code mode, a session keeps the status `code_issued` after its code is confirmed.
const selectLatest = statement<{ more_scopes: string[] | null }>(
  'link_sessions.latest_requested_scopes',
  `select s.more_scopes from link_sessions s
   where s.organization_id = $1 and s.registered_user_id = $2 and s.connector_slug = $3
     and (s.status = 'completed' or s.status = 'code_issued' and not exists (
       select from waiting_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash))
   order by s.completed_at desc limit 1`,
)

export const requestedScopesStore = {
  latest: (db: Queryable, organizationId: string, registeredUserId: string, connectorSlug: string) =>
    one(db, selectLatest, [organizationId, registeredUserId, connectorSlug]),
}
