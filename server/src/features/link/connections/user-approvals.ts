import type { ApprovalDecision } from '@carabiner/contract'
import type { Sender } from '../../../core/audited-change.ts'
import type { Mode } from '../../../core/mode.ts'

type Owner = { organizationId: string; mode: Mode; registeredUserId: string }
type Action = { connectorSlug: string; tool: string; accountLabel: string | null }

/**
 * Approvals and remembered approvals of a user. A key can open this page, so it shows no argument, and nothing can be approved on it. The feature that owns
 * them is above this one, so the service passes them in.
 */
export type UserApprovals = {
  list(owner: Owner): Promise<{
    pending: (Action & { id: string; since: Date })[]
    decided: (Action & { decision: ApprovalDecision; at: Date })[]
    grants: (Action & { id: string; anyText: boolean; until: Date; left: number })[]
  }>
  deny(owner: Owner, id: string, by: { requestId: string; sender: Sender }): Promise<void>
  revoke(owner: Owner, id: string, by: { requestId: string; sender: Sender }): Promise<void>
}
