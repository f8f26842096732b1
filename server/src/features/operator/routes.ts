import { InstallationHealth } from '@carabiner/contract'
import type { AuditTrail } from '../../core/audited-change.ts'
import type { Api } from '../../edge/api.ts'
import { auditChanges } from '../../edge/audit.ts'
import type { AuthenticateSession } from '../../edge/principal.ts'
import type { Cells } from '../../platform/cells.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { leavingRoutes } from './leaving-routes.ts'
import { installedOrganizationRoutes } from './organization-routes.ts'
import { installedPeopleRoutes } from './people-routes.ts'
import type { ReadHealth } from './read-health.ts'
import { operatorHook, type SigningDeps } from './require-operator.ts'

type Deps = SigningDeps & {
  vault: Vault
  cells: Cells | null
  audit: AuditTrail
  authenticateSession: AuthenticateSession
  readHealth: ReadHealth
}

/** `/dashboard/installation/…`, for operators. */
export const installationRoutes = (api: Api, deps: Deps): void => {
  api.addHook('onRequest', operatorHook(deps))
  auditChanges(api, deps.audit)
  installedOrganizationRoutes(api, deps)
  installedPeopleRoutes(api, deps)
  api.get('/health', { schema: { response: { 200: InstallationHealth } } }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return deps.readHealth()
  })
}

/** `/dashboard/organizations/…`, for administrators of an organization and for operators. */
export const ownOrganizationRoutes = (api: Api, deps: Deps): void => {
  auditChanges(api, deps.audit)
  leavingRoutes(api, deps)
}
