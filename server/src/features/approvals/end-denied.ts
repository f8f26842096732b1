import { canonicalJson } from '../../core/json/canonical-json.ts'
import type { JsonObject } from '../../core/json/object.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { approvalStore, type OfTool } from './approval-store.ts'
import { voidApproval } from './end-approvals.ts'
import { openApproval } from './frozen-call.ts'

type DeniedCall = OfTool & {
  arguments: JsonObject
  /** The user's own key, wrapped. */
  userKey: Buffer
  /** Read only if the user has open approvals of the tool. */
  readCallerId: () => Promise<string | null>
}

/** A policy denies the call now: what people have approved, or could still approve, must not run if the policy is loosened later. */
export const endDenied = async (
  { db, vault }: { db: Database; vault: Vault },
  { arguments: args, userKey: wrapped, readCallerId, ...of }: DeniedCall,
): Promise<void> => {
  const open = await approvalStore.findOpenOfTool(db, of)
  if (open.length === 0) return
  const callerId = await readCallerId()
  const { organizationId, registeredUserId } = of
  const userKey = await vault.openUserKey(organizationId, registeredUserId, wrapped)
  const denied = canonicalJson(args)
  for (const { id, sealed } of open.filter(each => each.callerId === callerId)) {
    const { call } = await openApproval(db, userKey, { organizationId, registeredUserId, id }, sealed)
    if (canonicalJson(call.arguments) === denied)
      await db.transaction(tx => voidApproval(tx, { organizationId, id, reason: 'policy_changed' }))
  }
}
