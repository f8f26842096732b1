import { one, type Queryable } from '../../../platform/database/database.ts'
import { text, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import { AT, COLUMNS, NOT_EXPIRED, type Owner, recordDetailColumns } from './call-record.ts'
import { createPageReader } from './record-page-store.ts'

const selectRecord = statement({
  name: 'tool_calls.select',
  parameters: { organizationId: uuid, mode: text, id: uuid },
  columns: recordDetailColumns,
  sql: `select ${COLUMNS}, ${AT}, c.payload, u.data_key as user_key from tool_calls c
   left join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = :organizationId and c.mode = :mode and c.id = :id and ${NOT_EXPIRED}`,
})

export const recordStore = {
  find: (db: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(db, selectRecord, { organizationId, mode, id }),
  page: createPageReader(),
}
