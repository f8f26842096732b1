import { operations } from '@carabiner/contract/operations'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import type { Principal } from '../../edge/principal.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import type { WakeUps } from '../../platform/jobs/wake-ups.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { passkeyRealm, passkeysOf } from '../members/passkeys/verify-passkey.ts'
import { approvalStore, type StoredApproval } from './approval-store.ts'
import { decideApproval, placeOf, requireApproval, withdrawApproval } from './decide-approval.ts'
import { canDecide, MEMBERS } from './deciders.ts'
import { approvalGrantStore } from './grant-store.ts'
import { readApprovalCall } from './read-call.ts'
import { receiptStore } from './receipts/receipt-store.ts'
import { showApproval, showApprovals, showGrant } from './show-approval.ts'

type Deps = { db: Database; vault: Vault; wakeUps: WakeUps; baseUrl: string }

export const approvalRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps
  const show = ({ organizationId }: Principal, approval: StoredApproval) =>
    showApproval(db, organizationId, approval)

  serve(api, operations.listApprovals, async ({ principal, query }) => {
    const { organizationId, mode } = principal
    const { limit, after } = parsePage(query)
    const { status = null, registered_user_id: userId = null, approver = null } = query
    if (userId !== null && !isUuid(userId)) return { data: [], next_cursor: null }
    const of = { organizationId, mode, after, status, registeredUserId: userId, approver }
    const page = toPage(await approvalStore.list(db, { ...of, limit: limit + 1 }), limit)
    return { ...page, data: await showApprovals(db, organizationId, page.data) }
  })

  serve(api, operations.getApproval, async ({ principal, params }) =>
    show(principal, await requireApproval(db, principal, params.id)),
  )

  serve(api, operations.getApprovalCall, async ({ principal, params }) => {
    const { rules } = await requireApproval(db, principal, params.id)
    if (!canDecide(rules, MEMBERS)) throw new Refusal('approver_mismatch')
    return readApprovalCall(deps, placeOf(principal, params.id), MEMBERS)
  })

  serve(api, operations.getApprovalPasskeys, async ({ principal, params }) => {
    const { digest } = await requireApproval(db, principal, params.id)
    return {
      challenge: digest.toString('base64url'),
      rp_id: passkeyRealm(deps.baseUrl).rpId,
      passkeys: await passkeysOf(db, principal.actor.id),
    }
  })

  serve(api, operations.decideApproval, async ({ principal, params, body }) =>
    show(principal, await decideApproval(deps, principal, params.id, body)),
  )

  serve(api, operations.getApprovalReceipt, async ({ principal, params }) => {
    await requireApproval(db, principal, params.id)
    const receipt = await receiptStore.find(db, placeOf(principal, params.id))
    if (!receipt) throw new Refusal('approval_receipt_not_found')
    return receipt
  })

  serve(api, operations.withdrawApproval, async ({ principal, params }) =>
    show(principal, await withdrawApproval(deps, principal, params.id)),
  )

  serve(api, operations.listApprovalGrants, async ({ principal, query }) => {
    const { organizationId, mode } = principal
    const { limit, after } = parsePage(query)
    const { registered_user_id: userId = null } = query
    if (userId !== null && !isUuid(userId)) return { data: [], next_cursor: null }
    const of = { organizationId, mode, after, registeredUserId: userId }
    const page = toPage(await approvalGrantStore.list(db, { ...of, limit: limit + 1 }), limit)
    return { ...page, data: page.data.map(showGrant) }
  })

  serve(
    api,
    operations.revokeApprovalGrant,
    async ({ principal: { organizationId, mode }, params: { id } }) => {
      const of = { organizationId, mode, id }
      if (!isUuid(id)) throw new Refusal('approval_grant_not_found')
      const isKnown =
        (await approvalGrantStore.revoke(db, of)) !== null || (await approvalGrantStore.exists(db, of))
      if (!isKnown) throw new Refusal('approval_grant_not_found')
    },
  )
}
