import type { ApprovalStatus } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable, type Transaction } from '../../../platform/database/database.ts'
import {
  bigint,
  boolean,
  bytea,
  ensured,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { AskingRule } from '../../approvals/deciders.ts'
import {
  type Caller,
  callerColumns,
  callerParameters,
  callerWith,
  type FoundCaller,
} from '../admission/caller-store.ts'
import { clientOfKey } from '../admission/client-of-key.ts'

export type TaskStatus = 'waiting' | 'running' | 'completed' | 'cancelled'
const status = typed<TaskStatus>(text)
const approvalStatus = nullable(typed<ApprovalStatus>(text))

/** After its end, and after the end of its approval. */
const KEPT = `interval '1 hour'`
/** From taking a task to taking its approval, or to the next renewal. */
const LEASE = `interval '1 minute'`

const place = { organizationId: uuid, id: uuid }
const OF_PLACE = 'organization_id = :organizationId and id = :id'

const taskColumns = {
  taskId: uuid,
  status,
  isAnswered: boolean,
  sealed: nullable(bytea),
  keyHash: bytea,
  createdAt: timestamptz,
  updatedAt: timestamptz,
  expiresAt: timestamptz,
  /** Null: the call waits for no approval. Its server has made a task of it. */
  approvalId: nullable(uuid),
  approvalStatus,
  approvalRules: nullable(typed<AskingRule[]>(jsonb)),
  approvalMode: nullable(typed<Mode>(text)),
}
const TASK = `t.id as task_id, t.status, t.is_answered, t.sealed, t.key_hash, t.created_at, t.updated_at, t.expires_at, t.approval_id,
     a.status as approval_status, a.rules as approval_rules, a.mode as approval_mode`
export type StoredTask = Values<typeof taskColumns>
const foundColumns = {
  ...taskColumns,
  taskId: nullable(uuid),
}

// A repeat of a call whose approval is open joins its task. The approval belongs to one user, pack and caller.
const create = statement({
  name: 'tool_tasks.create',
  parameters: { ...place, approvalId: uuid, keyHash: bytea, sealed: bytea },
  columns: { id: uuid },
  sql: `insert into tool_tasks (organization_id, id, registered_user_id, tool_pack_id, caller_type, caller_id, key_hash, approval_id, sealed, expires_at)
   select a.organization_id, :id, a.registered_user_id, a.tool_pack_id, a.caller_type, a.caller_id, :keyHash, a.id, :sealed, a.expires_at + ${KEPT}
   from approvals a where a.organization_id = :organizationId and a.id = :approvalId
   on conflict (organization_id, approval_id) where ended_at is null do update set key_hash = excluded.key_hash
   returning id`,
})
/** The call is made already. */
const createAccepted = statement({
  name: 'tool_tasks.create_accepted',
  parameters: { ...callerParameters, ...place, sealed: bytea },
  sql: `insert into tool_tasks (organization_id, id, registered_user_id, tool_pack_id, caller_type, caller_id, key_hash, status, lease_until, sealed, expires_at)
   select :organizationId, :id, :registeredUserId, :toolPackId, k.client_type, k.client_id, :keyHash, 'running', app_now() + ${LEASE}, :sealed, app_now() + ${KEPT}
   from ${clientOfKey(':organizationId')} k`,
})
const renew = statement({
  name: 'tool_tasks.renew',
  parameters: place,
  sql: `update tool_tasks set lease_until = app_now() + ${LEASE} where ${OF_PLACE} and status = 'running'`,
})
/** Another process may take the task at once. */
const release = statement({
  name: 'tool_tasks.release',
  parameters: place,
  sql: `update tool_tasks set lease_until = app_now() where ${OF_PLACE} and status = 'running'`,
})
/** The task of the caller, by everything that owns it. */
const find = statement({
  name: 'tool_tasks.find',
  parameters: { ...callerParameters, id: uuid },
  columns: { ...callerColumns, ...foundColumns },
  sql: `with caller as (${callerWith()})
   select c.*, t.* from caller c
   left join ${clientOfKey('c.organization_id')} k on true
   left join lateral (
     select ${TASK} from tool_tasks t
     left join approvals a on a.organization_id = t.organization_id and a.id = t.approval_id
     where t.organization_id = c.organization_id and t.id = :id and t.registered_user_id = c.user_id and t.tool_pack_id = c.pack_id
       and t.caller_type = k.client_type and t.caller_id = k.client_id and t.expires_at > app_now()) t on true`,
})
/** Access tokens are replaced while a task waits. */
const useKey = statement({
  name: 'tool_tasks.use_key',
  parameters: { ...place, keyHash: bytea },
  sql: `update tool_tasks set key_hash = :keyHash where ${OF_PLACE} and ended_at is null`,
})
const answer = statement({
  name: 'tool_tasks.answer',
  parameters: { ...place, approvalId: uuid },
  sql: `update tool_tasks set is_answered = true, updated_at = app_now()
   where ${OF_PLACE} and approval_id = :approvalId and status = 'waiting' and not is_answered`,
})
const cancel = statement({
  name: 'tool_tasks.cancel',
  parameters: place,
  columns: { id: uuid },
  sql: `update tool_tasks set status = 'cancelled', sealed = null, lease_until = null, ended_at = app_now(), updated_at = app_now(), expires_at = app_now() + ${KEPT}
   where ${OF_PLACE} and (status = 'waiting' or status = 'running' and approval_id is null) returning id`,
})
/** Of a completed task. */
const markFetched = statement({
  name: 'tool_tasks.mark_fetched',
  parameters: place,
  sql: `update tool_tasks set is_fetched = true where ${OF_PLACE} and status = 'completed' and not is_fetched`,
})
const remove = statement({
  name: 'tool_tasks.delete',
  parameters: place,
  sql: `delete from tool_tasks where ${OF_PLACE} and is_fetched`,
})
/**
 * Calls whose approval was given, those whose approval has ended without a result for the task, and those whose server has made a task of them
 * and whose process has ended.
 */
const findDue = statement({
  name: 'tool_tasks.find_due',
  parameters: { limit: bigint },
  columns: { ...place, registeredUserId: uuid, toolPackId: uuid, keyHash: bytea, approvalStatus },
  sql: `select t.organization_id, t.id, t.registered_user_id, t.tool_pack_id, t.key_hash, a.status as approval_status from tool_tasks t
   left join approvals a on a.organization_id = t.organization_id and a.id = t.approval_id
   where t.ended_at is null and (t.lease_until is null or t.lease_until <= app_now())
     and (t.approval_id is null or a.ended_at is not null or a.status = 'approved' and a.expires_at > app_now())
     and t.organization_id not in (select id from unserved_organizations)
   order by a.decided_at limit :limit`,
})
const takenColumns = {
  registeredUserId: uuid,
  toolPackId: uuid,
  keyHash: bytea,
  sealed: ensured(bytea),
  userKey: bytea,
}
// One process takes a task. If it dies before it has taken the approval, another one may: the approval runs once.
const take = statement({
  name: 'tool_tasks.take',
  parameters: place,
  columns: takenColumns,
  sql: `update tool_tasks t set status = 'running', lease_until = app_now() + ${LEASE}, updated_at = app_now()
   from approvals a, registered_users u
   where t.organization_id = :organizationId and t.id = :id and t.ended_at is null and (t.lease_until is null or t.lease_until < app_now())
     and a.organization_id = t.organization_id and a.id = t.approval_id and a.status = 'approved' and a.expires_at > app_now()
     and u.organization_id = t.organization_id and u.id = t.registered_user_id
   returning t.registered_user_id, t.tool_pack_id, t.key_hash, t.sealed, u.data_key as user_key`,
})
const takeAccepted = statement({
  name: 'tool_tasks.take_accepted',
  parameters: place,
  columns: takenColumns,
  sql: `update tool_tasks t set lease_until = app_now() + ${LEASE}, updated_at = app_now() from registered_users u
   where t.organization_id = :organizationId and t.id = :id and t.approval_id is null and t.status = 'running'
     and t.lease_until <= app_now() and t.expires_at > app_now()
     and u.organization_id = t.organization_id and u.id = t.registered_user_id
   returning t.registered_user_id, t.tool_pack_id, t.key_hash, t.sealed, u.data_key as user_key`,
})
const findOpen = statement({
  name: 'tool_tasks.find_open',
  parameters: { organizationId: uuid, approvalId: uuid },
  columns: { id: uuid, registeredUserId: uuid, userKey: bytea },
  sql: `select t.id, t.registered_user_id, u.data_key as user_key from tool_tasks t
   join registered_users u on u.organization_id = t.organization_id and u.id = t.registered_user_id
   where t.organization_id = :organizationId and t.approval_id = :approvalId and t.ended_at is null for update of t`,
})
const complete = statement({
  name: 'tool_tasks.complete',
  parameters: { ...place, sealed: bytea },
  sql: `update tool_tasks set status = 'completed', sealed = :sealed, lease_until = null, ended_at = app_now(), updated_at = app_now(),
     expires_at = app_now() + ${KEPT}
   where ${OF_PLACE} and ended_at is null`,
})
const findEnd = statement({
  name: 'tool_tasks.find_end',
  parameters: place,
  columns: {
    registeredUserId: uuid,
    userKey: bytea,
    approvalId: nullable(uuid),
    approvalStatus,
    decisionReason: nullable(text),
    toolCallId: nullable(uuid),
  },
  sql: `select t.registered_user_id, u.data_key as user_key, a.id as approval_id, a.status as approval_status, a.decision_reason,
     a.tool_call_id from tool_tasks t
   left join approvals a on a.organization_id = t.organization_id and a.id = t.approval_id
   join registered_users u on u.organization_id = t.organization_id and u.id = t.registered_user_id
   where t.organization_id = :organizationId and t.id = :id and t.ended_at is null
     and case when t.approval_id is null then t.expires_at <= app_now() else a.ended_at is not null end`,
})
const deleteExpired = statement({
  name: 'tool_tasks.delete_expired',
  sql: `delete from tool_tasks where ended_at is not null and expires_at <= app_now()
     and organization_id not in (select id from unserved_organizations)`,
})

export type TaskPlace = { organizationId: string; id: string }
/** Null: there is no such task, or it is not the caller’s. */
export type FoundTask = FoundCaller & (StoredTask | { taskId: null })

export const taskStore = {
  create: (db: Queryable, task: TaskPlace & { approvalId: string; keyHash: Buffer; sealed: Buffer }) =>
    one(db, create, task),
  createAccepted: (
    db: Queryable,
    { keyHash, registeredUserId, toolPackId }: Caller,
    task: TaskPlace & { sealed: Buffer },
  ) =>
    db.query(createAccepted, {
      keyHash,
      registeredUserId,
      toolPackId,
      organizationId: task.organizationId,
      id: task.id,
      sealed: task.sealed,
    }),
  renew: (db: Queryable, { organizationId, id }: TaskPlace) => db.query(renew, { organizationId, id }),
  release: async (db: Queryable, { organizationId, id }: TaskPlace) =>
    void (await db.query(release, { organizationId, id })),
  find: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller, id: string) =>
    one(db, find, { keyHash, registeredUserId, toolPackId, id }) as Promise<FoundTask>,
  useKey: (db: Queryable, of: TaskPlace, keyHash: Buffer) => db.query(useKey, { ...of, keyHash }),
  answer: (db: Queryable, of: TaskPlace, approvalId: string) => db.query(answer, { ...of, approvalId }),
  cancel: (db: Queryable, of: TaskPlace) => one(db, cancel, of),
  markFetched: (db: Queryable, of: TaskPlace) => db.query(markFetched, of),
  /** Of a task whose result was fetched. */
  remove: (db: Queryable, of: TaskPlace) => db.query(remove, of),
  findDue: (db: Queryable, limit: number) => db.query(findDue, { limit }),
  take: (db: Queryable, of: TaskPlace) => one(db, take, of),
  takeAccepted: (db: Queryable, of: TaskPlace) => one(db, takeAccepted, of),
  findOpen: (tx: Transaction, organizationId: string, approvalId: string) =>
    one(tx, findOpen, { organizationId, approvalId }),
  complete: (db: Queryable, { organizationId, id }: TaskPlace, sealed: Buffer) =>
    db.query(complete, { organizationId, id, sealed }),
  findEnd: (db: Queryable, of: TaskPlace) => one(db, findEnd, of),
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}
