import { one, type Queryable } from '../../../platform/database/database.ts'
import { array, bytea, nullable, text, timestamptz, uuid } from '../../../platform/database/sql-types.ts'
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

const selectPayloads = statement({
  name: 'tool_calls.payloads',
  parameters: { organizationId: uuid, mode: text, ids: array(uuid), since: timestamptz },
  columns: {
    id: uuid,
    registeredUserId: uuid,
    tool: text,
    payload: nullable(bytea),
    userKey: nullable(bytea),
  },
  sql: `select c.id, c.registered_user_id, c.tool, c.payload, u.data_key as user_key from tool_calls c
   left join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = :organizationId and c.mode = :mode and c.id = any(:ids::uuid[])
     and c.started_at >= :since and ${NOT_EXPIRED}`,
})

export const recordStore = {
  payloads: (db: Queryable, { organizationId, mode }: Owner, ids: string[], since: Date) =>
    db.query(selectPayloads, { organizationId, mode, ids, since }),
  find: (db: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(db, selectRecord, { organizationId, mode, id }),
  page: createPageReader(),
}
