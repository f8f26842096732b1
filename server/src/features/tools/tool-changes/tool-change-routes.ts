import { PendingToolsImpact, PendingToolsQuery, pendingToolsBounds } from '@carabiner/contract'
import { Type } from 'typebox'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { checkPendingTools, type ImpactDeps } from './pending-impact.ts'

export const toolChangeRoutes = (api: Api, deps: ImpactDeps): void => {
  api.get(
    '/connectors/:slug/tools/pending/impact',
    {
      config: { productionKeyOnly: true, errors: ['connector_not_found', 'no_pending_tools'] },
      schema: {
        summary: 'Check recorded calls against changed tools',
        description:
          'Checks the arguments of recent calls, of both modes, against the tool definitions that wait for review, and counts the calls that they would reject. Needs stored arguments (`capture` of the organization). Returns names of inputs and no values.',
        tags: ['Custom connectors'],
        params: Type.Object({ slug: Type.String({ maxLength: 64 }) }),
        querystring: PendingToolsQuery,
        response: { 200: PendingToolsImpact },
      },
    },
    async request =>
      checkPendingTools(
        deps,
        request.principal.organizationId,
        request.params.slug,
        readDays(request.query.days),
      ),
  )
}

const readDays = (text: string | undefined): number => {
  const { minimum, maximum, default: byDefault } = pendingToolsBounds.days
  const days = text === undefined ? byDefault : Number(text)
  if (days >= minimum && days <= maximum) return days
  throw new Refusal('invalid_request', {
    param: 'days',
    message: `"days" must be a number from ${minimum} to ${maximum}.`,
  })
}
