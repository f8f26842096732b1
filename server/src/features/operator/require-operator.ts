import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import { requireOwnOrigin } from '../../edge/principal.ts'
import type { Database } from '../../platform/database/database.ts'
import { SERVICE_CHAIN } from '../events/audit-chain.ts'
import type { SignedInPerson } from '../members/person-session-store.ts'
import { requirePerson } from '../members/require-person.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `params.id` is an organization, and the change is in its audit trail. Default: in that of the service. */
    ofOrganization?: boolean
  }
}

export type SigningDeps = { db: Database; baseUrl: string; authSecret: string }

/** The person behind a request of the dashboard. API keys are not accepted. */
export const requirePersonHere = (deps: SigningDeps, request: FastifyRequest): Promise<SignedInPerson> => {
  requireOwnOrigin(request, deps.baseUrl)
  return requirePerson(deps, request)
}

/** Sets the principal by which the change is recorded. Attempts of others are recorded in the audit trail of the service. */
export const operatorHook = (deps: SigningDeps) => async (request: FastifyRequest) => {
  const { id, name, isOperator, isRecent } = await requirePersonHere(deps, request)
  request.principal = {
    organizationId: SERVICE_CHAIN,
    mode: 'production',
    actor: { type: 'person', id, hint: name },
    role: null,
  }
  if (!isOperator) throw new Refusal('operator_required')
  const { recentSignIn, ofOrganization } = request.routeOptions.config
  if (recentSignIn && !isRecent) throw new Refusal('recent_sign_in_required')
  if (!ofOrganization) return
  const organizationId = (request.params as { id: string }).id.toLowerCase()
  if (!isUuid(organizationId)) throw new Refusal('organization_not_found')
  request.principal = { ...request.principal, organizationId }
}
