import type { EventType } from '@carabiner/contract'
import type { Actor } from '../../core/audited-change.ts'
import type { Mode } from '../../core/mode.ts'
import { NIL_UUID } from '../../core/uuid.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import {
  bigint,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { listStatement, statement } from '../../platform/database/statement.ts'

const eventColumns = {
  id: uuid,
  /** Null: the event concerns both modes. */
  mode: nullable(typed<Mode>(text)),
  registeredUserId: nullable(uuid),
  sequence: nullable(bigint),
  type: typed<EventType>(text),
  data: jsonb,
  occurredAt: timestamptz,
}
const COLUMNS = 'id, mode, registered_user_id, sequence, type, data, occurred_at'

/** The place of an event in a list: microseconds since 1970, the database's precision, and the event's ID. */
const placeColumns = { ...eventColumns, place: text }
/** The transaction that has written the event. */
const committedColumns = { ...eventColumns, committedIn: text }

export type StoredEvent = Values<typeof eventColumns>
export type PlacedEvent = Values<typeof placeColumns>
export type CommittedEvent = Values<typeof committedColumns>
export type EventPlace = { place: string; id: string }
/** Sees the events of one mode. */
export type EventReader = { organizationId: string; mode: Mode }
/** `after`: where the previous page ended. */
export type EventRange = { since: Date; until: Date | null; after: EventPlace | null; limit: number }

// Newest first. Each source is read by an index that ends in its time and ID.
const newest = (source: string, condition: string) => `(select ${COLUMNS}, at from ${source}
     where organization_id = :organizationId and ${condition}
       and (at, id) < (coalesce('epoch'::timestamptz + :place::bigint * interval '1 microsecond', 'infinity'), :id::uuid)
     order by at desc, id desc limit :limit)`
const listing = (name: string, sources: string[]) => ({
  name: `events.${name}`,
  columns: placeColumns,
  sql: `select ${COLUMNS}, (extract(epoch from at) * 1000000)::bigint::text as place from (
       ${sources.join('\n       union all\n       ')}
     ) e order by at desc, id desc limit :limit`,
})
const OF_STORED = '(mode is null or mode = :mode)'
const everySource = (ofUser = '') => [
  newest('stored_events', `${OF_STORED}${ofUser}`),
  newest('call_events', `mode = :mode${ofUser}`),
  newest('violation_events', `mode = :mode${ofUser}`),
]
const listParameters = {
  organizationId: uuid,
  mode: text,
  place: nullable(typed<string>(bigint)),
  id: uuid,
  limit: bigint,
}
const listAll = listStatement({ ...listing('list', everySource()), parameters: listParameters })
const listOfUser = listStatement({
  ...listing('list_of_user', everySource(' and registered_user_id = :registeredUserId')),
  parameters: { ...listParameters, registeredUserId: uuid },
})
const listOfType = listStatement({
  ...listing('list_of_type', [newest('stored_events', `${OF_STORED} and type = :type`)]),
  parameters: { ...listParameters, type: text },
})

// Oldest first, by the same indexes.
const oldest = (source: string, ofMode: string) => `(select ${COLUMNS}, at from ${source}
     where organization_id = :organizationId and ${ofMode} and at >= :since and at < coalesce(:until::timestamptz, 'infinity')
       and (at, id) > (coalesce('epoch'::timestamptz + :place::bigint * interval '1 microsecond', '-infinity'), :id::uuid)
     order by at, id limit :limit)`
const selectRange = statement({
  name: 'events.range',
  parameters: { ...listParameters, since: timestamptz, until: nullable(timestamptz) },
  columns: placeColumns,
  sql: `select ${COLUMNS}, (extract(epoch from at) * 1000000)::bigint::text as place from (
       ${oldest('stored_events', '(mode is null or mode = :mode)')}
       union all
       ${oldest('call_events', 'mode = :mode')}
       union all
       ${oldest('violation_events', 'mode = :mode')}
     ) e order by at, id limit :limit`,
})

// Transactions in order, up to the oldest that is still open, so that no event is skipped. All events of a transaction are on one page.
const selectCommitted = statement({
  name: 'events.committed',
  parameters: { organizationId: uuid, after: text, since: timestamptz, limit: bigint },
  columns: committedColumns,
  // `e.committed_in` is a number; without `e`, the order would be that of the text which is returned.
  sql: `select ${COLUMNS}, committed_in::text as committed_in from reported_events e
   where organization_id = :organizationId and committed_in > (:after::text)::xid8 and committed_in <= last_settled_transaction()
     and at > :since
   order by e.committed_in fetch first :limit rows with ties`,
})
// A stream ends with its key or with the reader's membership, and when the organization is moved or deleted.
const selectReader = statement({
  name: 'events.reader',
  parameters: { organizationId: uuid, id: uuid },
  columns: { id: uuid },
  sql: 'select id from event_readers where organization_id = :organizationId and id = :id',
})
const selectLastSettled = statement({
  name: 'events.last_settled',
  columns: { transaction: text },
  sql: 'select last_settled_transaction()::text as transaction',
})

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const pageBefore = (before: EventPlace | null) => ({
  place: before?.place ?? null,
  id: before?.id ?? LAST_UUID,
})

export const eventFeedStore = {
  /** Newest first, before the given place. */
  list: (
    lists: ReadDatabase,
    { organizationId, mode }: EventReader,
    registeredUserId: string | null,
    before: EventPlace | null,
    limit: number,
  ): Promise<PlacedEvent[]> => {
    const page = { organizationId, mode, ...pageBefore(before), limit }
    return registeredUserId === null
      ? lists.read(listAll, page)
      : lists.read(listOfUser, { ...page, registeredUserId })
  },
  /** As `list`, for a type that is stored as an event. */
  listOfType: (
    lists: ReadDatabase,
    { organizationId, mode }: EventReader,
    type: EventType,
    before: EventPlace | null,
    limit: number,
  ): Promise<PlacedEvent[]> =>
    lists.read(listOfType, { organizationId, mode, type, ...pageBefore(before), limit }),
  range: (
    db: Queryable,
    { organizationId, mode }: EventReader,
    { since, until, after, limit }: EventRange,
  ): Promise<PlacedEvent[]> =>
    db.query(selectRange, {
      organizationId,
      mode,
      since,
      until,
      place: after?.place ?? null,
      id: after?.id ?? NIL_UUID,
      limit,
    }),
  /** Events of transactions after `after`. `since`: no event whose place is before this time is among them. */
  committed: (
    db: Queryable,
    organizationId: string,
    { after, since, limit }: { after: string; since: Date; limit: number },
  ): Promise<CommittedEvent[]> => db.query(selectCommitted, { organizationId, after, since, limit }),
  mayRead: async (db: Queryable, organizationId: string, { id }: Actor): Promise<boolean> =>
    (await one(db, selectReader, { organizationId, id })) !== null,
  /** The newest transaction up to which all transactions have ended. */
  lastSettled: async (db: Queryable): Promise<string> =>
    (await one(db, selectLastSettled))?.transaction ?? '0',
}
