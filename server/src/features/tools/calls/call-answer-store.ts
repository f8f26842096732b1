import { one, type Queryable, statement } from '../../../platform/database/database.ts'

/** Identifies the stored answer to a call with an idempotency key. */
export type AnswerPlace = { organizationId: string; registeredUserId: string; keyHash: Buffer }
export type AnswerRow = { fingerprint: Buffer; sealed: Buffer | null }
type Claim = AnswerPlace & { fingerprint: Buffer; callId: string; seconds: number }

// The conflict clause takes over only an expired key: of two concurrent calls, on any nodes, one gets the row.
const claimKey = statement<{ claimed: true }>(
  'call_answers.claim',
  `insert into tool_call_answers (organization_id, registered_user_id, key_hash, fingerprint, call_id, expires_at)
   select $1, $2, $3, $4, $5, app_now() + make_interval(secs => $6)
   from registered_users where organization_id = $1 and id = $2 for key share
   on conflict (organization_id, registered_user_id, key_hash) do update
     set fingerprint = excluded.fingerprint, call_id = excluded.call_id, expires_at = excluded.expires_at, sealed = null
     where tool_call_answers.expires_at <= app_now()
   returning true as claimed`,
)
const readAnswer = statement<AnswerRow>(
  'call_answers.read',
  `select fingerprint, sealed from tool_call_answers
   where organization_id = $1 and registered_user_id = $2 and key_hash = $3 and expires_at > app_now()`,
)
// A call whose claim has expired stores nothing, because the key may belong to another call by then.
const keepAnswer = statement<never>(
  'call_answers.keep',
  `update tool_call_answers set sealed = $5, expires_at = app_now() + make_interval(secs => $6)
   where organization_id = $1 and registered_user_id = $2 and key_hash = $3 and call_id = $4 and sealed is null`,
)
const releaseKey = statement<never>(
  'call_answers.release',
  `delete from tool_call_answers
   where organization_id = $1 and registered_user_id = $2 and key_hash = $3 and call_id = $4 and sealed is null`,
)
const deleteExpired = statement<never>(
  'call_answers.expire',
  'delete from tool_call_answers where expires_at <= app_now()',
)

/** Maximum bytes of stored answers per user: about a thousand usual ones. */
const MOST_KEPT = 64 * 1024 * 1024

// Keeps the latest answers. Older ones lose their content but not their row, so their calls are not repeated.
const emptySurplus = statement<never>(
  'call_answers.empty_surplus',
  `update tool_call_answers t set sealed = '' from (
     select organization_id, registered_user_id, key_hash, call_id, sum(octet_length(sealed)) over (
       partition by organization_id, registered_user_id order by expires_at desc, key_hash) as held
     from tool_call_answers where octet_length(sealed) > 0
   ) s
   where s.held > $1 and (t.organization_id, t.registered_user_id, t.key_hash, t.call_id)
     = (s.organization_id, s.registered_user_id, s.key_hash, s.call_id)`,
)

const columns = ({ organizationId, registeredUserId, keyHash }: AnswerPlace) =>
  [organizationId, registeredUserId, keyHash] as const

export const callAnswerStore = {
  claim: async (db: Queryable, { fingerprint, callId, seconds, ...place }: Claim): Promise<boolean> =>
    (await one(db, claimKey, [...columns(place), fingerprint, callId, seconds])) !== null,
  read: (db: Queryable, place: AnswerPlace) => one(db, readAnswer, [...columns(place)]),
  keep: (db: Queryable, place: AnswerPlace, callId: string, sealed: Buffer, seconds: number) =>
    db.query(keepAnswer, [...columns(place), callId, sealed, seconds]),
  release: (db: Queryable, place: AnswerPlace, callId: string) =>
    db.query(releaseKey, [...columns(place), callId]),
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
  emptySurplus: (db: Queryable, bytes: number = MOST_KEPT) => db.query(emptySurplus, [bytes]),
}
