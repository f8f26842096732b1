import { NIL_UUID } from '../../core/uuid.ts'
import { json, one, type Queryable, statement } from '../../platform/database/database.ts'
import type { RuleOwner } from './rule-book.ts'
import type { SecuritySettings, SettingsLayers } from './security-settings.ts'

type SettingsRow = {
  tool_pack_id: string
  settings: SecuritySettings
  content_hash: string
  updated_at: Date
}
export type SavedSettings = SettingsLayers & {
  /** Same format as in the statement that admits a call. */
  hash: string
  organizationUpdatedAt: Date | null
  toolPackUpdatedAt: Date | null
}

const selectSettings = statement<SettingsRow>(
  'security_rules.select',
  `select tool_pack_id, settings, content_hash, updated_at from security_rules
   where organization_id = $1 and tool_pack_id in ('${NIL_UUID}', $2)`,
)
const replaceOwn = statement<never>(
  'security_rules.replace',
  `insert into security_rules (organization_id, settings) values ($1, $2::jsonb)
   on conflict (organization_id, tool_pack_id) do update set settings = excluded.settings, updated_at = app_now()`,
)
// Merged in SQL, so that concurrent patches of different fields do not overwrite each other.
const patchOwn = statement<never>(
  'security_rules.patch',
  `insert into security_rules as r (organization_id, settings)
   values ($1, $2::jsonb || jsonb_build_object('entities', coalesce($2::jsonb -> 'entities', '{}') - $3::text[]))
   on conflict (organization_id, tool_pack_id) do update set updated_at = app_now(),
     settings = r.settings || $2::jsonb || jsonb_build_object('entities',
       (coalesce(r.settings -> 'entities', '{}') || coalesce($2::jsonb -> 'entities', '{}')) - $3::text[])`,
)
const RECORD_EVENT = `recorded as (
     select record_event($1, null, 'tool_pack.updated',
       jsonb_build_object('tool_pack_id', $2::uuid, 'name', name, 'change', 'updated')) from pack
   )
   select p.name from pack p left join recorded on true`
const PACK = 'pack as materialized (select name from named_packs where organization_id = $1 and id = $2)'
const replaceOfPack = statement<{ name: string }>(
  'security_rules.replace_of_pack',
  `with ${PACK}, saved as (
     insert into security_rules (organization_id, tool_pack_id, settings) select $1, $2, $3::jsonb from pack
     on conflict (organization_id, tool_pack_id) do update set settings = excluded.settings, updated_at = app_now()
   ), ${RECORD_EVENT}`,
)
const deleteOfPack = statement<{ name: string }>(
  'security_rules.delete_of_pack',
  `with ${PACK}, deleted as (delete from security_rules where organization_id = $1 and tool_pack_id = $2), ${RECORD_EVENT}`,
)
const selectPack = statement<{ name: string }>(
  'security_rules.pack',
  'select name from named_packs where organization_id = $1 and id = $2',
)

const read = async (db: Queryable, { organizationId, toolPackId }: RuleOwner): Promise<SavedSettings> => {
  const rows = await db.query(selectSettings, [organizationId, toolPackId])
  const own = rows.find(row => row.tool_pack_id === NIL_UUID)
  const ofPack = rows.find(row => row.tool_pack_id !== NIL_UUID)
  return {
    organization: own?.settings ?? null,
    toolPack: ofPack?.settings ?? null,
    hash: `${own?.content_hash ?? ''}:${ofPack?.content_hash ?? ''}`,
    organizationUpdatedAt: own?.updated_at ?? null,
    toolPackUpdatedAt: ofPack?.updated_at ?? null,
  }
}

export const securityRuleStore = {
  read,
  /** Reads the settings of the organization only. */
  readOwn: (db: Queryable, organizationId: string) => read(db, { organizationId, toolPackId: NIL_UUID }),
  replaceOwn: (db: Queryable, organizationId: string, settings: SecuritySettings) =>
    db.query(replaceOwn, [organizationId, json(settings)]),
  /** `cleared`: entities whose defaults are restored. */
  patchOwn: (db: Queryable, organizationId: string, settings: SecuritySettings, cleared: string[]) =>
    db.query(patchOwn, [organizationId, json(settings), cleared]),
  /** Returns null and saves nothing if the pack does not exist. */
  replaceOfPack: (db: Queryable, { organizationId, toolPackId }: RuleOwner, settings: SecuritySettings) =>
    one(db, replaceOfPack, [organizationId, toolPackId, json(settings)]),
  deleteOfPack: (db: Queryable, { organizationId, toolPackId }: RuleOwner) =>
    one(db, deleteOfPack, [organizationId, toolPackId]),
  findPack: (db: Queryable, { organizationId, toolPackId }: RuleOwner) =>
    one(db, selectPack, [organizationId, toolPackId]),
}
