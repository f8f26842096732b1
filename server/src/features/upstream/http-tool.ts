import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import { type Egress, EgressError } from '../../platform/egress.ts'
import { authorizationHeaders, type CallSecret, secretTexts } from './authorization-headers.ts'
import { readAnswer, type UpstreamAnswer } from './read-answer.ts'
import { explainEgress } from './third-party-error.ts'
import { buildRequest, type ToolArguments } from './tool-request.ts'

export type { UpstreamAnswer } from './read-answer.ts'
export type { ToolArguments } from './tool-request.ts'

const CALL_TIMEOUT = 30 * SECOND
const MAX_RESULT_BYTES = 1024 * 1024

type HttpCall = { connector: ConnectorFile; tool: ConnectorTool; args: ToolArguments; secret: CallSecret }

/** A tool that a connector's file describes: one request, never a redirect, and the part of the answer that the file names. */
export const callHttpTool = async (
  { egress }: { egress: Egress },
  { connector, tool, args, secret }: HttpCall,
): Promise<UpstreamAnswer> => {
  const { method, url, headers, body } = buildRequest(tool, args, secret.tenant)
  try {
    const answer = await egress.request({
      method,
      url,
      headers: { ...headers, ...authorizationHeaders(connector, secret, url) },
      ...(body !== null && { body }),
      timeoutMs: CALL_TIMEOUT,
      maxBytes: MAX_RESULT_BYTES,
    })
    const secrets = secretTexts(connector, secret)
    return readAnswer(connector, tool, answer, { url, cursor: args.cursor, secrets })
  } catch (error) {
    if (error instanceof EgressError) return { kind: 'failed', refusal: explainEgress(connector.name, error) }
    throw error
  }
}
