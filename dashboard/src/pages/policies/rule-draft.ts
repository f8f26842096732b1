import type { ApproverType, HookFallback, PolicyEffect } from '@carabiner/contract'
import { DEFAULT_APPROVERS } from '@carabiner/contract/approval-bounds'
import type { PolicyRule, PolicyRuleCreate } from '@carabiner/sdk'
import { expressionOfPart, type Part, readParts } from './conditions/condition-parts.ts'

/** What a rule does: an effect, or what its hook decides. */
export type RuleKind = PolicyEffect | 'hook'

export type RuleDraft = {
  name: string
  effect: RuleKind
  hookUrl: string
  onError: HookFallback
  tools: string[]
  /** Empty: every call of the tools. */
  when: string
  /** What the builder shows: those of `when`, and incomplete ones. Null: the expression has other forms. */
  parts: Part[] | null
  approvers: ApproverType[]
  /** Whether a member approves with a passkey. */
  step_up: boolean
  /** Whether a member with the email address of the user cannot approve. */
  prevent_self_approval: boolean
  reason: string
}

export const NEW_DRAFT: RuleDraft = {
  name: '',
  effect: 'deny',
  hookUrl: '',
  onError: 'deny',
  tools: [],
  when: '',
  parts: [],
  approvers: [...DEFAULT_APPROVERS],
  step_up: false,
  prevent_self_approval: false,
  reason: '',
}

export const draftOf = ({
  name,
  effect,
  hook,
  tools,
  when,
  approvers,
  step_up,
  prevent_self_approval,
  reason,
}: PolicyRule): RuleDraft => ({
  name,
  effect: effect ?? 'hook',
  hookUrl: hook?.url ?? '',
  onError: hook?.on_error ?? 'deny',
  tools,
  when: when ?? '',
  parts: readParts(when ?? ''),
  approvers,
  step_up,
  prevent_self_approval,
  reason: reason ?? '',
})

type Fields = Omit<PolicyRuleCreate, 'tool_pack_id'>

export const bodyOf = ({
  name,
  tools,
  when,
  approvers,
  step_up,
  prevent_self_approval,
  reason,
  ...decision
}: RuleDraft): Fields => ({
  name: name.trim(),
  ...decisionOf(decision),
  tools,
  when: when.trim() || null,
  reason: reason.trim() || null,
  approvers,
  step_up,
  prevent_self_approval,
})

const decisionOf = ({
  effect,
  hookUrl,
  onError,
}: Pick<RuleDraft, 'effect' | 'hookUrl' | 'onError'>): Pick<Fields, 'effect' | 'hook'> =>
  effect === 'hook' ? { hook: { url: hookUrl.trim(), on_error: onError } } : { effect }

/** A change sends only what differs, because some changes need no recent sign-in. */
export const patchOf = (changes: Partial<RuleDraft>, values: RuleDraft): Partial<Fields> => {
  const body = bodyOf(values)
  const decides =
    'effect' in changes || (values.effect === 'hook' && ('hookUrl' in changes || 'onError' in changes))
  const isChanged = (field: string): boolean =>
    field === 'effect' || field === 'hook' ? decides : field in changes
  return Object.fromEntries(Object.entries(body).filter(([field]) => isChanged(field)))
}

/** Without the approvers if they are the default, which a rule that was just created has anyway. */
export const createBodyOf = (values: RuleDraft): Fields => {
  const { approvers, step_up, prevent_self_approval, ...body } = bodyOf(values)
  if (!mayAsk(values)) return body
  const isDefault = approvers?.join() === DEFAULT_APPROVERS.join()
  return {
    ...body,
    ...(!isDefault && { approvers }),
    ...(step_up && { step_up }),
    ...(prevent_self_approval && { prevent_self_approval }),
  }
}

/** Whether people may have to approve a call that the rule matches. */
export const mayAsk = ({ effect }: Pick<RuleDraft, 'effect'>): boolean =>
  effect === 'ask' || effect === 'hook'

export const hasIncompletePart = (parts: readonly Part[] | null): boolean =>
  parts?.some(part => expressionOfPart(part) === null) ?? false

/** What is missing before the rule can be tested. */
export const missingOf = (draft: RuleDraft): string | null => {
  if (draft.tools.length === 0) return 'Choose the tools that the rule is for.'
  if (draft.effect === 'hook' && draft.hookUrl.trim() === '') return 'Enter the URL of the hook.'
  return hasIncompletePart(draft.parts) ? 'Complete the condition.' : null
}

export const isComplete = (draft: RuleDraft): boolean =>
  missingOf(draft) === null && draft.name.trim() !== '' && (!mayAsk(draft) || draft.approvers.length > 0)

/** The expression and its parts are one field. */
export const countChanges = (changes: Partial<RuleDraft>): number =>
  new Set(Object.keys(changes).map(field => (field === 'parts' ? 'when' : field))).size
