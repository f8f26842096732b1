import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import { type CallDeps, type CodeResult, callFromCode } from './call-from-code.ts'

/** Calls by the code of an application, which need no MCP client. */
export const callRoutes = (api: Api, deps: CallDeps): void => {
  serve(
    api,
    operations.callTool,
    async (request, reply) => {
      const { registered_user_id, tool_pack_id, name, arguments: args = {}, account, wait } = request.body
      const call = {
        registeredUserId: registered_user_id,
        toolPackId: tool_pack_id,
        name,
        args,
        account,
        wait,
      }
      return showResult(await callFromCode(deps, request, reply, call))
    },
    { skipsWakeUp: true },
  )
}

const showResult = ({ toolCallId, result, error, authenticateMeta, approvalMeta }: CodeResult) => ({
  tool_call_id: toolCallId,
  is_error: result.isError,
  content: result.content,
  ...(result.structuredContent && { structured_content: result.structuredContent }),
  ...(authenticateMeta && { authenticate_meta: authenticateMeta }),
  ...(approvalMeta && { approval_meta: approvalMeta }),
  ...(error && { error }),
})
