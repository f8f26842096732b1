import type { PackAccounts } from '@carabiner/contract'
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
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { Choices, Requests } from '../catalog/tool-choice.ts'
import type { PackServing } from './tool-pack.ts'

/** Missing fields stay unchanged; `connectors: null` means every connector. */
export type PackChange = {
  name?: string
  description?: string
  chosen?: { connectors: string[] | null; choices: Choices; requests: Requests }
  resultLimit?: number
  resultHandles?: boolean
  explainAccess?: boolean
  serving?: PackServing
  favorites?: string[]
  accounts?: PackAccounts
}
export type NewPack = { id: string } & Required<PackChange>

const COLUMNS =
  'id, name, description, is_default, connectors, choices, requests, result_limit, result_handles, explain_access, serving, favorites, accounts, created_at, updated_at'

const packColumns = {
  id: uuid,
  name: text,
  description: text,
  isDefault: boolean,
  /** Null: every usable connector. */
  connectors: nullable(array(text)),
  choices: typed<Choices>(jsonb),
  requests: typed<Requests>(jsonb),
  resultLimit: integer,
  resultHandles: boolean,
  explainAccess: boolean,
  serving: typed<PackServing>(text),
  favorites: array(text),
  accounts: typed<PackAccounts>(jsonb),
  createdAt: timestamptz,
  updatedAt: timestamptz,
}
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
  parameters: {
    organizationId: uuid,
    id: uuid,
    name: text,
    description: text,
    connectors: nullable(array(text)),
    choices: jsonb,
    requests: jsonb,
    resultLimit: integer,
    resultHandles: boolean,
    explainAccess: boolean,
    serving: text,
    favorites: array(text),
    accounts: jsonb,
  },
  columns: packColumns,
  sql: `insert into tool_packs (organization_id, id, name, description, connectors, choices, requests, result_limit, result_handles, explain_access,
     serving, favorites, accounts)
   values (:organizationId, :id, :name, :description, :connectors, :choices, :requests, :resultLimit, :resultHandles, :explainAccess,
     :serving, :favorites, :accounts) returning ${COLUMNS}`,
})
const updatePack = statement({
  name: 'tool_packs.update',
  parameters: {
    organizationId: uuid,
    id: uuid,
    name: nullable(text),
    description: nullable(text),
    setsConnectors: boolean,
    connectors: nullable(array(text)),
    choices: nullable(jsonb),
    requests: nullable(jsonb),
    resultLimit: nullable(integer),
    resultHandles: nullable(boolean),
    explainAccess: nullable(boolean),
    serving: nullable(text),
    favorites: nullable(array(text)),
    accounts: nullable(jsonb),
  },
  columns: packColumns,
  sql: `update tool_packs set name = coalesce(:name, name), description = coalesce(:description, description),
     connectors = case when :setsConnectors::boolean then :connectors::text[] else connectors end,
     choices = case when :setsConnectors::boolean then :choices::jsonb else choices end,
     requests = case when :setsConnectors::boolean then :requests::jsonb else requests end,
     result_limit = coalesce(:resultLimit, result_limit), result_handles = coalesce(:resultHandles, result_handles),
     explain_access = coalesce(:explainAccess, explain_access), serving = coalesce(:serving, serving),
     favorites = coalesce(:favorites, favorites), accounts = coalesce(:accounts, accounts),
       updated_at = app_now()
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
  lock: (tx: Queryable, organizationId: string) => tx.query(lockPacks, { organizationId }),
  count: async (tx: Queryable, organizationId: string) =>
    (await one(tx, countPacks, { organizationId }))?.packs ?? 0,
  insert: (tx: Queryable, organizationId: string, pack: NewPack) =>
    one(tx, insertPack, {
      organizationId,
      id: pack.id,
      name: pack.name,
      description: pack.description,
      connectors: pack.chosen.connectors,
      choices: pack.chosen.choices,
      requests: pack.chosen.requests,
      resultLimit: pack.resultLimit,
      resultHandles: pack.resultHandles,
      explainAccess: pack.explainAccess,
      serving: pack.serving,
      favorites: pack.favorites,
      accounts: pack.accounts,
    }),
  update: (tx: Queryable, organizationId: string, id: string, change: PackChange) =>
    one(tx, updatePack, {
      organizationId,
      id,
      name: change.name ?? null,
      description: change.description ?? null,
      setsConnectors: change.chosen !== undefined,
      connectors: change.chosen?.connectors ?? null,
      choices: change.chosen?.choices ?? null,
      requests: change.chosen?.requests ?? null,
      resultLimit: change.resultLimit ?? null,
      resultHandles: change.resultHandles ?? null,
      explainAccess: change.explainAccess ?? null,
      serving: change.serving ?? null,
      favorites: change.favorites ?? null,
      accounts: change.accounts ?? null,
    }),
  moveDefault: async (tx: Queryable, organizationId: string, id: string) => {
    await tx.query(endDefault, { organizationId, id })
    return one(tx, makeDefault, { organizationId, id })
  },
  delete: (tx: Queryable, organizationId: string, id: string) => one(tx, deletePack, { organizationId, id }),
}
