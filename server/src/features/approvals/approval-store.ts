import {
  type ApprovalDecision,
  type ApprovalStatus,
  type ApprovalVoidReason,
  approvalBounds,
  type executionEnds,
} from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { one, type Queryable, type Transaction } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  double,
  ensured,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import { type AskingRule, type Decider, MEMBERS } from './deciders.ts'
import type { Caller } from './frozen-call.ts'
import { CURRENT_STATUS, MAY_APPROVE, VOID_REASON } from './void-reason.ts'

const status = typed<ApprovalStatus>(text)
const columns = {
  id: uuid,
  registeredUserId: uuid,
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
  credentialId: nullable(uuid),
  accountLabel: nullable(text),
  callerType: typed<Caller['type']>(text),
  callerId: text,
  rules: typed<AskingRule[]>(jsonb),
  status,
  digest: bytea,
  requestedAt: timestamptz,
  expiresAt: timestamptz,
  decidedAt: nullable(timestamptz),
  decisionReason: nullable(text),
  endedAt: nullable(timestamptz),
  voidReason: nullable(typed<ApprovalVoidReason>(text)),
  toolCallId: nullable(uuid),
  grantId: nullable(uuid),
}
export type StoredApproval = Values<typeof columns>
const COLUMNS = `id, registered_user_id, tool_pack_id, connector_slug, tool, credential_id, account_label, caller_type, caller_id, rules,
     status, digest, requested_at, expires_at, decided_at, decision_reason, ended_at,
     case when status = 'void' then void_reason end as void_reason, tool_call_id, grant_id`

const ofCall = { organizationId: uuid, registeredUserId: uuid, callHash: bytea }
const OF_CALL =
  'organization_id = :organizationId and registered_user_id = :registeredUserId and call_hash = :callHash'
const ofMode = { organizationId: uuid, mode: typed<Mode>(text), id: uuid }
const OF_MODE = 'organization_id = :organizationId and mode = :mode and id = :id'
const minutes = (count: number): string => `interval '${count} minutes'`

// One caller takes an approval, because only one update finds it approved.
const take = statement({
  name: 'approvals.take',
  parameters: { ...ofCall, callId: uuid },
  columns: { id: uuid, digest: bytea, sealed: ensured(bytea) },
  sql: `update approvals a set status = 'executing', tool_call_id = :callId,
     expires_at = least(expires_at, app_now() + ${minutes(approvalBounds.approvedMinutes)})
   where ${OF_CALL} and status = 'approved' and expires_at > app_now() and ${VOID_REASON} is null
   returning id, digest, sealed`,
})
/** Requests of one user are made one after the other, so that their number has a limit. */
const lockUser = statement({
  name: 'approvals.lock_user',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  columns: { id: uuid },
  sql: `select id from registered_users where organization_id = :organizationId and id = :registeredUserId for no key update`,
})
const endDueOfUser = statement({
  name: 'approvals.end_due_of_user',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  columns,
  sql: `update approvals a set status = case when expires_at > app_now() then 'void' else 'expired' end, void_reason = ${VOID_REASON},
     ended_at = app_now()
   where organization_id = :organizationId and registered_user_id = :registeredUserId and status in ('pending', 'confirming', 'approved')
     and (expires_at <= app_now() or ${VOID_REASON} is not null)
   returning ${COLUMNS}`,
})
const findDue = statement({
  name: 'approvals.find_due',
  parameters: { limit: bigint },
  columns: { organizationId: uuid, registeredUserId: uuid },
  sql: `select distinct organization_id, registered_user_id from approvals a
   where ended_at is null and status in ('pending', 'confirming', 'approved')
     and (expires_at <= app_now() or ${VOID_REASON} is not null)
     and organization_id not in (select id from unserved_organizations) limit :limit`,
})
/** The approval of the same call that is open, or has ended a short time ago. */
const findSame = statement({
  name: 'approvals.find_same',
  parameters: ofCall,
  columns,
  sql: `select ${COLUMNS} from approvals
   where ${OF_CALL} and (ended_at is null or ended_at > app_now() - ${minutes(approvalBounds.quietMinutes)})
   order by requested_at desc limit 1`,
})
const countOpen = statement({
  name: 'approvals.count',
  parameters: { organizationId: uuid, registeredUserId: uuid, callerId: text },
  columns: { ofUser: bigint, ofCaller: bigint, inHour: bigint },
  sql: `select
     (select count(*) from approvals where organization_id = :organizationId and registered_user_id = :registeredUserId
       and status in ('pending', 'confirming')) as of_user,
     (select count(*) from approvals where organization_id = :organizationId and caller_id = :callerId
       and status in ('pending', 'confirming')) as of_caller,
     (select count(*) from approvals where organization_id = :organizationId and caller_id = :callerId
       and grant_id is null and requested_at > app_now() - interval '1 hour') as in_hour`,
})
const created = {
  ...ofCall,
  id: uuid,
  mode: typed<Mode>(text),
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
  credentialId: nullable(uuid),
  linkGeneration: nullable(integer),
  accountLabel: nullable(text),
  mcpServerId: nullable(uuid),
  fileToolHash: nullable(text),
  isDestructive: boolean,
  callerType: text,
  callerId: text,
  rules: jsonb,
  digest: bytea,
  sealed: bytea,
  taskHours: nullable(integer),
}
const insert = statement({
  name: 'approvals.insert',
  parameters: { ...created, grantId: nullable(uuid), toolCallId: nullable(uuid) },
  columns,
  sql: `insert into approvals (organization_id, id, registered_user_id, mode, tool_pack_id, connector_slug, tool, credential_id,
     link_generation, account_label, tool_hash, file_tool_hash, is_destructive, caller_type, caller_id, rules, call_hash, digest, sealed, for_task, grant_id, tool_call_id, status, decided_at, expires_at)
   values (:organizationId, :id, :registeredUserId, :mode, :toolPackId, :connectorSlug, :tool, :credentialId,
     :linkGeneration, :accountLabel, (select md5(definition::text) from mcp_tools
       where organization_id = :organizationId and connector_id = :mcpServerId::uuid and name = :tool), :fileToolHash, :isDestructive, :callerType, :callerId, :rules::jsonb, :callHash, :digest, :sealed, :taskHours::int is not null, :grantId, :toolCallId,
     case when :grantId::uuid is null then 'pending' else 'executing' end, case when :grantId::uuid is not null then app_now() end,
     app_now() + case when :grantId::uuid is null then coalesce(make_interval(hours => :taskHours), ${minutes(approvalBounds.pendingMinutes)})
       else ${minutes(approvalBounds.approvedMinutes)} end)
   returning ${COLUMNS}`,
})
const extend = statement({
  name: 'approvals.extend',
  parameters: { organizationId: uuid, id: uuid, taskHours: integer },
  columns,
  sql: `update approvals set for_task = true, expires_at = greatest(expires_at, requested_at + make_interval(hours => :taskHours))
   where organization_id = :organizationId and id = :id and status in ('pending', 'confirming') and not for_task returning ${COLUMNS}`,
})
/** Those who decide about one approval do so one after the other. */
const lockOpen = statement({
  name: 'approvals.lock_open',
  parameters: { ...ofMode, digest: bytea },
  columns: { rules: typed<AskingRule[]>(jsonb), status },
  sql: `select rules, status from approvals a
   where ${OF_MODE} and ${VOID_REASON} is null and digest = :digest and status in ('pending', 'confirming', 'approved') and expires_at > app_now() for update`,
})
const saveDecision = statement({
  name: 'approval_decisions.save',
  parameters: {
    organizationId: uuid,
    id: uuid,
    decider: text,
    decision: text,
    personId: nullable(uuid),
    byLink: boolean,
  },
  columns: { decidedAt: timestamptz },
  sql: `insert into approval_decisions (organization_id, approval_id, decider, decision, person_id, by_link)
   values (:organizationId, :id, :decider, :decision, :personId, :byLink)
   on conflict (organization_id, approval_id, decider) do update
     set decision = excluded.decision, person_id = excluded.person_id, by_link = excluded.by_link, decided_at = excluded.decided_at, receipt = null
     where approval_decisions.decision <> excluded.decision
   returning decided_at`,
})
/** Whether the member of a decision `d` has the email address of the user. */
const IS_USER = `exists (select from people p
     join approvals a on a.organization_id = d.organization_id and a.id = d.approval_id
     join registered_users u on u.organization_id = a.organization_id and u.id = a.registered_user_id
     where p.id = d.person_id and p.email = lower(u.email))`
const decisionColumns = {
  approvalId: uuid,
  decider: text,
  decision: typed<ApprovalDecision>(text),
  withPasskey: ensured(boolean),
  byLink: boolean,
  isUser: ensured(boolean),
  decidedAt: timestamptz,
}
const findDecisions = statement({
  name: 'approval_decisions.find',
  parameters: { organizationId: uuid, ids: array(uuid) },
  columns: decisionColumns,
  sql: `select approval_id, decider, decision, receipt is not null as with_passkey, by_link, ${IS_USER} as is_user, decided_at
   from approval_decisions d where organization_id = :organizationId and approval_id = any(:ids) order by decided_at`,
})
/** Before the decision. */
const isOfUser = statement({
  name: 'approvals.is_of_user',
  parameters: { organizationId: uuid, id: uuid, personId: uuid },
  columns: { isUser: ensured(boolean) },
  sql: `select ${IS_USER} as is_user
   from (values (:organizationId::uuid, :id::uuid, :personId::uuid)) d (organization_id, approval_id, person_id)`,
})
const decide = statement({
  name: 'approvals.decide',
  parameters: { organizationId: uuid, id: uuid, status: text, reason: nullable(text) },
  columns,
  sql: `update approvals set status = :status, decision_reason = :reason,
     decided_at = case when :status in ('approved', 'denied') then app_now() end,
     ended_at = case when :status = 'denied' then app_now() end,
     expires_at = case when :status = 'approved' then
         greatest(app_now() + ${minutes(approvalBounds.approvedMinutes)}, case when for_task then expires_at end)
       else expires_at end
   where organization_id = :organizationId and id = :id and status in ('pending', 'confirming', 'approved')
   returning ${COLUMNS}`,
})
const withdraw = statement({
  name: 'approvals.withdraw',
  parameters: ofMode,
  columns,
  sql: `update approvals set status = 'withdrawn', ended_at = app_now()
   where ${OF_MODE} and status in ('pending', 'confirming', 'approved') returning ${COLUMNS}`,
})
const finish = statement({
  name: 'approvals.finish',
  parameters: { organizationId: uuid, id: uuid, status: text },
  columns,
  sql: `update approvals set status = :status, ended_at = app_now()
   where organization_id = :organizationId and id = :id and status = 'executing' returning ${COLUMNS}`,
})
/** The call is not made, because people have approved something else. */
const voidOne = statement({
  name: 'approvals.void',
  parameters: { organizationId: uuid, id: uuid, reason: text, isTaken: boolean },
  columns,
  sql: `update approvals set status = 'void', void_reason = :reason, tool_call_id = null, ended_at = app_now()
   where organization_id = :organizationId and id = :id and ended_at is null and (status = 'executing') = :isTaken returning ${COLUMNS}`,
})
const fileTool = { connectorSlug: text, tool: text, hash: text }
const findOpenFileTools = statement({
  name: 'approvals.find_open_file_tools',
  columns: { ...fileTool, hash: ensured(text) },
  sql: `select distinct connector_slug, tool, file_tool_hash as hash from approvals
   where status in ('pending', 'confirming', 'approved') and void_reason is null and file_tool_hash is not null
     and organization_id not in (select id from unserved_organizations)`,
})
const voidFileTool = statement({
  name: 'approvals.void_file_tool',
  parameters: fileTool,
  sql: `update approvals set void_reason = 'tool_changed'
   where connector_slug = :connectorSlug and tool = :tool and file_tool_hash = :hash and status in ('pending', 'confirming', 'approved')
     and organization_id not in (select id from unserved_organizations)`,
})
const ofTool = {
  organizationId: uuid,
  registeredUserId: uuid,
  toolPackId: uuid,
  connectorSlug: text,
  tool: text,
}
const findOpenOfTool = statement({
  name: 'approvals.find_open_of_tool',
  parameters: ofTool,
  columns: { id: uuid, callerId: text, sealed: ensured(bytea) },
  sql: `select id, caller_id, sealed from approvals
   where organization_id = :organizationId and registered_user_id = :registeredUserId and ended_at is null
     and status in ('pending', 'confirming', 'approved') and tool_pack_id = :toolPackId and connector_slug = :connectorSlug and tool = :tool`,
})
/** The process that has taken them is gone: their calls are not in flight any more. */
const findAbandoned = statement({
  name: 'approvals.find_abandoned',
  parameters: { limit: bigint },
  columns: { organizationId: uuid, id: uuid },
  sql: `select organization_id, id from approvals a
   where ended_at is null and status = 'executing' and expires_at < app_now()
     and not exists (select from calls_in_flight c where c.organization_id = a.organization_id and c.id = a.tool_call_id)
     and organization_id not in (select id from unserved_organizations) limit :limit`,
})
const forgetCalls = statement({
  name: 'approvals.forget_calls',
  sql: `update approvals set sealed = null where ended_at < app_now() - interval '${approvalBounds.callHours} hours' and sealed is not null
     and organization_id not in (select id from unserved_organizations)`,
})
const deleteOld = statement({
  name: 'approvals.delete_old',
  sql: `delete from approvals a using organizations o where o.id = a.organization_id
     and a.ended_at < app_now() - make_interval(days => plan_retention_days(o.plan))
     and o.id not in (select id from unserved_organizations)`,
})
const find = statement({
  name: 'approvals.find',
  parameters: ofMode,
  columns,
  sql: `select ${COLUMNS} from approvals where ${OF_MODE}`,
})
const readStatus = statement({
  name: 'approvals.read_status',
  parameters: { organizationId: uuid, id: uuid },
  columns: { status },
  sql: `select ${CURRENT_STATUS} as status from approvals a where organization_id = :organizationId and id = :id`,
})
const findSealed = statement({
  name: 'approvals.find_sealed',
  parameters: ofMode,
  columns: {
    registeredUserId: uuid,
    digest: bytea,
    rules: typed<AskingRule[]>(jsonb),
    sealed: nullable(bytea),
    userKey: bytea,
  },
  sql: `select a.registered_user_id, a.digest, a.rules, a.sealed, u.data_key as user_key from approvals a
   join registered_users u on u.organization_id = a.organization_id and u.id = a.registered_user_id
   where a.${OF_MODE.replaceAll(' and ', ' and a.')}`,
})
/** The last call of the same tool that was carried out for the same user, caller, Tool Pack and account after people had decided. */
const findPrevious = statement({
  name: 'approvals.find_previous',
  parameters: ofMode,
  columns: {
    id: uuid,
    registeredUserId: uuid,
    rules: typed<AskingRule[]>(jsonb),
    sealed: ensured(bytea),
    endedAt: ensured(timestamptz),
    userKey: bytea,
  },
  sql: `select p.id, p.registered_user_id, p.rules, p.sealed, p.ended_at, u.data_key as user_key from approvals a
   join approvals p on p.organization_id = a.organization_id and p.caller_id = a.caller_id and p.requested_at < a.requested_at
     and p.registered_user_id = a.registered_user_id and p.mode = a.mode and p.tool_pack_id = a.tool_pack_id
     and p.connector_slug = a.connector_slug and p.tool = a.tool and p.credential_id is not distinct from a.credential_id
     and p.status in ('done', 'unknown') and p.grant_id is null and p.sealed is not null
   join registered_users u on u.organization_id = p.organization_id and u.id = p.registered_user_id
   where a.${OF_MODE.replaceAll(' and ', ' and a.')}
   order by p.requested_at desc limit 1`,
})
const list = statement({
  name: 'approvals.list',
  parameters: {
    organizationId: uuid,
    mode: typed<Mode>(text),
    after: nullable(uuid),
    status: nullable(text),
    registeredUserId: nullable(uuid),
    approver: nullable(text),
    limit: bigint,
  },
  columns,
  sql: `select ${COLUMNS} from approvals
   where organization_id = :organizationId and mode = :mode and (:after::uuid is null or id < :after)
     and (:status::text is null or status = :status) and (:registeredUserId::uuid is null or registered_user_id = :registeredUserId)
     and (:approver::text is null or rules @> jsonb_build_array(jsonb_build_object('approvers', jsonb_build_array(:approver::text)))
       or rules = '[]' and :approver = '${MEMBERS}')
   order by id desc limit :limit`,
})

const ofApprover = { organizationId: uuid, mode: typed<Mode>(text), approverId: text, limit: bigint }
const actionColumns = { id: uuid, connectorSlug: text, tool: text, accountLabel: nullable(text) }
/** Calls that wait for this user, and not only for others. */
const listWaitingFor = statement({
  name: 'approvals.list_waiting_for',
  parameters: ofApprover,
  columns: { ...actionColumns, since: timestamptz },
  sql: `select id, connector_slug, tool, account_label, requested_at as since from approvals a
   where organization_id = :organizationId and mode = :mode and ended_at is null and status in ('pending', 'confirming') and expires_at > app_now()
     and rules @> jsonb_build_array(jsonb_build_object('approvers', jsonb_build_array(:approverId::text)))
     and not exists (select from approval_decisions d where d.organization_id = a.organization_id and d.approval_id = a.id
       and d.decider = :approverId)
   order by id desc limit :limit`,
})
/** What the user has decided, without the calls that run because it is remembered. */
const listDecidedBy = statement({
  name: 'approvals.list_decided_by',
  parameters: ofApprover,
  columns: { ...actionColumns, decision: typed<ApprovalDecision>(text), at: timestamptz },
  sql: `select a.id, a.connector_slug, a.tool, a.account_label, d.decision, d.decided_at as at from approval_decisions d
   join approvals a on a.organization_id = d.organization_id and a.id = d.approval_id and a.mode = :mode and a.grant_id is null
   where d.organization_id = :organizationId and d.decider = :approverId
   order by d.decided_at desc limit :limit`,
})
const ASKS_MEMBERS = `(a.rules = '[]' or a.rules @> '[{"approvers": ["${MEMBERS}"]}]')`
/** The members of an organization are told at most every ten minutes. */
const takeUnnotified = statement({
  name: 'approvals.take_unnotified',
  columns: { organizationId: uuid, mode: typed<Mode>(text) },
  sql: `update approvals a set notified_at = app_now()
   where ended_at is null and status = 'pending' and notified_at is null and expires_at > app_now() and ${ASKS_MEMBERS}
     and not exists (select from approvals n where n.organization_id = a.organization_id and n.mode = a.mode and n.ended_at is null
       and n.notified_at > app_now() - interval '10 minutes')
     and organization_id not in (select id from unserved_organizations)
   returning organization_id, mode`,
})
const findMembersToNotify = statement({
  name: 'approvals.find_members_to_notify',
  parameters: { organizationId: uuid },
  columns: { email: text, name: text, organizationName: text },
  sql: `select p.email, p.name, o.name as organization_name from members m
   join people p on p.id = m.person_id
   join organizations o on o.id = m.organization_id
   where m.organization_id = :organizationId and m.accepted_at is not null and m.role in (${MAY_APPROVE.join(', ')})
   order by m.accepted_at limit 50`,
})
const sampleColumns = { pending: integer, oldestSeconds: double }
const samplePending = statement({
  name: 'approvals.sample_pending',
  columns: sampleColumns,
  sql: `select count(*)::int as pending, coalesce(extract(epoch from app_now() - min(requested_at)), 0)::float8 as oldest_seconds
   from approvals where ended_at is null and status in ('pending', 'confirming') and expires_at > app_now()
     and organization_id not in (select id from unserved_organizations)`,
})

export type PendingSample = Values<typeof sampleColumns>
export type OfCall = Values<typeof ofCall>
export type OfMode = Values<typeof ofMode>
export type OfTool = Values<typeof ofTool>
export type NewApproval = Values<typeof created>
export type StoredDecision = Values<typeof decisionColumns>

export const approvalStore = {
  /** Returns null unless the call is approved and nobody else has taken the approval. */
  take: (db: Queryable, call: OfCall & { callId: string }) => one(db, take, call),
  lockUser: (tx: Transaction, organizationId: string, registeredUserId: string) =>
    one(tx, lockUser, { organizationId, registeredUserId }),
  /** Ends what has expired, and what is void. */
  endDueOfUser: (tx: Transaction, organizationId: string, registeredUserId: string) =>
    tx.query(endDueOfUser, { organizationId, registeredUserId }),
  /** Users with approvals that have expired or are void. */
  findDue: (db: Queryable, limit: number) => db.query(findDue, { limit }),
  findSame: (tx: Queryable, call: OfCall) => one(tx, findSame, call),
  count: async (
    tx: Queryable,
    of: { organizationId: string; registeredUserId: string; callerId: string },
  ) => {
    const counted = await one(tx, countOpen, of)
    if (!counted) throw new Error('a count returned no row')
    return counted
  },
  /** Pending; with a grant, the call has taken the approval already. */
  insert: async (
    tx: Transaction,
    approval: NewApproval,
    granted: { grantId: string; toolCallId: string } | null = null,
  ): Promise<StoredApproval> => {
    const stored = await one(tx, insert, {
      ...approval,
      grantId: granted?.grantId ?? null,
      toolCallId: granted?.toolCallId ?? null,
    })
    if (!stored) throw new Error('an insert returned no row')
    return stored
  },
  /** A task waits for the approval from now on. Null: one did before. */
  extend: (tx: Transaction, organizationId: string, id: string, taskHours: number) =>
    one(tx, extend, { organizationId, id, taskHours }),
  lockOpen: (tx: Transaction, of: OfMode & { digest: Buffer }) => one(tx, lockOpen, of),
  /** Returns null if the decision was the same before. `personId`: the member. Null: the user. */
  saveDecision: (
    tx: Transaction,
    of: OfMode,
    {
      byLink = false,
      ...decision
    }: { decider: Decider; decision: ApprovalDecision; personId: string | null; byLink?: boolean },
  ) => one(tx, saveDecision, { organizationId: of.organizationId, id: of.id, ...decision, byLink }),
  decide: (
    tx: Transaction,
    { organizationId, id }: OfMode,
    to: {
      status: Extract<ApprovalStatus, 'pending' | 'confirming' | 'approved' | 'denied'>
      reason: string | null
    },
  ) => one(tx, decide, { organizationId, id, ...to }),
  /** Whether the member has the email address of the user. */
  isOfUser: async (db: Queryable, { organizationId, id }: OfMode, personId: string): Promise<boolean> =>
    (await one(db, isOfUser, { organizationId, id, personId }))?.isUser ?? false,
  findDecisions: (db: Queryable, organizationId: string, ids: string[]) =>
    db.query(findDecisions, { organizationId, ids }),
  withdraw: (tx: Transaction, of: OfMode) => one(tx, withdraw, of),
  finish: (tx: Transaction, organizationId: string, id: string, end: (typeof executionEnds)[number]) =>
    one(tx, finish, { organizationId, id, status: end }),
  /** Unless it has ended. `isTaken`: by the call that ends it, and otherwise by none. */
  void: (
    tx: Transaction,
    of: { organizationId: string; id: string; reason: ApprovalVoidReason; isTaken: boolean },
  ) => one(tx, voidOne, of),
  /** The tools of connector files that open approvals are about, as they were defined when each call was made. */
  findOpenFileTools: (db: Queryable) => db.query(findOpenFileTools),
  /** `endDueOfUser` ends these approvals. */
  voidFileTool: (db: Queryable, tool: Values<typeof fileTool>) => db.query(voidFileTool, tool),
  findOpenOfTool: (db: Queryable, of: OfTool) => db.query(findOpenOfTool, of),
  findAbandoned: (db: Queryable, limit: number) => db.query(findAbandoned, { limit }),
  forgetCalls: (db: Queryable) => db.query(forgetCalls),
  deleteOld: (db: Queryable) => db.query(deleteOld),
  find: (db: Queryable, of: OfMode) => one(db, find, of),
  listWaitingFor: (db: Queryable, of: Values<typeof ofApprover>) => db.query(listWaitingFor, of),
  listDecidedBy: (db: Queryable, of: Values<typeof ofApprover>) => db.query(listDecidedBy, of),
  /** Pending calls about which no member was told yet, once. */
  takeUnnotified: (db: Queryable) => db.query(takeUnnotified),
  findMembersToNotify: (db: Queryable, organizationId: string) =>
    db.query(findMembersToNotify, { organizationId }),
  /** Of all organizations. */
  samplePending: async (db: Queryable): Promise<PendingSample> =>
    (await one(db, samplePending)) ?? { pending: 0, oldestSeconds: 0 },
  readStatus: (db: Queryable, organizationId: string, id: string) =>
    one(db, readStatus, { organizationId, id }),
  findSealed: (db: Queryable, of: OfMode) => one(db, findSealed, of),
  findPrevious: (db: Queryable, of: OfMode) => one(db, findPrevious, of),
  list: (
    db: Queryable,
    of: Pick<OfMode, 'organizationId' | 'mode'> & {
      after: string | null
      status: ApprovalStatus | null
      registeredUserId: string | null
      approver: string | null
      limit: number
    },
  ) => db.query(list, of),
}
