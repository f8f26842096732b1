import { one, type Queryable } from '../../../platform/database/database.ts'
import { array, nullable, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

// In code mode, a session keeps the status `code_issued` after its code is confirmed.
const selectLatest = statement({
  name: 'link_sessions.latest_requested_scopes',
  parameters: { organizationId: uuid, registeredUserId: uuid, connectorSlug: text },
  columns: { moreScopes: nullable(array(text)) },
  sql: `select s.more_scopes from link_sessions s
   where s.organization_id = :organizationId and s.registered_user_id = :registeredUserId and s.connector_slug = :connectorSlug
     and (s.status = 'completed' or s.status = 'code_issued' and not exists (
       select from waiting_codes w where w.organization_id = s.organization_id and w.code_hash = s.code_hash))
   order by s.completed_at desc limit 1`,
})

export const requestedScopesStore = {
  latest: (db: Queryable, organizationId: string, registeredUserId: string, connectorSlug: string) =>
    one(db, selectLatest, { organizationId, registeredUserId, connectorSlug }),
}
