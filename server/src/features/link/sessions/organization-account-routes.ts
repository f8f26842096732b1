import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { listCredentials, type ReadDeps } from '../../credentials/read-credentials.ts'
import { ensureOrganizationUser, findOrganizationUser } from '../../registered-users/organization-user.ts'
import { type MintLinkToken, parseLinkTokenRequest } from './mint-link-token.ts'

type Deps = ReadDeps & { vault: Vault; mintLinkToken: MintLinkToken }

/** Accounts that an administrator links once for the organization, and shares with users or Tool Packs. */
export const organizationAccountRoutes = (api: Api, deps: Deps): void => {
  const { db, vault, mintLinkToken } = deps
  serve(api, operations.listOrganizationAccounts, async request => {
    const { organizationId, mode } = request.principal
    const registeredUserId = await findOrganizationUser(db, { organizationId, mode })
    const owner = registeredUserId && { organizationId, mode, registeredUserId }
    return {
      registered_user_id: registeredUserId,
      data: owner ? await listCredentials(deps, owner) : [],
    }
  })

  serve(
    api,
    operations.createOrganizationLinkToken,
    async request => {
      const target = parseLinkTokenRequest(request.body)
      const { organizationId, mode } = request.principal
      const userId = await ensureOrganizationUser({ db, vault }, { organizationId, mode })
      return await mintLinkToken(request.principal, userId, target)
    },
    { skipsWakeUp: true },
  )
}
