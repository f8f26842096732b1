import { NIL_UUID } from '../../core/uuid.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import { array, jsonb, text, timestamptz, typed, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { RuleOwner } from './rule-cache.ts'
import type { SecuritySettings, SettingsLayers } from './security-settings.ts'

const settingsColumns = {
  toolPackId: uuid,
  settings: typed<SecuritySettings>(jsonb),
  contentHash: text,
  updatedAt: timestamptz,
}
export type SavedSettings = SettingsLayers & {
  /** Same format as in the statement that admits a call. */
  hash: string
  organizationUpdatedAt: Date | null
  toolPackUpdatedAt: Date | null
}

const selectSettings = statement({
  name: 'security_rules.select',
  parameters: { organizationId: uuid, toolPackId: uuid },
  columns: settingsColumns,
  sql: `select tool_pack_id, settings, content_hash, updated_at from security_rules
   where organization_id = :organizationId and tool_pack_id in ('${NIL_UUID}', :toolPackId)`,
})
const replaceOwn = statement({
  name: 'security_rules.replace',
  parameters: { organizationId: uuid, settings: jsonb },
  sql: `insert into security_rules (organization_id, settings) values (:organizationId, :settings::jsonb)
   on conflict (organization_id, tool_pack_id) do update set settings = excluded.settings, updated_at = app_now()`,
})
// Merged in SQL, so that concurrent patches of different fields do not overwrite each other.
const patchOwn = statement({
  name: 'security_rules.patch',
  parameters: { organizationId: uuid, settings: jsonb, cleared: array(text) },
  sql: `insert into security_rules as r (organization_id, settings)
   values (:organizationId, :settings::jsonb || jsonb_build_object('entities', coalesce(:settings::jsonb -> 'entities',
     '{}') - :cleared::text[]))
   on conflict (organization_id, tool_pack_id) do update set updated_at = app_now(),
     settings = r.settings || :settings::jsonb || jsonb_build_object('entities',
       (coalesce(r.settings -> 'entities', '{}') || coalesce(:settings::jsonb -> 'entities', '{}')) - :cleared::text[])`,
})
const RECORD_EVENT = `recorded as (
     select record_event(:organizationId, null, 'tool_pack.updated',
       jsonb_build_object('tool_pack_id', :toolPackId::uuid, 'name', name, 'change', 'updated')) from pack
   )
   select p.name from pack p left join recorded on true`
const PACK =
  'pack as materialized (select name from tool_pack_names where organization_id = :organizationId and id = :toolPackId)'
const replaceOfPack = statement({
  name: 'security_rules.replace_of_pack',
  parameters: { organizationId: uuid, toolPackId: uuid, settings: jsonb },
  columns: { name: text },
  sql: `with ${PACK}, saved as (
     insert into security_rules (organization_id, tool_pack_id, settings) select :organizationId, :toolPackId,
       :settings::jsonb from pack
     on conflict (organization_id, tool_pack_id) do update set settings = excluded.settings, updated_at = app_now()
   ), ${RECORD_EVENT}`,
})
const deleteOfPack = statement({
  name: 'security_rules.delete_of_pack',
  parameters: { organizationId: uuid, toolPackId: uuid },
  columns: { name: text },
  sql: `with ${PACK}, deleted as (delete from security_rules where organization_id = :organizationId
   and tool_pack_id = :toolPackId), ${RECORD_EVENT}`,
})
const selectPack = statement({
  name: 'security_rules.pack',
  parameters: { organizationId: uuid, toolPackId: uuid },
  columns: { name: text },
  sql: 'select name from tool_pack_names where organization_id = :organizationId and id = :toolPackId',
})

const read = async (db: Queryable, { organizationId, toolPackId }: RuleOwner): Promise<SavedSettings> => {
  const rows = await db.query(selectSettings, { organizationId, toolPackId })
  const own = rows.find(row => row.toolPackId === NIL_UUID)
  const ofPack = rows.find(row => row.toolPackId !== NIL_UUID)
  return {
    organization: own?.settings ?? null,
    toolPack: ofPack?.settings ?? null,
    hash: `${own?.contentHash ?? ''}:${ofPack?.contentHash ?? ''}`,
    organizationUpdatedAt: own?.updatedAt ?? null,
    toolPackUpdatedAt: ofPack?.updatedAt ?? null,
  }
}

export const securityRuleStore = {
  read,
  /** Reads the settings of the organization only. */
  readOwn: (db: Queryable, organizationId: string) => read(db, { organizationId, toolPackId: NIL_UUID }),
  replaceOwn: (db: Queryable, organizationId: string, settings: SecuritySettings) =>
    db.query(replaceOwn, { organizationId, settings }),
  /** `cleared`: entities whose defaults are restored. */
  patchOwn: (db: Queryable, organizationId: string, settings: SecuritySettings, cleared: string[]) =>
    db.query(patchOwn, { organizationId, settings, cleared }),
  /** Returns null and saves nothing if the pack does not exist. */
  replaceOfPack: (db: Queryable, { organizationId, toolPackId }: RuleOwner, settings: SecuritySettings) =>
    one(db, replaceOfPack, { organizationId, toolPackId, settings }),
  deleteOfPack: (db: Queryable, ruleOwner: RuleOwner) => one(db, deleteOfPack, ruleOwner),
  findPack: (db: Queryable, ruleOwner: RuleOwner) => one(db, selectPack, ruleOwner),
}
