import type { ApprovalCall } from '@carabiner/contract'
import { canonicalJson } from '../../core/json/canonical-json.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Queryable } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { approvalStore, type OfMode } from './approval-store.ts'
import { type AskingRule, canDecide, type Decider } from './deciders.ts'
import { digestOfCall, openApproval, type SealedApproval } from './frozen-call.ts'

type Deps = { db: Queryable; vault: Vault }
export type OpenedCall = SealedApproval & { digest: Buffer; rules: readonly AskingRule[] }

/** What a person sees before the decision. */
export const readApprovalCall = async (deps: Deps, of: OfMode, decider: Decider): Promise<ApprovalCall> => {
  const opened = await openCall(deps, of)
  return { ...shownCall(opened), previous: await readPreviousCall(deps, of, opened, decider) }
}

export const shownCall = ({ call, shown, nonce, digest }: OpenedCall): Omit<ApprovalCall, 'previous'> => ({
  ...shown,
  approval_digest: digest.toString('hex'),
  arguments: call.arguments,
  request: call.request,
  frozen_call: canonicalJson(call),
  nonce: nonce.toString('hex'),
})

/** What was approved and carried out before. Whoever could not decide about that call does not see it. */
export const readPreviousCall = async (
  deps: Deps,
  of: OfMode,
  { call }: OpenedCall,
  decider: Decider,
): Promise<ApprovalCall['previous']> => {
  const found = await approvalStore.findPrevious(deps.db, of)
  if (!found || !canDecide(found.rules, decider)) return null
  const place = { organizationId: of.organizationId, registeredUserId: found.registeredUserId, id: found.id }
  const userKey = await deps.vault.openUserKey(place.organizationId, place.registeredUserId, found.userKey)
  const { call: previous } = await openApproval(deps.db, userKey, place, found.sealed)
  return {
    approval_id: found.id,
    carried_out_at: found.endedAt.toISOString(),
    is_same: digestOfCall(previous).equals(digestOfCall(call)),
    arguments: previous.arguments,
  }
}

export const openCall = async ({ db, vault }: Deps, of: OfMode): Promise<OpenedCall> => {
  const found = await approvalStore.findSealed(db, of)
  if (!found) throw new Refusal('approval_not_found')
  if (!found.sealed) throw new Refusal('approval_call_deleted')
  const place = { organizationId: of.organizationId, registeredUserId: found.registeredUserId, id: of.id }
  const userKey = await vault.openUserKey(place.organizationId, place.registeredUserId, found.userKey)
  const opened = await openApproval(db, userKey, place, found.sealed)
  return { ...opened, digest: found.digest, rules: found.rules }
}
