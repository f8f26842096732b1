import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { type Egress, type EgressAnswer, EgressError } from '../../platform/egress.ts'
import { authorizationHeaders, type CallSecret } from './authorization-headers.ts'

const CALL_TIMEOUT = 30 * SECOND
const MAX_RESULT_BYTES = 1024 * 1024

export type ToolArguments = Record<string, unknown>

/** What the third party said, told apart as far as the caller must act on it. */
export type UpstreamAnswer =
  | { kind: 'result'; value: unknown }
  | { kind: 'unauthorized' }
  | { kind: 'insufficient_scope' }
  | { kind: 'failed'; refusal: Refusal }

type HttpCall = { connector: ConnectorFile; tool: ConnectorTool; args: ToolArguments; secret: CallSecret }

export const callHttpTool = async (
  { egress }: { egress: Egress },
  call: HttpCall,
): Promise<UpstreamAnswer> => {
  const { url, body } = buildRequest(call.tool, call.args)
  try {
    const answer = await egress.request({
      url,
      method: call.tool.request.method,
      headers: {
        accept: 'application/json',
        ...(body !== null && { 'content-type': 'application/json' }),
        ...authorizationHeaders(call.connector, call.secret, url),
      },
      ...(body !== null && { body }),
      timeoutMs: CALL_TIMEOUT,
      maxBytes: MAX_RESULT_BYTES,
    })
    return readAnswer(call.connector.name, answer)
  } catch (error) {
    if (error instanceof EgressError) return { kind: 'failed', refusal: explain(call.connector.name, error) }
    throw error
  }
}

export const buildRequest = (
  { request }: ConnectorTool,
  args: ToolArguments,
): { url: string; body: string | null } => {
  const url = new URL(request.url)
  for (const name of request.query) {
    const value = args[name]
    if (value === undefined) continue
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  if (request.method === 'GET') return { url: url.href, body: null }
  const rest = Object.entries(args).filter(([name]) => !request.query.includes(name))
  return { url: url.href, body: JSON.stringify(Object.fromEntries(rest)) }
}

const readAnswer = (party: string, answer: EgressAnswer): UpstreamAnswer => {
  if (answer.status === 401) return { kind: 'unauthorized' }
  if (answer.status === 403 && /insufficient_scope/.test(answer.headers['www-authenticate'] ?? ''))
    return { kind: 'insufficient_scope' }
  if (answer.status >= 200 && answer.status < 300) return readResult(party, answer)
  const retry =
    answer.status === 429 || answer.status >= 500
      ? 'Trying again later may help.'
      : 'Trying again will not help.'
  return {
    kind: 'failed',
    refusal: new Refusal('third_party_error', {
      message: `${party} answered with status ${answer.status}. ${retry}`,
    }),
  }
}

const readResult = (party: string, answer: EgressAnswer): UpstreamAnswer => {
  if (answer.body.length === 0) return { kind: 'result', value: {} }
  try {
    return { kind: 'result', value: JSON.parse(answer.body.toString('utf8')) }
  } catch {
    return {
      kind: 'failed',
      refusal: new Refusal('third_party_error', {
        message: `${party} answered with something that is not JSON.`,
      }),
    }
  }
}

export const explain = (party: string, { failure }: EgressError): Refusal => {
  switch (failure) {
    case 'timeout':
      return new Refusal('third_party_timeout', {
        message: `${party} did not answer in time. Trying again later may help.`,
      })
    case 'too_large':
      return new Refusal('third_party_error', {
        message: `${party} answered with more than can be handed on. Ask for less.`,
      })
    case 'blocked':
    case 'unreachable':
      return new Refusal('third_party_unavailable', {
        message: `${party} cannot be reached. Trying again later may help.`,
      })
  }
}
