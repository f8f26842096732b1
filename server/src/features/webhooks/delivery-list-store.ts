import { one, type Queryable } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import { bigint, nullable, text, typed, uuid } from '../../platform/database/sql-types.ts'
import { listStatement, statement } from '../../platform/database/statement.ts'
import {
  DELIVERY_COLUMNS,
  type DeliveryStatus,
  deliveryColumns,
  type StoredDelivery,
} from './delivery-store.ts'
import type { EndpointKey, EndpointOwner } from './endpoint-store.ts'

export type PlacedDelivery = StoredDelivery & { place: string }

// Newest first.
const listing = (name: string, ofStatus: string) => ({
  name: `webhooks.${name}`,
  columns: { ...deliveryColumns, place: text },
  sql: `select ${DELIVERY_COLUMNS}, (extract(epoch from d.created_at) * 1000000)::bigint::text as place from webhook_deliveries d
   where d.organization_id = :organizationId and d.endpoint_id = :endpointId${ofStatus}
     and (d.created_at, d.id) < (coalesce('epoch'::timestamptz + :place::bigint * interval '1 microsecond', 'infinity'), :id::uuid)
   order by d.created_at desc, d.id desc limit :limit`,
})
const listParameters = {
  organizationId: uuid,
  endpointId: uuid,
  place: nullable(typed<string>(bigint)),
  id: uuid,
  limit: bigint,
}
const listAll = listStatement({ ...listing('list_deliveries', ''), parameters: listParameters })
const listOfStatus = listStatement({
  ...listing('list_deliveries_of_status', ' and d.status = :status'),
  parameters: { ...listParameters, status: text },
})

// An organization has at most 50 endpoints in a mode; the index of each gives its latest deliveries.
const ofMode = (name: string, ofStatus: string) => ({
  name: `webhooks.${name}`,
  columns: { ...deliveryColumns, place: text },
  sql: `select d.*, (extract(epoch from d.created_at) * 1000000)::bigint::text as place from webhook_endpoints e cross join lateral (
     select ${DELIVERY_COLUMNS} from webhook_deliveries d where d.organization_id = :organizationId and d.endpoint_id = e.id${ofStatus}
       and (d.created_at, d.id) < (coalesce('epoch'::timestamptz + :place::bigint * interval '1 microsecond', 'infinity'), :id::uuid)
     order by d.created_at desc, d.id desc limit :limit) d
   where e.organization_id = :organizationId and e.mode = :mode order by d.created_at desc, d.id desc limit :limit`,
})
const ofModeParameters = {
  organizationId: uuid,
  mode: text,
  place: nullable(typed<string>(bigint)),
  id: uuid,
  limit: bigint,
}
const listOfMode = listStatement({
  ...ofMode('list_deliveries_of_mode', ''),
  parameters: ofModeParameters,
})
const listOfModeAndStatus = listStatement({
  ...ofMode('list_deliveries_of_mode_and_status', ' and d.status = :status'),
  parameters: { ...ofModeParameters, status: text },
})
const selectOne = statement({
  name: 'webhooks.select_delivery',
  parameters: { organizationId: uuid, mode: text, id: uuid },
  columns: { ...deliveryColumns, body: text },
  sql: `select ${DELIVERY_COLUMNS}, d.body from webhook_deliveries d
   join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
   where d.organization_id = :organizationId and d.id = :id and e.mode = :mode`,
})

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const deliveryListStore = {
  list: (
    lists: ReadDatabase,
    { organizationId, id }: EndpointKey,
    status: DeliveryStatus | null,
    page: { before: { place: string; id: string } | null; limit: number },
  ): Promise<PlacedDelivery[]> => {
    const { before, limit } = page
    const values = {
      organizationId,
      endpointId: id,
      place: before?.place ?? null,
      id: before?.id ?? LAST_UUID,
      limit,
    }
    return status === null ? lists.read(listAll, values) : lists.read(listOfStatus, { ...values, status })
  },
  /** Of all endpoints of a mode. */
  listOfMode: (
    lists: ReadDatabase,
    { organizationId, mode }: EndpointOwner,
    status: DeliveryStatus | null,
    page: { before: { place: string; id: string } | null; limit: number },
  ): Promise<PlacedDelivery[]> => {
    const { before, limit } = page
    const values = { organizationId, mode, place: before?.place ?? null, id: before?.id ?? LAST_UUID, limit }
    return status === null
      ? lists.read(listOfMode, values)
      : lists.read(listOfModeAndStatus, { ...values, status })
  },
  find: (db: Queryable, { organizationId, mode }: EndpointOwner, id: string) =>
    one(db, selectOne, { organizationId, mode, id }),
}
