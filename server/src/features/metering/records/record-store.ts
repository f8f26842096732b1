import { one, type Queryable, statement } from '../../../platform/database/database.ts'
import { createPageReader } from './record-page-store.ts'
import { AT, COLUMNS, NOT_EXPIRED, type Owner, type RecordDetailRow } from './record-row.ts'

const selectRecord = statement<RecordDetailRow>(
  'tool_calls.select',
  `select ${COLUMNS}, ${AT}, c.payload, u.data_key as user_key from tool_calls c
   left join admission_users u on u.organization_id = c.organization_id and u.id = c.registered_user_id
   where c.organization_id = $1 and c.mode = $2 and c.id = $3 and ${NOT_EXPIRED}`,
)

export const recordStore = {
  find: (db: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(db, selectRecord, [organizationId, mode, id]),
  page: createPageReader(),
}
