import { callHttpTool } from '../../upstream/http/http-tool.ts'
import type { ProviderResponse } from '../../upstream/provider-response.ts'
import { fillAddress } from '../../upstream/templates/template.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { userSecretOf } from '../steps/call/access.ts'
import type { Provider } from './provider.ts'

type HttpTool = Extract<CallableTool, { kind: 'http' }>

/** A tool that a connector file describes as an HTTP request. It is always called with the user's own credential. */
export const httpProvider = ({ connector, tool }: Pick<HttpTool, 'connector' | 'tool'>): Provider => ({
  name: connector.name,
  connectorSlug: connector.slug,
  repeatable: tool.read_only || tool.idempotent === true,
  honorsIdempotencyKey: tool.idempotency_header !== undefined,
  originFor: access => new URL(fillAddress(tool.request.url, userSecretOf(access).tenant)).origin,
  call: async ({ egress }, { access, args, options }): Promise<ProviderResponse> => {
    const answer = await callHttpTool(
      { egress },
      { connector, tool, args, secret: userSecretOf(access) },
      options,
    )
    return answer.kind === 'result' ? { kind: 'value', value: answer.value } : answer
  },
})
