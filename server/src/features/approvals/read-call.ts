import type { ApprovalCall } from '@carabiner/contract'
import { canonicalJson } from '../../core/json/canonical-json.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Queryable } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { approvalStore, type OfMode } from './approval-store.ts'
import type { AskingRule } from './deciders.ts'
import { openApproval, type SealedApproval } from './frozen-call.ts'

type Deps = { db: Queryable; vault: Vault }
type OpenedCall = SealedApproval & { digest: Buffer; rules: readonly AskingRule[] }

/** What a person sees before the decision. */
export const readApprovalCall = async (deps: Deps, of: OfMode): Promise<ApprovalCall> =>
  shownCall(await openCall(deps, of))

export const shownCall = ({ call, shown, nonce, digest }: OpenedCall): ApprovalCall => ({
  ...shown,
  approval_digest: digest.toString('hex'),
  arguments: call.arguments,
  request: call.request,
  frozen_call: canonicalJson(call),
  nonce: nonce.toString('hex'),
})

export const openCall = async ({ db, vault }: Deps, of: OfMode): Promise<OpenedCall> => {
  const found = await approvalStore.findSealed(db, of)
  if (!found) throw new Refusal('approval_not_found')
  if (!found.sealed) throw new Refusal('approval_call_deleted')
  const place = { organizationId: of.organizationId, registeredUserId: found.registeredUserId, id: of.id }
  const userKey = await vault.openUserKey(place.organizationId, place.registeredUserId, found.userKey)
  const opened = await openApproval(db, userKey, place, found.sealed)
  return { ...opened, digest: found.digest, rules: found.rules }
}
