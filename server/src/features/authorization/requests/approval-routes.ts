import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { grantStore } from '../grants/grant-store.ts'
import { approveSignIn } from './approve-sign-in.ts'

type Deps = { db: Database; signer: Signer; baseUrl: string }

/** Sign-in in the application, without an identity provider. */
export const signInApprovalRoutes = (api: Api, deps: Deps): void => {
  serve(
    api,
    operations.approveSignInRequest,
    async ({ principal: { organizationId, mode }, params: { id }, body: { registered_user_id: userId } }) => {
      if (
        !isUuid(userId) ||
        !(await grantStore.findUser(deps.db, { organizationId, mode, registeredUserId: userId }))
      )
        throw new Refusal('registered_user_not_found', { param: 'registered_user_id' })
      const approval = { organizationId, mode, id, registeredUserId: userId }
      const url = isUuid(id) ? await approveSignIn(deps, approval) : null
      if (url === null) throw new Refusal('sign_in_request_not_found')
      return { url }
    },
  )
}
