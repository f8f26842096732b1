import { one, type Queryable, statement } from '../../platform/database.ts'

const selectLatest = statement<{ more_scopes: string[] | null }>(
  'link_sessions.latest_requested_scopes',
  `select more_scopes from link_sessions
   where organization_id = $1 and registered_user_id = $2 and connector_slug = $3 and status = 'completed'
   order by completed_at desc limit 1`,
)

export const requestedScopesStore = {
  latest: (db: Queryable, organizationId: string, registeredUserId: string, connectorSlug: string) =>
    one(db, selectLatest, [organizationId, registeredUserId, connectorSlug]),
}
