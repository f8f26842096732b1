import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { type Egress, type EgressAnswer, EgressError } from '../../platform/egress.ts'
import { authorizationHeaders, type CallSecret } from './authorization-headers.ts'
import { fillAddress, fillHeaders, fillText, fillValue, tenantValues } from './template.ts'

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
  const { url, headers, body } = buildRequest(call.tool, call.args, call.secret.tenant)
  try {
    const answer = await egress.request({
      url,
      method: call.tool.request.method,
      headers: { ...headers, ...authorizationHeaders(call.connector, call.secret, url) },
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

type BuiltRequest = { url: string; headers: Record<string, string>; body: string | null }

/** The arguments were checked against the tool's schema before: those in the path are there. */
export const buildRequest = (
  { request }: ConnectorTool,
  args: ToolArguments,
  tenant: Record<string, string>,
): BuiltRequest => {
  const values = { ...args, ...tenantValues(tenant) }
  const path = fillText(fillAddress(request.url, tenant), values, encodeURIComponent)
  if (path === null) throw new Refusal('invalid_arguments')
  const url = new URL(path)
  for (const [name, template] of Object.entries(request.query ?? {})) {
    for (const value of [fillValue(template, values)].flat()) {
      if (value !== undefined)
        url.searchParams.append(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  const headers = { accept: 'application/json', ...fillHeaders(request.headers, values) }
  if (request.body === undefined) return { url: url.href, headers, body: null }
  const filled = fillValue(request.body, values)
  return {
    url: url.href,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(filled),
  }
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

const explain = (party: string, { failure }: EgressError): Refusal => {
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
