import type { ExplainRequest } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import { type ExplainDeps, explainCall } from './explain-call.ts'

import type { CallToExplain } from './read-subject.ts'

export const explainRoutes = (api: Api, deps: ExplainDeps): void => {
  serve(
    api,
    operations.explainCall,
    async request => {
      const { tool, tool_pack_id: toolPackId = null, arguments: args = null } = request.body
      const { organizationId, mode } = request.principal
      const user = readUser(request.body)
      const call = { organizationId, mode, user, toolPackId, tool, args, only: null }
      return explainCall(deps, { ...call, requestId: request.id })
    },
    { skipsWakeUp: true },
  )
}

const readUser = ({
  registered_user_id: registeredUserId,
  origin_user_id: originUserId,
}: ExplainRequest): CallToExplain['user'] => {
  if (registeredUserId !== undefined && originUserId === undefined) return { registeredUserId }
  if (originUserId !== undefined && registeredUserId === undefined) return { originUserId }
  throw new Refusal('invalid_request', {
    param: 'registered_user_id',
    message: 'Give either "registered_user_id" or "origin_user_id".',
  })
}
