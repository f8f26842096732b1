import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { bearerChallenge } from '../../../core/auth-challenge.ts'
import type { EgressResponse } from '../../../platform/egress/egress.ts'
import {
  brokenAnswer,
  complexAnswer,
  findMessage,
  outageOf,
  quote,
  rejectionRefusal,
  statusRefusal,
} from '../provider-error.ts'
import { type Failure, failed, type Unauthorized } from '../provider-response.ts'
import { readText } from '../read-by-pointer.ts'
import { type AnswerBody, readBody } from '../response-body.ts'
import { findRefusal, shapeResult } from './shape-result.ts'
import { statesRevocation } from './states-revocation.ts'

/** The provider's response, classified as far as the caller must act on it. */
export type UpstreamResponse =
  | { kind: 'result'; value: unknown }
  | Unauthorized
  /** The provider states that the credential was revoked. */
  | { kind: 'revoked' }
  /** `scopes`: the scopes that the provider named, possibly none. */
  | { kind: 'insufficient_scope'; scopes: string[] }
  | Failure

/** The request that is being answered: its URL as sent, its cursor, and the secrets to redact from error messages. */
export type RequestContext = { url: string; cursor: unknown; secrets: string[] }

export const readResponse = (
  connector: ConnectorFile,
  tool: ConnectorTool,
  answer: EgressResponse,
  context: RequestContext,
): UpstreamResponse => {
  if (answer.status === 401) return readUnauthorized(connector, tool, readBody(answer))
  const challenge = bearerChallenge(answer.headers['www-authenticate'] ?? null)
  if (answer.status === 403 && challenge.get('error') === 'insufficient_scope')
    return { kind: 'insufficient_scope', scopes: splitScopes(challenge.get('scope')) }
  const body = readBody(answer)
  return answer.status >= 200 && answer.status < 300
    ? readSuccess(connector, tool, { answer, body }, context)
    : readFailure(connector, tool, { answer, body }, context)
}

const readUnauthorized = (
  { errors }: ConnectorFile,
  { result }: ConnectorTool,
  body: AnswerBody,
): UpstreamResponse => {
  const codes = [errors?.code, result?.error].map(pointer =>
    pointer === undefined || body.kind !== 'json' ? null : readText(body.value, pointer),
  )
  return { kind: codes.some(code => statesRevocation(errors, code)) ? 'revoked' : 'unauthorized' }
}

type ReadResponse = { answer: EgressResponse; body: AnswerBody }

const readSuccess = (
  connector: ConnectorFile,
  tool: ConnectorTool,
  { answer, body }: ReadResponse,
  context: RequestContext,
): UpstreamResponse => {
  switch (body.kind) {
    case 'empty':
      return { kind: 'result', value: {} }
    case 'broken':
      return failed(brokenAnswer(connector.name))
    case 'too_complex':
      return failed(complexAnswer(connector.name))
    case 'text':
      return { kind: 'result', value: { text: body.text } }
    case 'binary':
      return { kind: 'result', value: describeFile(connector.name, body) }
    case 'json': {
      const refused = findRefusal(tool.result ?? {}, body.value)
      if (refused) return readRefusal(connector, { error: refused.error, body: body.value }, context)
      const page = { url: context.url, cursor: context.cursor, answer: body.value, headers: answer.headers }
      return { kind: 'result', value: shapeResult(tool, page) }
    }
  }
}

const describeFile = (provider: string, { type, bytes }: Extract<AnswerBody, { kind: 'binary' }>) => ({
  note: `${provider} returned a file, which cannot be shown.`,
  content_type: type,
  bytes,
})

const readFailure = (
  connector: ConnectorFile,
  { result }: ConnectorTool,
  { answer, body }: ReadResponse,
  context: RequestContext,
): UpstreamResponse => {
  const providerError =
    result?.error !== undefined && body.kind === 'json' ? readText(body.value, result.error) : null
  const known = knownRefusal(connector, {
    error: providerError,
    body: body.kind === 'json' ? body.value : null,
  })
  if (known) return known
  const message = providerError ?? findMessage(body)
  const quoted = message === null ? null : quote(message, context.secrets)
  return failed(statusRefusal(connector.name, answer, quoted), outageOf(answer.status))
}

type ProviderRefusal = { error: string | null; body: unknown }

const readRefusal = (
  connector: ConnectorFile,
  refused: ProviderRefusal,
  { secrets }: RequestContext,
): UpstreamResponse => {
  // A GraphQL mutation reports invalid input in its payload, and a rejected request at the top level.
  const message = refused.error ?? findMessage({ kind: 'json', value: refused.body })
  return (
    knownRefusal(connector, refused) ??
    failed(rejectionRefusal(connector.name, message === null ? null : quote(message, secrets)))
  )
}

const knownRefusal = (
  { errors }: ConnectorFile,
  { error, body }: ProviderRefusal,
): UpstreamResponse | null => {
  if (error === null) return null
  if (statesRevocation(errors, error)) return { kind: 'revoked' }
  if (errors?.unauthorized?.includes(error)) return { kind: 'unauthorized' }
  if (!errors?.insufficient_scope?.includes(error)) return null
  const named = errors.missing_scopes === undefined ? null : readText(body, errors.missing_scopes)
  return { kind: 'insufficient_scope', scopes: splitScopes(named) }
}

/** RFC 6749 separates scopes by spaces; some providers use commas. */
const splitScopes = (scopes: string | null | undefined): string[] =>
  (scopes ?? '').split(/[ ,]+/).filter(Boolean)
