import { one, type Queryable, statement } from '../../../platform/database/database.ts'
import { type Caller, callerWith } from './admission-store.ts'

/** Whether a caller is still admitted, and a version that changes whenever its list of tools may change. */
export type StandingRow = {
  organization_id: string | null
  user_id: string | null
  pack_id: string | null
  user_active: boolean
  tools: string
}

const selectStanding = statement<StandingRow>(
  'tools.standing',
  `select c.organization_id, c.user_id, c.pack_id, c.user_active, md5(jsonb_build_array(p.connectors, p.choices, p.result_handles,
     (select jsonb_agg(l.connector_slug order by l.connector_slug) from linked_connectors l
      where l.organization_id = c.organization_id and l.registered_user_id = c.user_id),
     (select jsonb_agg(a.connector_slug order by a.connector_slug) from admission_oauth_apps a where a.organization_id = c.organization_id),
     (select jsonb_agg(jsonb_build_array(m.slug, m.tools_hash) order by m.slug) from admission_mcp_connectors m
      where m.organization_id = c.organization_id))::text) as tools
   from (${callerWith()}) c left join admission_packs p on p.organization_id = c.organization_id and p.id = c.pack_id`,
)

/** Read by a call that waits for its user. `connected`: the usable credential as `id:version`. */
export type AwaitedRow = {
  organization_id: string | null
  user_id: string | null
  pack_id: string | null
  user_active: boolean
  connected: string | null
}

const selectAwaited = statement<AwaitedRow>(
  'tools.awaited',
  `select c.organization_id, c.user_id, c.pack_id, c.user_active, a.id || ':' || a.version as connected
   from (${callerWith()}) c left join admission_credentials a on a.organization_id = c.organization_id
     and a.registered_user_id = c.user_id and a.connector_slug = $4 and a.status = 'active'`,
)

export const standingStore = {
  read: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller) =>
    one(db, selectStanding, [keyHash, registeredUserId, toolPackId]) as Promise<StandingRow>,
  awaited: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller, connectorSlug: string) =>
    one(db, selectAwaited, [keyHash, registeredUserId, toolPackId, connectorSlug]) as Promise<AwaitedRow>,
}
