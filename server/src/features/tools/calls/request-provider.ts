import type { ConnectorTool } from '@carabiner/contract'
import { callHttpTool } from '../../upstream/http/http-tool.ts'
import {
  buildRawRequest,
  RAW_REQUEST,
  rawRequestAddress,
  rawRequestMethod,
} from '../../upstream/http/raw-request.ts'
import type { ToolArguments } from '../../upstream/http/tool-request.ts'
import type { ProviderResponse } from '../../upstream/provider-response.ts'
import { fillAddress } from '../../upstream/templates/template.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { userSecretOf } from '../steps/call/access.ts'
import type { Provider } from './provider.ts'

type RawRequest = Extract<CallableTool, { kind: 'request' }>

/** A raw request to the API of a connector, with the user's own credential. Its response is returned unchanged, to code also with its status. */
export const requestProvider = ({ connector, rules, byCode }: RawRequest, args: ToolArguments): Provider => {
  const method = rawRequestMethod(rules, args)
  const tool: ConnectorTool = {
    name: RAW_REQUEST,
    title: '',
    description: '',
    input_schema: {},
    scopes: [],
    request: { method, url: rawRequestAddress(connector) ?? '' },
    read_only: method === 'GET',
  }
  return {
    name: connector.name,
    connectorSlug: connector.slug,
    repeatable: method === 'GET',
    honorsIdempotencyKey: false,
    originFor: access => new URL(fillAddress(tool.request.url, userSecretOf(access).tenant)).origin,
    call: async ({ egress }, { access, options }): Promise<ProviderResponse> => {
      const secret = userSecretOf(access)
      const request = buildRawRequest(connector, rules, args, secret.tenant)
      const call = { connector, tool, args: {}, secret, request, ...(byCode && { byCode }) }
      const answer = await callHttpTool({ egress }, call, options)
      return answer.kind === 'result' ? { kind: 'value', value: answer.value } : answer
    },
  }
}
