import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  bigint,
  boolean,
  bytea,
  double,
  nullable,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

/** Identifies the stored answer to a call with an idempotency key. */
const answerKey = { organizationId: uuid, registeredUserId: uuid, keyHash: bytea }
export type AnswerKey = Values<typeof answerKey>

const answerColumns = { fingerprint: bytea, sealed: nullable(bytea), isPending: boolean }
export type StoredAnswer = Values<typeof answerColumns>

type Claim = AnswerKey & { fingerprint: Buffer; callId: string; pendingSeconds: number; seconds: number }

// The conflict clause takes over only an expired key: of two concurrent calls, on any nodes, one gets the row.
const claimKey = statement({
  name: 'call_answers.claim',
  parameters: { ...answerKey, fingerprint: bytea, callId: uuid, pendingSeconds: double, seconds: double },
  columns: { claimed: typed<true>(boolean) },
  sql: `insert into tool_call_answers (organization_id, registered_user_id, key_hash, fingerprint, call_id, pending_until, expires_at)
   select :organizationId, :registeredUserId, :keyHash, :fingerprint, :callId, app_now() + make_interval(secs => :pendingSeconds),
     app_now() + make_interval(secs => :seconds)
   from registered_users where organization_id = :organizationId and id = :registeredUserId for key share
   on conflict (organization_id, registered_user_id, key_hash) do update
     set fingerprint = excluded.fingerprint, call_id = excluded.call_id, pending_until = excluded.pending_until,
       expires_at = excluded.expires_at, sealed = null
     where tool_call_answers.expires_at <= app_now()
   returning true as claimed`,
})
const readAnswer = statement({
  name: 'call_answers.read',
  parameters: answerKey,
  columns: answerColumns,
  sql: `select fingerprint, sealed, pending_until > app_now() as is_pending from tool_call_answers
   where organization_id = :organizationId and registered_user_id = :registeredUserId and key_hash = :keyHash
     and expires_at > app_now()`,
})
// A call whose key has expired stores nothing, because the key may belong to another call by then.
const keepAnswer = statement({
  name: 'call_answers.keep',
  parameters: { ...answerKey, callId: uuid, sealed: bytea, seconds: double },
  sql: `update tool_call_answers set sealed = :sealed, expires_at = app_now() + make_interval(secs => :seconds)
   where organization_id = :organizationId and registered_user_id = :registeredUserId and key_hash = :keyHash
     and call_id = :callId and sealed is null`,
})
const endPending = statement({
  name: 'call_answers.end_pending',
  parameters: { ...answerKey, callId: uuid },
  sql: `update tool_call_answers set pending_until = app_now()
   where organization_id = :organizationId and registered_user_id = :registeredUserId and key_hash = :keyHash
     and call_id = :callId and sealed is null`,
})
const releaseKey = statement({
  name: 'call_answers.release',
  parameters: { ...answerKey, callId: uuid },
  sql: `delete from tool_call_answers
   where organization_id = :organizationId and registered_user_id = :registeredUserId and key_hash = :keyHash
     and call_id = :callId and sealed is null`,
})
const deleteExpired = statement({
  name: 'call_answers.expire',
  sql: `delete from tool_call_answers where expires_at <= app_now() and organization_id not in (select id from unserved_organizations)`,
})

/** Maximum bytes of stored answers per user: about a thousand usual ones. */
const MAX_STORED_BYTES = 64 * 1024 * 1024

// Keeps the latest answers. Older ones lose their content but not their row, so their calls are not repeated.
const clearOldest = statement({
  name: 'call_answers.clear_oldest',
  parameters: { bytes: bigint },
  sql: `update tool_call_answers t set sealed = '' from (
     select organization_id, registered_user_id, key_hash, call_id, sum(octet_length(sealed)) over (
       partition by organization_id, registered_user_id order by expires_at desc, key_hash) as held
     from tool_call_answers where octet_length(sealed) > 0 and organization_id not in (select id from unserved_organizations)
   ) s
   where s.held > :bytes and (t.organization_id, t.registered_user_id, t.key_hash, t.call_id)
     = (s.organization_id, s.registered_user_id, s.key_hash, s.call_id)`,
})

export const callAnswerStore = {
  claim: async (db: Queryable, claim: Claim): Promise<boolean> => (await one(db, claimKey, claim)) !== null,
  read: (db: Queryable, key: AnswerKey) => one(db, readAnswer, key),
  keep: (db: Queryable, key: AnswerKey, callId: string, sealed: Buffer, seconds: number) =>
    db.query(keepAnswer, { ...key, callId, sealed, seconds }),
  /** The call has ended, and it is unknown whether it was carried out. The key stays claimed. */
  endPending: (db: Queryable, key: AnswerKey, callId: string) => db.query(endPending, { ...key, callId }),
  release: (db: Queryable, key: AnswerKey, callId: string) => db.query(releaseKey, { ...key, callId }),
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
  clearOldest: (db: Queryable, bytes: number = MAX_STORED_BYTES) => db.query(clearOldest, { bytes }),
}
