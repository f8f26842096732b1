import type { ProviderResponse } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { isRefusal, Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { RAW_REQUEST } from '../../upstream/http/raw-request.ts'
import { addressTool } from '../admission/address-tool.ts'
import { toolName } from '../admission/tool-names.ts'
import { type CallDeps, callFromCode } from './call-from-code.ts'

/** Requests to providers by the code of an application, under the rules of a Tool Pack for raw requests. */
export const requestRoutes = (api: Api, deps: CallDeps): void => {
  serve(
    api,
    operations.sendRequest,
    async (request, reply) => {
      const { tool_pack_id, account, wait, ...args } = request.body
      const { id, slug } = request.params
      const call = {
        registeredUserId: id,
        toolPackId: tool_pack_id,
        name: toolName(slug, RAW_REQUEST),
        args,
        account,
        wait,
        byCode: true as const,
        refusal: hasRequests(deps.connectors, slug) ? undefined : noRequests(slug),
      }
      const { toolCallId, result, error, authenticateMeta, approvalMeta } = await callFromCode(
        deps,
        request,
        reply,
        call,
      ).catch(isRejected(slug))
      return {
        tool_call_id: toolCallId,
        ...(authenticateMeta && { authenticate_meta: authenticateMeta }),
        ...(approvalMeta && { approval_meta: approvalMeta }),
        ...(error && { error }),
        ...(!authenticateMeta &&
          !approvalMeta &&
          !error && { response: result.structuredContent as ProviderResponse }),
      }
    },
    { skipsWakeUp: true },
  )
}

/** A connector may have a tool of the same name, and MCP servers have no requests. */
const hasRequests = (connectors: Connectors, slug: string): boolean => {
  const addressed = addressTool(connectors, { slug, tool: RAW_REQUEST })
  return addressed.kind === 'http' && addressed.isRequest
}

/** The pack is the reason, and not the name of a tool that the caller does not know. */
const isRejected =
  (slug: string) =>
  (error: unknown): never => {
    throw isRefusal(error, 'tool_not_found') ? noRequests(slug) : error
  }

const noRequests = (slug: string): Refusal =>
  new Refusal('tool_not_found', {
    param: 'slug',
    message: `The Tool Pack allows no requests to the connector “${slug.slice(0, 64)}”. Allow them with "requests" in its entry of "connectors".`,
  })
