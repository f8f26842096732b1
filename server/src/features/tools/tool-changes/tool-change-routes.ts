import { pendingToolsBounds } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import { checkPendingTools, type ImpactDeps } from './pending-impact.ts'

export const toolChangeRoutes = (api: Api, deps: ImpactDeps): void => {
  serve(api, operations.getPendingToolsImpact, async request =>
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
