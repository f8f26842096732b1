import type {
  ApprovalBinding,
  ApproverType,
  HookFallback,
  PolicyEffect,
  PolicyMaker,
} from '@carabiner/contract'
import { NIL_UUID } from '../../core/uuid.ts'
import { one, type Queryable, type Transaction } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { type Statement, statement } from '../../platform/database/statement.ts'

/** An organization, and the Tool Pack whose policy is meant; null: the policy of the organization. */
export type PolicyOwner = { organizationId: string; toolPackId: string | null }

const effectType = typed<PolicyEffect>(text)
const bindingType = typed<ApprovalBinding>(text)
const fallbackType = typed<HookFallback>(text)
const approvers = typed<ApproverType[]>(array(text))
const ruleColumns = {
  id: uuid,
  toolPackId: nullable(uuid),
  name: text,
  effect: nullable(effectType),
  hookUrl: nullable(text),
  hookOnError: nullable(fallbackType),
  tools: array(text),
  condition: nullable(text),
  approvers,
  stepUp: boolean,
  preventsSelfApproval: boolean,
  reason: nullable(text),
  madeBy: typed<PolicyMaker>(text),
  createdAt: timestamptz,
  updatedAt: timestamptz,
}
type RuleRow = Values<typeof ruleColumns>

/** An endpoint that decides about the calls that a rule matches. */
export type RuleHook = { url: string; onError: HookFallback }
/** What decides about the calls that a rule matches. */
export type RuleDecision = { effect: PolicyEffect; hook: null } | { effect: null; hook: RuleHook }
export type StoredRule = Omit<RuleRow, 'effect' | 'hookUrl' | 'hookOnError'> & RuleDecision

const toRule = ({ effect, hookUrl, hookOnError, ...rule }: RuleRow): StoredRule => ({
  ...rule,
  ...toDecision(effect, hookUrl, hookOnError),
})

const toDecision = (
  effect: PolicyEffect | null,
  url: string | null,
  onError: HookFallback | null,
): RuleDecision => {
  if (effect !== null && url === null) return { effect, hook: null }
  if (effect === null && url !== null && onError !== null) return { effect, hook: { url, onError } }
  throw new Error('a policy rule has either an effect or a hook')
}

export const decisionOf = ({ effect, hook }: RuleDecision): RuleDecision =>
  toDecision(effect, hook?.url ?? null, hook?.onError ?? null)

const COLUMNS =
  'id, pack as tool_pack_id, name, effect, hook_url, hook_on_error, tools, condition, approvers, step_up, prevent_self_approval as prevents_self_approval, reason, made_by, created_at, updated_at'

const ofPolicy = { organizationId: uuid, packId: uuid }
const OF_POLICY = 'organization_id = :organizationId and tool_pack_id = :packId'
const ofRule = { organizationId: uuid, id: uuid }
const OF_RULE = 'organization_id = :organizationId and id = :id'
/** What a person or a key can choose. */
const chosen = {
  name: text,
  effect: nullable(effectType),
  hookUrl: nullable(text),
  hookOnError: nullable(fallbackType),
  tools: array(text),
  condition: nullable(text),
  approvers,
  stepUp: boolean,
  preventsSelfApproval: boolean,
  reason: nullable(text),
  madeBy: text,
}
export type ChosenRule = Pick<
  StoredRule,
  'name' | 'tools' | 'condition' | 'approvers' | 'stepUp' | 'preventsSelfApproval' | 'reason' | 'madeBy'
> &
  RuleDecision
/** A new secret of the hook, sealed. Null: there is no hook, or it keeps its secret. */
type SealedHookSecret = Buffer | null

const chosenParameters = ({ hook, ...rule }: ChosenRule, sealedHookSecret: SealedHookSecret) => ({
  ...rule,
  hookUrl: hook?.url ?? null,
  hookOnError: hook?.onError ?? null,
  sealedHookSecret,
})

const selectPolicy = statement({
  name: 'policies.select',
  parameters: ofPolicy,
  columns: {
    defaultEffect: effectType,
    approvalBinding: bindingType,
    updatedAt: nullable(timestamptz),
    rules: bigint,
  },
  sql: `select coalesce(p.default_effect, 'allow') as default_effect, coalesce(p.approval_binding, 'identified') as approval_binding, p.updated_at,
     (select count(*) from policy_rules where ${OF_POLICY}) as rules
   from (values (1)) one (n) left join policies p on p.${OF_POLICY.replace(' and ', ' and p.')}`,
})
const setPolicy = statement({
  name: 'policies.set',
  parameters: { ...ofPolicy, defaultEffect: text, approvalBinding: text },
  sql: `insert into policies (organization_id, tool_pack_id, default_effect, approval_binding)
   values (:organizationId, :packId, :defaultEffect, :approvalBinding)
   on conflict (organization_id, tool_pack_id) do update
     set default_effect = excluded.default_effect, approval_binding = excluded.approval_binding, updated_at = app_now()`,
})
/** The hash and the rules are of one moment. */
const readPolicy = statement({
  name: 'policies.read',
  parameters: ofPolicy,
  columns: {
    hash: text,
    defaultEffect: effectType,
    rules:
      typed<
        (Pick<RuleRow, 'id' | 'name' | 'effect' | 'tools' | 'condition' | 'approvers' | 'reason'> & {
          step_up: boolean
          prevent_self_approval: boolean
          made_by: PolicyMaker
        })[]
      >(jsonb),
  },
  sql: `select policy_hash(:organizationId, :packId) as hash,
     coalesce((select default_effect from policies where ${OF_POLICY}), 'allow') as default_effect,
     coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'effect', effect, 'tools', tools, 'condition', condition,
       'approvers', approvers, 'step_up', step_up, 'prevent_self_approval', prevent_self_approval, 'reason', reason, 'made_by', made_by) order by id) from policy_rules where ${OF_POLICY}), '[]') as rules`,
})
const listRules = statement({
  name: 'policy_rules.list',
  parameters: { ...ofPolicy, after: nullable(uuid), limit: bigint },
  columns: ruleColumns,
  sql: `select ${COLUMNS} from policy_rules
   where ${OF_POLICY} and (:after::uuid is null or id > :after) order by id limit :limit`,
})
const findRule = statement({
  name: 'policy_rules.find',
  parameters: ofRule,
  columns: ruleColumns,
  sql: `select ${COLUMNS} from policy_rules where ${OF_RULE}`,
})
/** A change of the same rule waits until this transaction ends. */
const lockRule = statement({
  name: 'policy_rules.lock',
  parameters: ofRule,
  columns: ruleColumns,
  sql: `select ${COLUMNS} from policy_rules where ${OF_RULE} for update`,
})
/** Serializes the creation of rules, so that their number has a limit. */
const lockOrganization = statement({
  name: 'policy_rules.lock_organization',
  parameters: { organizationId: uuid },
  columns: { id: uuid },
  sql: 'select id from organizations where id = :organizationId for no key update',
})
const insertRule = statement({
  name: 'policy_rules.insert',
  parameters: { ...ofPolicy, id: uuid, ...chosen, sealedHookSecret: nullable(bytea) },
  columns: ruleColumns,
  sql: `insert into policy_rules (organization_id, tool_pack_id, id, name, effect, hook_url, hook_on_error,
     sealed_hook_secret, tools, condition, approvers, step_up, prevent_self_approval, reason, made_by)
   values (:organizationId, :packId, :id, :name, :effect, :hookUrl, :hookOnError, :sealedHookSecret, :tools, :condition, :approvers, :stepUp, :preventsSelfApproval, :reason, :madeBy)
   on conflict (organization_id, tool_pack_id, name) do nothing returning ${COLUMNS}`,
})
/** A hook keeps its secret, even if its URL changes. A new secret has no previous one. */
const updateRule = statement({
  name: 'policy_rules.update',
  parameters: { ...ofRule, ...chosen, sealedHookSecret: nullable(bytea) },
  columns: ruleColumns,
  sql: `update policy_rules set name = :name, effect = :effect, hook_url = :hookUrl, hook_on_error = :hookOnError,
     sealed_hook_secret = case when :hookUrl::text is not null then coalesce(:sealedHookSecret, sealed_hook_secret) end,
     sealed_previous_hook_secret = case when :hookUrl is not null and :sealedHookSecret is null then sealed_previous_hook_secret end,
     previous_hook_secret_until = case when :hookUrl is not null and :sealedHookSecret is null then previous_hook_secret_until end,
     tools = :tools, condition = :condition, approvers = :approvers, step_up = :stepUp,
     prevent_self_approval = :preventsSelfApproval,
     reason = :reason, made_by = :madeBy, updated_at = app_now()
   where ${OF_RULE} returning ${COLUMNS}`,
})
const findByName = statement({
  name: 'policy_rules.find_by_name',
  parameters: { ...ofPolicy, name: text },
  columns: { id: uuid },
  sql: `select id from policy_rules where ${OF_POLICY} and name = :name`,
})
const deleteRule = statement({
  name: 'policy_rules.delete',
  parameters: ofRule,
  columns: { id: uuid },
  sql: `delete from policy_rules where ${OF_RULE} returning id`,
})

const ruleOrNull = (row: RuleRow | null): StoredRule | null => row && toRule(row)

const parametersOf = ({ organizationId, toolPackId }: PolicyOwner) => ({
  organizationId,
  packId: toolPackId ?? NIL_UUID,
})

/** The row of a statement that always returns one. */
const only = async <Row>(
  db: Queryable,
  query: Statement<{ organizationId: string; packId: string }, Row>,
  owner: PolicyOwner,
): Promise<Row> => {
  const row = await one(db, query, parametersOf(owner))
  if (!row) throw new Error(`${query.name} returned no row`)
  return row
}

export const policyStore = {
  find: (db: Queryable, owner: PolicyOwner) => only(db, selectPolicy, owner),
  set: (
    db: Queryable,
    owner: PolicyOwner,
    policy: { defaultEffect: PolicyEffect; approvalBinding: ApprovalBinding },
  ) => db.query(setPolicy, { ...parametersOf(owner), ...policy }),
  /** Everything that decides. */
  read: (db: Queryable, owner: PolicyOwner) => only(db, readPolicy, owner),
}

export const policyRuleStore = {
  list: async (
    db: Queryable,
    owner: PolicyOwner,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<StoredRule[]> =>
    (await db.query(listRules, { ...parametersOf(owner), after, limit })).map(toRule),
  find: async (db: Queryable, organizationId: string, id: string): Promise<StoredRule | null> =>
    ruleOrNull(await one(db, findRule, { organizationId, id })),
  lock: async (tx: Transaction, organizationId: string, id: string): Promise<StoredRule | null> =>
    ruleOrNull(await one(tx, lockRule, { organizationId, id })),
  lockOrganization: (tx: Transaction, organizationId: string) =>
    one(tx, lockOrganization, { organizationId }),
  /** Returns null if the policy has a rule with this name. */
  insert: async (
    tx: Transaction,
    owner: PolicyOwner,
    id: string,
    rule: ChosenRule,
    sealedSecret: SealedHookSecret,
  ): Promise<StoredRule | null> =>
    ruleOrNull(
      await one(tx, insertRule, { ...parametersOf(owner), id, ...chosenParameters(rule, sealedSecret) }),
    ),
  update: async (
    tx: Transaction,
    organizationId: string,
    id: string,
    rule: ChosenRule,
    sealedSecret: SealedHookSecret,
  ): Promise<StoredRule | null> =>
    ruleOrNull(await one(tx, updateRule, { organizationId, id, ...chosenParameters(rule, sealedSecret) })),
  findByName: (db: Queryable, owner: PolicyOwner, name: string) =>
    one(db, findByName, { ...parametersOf(owner), name }),
  delete: (db: Queryable, organizationId: string, id: string) => one(db, deleteRule, { organizationId, id }),
}
