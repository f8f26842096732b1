import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { newUuid } from '../../../core/uuid.ts'
import { type Egress, EgressError } from '../../../platform/egress/egress.ts'
import { nextTurnIfLarge } from '../../../platform/isolation/next-turn.ts'
import {
  authorizeRequest,
  type CredentialSecret,
  secretTexts,
} from '../authorization-kinds/authorization-kinds.ts'
import { CALL_TIMEOUT_MS, MAX_RESULT_BYTES } from '../call-limits.ts'
import { explainEgress } from '../provider-error.ts'
import type { CallOptions } from '../provider-response.ts'
import { followDownload } from './follow-download.ts'
import { readResponse, type UpstreamResponse } from './read-response.ts'
import { buildRequest, type ToolArguments, type ToolRequest } from './tool-request.ts'
import { withWholeResponse } from './whole-response.ts'

export type { UpstreamResponse } from './read-response.ts'
export type { ToolArguments } from './tool-request.ts'

type HttpCall = {
  connector: ConnectorFile
  tool: ConnectorTool
  args: ToolArguments
  secret: CredentialSecret
  /** Default: the request that the tool describes. */
  request?: ToolRequest
  /** Code has made the request, and gets the response whatever its status. */
  byCode?: boolean
}

/** Calls a tool of a connector file with one request, and returns the part of the response that the file selects. */
export const callHttpTool = async (
  { egress }: { egress: Egress },
  { connector, tool, args, secret, request, byCode = false }: HttpCall,
  {
    timeoutMs = CALL_TIMEOUT_MS,
    signal,
    idempotencyKey = null,
    traceparent = null,
  }: Partial<CallOptions> = {},
): Promise<UpstreamResponse> => {
  const built = request ?? buildRequest(connector, tool, args, secret.tenant)
  const deadline = performance.now() + timeoutMs
  try {
    const { body, ...authorized } = authorizeRequest(connector, secret, {
      ...built,
      headers: {
        ...(traceparent !== null && { traceparent }),
        // Some providers require the header. A new key means a new request.
        ...(tool.idempotency_header && { [tool.idempotency_header]: idempotencyKey ?? newUuid() }),
        ...built.headers,
      },
    })
    const answer = await egress.request({
      ...authorized,
      ...(body !== null && { body }),
      ...(signal && { signal }),
      timeoutMs,
      maxBytes: MAX_RESULT_BYTES,
    })
    const { url } = authorized
    const secrets = secretTexts(connector, secret)
    const shown = await followDownload(
      { egress },
      tool,
      { url, answer },
      { deadline, ...(signal && { signal }) },
    )
    await nextTurnIfLarge(shown.body.length)
    const read = readResponse(connector, tool, shown, { url, cursor: args.cursor, secrets })
    return byCode ? withWholeResponse(read, shown) : read
  } catch (error) {
    if (error instanceof EgressError && error.failure === 'certificate_refused')
      return { kind: 'unauthorized', refusesCertificate: true }
    if (error instanceof EgressError) return explainEgress(connector.name, error)
    throw error
  }
}
