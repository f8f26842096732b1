import { ExplainRequest, Explanation } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { type ExplainDeps, explainCall } from './explain-call.ts'

import type { CallToExplain } from './read-subject.ts'

export const explainRoutes = (api: Api, deps: ExplainDeps): void => {
  api.post(
    '/explain',
    {
      config: {
        skipsWakeUp: true,
        permission: 'read',
        idempotency: false,
        errors: ['check_capacity_exceeded'],
        audit: false,
      },
      schema: {
        summary: 'Explain whether a tool call would run',
        description:
          'Takes the decisions of a tool call for a Registered User, a tool and a Tool Pack, without making the call. Names the first decision that fails, and its fix. Changes nothing: no record, no count, no provider call. An unknown user, pack or tool is a failed step and not an error.',
        tags: ['Explain'],
        body: ExplainRequest,
        response: { 200: Explanation },
      },
    },
    async request => {
      const { tool, tool_pack_id: toolPackId = null, arguments: args = null } = request.body
      const { organizationId, mode } = request.principal
      const user = readUser(request.body)
      const call = { organizationId, mode, user, toolPackId, tool, args, only: null }
      return explainCall(deps, { ...call, requestId: request.id })
    },
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
