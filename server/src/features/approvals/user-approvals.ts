import type { AuditTrail, Sender } from '../../core/audited-change.ts'
import type { Mode } from '../../core/mode.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import type { WakeUps } from '../../platform/jobs/wake-ups.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { approvalStore, type OfMode } from './approval-store.ts'
import { decideAs } from './decide-approval.ts'
import { canDecide } from './deciders.ts'
import { approvalGrantStore } from './grant-store.ts'

type Deps = { db: Database; vault: Vault; wakeUps: WakeUps; audit: AuditTrail }

const MAX_DECIDED = 8
/** More than what may wait for one user. */
const MAX_SHOWN = 50

type Owner = { organizationId: string; mode: Mode; registeredUserId: string }
type By = { requestId: string; sender: Sender }

/** What the My connections page shows about approvals, and what it can change. */
export const createUserApprovals = (deps: Deps) => {
  const { db } = deps
  const audited = async (
    change: Parameters<AuditTrail['begin']>[0],
    run: () => Promise<unknown>,
  ): Promise<void> => {
    const intent = await deps.audit.begin(change)
    await ((await run()) ? deps.audit.end(change, 'done', intent) : deps.audit.drop(change, intent))
  }
  return {
    list: async (owner: Owner) => {
      const { organizationId, mode, registeredUserId } = owner
      const approver = { organizationId, mode, approverId: registeredUserId }
      const [pending, decided, grants] = await Promise.all([
        approvalStore.listWaitingFor(db, { ...approver, limit: MAX_SHOWN }),
        approvalStore.listDecidedBy(db, { ...approver, limit: MAX_DECIDED }),
        approvalGrantStore.list(db, { ...owner, after: null, limit: MAX_SHOWN }),
      ])
      return {
        pending,
        decided,
        grants: grants.map(({ freesTexts: anyText, expiresAt: until, maxUses, uses, ...grant }) => ({
          ...grant,
          anyText,
          until,
          left: maxUses - uses,
        })),
      }
    },
    deny: async (owner: Owner, id: string, by: By): Promise<void> => {
      const { organizationId, mode, registeredUserId } = owner
      const of: OfMode = { organizationId, mode, id }
      const approval = isUuid(id) ? await approvalStore.find(db, of) : null
      if (!approval || !canDecide(approval.rules, registeredUserId)) return
      const change = {
        ...changeOf(owner, 'approval.decided', { type: 'approval', id }, by),
        changes: [{ field: 'decision', to: 'deny' }],
      }
      const decision = {
        decider: registeredUserId,
        personId: null,
        decision: 'deny',
        reason: null,
        remember: null,
      } as const
      await audited(change, () => decideAs(deps, of, { ...decision, digest: approval.digest }))
    },
    revoke: async (owner: Owner, id: string, by: By): Promise<void> => {
      const { organizationId, mode, registeredUserId } = owner
      if (!isUuid(id)) return
      const change = changeOf(owner, 'approval_grant.revoked', { type: 'approval_grant', id }, by)
      await audited(change, () =>
        approvalGrantStore.revoke(db, { organizationId, mode, id }, registeredUserId),
      )
    },
  }
}

const changeOf = (
  { organizationId, registeredUserId }: Owner,
  action: string,
  target: { type: string; id: string },
  by: By,
) => ({
  organizationId,
  action,
  target,
  registeredUserId,
  actor: { type: 'user' as const, id: registeredUserId, hint: null },
  changes: [],
  ...by,
})
