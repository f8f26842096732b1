import type { Queryable } from '../../../platform/database/database.ts'
import { bigint, integer, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const selectGranted = statement({
  name: 'credentials.granted_scopes',
  parameters: { organizationId: uuid, mode: text, days: integer },
  columns: { connectorSlug: text, scope: text, credentials: bigint },
  sql: `select c.connector_slug, s.scope, count(*) as credentials from credentials c
   join registered_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   cross join lateral (select distinct unnest(c.scopes) as scope) s
   where c.organization_id = :organizationId and u.mode = :mode and c.status = 'active' and c.linked_at <= app_now() - make_interval(days => :days)
   group by c.connector_slug, s.scope order by c.connector_slug, s.scope`,
})

export const grantedScopesStore = {
  olderThan: (
    db: Queryable,
    { organizationId, mode }: { organizationId: string; mode: string },
    days: number,
  ) => db.query(selectGranted, { organizationId, mode, days }),
}
