import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { columnName, statement } from '../../../platform/database/statement.ts'
import type { Choices, Requests } from '../catalog/tool-choice.ts'
import { settingTypes } from './tool-pack-settings.ts'

/** What a request can change. */
const valueTypes = {
  name: text,
  /** Null: every usable connector. */
  connectors: nullable(array(text)),
  choices: typed<Choices>(jsonb),
  requests: typed<Requests>(jsonb),
  ...settingTypes,
}
const packColumns = {
  id: uuid,
  ...valueTypes,
  isDefault: boolean,
  createdAt: timestamptz,
  updatedAt: timestamptz,
}
export type PackValues = Values<typeof valueTypes>
export type StoredPack = Values<typeof packColumns>

const VALUES = Object.keys(valueTypes)
const VALUE_COLUMNS = VALUES.map(columnName).join(', ')
const VALUE_PARAMETERS = VALUES.map(name => `:${name}`).join(', ')
const COLUMNS = Object.keys(packColumns).map(columnName).join(', ')

const selectPacks = statement({
  name: 'tool_packs.list',
  parameters: { organizationId: uuid, after: nullable(uuid), limit: bigint },
  columns: packColumns,
  sql: `select ${COLUMNS} from tool_packs where organization_id = :organizationId
   and (:after::uuid is null or id > :after) order by id limit :limit`,
})
const selectPack = statement({
  name: 'tool_packs.one',
  parameters: { organizationId: uuid, id: uuid },
  columns: packColumns,
  sql: `select ${COLUMNS} from tool_packs where organization_id = :organizationId and id = :id`,
})
const selectDefaultPack = statement({
  name: 'tool_packs.default',
  parameters: { organizationId: uuid },
  columns: packColumns,
  sql: `select ${COLUMNS} from tool_packs where organization_id = :organizationId and is_default`,
})
// Serializes changes of packs, because each counts them or moves the default.
const lockPacks = statement({
  name: 'tool_packs.lock',
  parameters: { organizationId: uuid },
  columns: { id: uuid },
  sql: 'select id from organizations where id = :organizationId for no key update',
})
const countPacks = statement({
  name: 'tool_packs.count',
  parameters: { organizationId: uuid },
  columns: { packs: integer },
  sql: 'select count(*)::integer as packs from tool_packs where organization_id = :organizationId',
})
const insertPack = statement({
  name: 'tool_packs.insert',
  parameters: { organizationId: uuid, id: uuid, ...valueTypes },
  columns: packColumns,
  sql: `insert into tool_packs (organization_id, id, ${VALUE_COLUMNS})
   values (:organizationId, :id, ${VALUE_PARAMETERS}) returning ${COLUMNS}`,
})
const updatePack = statement({
  name: 'tool_packs.update',
  parameters: { organizationId: uuid, id: uuid, ...valueTypes },
  columns: packColumns,
  sql: `update tool_packs set (${VALUE_COLUMNS}, updated_at) = (${VALUE_PARAMETERS}, app_now())
   where organization_id = :organizationId and id = :id returning ${COLUMNS}`,
})
// The index allows one default at a time, so the previous one is cleared first. Others see both changes at once.
const endDefault = statement({
  name: 'tool_packs.end_default',
  parameters: { organizationId: uuid, id: uuid },
  sql: `update tool_packs set is_default = false, updated_at = app_now() where organization_id = :organizationId
   and is_default and id <> :id`,
})
const makeDefault = statement({
  name: 'tool_packs.make_default',
  parameters: { organizationId: uuid, id: uuid },
  columns: packColumns,
  sql: `update tool_packs set is_default = true where organization_id = :organizationId and id = :id returning ${COLUMNS}`,
})
const deletePack = statement({
  name: 'tool_packs.delete',
  parameters: { organizationId: uuid, id: uuid },
  columns: packColumns,
  sql: `delete from tool_packs where organization_id = :organizationId and id = :id and not is_default returning ${COLUMNS}`,
})

export const toolPackStore = {
  list: (db: Queryable, organizationId: string, page: { after: string | null; limit: number }) =>
    db.query(selectPacks, { organizationId, after: page.after, limit: page.limit }),
  find: (db: Queryable, organizationId: string, id: string) => one(db, selectPack, { organizationId, id }),
  findDefault: (db: Queryable, organizationId: string) => one(db, selectDefaultPack, { organizationId }),
  lock: (tx: Queryable, organizationId: string) => tx.query(lockPacks, { organizationId }),
  count: async (tx: Queryable, organizationId: string) =>
    (await one(tx, countPacks, { organizationId }))?.packs ?? 0,
  insert: (tx: Queryable, organizationId: string, pack: PackValues & { id: string }) =>
    one(tx, insertPack, { ...pack, organizationId }),
  update: (tx: Queryable, organizationId: string, id: string, values: PackValues) =>
    one(tx, updatePack, { ...values, organizationId, id }),
  moveDefault: async (tx: Queryable, organizationId: string, id: string) => {
    await tx.query(endDefault, { organizationId, id })
    return one(tx, makeDefault, { organizationId, id })
  },
  delete: (tx: Queryable, organizationId: string, id: string) => one(tx, deletePack, { organizationId, id }),
}
