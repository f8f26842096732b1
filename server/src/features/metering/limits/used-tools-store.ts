import type { Queryable } from '../../../platform/database/database.ts'
import { integer, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { Owner } from '../records/call-record.ts'

// Calls that ended before the provider was called need no scope.
const CALLED = `outcome not in ('needs_auth', 'approval_required', 'blocked', 'limited')`

const FIRST_DAY = `((app_now() at time zone 'UTC')::date - :days::integer)`

const selectUsed = statement({
  name: 'usage.used_tools',
  parameters: { organizationId: uuid, mode: text, days: integer },
  columns: { connectorSlug: text, tool: text },
  sql: `select connector_slug, tool from usage_totals
   where organization_id = :organizationId and mode = :mode and day >= ${FIRST_DAY} and ${CALLED}
   union
   select connector_slug, tool from tool_calls
   where organization_id = :organizationId and mode = :mode and ${CALLED}
     and started_at >= greatest((select until from usage_progress), ${FIRST_DAY}::timestamp at time zone 'UTC')`,
})

export const usedToolsStore = {
  ofDays: (db: Queryable, { organizationId, mode }: Owner, days: number) =>
    db.query(selectUsed, { organizationId, mode, days }),
}
