import type { ApprovalConfirm, ApprovalLink, ApprovalLinkCreate } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { hashToken, issueToken, parseToken } from '../../core/token.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Principal } from '../../edge/principal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { WakeUps } from '../../platform/jobs/wake-ups.ts'
import type { Signer, Vault } from '../../platform/vault/vault.ts'
import { APPROVE_PATH, approvalHandle } from '../approvals/approval-address.ts'
import { recordDecision, requireApproval, wakeAfterDecision } from '../approvals/decide-approval.ts'
import { canDecide } from '../approvals/deciders.ts'
import { OPEN_STATUSES, readApprovalStatus } from '../approvals/end-approvals.ts'
import { parseCallbackUrl } from '../link/sessions/callback-url.ts'
import { visitStore } from './visit-store.ts'

type Deps = { db: Database; vault: Vault; signer: Signer; wakeUps: WakeUps; baseUrl: string }

/** The application knows its signed-in user, and sends this user's browser to the page. */
export const createApprovalLink = async (
  { db, signer, baseUrl }: Deps,
  principal: Principal,
  id: string,
  { registered_user_id: userId, return_url: returnUrl }: ApprovalLinkCreate,
): Promise<ApprovalLink> => {
  const keyId = requireKey(principal)
  const { organizationId } = principal
  const callback = parseReturnUrl(returnUrl)
  const approval = await requireApproval(db, principal, id)
  if (!isUuid(userId) || !canDecide(approval.rules, userId))
    throw new Refusal('approver_mismatch', { param: 'registered_user_id' })
  const status = await readApprovalStatus(db, organizationId, id)
  if (!status || !OPEN_STATUSES.includes(status)) throw new Refusal('approval_ended')
  const token = issueToken('approvalLink', organizationId)
  const link = await visitStore.insertLink(db, {
    organizationId,
    id: newUuid(),
    approvalId: id,
    registeredUserId: userId,
    tokenHash: hashToken(token),
    keyId,
    returnUrl: callback.href,
    returnOrigin: callback.origin,
  })
  if (!link) throw new Refusal('unauthorized_origin', { param: 'return_url' })
  const handle = approvalHandle(signer, { organizationId, id })
  return {
    url: `${baseUrl}${APPROVE_PATH}/${handle}/open/${token}`,
    expires_at: link.expiresAt.toISOString(),
  }
}

/** The person in the returning browser is the one who has decided. The code is good for one confirmation. */
export const confirmApproval = async (
  { db, vault, wakeUps }: Deps,
  principal: Principal,
  { code, registered_user_id: userId }: ApprovalConfirm,
): Promise<string> => {
  const keyId = requireKey(principal)
  const { organizationId, mode } = principal
  const token = parseToken('approvalCode', code)
  if (!token) throw new Refusal('invalid_approval_code', { param: 'code' })
  const confirmed = await db.transaction(async tx => {
    const taken = await visitStore.takeCode(tx, { organizationId, mode, codeHash: hashToken(token), keyId })
    if (!taken || taken.registeredUserId !== userId) return null
    const of = { organizationId, mode, id: taken.approvalId }
    const decision = { decider: userId, personId: null, decision: 'approve', reason: null } as const
    const remember = taken.remember && { period: taken.remember, freesTexts: taken.rememberTexts }
    const approval = await recordDecision(tx, vault, of, { ...decision, digest: taken.digest, remember })
    return { id: taken.approvalId, approval }
  })
  if (!confirmed) throw new Refusal('invalid_approval_code', { param: 'code' })
  if (!confirmed.approval) throw new Refusal('approval_ended')
  wakeAfterDecision(wakeUps, confirmed.approval)
  return confirmed.id
}

/** A member is not an application: only a key vouches for the user of its session. */
const requireKey = ({ actor }: Principal): string => {
  if (actor.type === 'api_key') return actor.id
  throw new Refusal('permission_denied', {
    message: 'Only the backend of the application can do this, with an API key of the group `approvals`.',
  })
}

const parseReturnUrl = (text: string) => {
  try {
    return parseCallbackUrl(text)
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(error.code, { param: 'return_url' })
    throw error
  }
}
