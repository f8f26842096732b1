import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { requireOwnOrigin } from '../../edge/principal.ts'
import type { Database } from '../../platform/database/database.ts'
import { acceptInvitation, declineInvitation, findInvitation } from './manage-invitations.ts'
import { requirePerson } from './require-person.ts'

type Deps = { db: Database; baseUrl: string; authSecret: string }

const InvitationPath = Type.Object({ id: Type.String() })

/** Only an invited person gets further, so that nobody else writes to the organization's audit trail. */
const invitedHook = (deps: Deps) => async (request: FastifyRequest) => {
  requireOwnOrigin(request, deps.baseUrl)
  const person = await requirePerson(deps, request)
  const id = (request.params as { id: string }).id.toLowerCase()
  if (!isUuid(id)) throw new Refusal('invitation_not_found')
  await findInvitation(deps.db, person.id, id)
  request.principal = {
    organizationId: id,
    mode: 'production',
    actor: { type: 'person', id: person.id, hint: person.name },
    role: null,
  }
}

/** `/dashboard/invitations/{organization}/…`: a signed-in person accepts or declines. */
export const invitationRoutes = (api: Api, deps: Deps): void => {
  api.addHook('onRequest', invitedHook(deps))
  const answer = (path: string, action: string, run: typeof acceptInvitation) =>
    api.post(
      path,
      { config: { audit: { action } }, schema: { params: InvitationPath, response: { 204: Type.Null() } } },
      async ({ principal: { organizationId, actor } }, reply) => {
        await run(deps.db, actor.id, organizationId)
        return reply.code(204).send(null)
      },
    )
  answer('/:id/accept', 'member.joined', acceptInvitation)
  answer('/:id/decline', 'member.declined', declineInvitation)
}
