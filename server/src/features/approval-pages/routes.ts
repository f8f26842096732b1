import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import type { WakeUps } from '../../platform/jobs/wake-ups.ts'
import type { Signer, Vault } from '../../platform/vault/vault.ts'
import { requireApproval } from '../approvals/decide-approval.ts'
import { showApproval } from '../approvals/show-approval.ts'
import { confirmApproval, createApprovalLink } from './approval-link.ts'

type Deps = { db: Database; vault: Vault; signer: Signer; wakeUps: WakeUps; baseUrl: string }

export const approvalLinkRoutes = (api: Api, deps: Deps): void => {
  serve(api, operations.createApprovalLink, ({ principal, params, body }) =>
    createApprovalLink(deps, principal, params.id, body),
  )

  serve(api, operations.confirmApproval, async ({ principal, body }) => {
    const approval = await requireApproval(deps.db, principal, await confirmApproval(deps, principal, body))
    return showApproval(deps.db, principal.organizationId, approval)
  })
}
