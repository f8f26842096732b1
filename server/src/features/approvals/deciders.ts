import { type ApproverType, DEFAULT_APPROVERS } from '@carabiner/contract'

/** `members`, or the ID of the Registered User who decides. */
export type Decider = string
export const MEMBERS: Decider = 'members'

/**
 * A rule that asks about a call. `stepUp`: a member approves with a passkey. `preventsSelfApproval`: not the member who has the email address
 * of the user.
 */
export type AskingRule = {
  name: string
  reason: string | null
  approvers: Decider[]
  stepUp?: boolean
  preventsSelfApproval?: boolean
}

/** The users whom `user` and `account_owner` mean for a call. `owner`: null if the account belongs to no user. */
export type UsersOfCall = { user: string; owner: string | null }

export const decidersOf = (approvers: readonly ApproverType[], { user, owner }: UsersOfCall): Decider[] => [
  ...new Set(
    approvers.map(approver => {
      switch (approver) {
        case 'user':
          return user
        case 'account_owner':
          return owner ?? MEMBERS
        case 'members':
          return MEMBERS
      }
    }),
  ),
]

type Binding = Pick<AskingRule, 'approvers' | 'stepUp' | 'preventsSelfApproval'>
/** Someone who has approved. `isUser`: a member with the email address of the user. */
type Approved = { decider: Decider; withPasskey: boolean; isUser?: boolean }

/** Whether those who have approved satisfy every rule that asks. Without a rule, the default of a policy asks. */
export const isSatisfied = (rules: readonly Binding[], approved: readonly Approved[]): boolean =>
  bindingsOf(rules).every(({ approvers, stepUp = false, preventsSelfApproval = false }) =>
    approved.some(
      ({ decider, withPasskey, isUser = false }) =>
        approvers.includes(decider) && (withPasskey || !stepUp) && !(isUser && preventsSelfApproval),
    ),
  )

/** Whether whoever satisfies these rules also satisfies the others. */
export const implies = (rules: readonly Binding[], others: readonly Binding[]): boolean =>
  bindingsOf(others).every(other =>
    bindingsOf(rules).some(
      ({ approvers, stepUp, preventsSelfApproval }) =>
        approvers.every(approver => other.approvers.includes(approver)) &&
        (stepUp || !other.stepUp) &&
        (preventsSelfApproval || !other.preventsSelfApproval),
    ),
  )

export const canDecide = (rules: readonly Binding[], decider: Decider): boolean =>
  approversOf(rules).some(approvers => approvers.includes(decider))

/** Whether a user, and not only members, can decide. */
export const asksUser = (rules: readonly Binding[]): boolean =>
  approversOf(rules).some(approvers => approvers.some(approver => approver !== MEMBERS))

/** Whether the user cannot approve as a member. */
export const preventsSelfApproval = (rules: readonly Binding[]): boolean =>
  rules.some(rule => rule.preventsSelfApproval)

/** Whether a member who approves needs a passkey. */
export const needsPasskey = (rules: readonly Binding[]): boolean => rules.some(({ stepUp }) => stepUp)

const approversOf = (rules: readonly Binding[]): readonly (readonly Decider[])[] =>
  bindingsOf(rules).map(({ approvers }) => approvers)

const bindingsOf = (rules: readonly Binding[]): readonly Binding[] =>
  rules.length === 0 ? [{ approvers: [...DEFAULT_APPROVERS] }] : rules
