import type { Approval, ApprovalGrant } from '@carabiner/contract'
import type { Queryable } from '../../platform/database/database.ts'
import { approvalStore, type StoredApproval, type StoredDecision } from './approval-store.ts'
import { type Decider, MEMBERS } from './deciders.ts'
import type { StoredGrant } from './grant-store.ts'

export const showApproval = async (
  db: Queryable,
  organizationId: string,
  approval: StoredApproval,
): Promise<Approval> => (await showApprovals(db, organizationId, [approval]))[0] as Approval

export const showApprovals = async (
  db: Queryable,
  organizationId: string,
  approvals: readonly StoredApproval[],
): Promise<Approval[]> => {
  const ids = approvals.map(({ id }) => id)
  const decisions = ids.length === 0 ? [] : await approvalStore.findDecisions(db, organizationId, ids)
  return approvals.map(approval =>
    show(
      approval,
      decisions.filter(({ approvalId }) => approvalId === approval.id),
    ),
  )
}

const show = (approval: StoredApproval, decisions: readonly StoredDecision[]): Approval => ({
  id: approval.id,
  status: approval.status,
  registered_user_id: approval.registeredUserId,
  tool_pack_id: approval.toolPackId,
  connector_slug: approval.connectorSlug,
  tool: approval.tool,
  credential_id: approval.credentialId,
  account_label: approval.accountLabel,
  requested_by: { type: approval.callerType, id: approval.callerId },
  rules: approval.rules.map(({ name, reason, approvers, stepUp = false, preventsSelfApproval = false }) => ({
    name,
    reason,
    approvers: approvers.map(showDecider),
    step_up: stepUp,
    prevent_self_approval: preventsSelfApproval,
  })),
  approval_digest: approval.digest.toString('hex'),
  requested_at: approval.requestedAt.toISOString(),
  expires_at: approval.expiresAt.toISOString(),
  decisions: decisions.map(({ decision, decider, withPasskey, byLink, decidedAt }) => ({
    decision,
    by: showDecider(decider),
    with_passkey: withPasskey,
    by_link: byLink,
    decided_at: decidedAt.toISOString(),
  })),
  decided_at: approval.decidedAt?.toISOString() ?? null,
  decision_reason: approval.decisionReason,
  ended_at: approval.endedAt?.toISOString() ?? null,
  void_reason: approval.voidReason,
  tool_call_id: approval.toolCallId,
  grant_id: approval.grantId,
})

const showDecider = (decider: Decider): Approval['decisions'][number]['by'] =>
  decider === MEMBERS
    ? { type: 'members', registered_user_id: null }
    : { type: 'user', registered_user_id: decider }

export const showGrant = (grant: StoredGrant): ApprovalGrant => ({
  id: grant.id,
  registered_user_id: grant.registeredUserId,
  approved_by: grant.approverId,
  approval_id: grant.approvalId,
  tool_pack_id: grant.toolPackId,
  connector_slug: grant.connectorSlug,
  tool: grant.tool,
  account_label: grant.accountLabel,
  requested_by: { type: grant.callerType, id: grant.callerId },
  any_text: grant.freesTexts,
  uses: grant.uses,
  max_uses: grant.maxUses,
  created_at: grant.createdAt.toISOString(),
  last_used_at: grant.lastUsedAt?.toISOString() ?? null,
  expires_at: grant.expiresAt.toISOString(),
})
