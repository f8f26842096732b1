import { json, one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { Choices } from '../catalog/tool-choice.ts'
import type { PackRow } from './tool-pack.ts'

/** Missing fields stay unchanged; `connectors: null` means every connector. */
export type PackChange = {
  name?: string
  description?: string
  chosen?: { connectors: string[] | null; choices: Choices }
  result_limit?: number
  result_handles?: boolean
}
export type NewPack = { id: string } & Required<PackChange>

const COLUMNS =
  'id, name, description, is_default, connectors, choices, result_limit, result_handles, created_at, updated_at'

const selectPacks = statement<PackRow>(
  'tool_packs.list',
  `select ${COLUMNS} from tool_packs where organization_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
)
const selectPack = statement<PackRow>(
  'tool_packs.one',
  `select ${COLUMNS} from tool_packs where organization_id = $1 and id = $2`,
)
// Serializes changes of packs, because each counts them or moves the default.
const lockPacks = statement<{ id: string }>(
  'tool_packs.lock',
  'select id from organizations where id = $1 for no key update',
)
const countPacks = statement<{ packs: number }>(
  'tool_packs.count',
  'select count(*)::integer as packs from tool_packs where organization_id = $1',
)
const insertPack = statement<PackRow>(
  'tool_packs.insert',
  `insert into tool_packs (organization_id, id, name, description, connectors, choices, result_limit, result_handles)
   values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
)
const updatePack = statement<PackRow>(
  'tool_packs.update',
  `update tool_packs set name = coalesce($3, name), description = coalesce($4, description),
     connectors = case when $5::boolean then $6::text[] else connectors end,
     choices = case when $5::boolean then $7::jsonb else choices end,
     result_limit = coalesce($8, result_limit), result_handles = coalesce($9, result_handles), updated_at = app_now()
   where organization_id = $1 and id = $2 returning ${COLUMNS}`,
)
// The index allows one default at a time, so the previous one is cleared first. Others see both changes at once.
const endDefault = statement<never>(
  'tool_packs.end_default',
  `update tool_packs set is_default = false, updated_at = app_now() where organization_id = $1 and is_default and id <> $2`,
)
const makeDefault = statement<PackRow>(
  'tool_packs.make_default',
  `update tool_packs set is_default = true where organization_id = $1 and id = $2 returning ${COLUMNS}`,
)
const deletePack = statement<PackRow>(
  'tool_packs.delete',
  `delete from tool_packs where organization_id = $1 and id = $2 and not is_default returning ${COLUMNS}`,
)

export const toolPackStore = {
  list: (db: Queryable, organizationId: string, page: { after: string | null; limit: number }) =>
    db.query(selectPacks, [organizationId, page.after, page.limit]),
  find: (db: Queryable, organizationId: string, id: string) => one(db, selectPack, [organizationId, id]),
  lock: (tx: Queryable, organizationId: string) => tx.query(lockPacks, [organizationId]),
  count: async (tx: Queryable, organizationId: string) =>
    (await one(tx, countPacks, [organizationId]))?.packs ?? 0,
  insert: (tx: Queryable, organizationId: string, pack: NewPack) =>
    one(tx, insertPack, [
      organizationId,
      pack.id,
      pack.name,
      pack.description,
      pack.chosen.connectors,
      json(pack.chosen.choices),
      pack.result_limit,
      pack.result_handles,
    ]),
  update: (tx: Queryable, organizationId: string, id: string, change: PackChange) =>
    one(tx, updatePack, [
      organizationId,
      id,
      change.name ?? null,
      change.description ?? null,
      change.chosen !== undefined,
      change.chosen?.connectors ?? null,
      change.chosen ? json(change.chosen.choices) : null,
      change.result_limit ?? null,
      change.result_handles ?? null,
    ]),
  moveDefault: async (tx: Queryable, organizationId: string, id: string) => {
    await tx.query(endDefault, [organizationId, id])
    return one(tx, makeDefault, [organizationId, id])
  },
  delete: (tx: Queryable, organizationId: string, id: string) => one(tx, deletePack, [organizationId, id]),
}
