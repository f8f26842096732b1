import type { AuditedChange, AuditOutcome, FieldChange } from '../../core/audited-change.ts'
import { json, one, type Parameter, type Queryable, statement } from '../../platform/database/database.ts'
import type { AuditEntry, StoredHead } from './audit-chain.ts'

type HeadRow = {
  organization_id: string
  sequence: number
  hash: Buffer
  seal: Buffer
  broken_at: number | null
  at: Date
}
type EntryRow = {
  organization_id: string
  sequence: number
  at: Date
  action: string
  outcome: AuditOutcome
  target_type: string
  target_id: string | null
  registered_user_id: string | null
  actor_type: AuditedChange['actor']['type']
  actor_id: string
  actor_hint: string | null
  address: string | null
  user_agent: string | null
  request_id: string
  changes: FieldChange[]
  previous: Buffer
  hash: Buffer
}
export type ChainRow = {
  organization_id: string
  sequence: number
  hash: Buffer | null
  seal: Buffer | null
  broken_at: number | null
  is_missing: boolean
}
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

const insertIntent = statement<never>(
  'audit.begin',
  'insert into audit_intents (id, organization_id, change) values ($1, $2, $3::json)',
)
const deleteIntent = statement<never>('audit.drop', 'delete from audit_intents where id = $1')
const selectAbandoned = statement<{ id: string; change: AuditedChange }>(
  'audit.abandoned',
  'select id, change from audit_intents where begun_at < app_now() - make_interval(secs => $1) order by begun_at limit $2',
)
const lockIntents = statement<{ id: string }>(
  'audit.lock_intents',
  'select id from audit_intents where id = any($1::uuid[]) order by id for update',
)
// Locked in the order of IDs, so that concurrent writers to several chains cannot deadlock. Times in a chain never
// decrease.
const lockHeads = statement<HeadRow>(
  'audit.lock_heads',
  `insert into audit_heads (organization_id) select id from unnest($1::uuid[]) as wanted (id) order by id
   on conflict (organization_id) do update set organization_id = excluded.organization_id
   returning organization_id, sequence, hash, seal, broken_at, greatest(app_now(), at) as at`,
)
const write = statement<never>(
  'audit.write',
  `with added as (
     insert into audit_entries (${ENTRY}) select ${ENTRY} from json_populate_recordset(null::audit_entries, $1::json)
   ), ended as (
     delete from audit_intents where id = any($2::uuid[])
   )
   update audit_heads h set sequence = n.sequence, hash = n.hash, seal = n.seal, broken_at = n.broken_at, at = n.at
   from json_populate_recordset(null::audit_heads, $3::json) n where h.organization_id = n.organization_id`,
)
const selectChains = statement<ChainRow>(
  'audit.chains',
  `select organization_id, sequence, hash, seal, broken_at, is_missing from audit_chains
   where ($1::uuid is null or organization_id = $1) order by organization_id`,
)
const selectFrom = statement<EntryRow>(
  'audit.page',
  `select ${ENTRY} from audit_entries where organization_id = $1 and sequence > $2 order by sequence limit $3`,
)
const selectLatest = statement<EntryRow>(
  'audit.latest_of_all',
  `select latest.* from audit_heads head cross join lateral (
     select ${ENTRY} from audit_entries where organization_id = head.organization_id order by sequence desc limit $1
   ) latest order by latest.at desc, latest.sequence desc limit $1`,
)
const selectEnds = statement<{ head: number; last: number }>(
  'audit.ends',
  `select coalesce((select sequence from audit_heads where organization_id = $1), 0) as head,
     coalesce((select max(sequence) from audit_entries where organization_id = $1), 0) as last`,
)

/** Times in a chain never decrease, so a time corresponds to a sequence number. */
const firstSince = (moment: string): string =>
  `coalesce((select sequence from audit_entries where organization_id = $1 and at >= ${moment} order by at, sequence limit 1), 9e15::bigint)`

/** Each filter is a separate condition, because one generic plan for all filters would use no index. */
const CONDITIONS: { [Name in keyof EntryFilter]-?: (value: string) => string } = {
  action: value => `action = ${value}`,
  actor: value => `actor_id = ${value}`,
  target: value => `target_id = ${value}`,
  registeredUserId: value => `registered_user_id = ${value}`,
  since: value => `sequence >= ${firstSince(value)}`,
  until: value => `sequence < ${firstSince(value)}`,
}

const selectNewest = (names: (keyof EntryFilter)[]) => {
  const conditions = names.map((name, index) => ` and ${CONDITIONS[name](`$${index + 4}`)}`)
  return statement<EntryRow>(
    ['audit.list', ...names].join('.'),
    `select ${ENTRY} from audit_entries where organization_id = $1 and sequence < $2${conditions.join('')}
     order by sequence desc limit $3`,
  )
}

export const auditStore = {
  begin: (db: Queryable, id: string, change: AuditedChange) =>
    db.query(insertIntent, [id, change.organizationId, json(change)]),
  drop: (db: Queryable, id: string) => db.query(deleteIntent, [id]),
  abandoned: (db: Queryable, seconds: number, limit: number) => db.query(selectAbandoned, [seconds, limit]),
  /** Returns the IDs of the intents that still exist. */
  lockIntents: async (tx: Queryable, ids: string[]) =>
    new Set((await tx.query(lockIntents, [ids])).map(({ id }) => id)),

  lockHeads: async (tx: Queryable, organizationIds: string[]): Promise<StoredHead[]> =>
    (await tx.query(lockHeads, [organizationIds])).map(({ organization_id, broken_at, ...head }) => ({
      ...head,
      organizationId: organization_id,
      brokenAt: broken_at,
    })),
  write: (tx: Queryable, entries: AuditEntry[], heads: StoredHead[], intents: string[]) =>
    tx.query(write, [json(entries.map(toRow)), intents, json(heads.map(toHeadRow))]),

  chains: (db: Queryable, organizationId: string | null) => db.query(selectChains, [organizationId]),
  page: async (db: Queryable, organizationId: string, after: number, limit: number) =>
    (await db.query(selectFrom, [organizationId, after, limit])).map(fromRow),
  latestOfAll: async (db: Queryable, limit: number): Promise<AuditEntry[]> =>
    (await db.query(selectLatest, [limit])).map(fromRow),
  ends: async (db: Queryable, organizationId: string) =>
    (await one(db, selectEnds, [organizationId])) ?? { head: 0, last: 0 },
  newest: async (
    db: Queryable,
    organizationId: string,
    { before, limit, filter }: { before: number; limit: number; filter: EntryFilter },
  ): Promise<AuditEntry[]> => {
    const names = (Object.keys(CONDITIONS) as (keyof EntryFilter)[]).filter(
      name => filter[name] !== undefined,
    )
    const values = names.map(name => filter[name] as Parameter)
    return (await db.query(selectNewest(names), [organizationId, before, limit, ...values])).map(fromRow)
  },
}

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
  organizationId: row.organization_id,
  sequence: row.sequence,
  at: row.at,
  action: row.action,
  outcome: row.outcome,
  target: { type: row.target_type, id: row.target_id },
  registeredUserId: row.registered_user_id,
  actor: { type: row.actor_type, id: row.actor_id, hint: row.actor_hint },
  sender: { address: row.address, userAgent: row.user_agent },
  requestId: row.request_id,
  changes: row.changes,
  previous: row.previous,
  hash: row.hash,
})
