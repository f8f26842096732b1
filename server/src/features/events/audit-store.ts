import type { AuditedChange, AuditOutcome, FieldChange } from '../../core/audited-change.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import {
  array,
  arraysOf,
  bigint,
  boolean,
  bytea,
  double,
  json,
  nullable,
  type SqlType,
  text,
  timestamptz,
  toArrays,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { listStatement, statement } from '../../platform/database/statement.ts'
import type { AuditEntry, StoredHead } from './audit-chain.ts'

const headColumns = {
  organizationId: uuid,
  sequence: bigint,
  hash: bytea,
  seal: bytea,
  brokenAt: nullable(bigint),
  unverifiedUntil: nullable(bigint),
  at: timestamptz,
}
const entryColumns = {
  organizationId: uuid,
  sequence: bigint,
  at: timestamptz,
  action: text,
  outcome: typed<AuditOutcome>(text),
  targetType: text,
  targetId: nullable(text),
  registeredUserId: nullable(uuid),
  actorType: typed<AuditedChange['actor']['type']>(text),
  actorId: text,
  actorHint: nullable(text),
  address: nullable(text),
  userAgent: nullable(text),
  requestId: text,
  changes: typed<FieldChange[]>(json),
  previous: bytea,
  hash: bytea,
}
type EntryRow = Values<typeof entryColumns>
const listedColumns = {
  ...entryColumns,
  targetName: nullable(text),
  actorName: nullable(text),
  registeredUserName: nullable(text),
}
/** With the names that the resources have now. They are no part of the chain. */
export type ListedEntry = { entry: AuditEntry } & Pick<
  Values<typeof listedColumns>,
  'targetName' | 'actorName' | 'registeredUserName'
>
const chainColumns = {
  organizationId: uuid,
  sequence: bigint,
  hash: nullable(bytea),
  seal: nullable(bytea),
  brokenAt: nullable(bigint),
  unverifiedUntil: nullable(bigint),
  isMissing: boolean,
}
export type StoredChain = Values<typeof chainColumns>
export type EntryFilter = {
  action?: string
  actor?: string
  target?: string
  registeredUserId?: string
  since?: string
  until?: string
}

const ENTRY =
  'organization_id, sequence, at, action, outcome, target_type, target_id, registered_user_id, actor_type, actor_id, actor_hint, address, user_agent, request_id, changes, previous, hash'

const LISTED = `${ENTRY}, resource_name(organization_id, target_type, target_id) as target_name,
     resource_name(organization_id, case actor_type when 'person' then 'member' when 'user' then 'registered_user' else actor_type end, actor_id) as actor_name,
     resource_name(organization_id, 'registered_user', registered_user_id::text) as registered_user_name`

const intentColumns = { organizationId: uuid, id: uuid }
export type IntentKey = Values<typeof intentColumns>

const insertIntent = statement({
  name: 'audit.begin',
  parameters: { id: uuid, organizationId: uuid, change: json },
  sql: 'insert into audit_intents (id, organization_id, change) values (:id, :organizationId, :change::json)',
})
const deleteIntent = statement({
  name: 'audit.drop',
  parameters: intentColumns,
  sql: 'delete from audit_intents where organization_id = :organizationId and id = :id',
})
const selectAbandoned = statement({
  name: 'audit.abandoned',
  parameters: { seconds: double, limit: bigint },
  columns: { id: uuid, change: typed<AuditedChange>(json) },
  sql: `select id, change from audit_intents where started_at < app_now() - make_interval(secs => :seconds)
     and organization_id not in (select id from unserved_organizations)
   order by started_at limit :limit`,
})
const lockIntents = statement({
  name: 'audit.lock_intents',
  parameters: arraysOf(intentColumns),
  columns: { id: uuid },
  sql: `select i.id from audit_intents i
     join unnest(:organizationId::uuid[], :id::uuid[]) as wanted (organization_id, id)
       on i.organization_id = wanted.organization_id and i.id = wanted.id
   order by i.organization_id, i.id for update of i`,
})
// Locked in the order of IDs, so that concurrent writers to several chains cannot deadlock. Times in a chain never
// decrease.
const lockHeads = statement({
  name: 'audit.lock_heads',
  parameters: { organizationIds: array(uuid) },
  columns: headColumns,
  sql: `insert into audit_heads (organization_id) select id from unnest(:organizationIds::uuid[]) as wanted (id) order by id
   on conflict (organization_id) do update set organization_id = excluded.organization_id
   returning organization_id, sequence, hash, seal, broken_at, unverified_until, greatest(app_now(), at) as at`,
})
const write = statement({
  name: 'audit.write',
  parameters: { entries: json, heads: json, ...arraysOf(intentColumns) },
  sql: `with added as (
     insert into audit_entries (${ENTRY}) select ${ENTRY} from json_populate_recordset(null::audit_entries, :entries::json)
   ), ended as (
     delete from audit_intents i using unnest(:organizationId::uuid[], :id::uuid[]) as ended (organization_id, id)
     where i.organization_id = ended.organization_id and i.id = ended.id
   )
   update audit_heads h set sequence = n.sequence, hash = n.hash, seal = n.seal, broken_at = n.broken_at, at = n.at
   from json_populate_recordset(null::audit_heads, :heads::json) n where h.organization_id = n.organization_id`,
})
const setSeal = statement({
  name: 'audit.set_seal',
  parameters: { organizationId: uuid, seal: bytea, unverifiedUntil: nullable(bigint) },
  sql: 'update audit_heads set seal = :seal, unverified_until = :unverifiedUntil where organization_id = :organizationId',
})
const selectChains = statement({
  name: 'audit.chains',
  parameters: { organizationId: nullable(uuid) },
  columns: chainColumns,
  sql: `select organization_id, sequence, hash, seal, broken_at, unverified_until, is_missing from audit_chains
   where (:organizationId::uuid is null or organization_id = :organizationId) order by organization_id`,
})
const selectFrom = statement({
  name: 'audit.page',
  parameters: { organizationId: uuid, after: bigint, limit: bigint },
  columns: entryColumns,
  sql: `select ${ENTRY} from audit_entries where organization_id = :organizationId and sequence > :after
   order by sequence limit :limit`,
})
const selectLatest = statement({
  name: 'audit.latest_of_all',
  parameters: { limit: bigint },
  columns: listedColumns,
  sql: `select latest.* from audit_heads head cross join lateral (
     select ${LISTED} from audit_entries where organization_id = head.organization_id order by sequence desc limit :limit
   ) latest order by latest.at desc, latest.sequence desc limit :limit`,
})
const selectEnds = statement({
  name: 'audit.ends',
  parameters: { organizationId: uuid },
  columns: { head: bigint, last: bigint },
  sql: `select coalesce((select sequence from audit_heads where organization_id = :organizationId), 0) as head,
     coalesce((select max(sequence) from audit_entries where organization_id = :organizationId), 0) as last`,
})

/** Times in a chain never decrease, so a time corresponds to a sequence number. */
const firstSince = (moment: string): string =>
  `coalesce((select sequence from audit_entries where organization_id = :organizationId and at >= ${moment} order by at, sequence limit 1), 9e15::bigint)`

/** Each filter is a separate condition, because one generic plan for all filters would use no index. */
const FILTERS = {
  action: { type: text, condition: 'action = :action' },
  actor: { type: text, condition: 'actor_id = :actor' },
  target: { type: text, condition: 'target_id = :target' },
  registeredUserId: { type: uuid, condition: 'registered_user_id = :registeredUserId' },
  since: { type: typed<string>(timestamptz), condition: `sequence >= ${firstSince(':since')}` },
  until: { type: typed<string>(timestamptz), condition: `sequence < ${firstSince(':until')}` },
} satisfies Record<keyof EntryFilter, { type: SqlType<string>; condition: string }>
const FILTER_NAMES = Object.keys(FILTERS) as (keyof EntryFilter)[]

const selectNewest = (names: (keyof EntryFilter)[]) => {
  const conditions = names.map(name => ` and ${FILTERS[name].condition}`)
  return listStatement({
    name: ['audit.list', ...names].join('.'),
    parameters: {
      organizationId: uuid,
      before: bigint,
      limit: bigint,
      ...Object.fromEntries(names.map(name => [name, FILTERS[name].type])),
    },
    columns: listedColumns,
    sql: `select ${LISTED} from audit_entries where organization_id = :organizationId and sequence < :before${conditions.join('')}
     order by sequence desc limit :limit`,
  })
}

export const auditStore = {
  begin: (db: Queryable, id: string, change: AuditedChange) =>
    db.query(insertIntent, { id, organizationId: change.organizationId, change }),
  drop: (db: Queryable, intent: IntentKey) => db.query(deleteIntent, intent),
  abandoned: (db: Queryable, seconds: number, limit: number) => db.query(selectAbandoned, { seconds, limit }),
  /** Returns the IDs of the intents that still exist. */
  lockIntents: async (tx: Queryable, intents: IntentKey[]) =>
    new Set((await tx.query(lockIntents, toArrays(intentColumns, intents))).map(({ id }) => id)),

  lockHeads: (tx: Queryable, organizationIds: string[]): Promise<StoredHead[]> =>
    tx.query(lockHeads, { organizationIds }),
  write: (tx: Queryable, entries: AuditEntry[], heads: StoredHead[], intents: IntentKey[]) =>
    tx.query(write, {
      entries: entries.map(toRow),
      heads: heads.map(toHeadRow),
      ...toArrays(intentColumns, intents),
    }),

  setSeal: (
    tx: Queryable,
    sealed: { organizationId: string; seal: Buffer; unverifiedUntil: number | null },
  ) => tx.query(setSeal, sealed),
  chains: (db: Queryable, organizationId: string | null) => db.query(selectChains, { organizationId }),
  page: async (db: Queryable, organizationId: string, after: number, limit: number) =>
    (await db.query(selectFrom, { organizationId, after, limit })).map(fromRow),
  latestOfAll: async (db: Queryable, limit: number): Promise<ListedEntry[]> =>
    (await db.query(selectLatest, { limit })).map(toListed),
  ends: async (db: Queryable, organizationId: string) =>
    (await one(db, selectEnds, { organizationId })) ?? { head: 0, last: 0 },
  newest: async (
    lists: ReadDatabase,
    organizationId: string,
    { before, limit, filter }: { before: number; limit: number; filter: EntryFilter },
  ): Promise<ListedEntry[]> => {
    const names = FILTER_NAMES.filter(name => filter[name] !== undefined)
    return (await lists.read(selectNewest(names), { ...filter, organizationId, before, limit })).map(toListed)
  },
}

const toListed = (row: Values<typeof listedColumns>): ListedEntry => ({
  entry: fromRow(row),
  targetName: row.targetName,
  actorName: row.actorName,
  registeredUserName: row.registeredUserName,
})

const bytes = (value: Buffer): string => `\\x${value.toString('hex')}`

const toHeadRow = ({ organizationId, sequence, hash, seal, brokenAt, at }: StoredHead) => ({
  organization_id: organizationId,
  sequence,
  hash: bytes(hash),
  seal: bytes(seal),
  broken_at: brokenAt,
  at,
})

const toRow = (entry: AuditEntry) => ({
  organization_id: entry.organizationId,
  sequence: entry.sequence,
  at: entry.at,
  action: entry.action,
  outcome: entry.outcome,
  target_type: entry.target.type,
  target_id: entry.target.id,
  registered_user_id: entry.registeredUserId,
  actor_type: entry.actor.type,
  actor_id: entry.actor.id,
  actor_hint: entry.actor.hint,
  address: entry.sender.address,
  user_agent: entry.sender.userAgent,
  request_id: entry.requestId,
  changes: entry.changes,
  previous: bytes(entry.previous),
  hash: bytes(entry.hash),
})

const fromRow = (row: EntryRow): AuditEntry => ({
  organizationId: row.organizationId,
  sequence: row.sequence,
  at: row.at,
  action: row.action,
  outcome: row.outcome,
  target: { type: row.targetType, id: row.targetId },
  registeredUserId: row.registeredUserId,
  actor: { type: row.actorType, id: row.actorId, hint: row.actorHint },
  sender: { address: row.address, userAgent: row.userAgent },
  requestId: row.requestId,
  changes: row.changes,
  previous: row.previous,
  hash: row.hash,
})
