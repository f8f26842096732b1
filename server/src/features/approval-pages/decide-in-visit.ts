import type { ApprovalDecision } from '@carabiner/contract'
import type { AuditTrail, Sender } from '../../core/audited-change.ts'
import { hashToken, issueToken } from '../../core/token.ts'
import type { Database } from '../../platform/database/database.ts'
import type { WakeUps } from '../../platform/jobs/wake-ups.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { awaitConfirmation, decideAs } from '../approvals/decide-approval.ts'
import type { Remember } from '../approvals/grants.ts'
import { readShownCall } from './call-model.ts'
import { type ShownApproval, type Visit, visitStore } from './visit-store.ts'

type Deps = { db: Database; vault: Vault; wakeUps: WakeUps; audit: AuditTrail }
type Given = {
  decision: ApprovalDecision
  digest: Buffer
  reason: string | null
  remember: Remember | null
  requestId: string
  sender: Sender
}

/** `code`: with which the application confirms that the person is its signed-in user. */
export type DecidedInVisit = { status: 'approved' | 'denied'; code: string | null }

/** Null: the approval was decided or has ended meanwhile, or the person has not opened every argument. */
export const decideInVisit = async (
  deps: Deps,
  { approval, visit }: { approval: ShownApproval; visit: Visit },
  { decision, digest, reason, remember: chosen, ...request }: Given,
): Promise<DecidedInVisit | null> => {
  const of = { organizationId: approval.organizationId, mode: approval.mode, id: approval.approvalId }
  if (decision === 'approve' && !(await readShownCall(deps, of, visit)).isComplete) return null
  // Anyone with the link decides about one call.
  const remember = visit.byLink ? null : chosen
  if (decision === 'approve' && visit.returnUrl !== null) {
    const code = await awaitConfirmationBy(deps, of, visit, { digest, remember })
    return code === null ? null : { status: 'approved', code }
  }
  const { registeredUserId, byLink } = visit
  const change = {
    organizationId: of.organizationId,
    action: 'approval.decided',
    target: { type: 'approval', id: of.id },
    registeredUserId,
    actor: { type: 'user' as const, id: registeredUserId, hint: null },
    changes: [
      { field: 'decision', to: decision },
      ...(remember ? [{ field: 'remember', to: remember.period }] : []),
      ...(byLink ? [{ field: 'by_link', to: true }] : []),
    ],
    ...request,
  }
  const intent = await deps.audit.begin(change)
  const decided = await decideAs(deps, of, {
    decider: registeredUserId,
    personId: null,
    decision,
    digest,
    // Only a denial has a reason, which the model reads.
    reason: decision === 'deny' ? reason : null,
    remember: decision === 'approve' ? remember : null,
    byLink,
  })
  await (decided ? deps.audit.end(change, 'done', intent) : deps.audit.drop(change, intent))
  return decided && { status: decision === 'approve' ? 'approved' : 'denied', code: null }
}

const awaitConfirmationBy = (
  { db }: Deps,
  of: { organizationId: string; mode: ShownApproval['mode']; id: string },
  { id, registeredUserId }: Visit,
  { digest, remember }: Pick<Given, 'digest' | 'remember'>,
): Promise<string | null> =>
  db.transaction(async tx => {
    const code = issueToken('approvalCode', of.organizationId)
    const isWaiting =
      (await awaitConfirmation(tx, of, { decider: registeredUserId, digest })) &&
      (await visitStore.saveCode(
        tx,
        { organizationId: of.organizationId, id },
        { codeHash: hashToken(code), remember },
      ))
    return isWaiting ? code : null
  })
