import { columns } from '../../platform/coalesce.ts'
import { json, type Queryable, statement } from '../../platform/database.ts'

export type Settlement = {
  outcome: 'success' | 'replayed' | 'error' | 'needs_auth' | 'blocked' | 'limited'
  errorCode: string | null
  thirdPartyMs: number | null
}

/** What one call came to. */
export type SettledCall = Settlement & { organizationId: string; callId: string }

// Settled once, for one call or many: whoever comes while a statement is under way goes into the next. Users are locked first and in
// one order, as everybody locks them, so that two nodes with the same users never wait for each other. Their standing is read with
// that lock: a result that comes back after a deactivation is withheld. Several calls of one user are told of in their order.
// Said as `finished_at is null`, since the small index of what is reserved would be taken for `outcome`: it holds every call under way.
const settlement = (whileLocked: '' | 'skip locked'): string => `
   with given as (
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[]) with ordinality
       as t(organization_id, id, outcome, error_code, third_party_ms, event, more, position)
   ), reserved as materialized (
     select g.*, t.registered_user_id from given g
     join tool_calls t on t.organization_id = g.organization_id and t.id = g.id and t.finished_at is null
   ), users as materialized (
     select u.organization_id, u.id, u.is_active from registered_users u
     where (u.organization_id, u.id) in (select organization_id, registered_user_id from reserved)
     order by u.organization_id, u.id for no key update of u ${whileLocked}
   ), settled as (
     update tool_calls t set outcome = r.outcome, error_code = r.error_code, third_party_ms = r.third_party_ms,
       finished_at = app_now(), counted = (r.outcome = 'success' and t.mode = 'production')
     from reserved r join users u on u.organization_id = r.organization_id and u.id = r.registered_user_id
     where t.organization_id = r.organization_id and t.id = r.id and t.finished_at is null
     returning r.position, t.organization_id, t.registered_user_id, u.is_active, r.event,
       jsonb_build_object('tool_call_id', t.id, 'connector_slug', t.connector_slug, 'tool', t.tool, 'outcome', r.outcome) || r.more::jsonb as payload
   ), told as (
     select *, row_number() over (partition by organization_id, registered_user_id order by position) as turn
     from settled where event is not null
   ), numbered as (
     update registered_users u set event_sequence = u.event_sequence + n.many
     from (select organization_id, registered_user_id, count(*) as many from told group by 1, 2) n
     where u.organization_id = n.organization_id and u.id = n.registered_user_id
     returning u.organization_id, u.id, u.event_sequence - n.many as before
   ), written as (
     insert into events (organization_id, registered_user_id, sequence, type, payload)
     select t.organization_id, t.registered_user_id, n.before + t.turn, t.event, t.payload
     from told t join numbered n on n.organization_id = t.organization_id and n.id = t.registered_user_id
   )
   select r.position::integer, s.is_active as user_active from reserved r left join settled s on s.position = r.position`

type SettledRow = { position: number; user_active: boolean | null }

// Somebody else may hold a user's row for as long as it takes a stopped process to lose it. Its calls wait for that, and nobody else's:
// what is locked is left out of what was asked together, and then waited for alone.
const settleUnlocked = statement<SettledRow>('tools.settle', settlement('skip locked'))
const settlePatiently = statement<SettledRow>('tools.settle_patiently', settlement(''))

const markUnknown = statement<never>(
  'tools.mark_unknown',
  `update tool_calls set outcome = 'unknown', finished_at = app_now() where outcome = 'reserved' and started_at < app_now() - interval '10 minutes'`,
)

const COLUMNS = ['organizationId', 'callId', 'outcome', 'errorCode', 'thirdPartyMs', 'event', 'more'] as const

/** Null: the user is gone, and the record with them. */
export type Settled = { user_active: boolean } | null

const parameters = (calls: SettledCall[]) =>
  columns(
    calls.map(call => ({
      ...call,
      event: eventOf(call),
      more: json(call.errorCode ? { error_code: call.errorCode } : {}),
    })),
    COLUMNS,
  )

const settleAlone = async (db: Queryable, call: SettledCall): Promise<Settled> => {
  const [row] = await db.query(settlePatiently, parameters([call]))
  return row && row.user_active !== null ? { user_active: row.user_active } : null
}

export const settlementStore = {
  /** In the order given. What has to wait for its user's row is a promise, so that the others need not. */
  settle: async (db: Queryable, calls: SettledCall[]): Promise<(Settled | Promise<Settled>)[]> => {
    const rows = await db.query(settleUnlocked, parameters(calls))
    const found = new Map(rows.map(row => [row.position, row]))
    return calls.map((call, index) => {
      const row = found.get(index + 1)
      if (!row) return null
      return row.user_active === null ? settleAlone(db, call) : { user_active: row.user_active }
    })
  },
  /** A call whose process died after it was admitted: nobody knows what the third party did, so it is not counted. */
  markUnknown: (db: Queryable) => db.query(markUnknown),
}

const eventOf = ({ outcome }: Settlement): string | null => {
  if (outcome === 'success') return 'tool_call.completed'
  return outcome === 'needs_auth' || outcome === 'replayed' ? null : 'tool_call.failed'
}
