import { LinkToken, LinkTokenRequest, OrganizationAccounts } from '@carabiner/contract'
import type { Api } from '../../../edge/api.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { listCredentials } from '../../credentials/read-credentials.ts'
import { ensureOrganizationUser, findOrganizationUser } from '../../registered-users/organization-user.ts'
import { LINK_TOKEN_TTL_MS } from './link-session.ts'
import { type MintLinkToken, parseLinkTokenRequest } from './mint-link-token.ts'
import { mintErrors } from './routes.ts'

const tags = ['Credentials']

type Deps = { db: Database; vault: Vault; mintLinkToken: MintLinkToken }

/** Accounts that an administrator links once for the organization, and shares with users or Tool Packs. */
export const organizationAccountRoutes = (api: Api, { db, vault, mintLinkToken }: Deps): void => {
  api.get(
    '/organization-accounts',
    {
      config: { errors: [] },
      schema: {
        summary: 'List the accounts of the organization',
        description:
          'They belong to a Registered User that lists do not show. Its ID is used in the requests for credentials, for example to share one.',
        tags,
        response: { 200: OrganizationAccounts },
      },
    },
    async request => {
      const { organizationId, mode } = request.principal
      const registeredUserId = await findOrganizationUser(db, { organizationId, mode })
      const owner = registeredUserId && { organizationId, mode, registeredUserId }
      return {
        registered_user_id: registeredUserId,
        data: owner ? await listCredentials(db, owner) : [],
      }
    },
  )

  api.post(
    '/organization-accounts/link-token',
    {
      config: {
        skipsWakeUp: true,
        idempotency: LINK_TOKEN_TTL_MS,
        audit: { action: 'organization_account.link_created' },
        errors: [...mintErrors],
      },
      schema: {
        summary: 'Mint a link token for an account of the organization',
        description:
          'An administrator opens the link and signs in. No user may use the account before it is shared.',
        tags,
        body: LinkTokenRequest,
        response: { 201: LinkToken },
      },
    },
    async (request, reply) => {
      const target = parseLinkTokenRequest(request.body)
      const { organizationId, mode } = request.principal
      const userId = await ensureOrganizationUser({ db, vault }, { organizationId, mode })
      return reply.code(201).send(await mintLinkToken(request.principal, userId, target))
    },
  )
}
