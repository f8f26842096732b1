import { type Queryable, statement } from '../../platform/database.ts'

export type PackRow = {
  id: string
  name: string
  is_default: boolean
  connectors: string[] | null
  created_at: Date
}

const selectPacks = statement<PackRow>(
  'tool_packs.list',
  'select id, name, is_default, connectors, created_at from tool_packs where organization_id = $1 order by created_at, id',
)

export const toolPackStore = {
  list: (db: Queryable, organizationId: string) => db.query(selectPacks, [organizationId]),
}
