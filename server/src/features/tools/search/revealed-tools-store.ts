import { HOUR, SECOND } from '../../../core/duration.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import { array, boolean, bytea, double, text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

/** Since the last search of the session. Longer than a conversation with pauses. */
const REVEALED_LIFETIME = 24 * HOUR
/** The oldest are dropped first, so that a long session does not end with the whole list. */
const MAX_TOOLS = 60
/** The session whose tools expire first is dropped. */
const MAX_SESSIONS_PER_USER = 50

export type RevealedIn = {
  organizationId: string
  registeredUserId: string
  toolPackId: string
  sessionHash: Buffer
}

// Tools that are found again move to the front.
const addTools = statement({
  name: 'revealed_tools.add',
  parameters: {
    organizationId: uuid,
    registeredUserId: uuid,
    toolPackId: uuid,
    sessionHash: bytea,
    tools: array(text),
    seconds: double,
  },
  columns: { isNew: boolean },
  sql: `with known as materialized (
     select tools from revealed_tools where organization_id = :organizationId and registered_user_id = :registeredUserId
       and tool_pack_id = :toolPackId and session_hash = :sessionHash and expires_at > app_now()
   ), dropped as (
     delete from revealed_tools where organization_id = :organizationId and registered_user_id = :registeredUserId
       and (tool_pack_id, session_hash) in (
         select tool_pack_id, session_hash from revealed_tools
         where organization_id = :organizationId and registered_user_id = :registeredUserId
           and (tool_pack_id, session_hash) <> (:toolPackId, :sessionHash)
         order by expires_at desc offset ${MAX_SESSIONS_PER_USER - 1} for update skip locked)
   ), added as (
     insert into revealed_tools as r (organization_id, registered_user_id, tool_pack_id, session_hash, tools, expires_at)
     select :organizationId, :registeredUserId, :toolPackId, :sessionHash, :tools::text[],
       app_now() + make_interval(secs => :seconds)
     from registered_users where organization_id = :organizationId and id = :registeredUserId for key share
     on conflict (organization_id, registered_user_id, tool_pack_id, session_hash) do update set
       tools = (excluded.tools || case when r.expires_at > app_now() then
         array(select t from unnest(r.tools) with ordinality u(t, at) where t <> all(excluded.tools) order by at)
         else '{}' end)[1:${MAX_TOOLS}],
       expires_at = excluded.expires_at
     returning tools
   )
   select not :tools::text[] <@ coalesce((select tools from known), '{}') as is_new from added`,
})
const deleteExpired = statement({
  name: 'revealed_tools.expire',
  sql: `delete from revealed_tools where expires_at <= app_now() and organization_id not in (select id from unserved_organizations)`,
})

export const revealedToolsStore = {
  /** Whether a tool was added that the list of the session did not contain. */
  add: async (db: Queryable, at: RevealedIn, tools: string[]): Promise<boolean> =>
    (await one(db, addTools, { ...at, tools, seconds: REVEALED_LIFETIME / SECOND }))?.isNew ?? false,
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}
