import { ManagedOrganization, OrganizationDeletion } from '@carabiner/contract'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { AuditTrail } from '../../core/audited-change.ts'
import { isRefusal, Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { senderOf } from '../../edge/audit.ts'
import { type AuthenticateSession, principalMay } from '../../edge/principal.ts'
import { SERVICE_CHAIN } from '../events/audit-chain.ts'
import { recordChange } from '../events/audit-trail.ts'
import { requestDeletion } from '../organizations/manage-organization.ts'
import { createDataExporter } from './export-data-file.ts'
import { toManaged } from './managed-organization.ts'
import { requirePersonHere, type SigningDeps } from './require-operator.ts'

const OrganizationPath = Type.Object({ id: Type.String() })

type Deps = SigningDeps & { authenticateSession: AuthenticateSession; audit: AuditTrail }

/** Admits administrators of the organization, and operators of the installation. */
const administratorHook = (deps: Deps) => async (request: FastifyRequest) => {
  const person = await requirePersonHere(deps, request)
  const organizationId = (request.params as { id: string }).id.toLowerCase()
  if (!isUuid(organizationId)) throw new Refusal('not_a_member')
  const role = person.isOperator ? 'admin' : (await deps.authenticateSession(request, organizationId)).role
  request.principal = {
    organizationId,
    mode: 'production',
    actor: { type: 'person', id: person.id, hint: person.name },
    role,
  }
  if (!principalMay(request.principal, 'manage')) throw new Refusal('permission_denied')
  const { recentSignIn, ofOrganization } = request.routeOptions.config
  if (recentSignIn && !person.isRecent) throw new Refusal('recent_sign_in_required')
  if (!ofOrganization) request.principal = { ...request.principal, organizationId: SERVICE_CHAIN }
}

/** How an organization leaves the installation: as a copy of its data without credentials, or for good. */
export const leavingRoutes = (api: Api, deps: Deps): void => {
  api.addHook('onRequest', administratorHook(deps))
  const exportFile = createDataExporter(deps.db)

  api.delete(
    '/:id',
    {
      config: {
        // The trail of a deleted organization is deleted with it, so the service records the request.
        ofOrganization: false,
        recentSignIn: true,
        audit: {
          action: 'organization.deletion_requested',
          target: 'params.id',
          values: ['name', 'state'],
        },
      },
      schema: {
        params: OrganizationPath,
        body: OrganizationDeletion,
        response: { 202: ManagedOrganization },
      },
    },
    async ({ params, body: { name, revoke } }, reply) => {
      const deleted = await requestDeletion(deps.db, params.id, { name, revokes: revoke })
      return reply.code(202).send(toManaged(deleted))
    },
  )
  api.post(
    '/:id/export',
    {
      config: {
        recentSignIn: true,
        ofOrganization: true,
        audit: { action: 'organization.exported', target: 'params.id' },
      },
      schema: { params: OrganizationPath },
    },
    async (request, reply) => {
      const { organizationId, actor } = request.principal
      // Also recorded by the service, because the trail of the organization may be deleted after the export.
      const disclosure = {
        organizationId: SERVICE_CHAIN,
        action: 'organization.exported',
        target: { type: 'organization', id: organizationId },
        registeredUserId: null,
        actor,
        sender: senderOf(request),
        requestId: request.id,
        changes: [],
      }
      const { size, stream } = await recordChange(deps.audit, disclosure, {
        run: () => exportFile(organizationId),
        isRefusal,
      })
      return reply
        .headers({
          'content-type': 'application/gzip',
          'content-length': String(size),
          'content-disposition': 'attachment; filename="organization.jsonl.gz"',
          'cache-control': 'no-store',
        })
        .send(stream)
    },
  )
}
