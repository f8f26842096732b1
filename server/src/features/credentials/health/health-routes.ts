import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import { requireCredential } from '../read-credentials.ts'
import type { HealthReader } from '../risks/health-reader.ts'
import type { InvestigationDeps } from './investigate-refusal.ts'
import { listAtRisk } from './list-at-risk.ts'
import { testCredential } from './test-credential.ts'

export const credentialHealthRoutes = (
  api: Api,
  deps: InvestigationDeps & { health: HealthReader },
): void => {
  serve(api, operations.listCredentialsAtRisk, ({ principal }) => listAtRisk(deps, principal))
  serve(
    api,
    operations.testCredential,
    async ({ principal, params }) => {
      const { organizationId, mode } = principal
      const owner = { organizationId, mode, registeredUserId: params.id }
      const credential = await requireCredential(deps.db, owner, params.credential_id)
      return testCredential(deps, organizationId, credential)
    },
    { skipsWakeUp: true },
  )
}
