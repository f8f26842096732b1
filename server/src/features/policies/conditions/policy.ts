import type { ApproverType, CallerType, PolicyEffect, ToolEffect } from '@carabiner/contract'
import type { JsonObject } from '../../../core/json/object.ts'

/** The condition of a rule without one. */
export const ALWAYS = 'true'

/** A rule as stored. */
export type PolicyRule = {
  id: string
  name: string
  /** A CEL expression of type bool. */
  when: string
  /** The tools that the rule is for: a name (`gmail__send_email`), a prefix (`gmail__*`), or all (`*`). */
  tools: readonly string[]
  /** Null: its hook decides. */
  effect: PolicyEffect | null
  /** Who can approve a call that the rule asks about. */
  approvers: readonly ApproverType[]
  /** Whether a member approves with a passkey. Default: false. */
  stepUp?: boolean
  /** Whether a member with the email address of the user cannot approve. Default: false. */
  preventsSelfApproval?: boolean
  reason?: string
}

/**
 * What is known of a call. Facts that no rule reads can be omitted (see `Reads`). A rule that reads an omitted fact fails in
 * `decide`; in `decideForList`, the fact is unknown.
 */
export type CallFacts = {
  tool: ToolFacts
  pack: { id: string }
  mode: 'test' | 'production'
  account?: AccountFacts | null
  user?: { id: string; origin_user_id: string; metadata: JsonObject }
  client?: { id: string; type: CallerType }
  /** The arguments after redaction: a JSON value. */
  args?: JsonObject
  /** Milliseconds since 1970. */
  now?: number
  /** The number of calls before this one, by `countKey`. */
  counts?: ReadonlyMap<string, number>
}

export type ToolFacts = {
  name: string
  connector: string | null
  read_only: boolean
  destructive: boolean
  effects: readonly ToolEffect[]
}

/** `identity` is the account's name at its provider, such as an email address. Null in a call without an account. */
export type AccountFacts = {
  identity: string | null
  label: string | null
  shared: boolean
  organization: boolean
}

/** A count that a rule reads: calls of this tool, or with `effect` calls of all tools that have it. */
export type Count = { period: string; effect?: ToolEffect }

/** The key of a count in `CallFacts.counts`. */
export const countKey = ({ period, effect }: Count): string => (effect ? `${period} ${effect}` : period)

/** The facts that rules read and that cost something to load. */
export type Reads = { account: boolean; user: boolean; client: boolean; args: boolean; count: Count[] }

export type PolicyDecision = {
  effect: PolicyEffect
  /** The first rule with the effect; undefined if the default applies. */
  rule?: PolicyRule
  defaultEffect: PolicyEffect
  /** All matching rules, including failed ones that count as matching. */
  matched: PolicyRule[]
  /** Rules that could not be evaluated. */
  failed: PolicyRule[]
}

export type CompiledPolicy = {
  /** What any rule reads. */
  reads: Reads
  /** What the rules for one tool read. */
  readsFor: (tool: string) => Reads
  /** Without asking hooks. */
  decide: (facts: CallFacts) => PolicyDecision
  /** `hidden` only if every call of the tool would be denied, whatever the facts that are not given. */
  decideForList: (facts: CallFacts) => 'hidden' | 'visible'
}

/** A tool that a rule names, to check the arguments that the rule reads. */
export type NamedTool = { name: string; inputSchema: JsonObject }

/** `position` is in UTF-16 units. */
export type ConditionIssue = { message: string; position?: { offset: number; length: number } }
