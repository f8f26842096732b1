import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { bearerChallenge } from '../../../core/auth-challenge.ts'
import type { EgressAnswer } from '../../../platform/egress/egress.ts'
import { type AnswerBody, readBody } from '../answer-body.ts'
import { readText } from '../json-pointer.ts'
import { type Failure, failed } from '../provider-answer.ts'
import {
  brokenAnswer,
  complexAnswer,
  findMessage,
  outageOf,
  quote,
  saidRefusal,
  statusRefusal,
} from '../provider-error.ts'
import { findRefusal, shapeResult } from './shape-result.ts'

/** What the third party said, told apart as far as the caller must act on it. */
export type UpstreamAnswer =
  | { kind: 'result'; value: unknown }
  | { kind: 'unauthorized' }
  /** `scopes`: those that the provider named; it may name none. */
  | { kind: 'insufficient_scope'; scopes: string[] }
  | Failure

/** What was asked: the address as it was sent, the cursor, and what must not be shown again. */
export type Asked = { url: string; cursor: unknown; secrets: string[] }

export const readAnswer = (
  connector: ConnectorFile,
  tool: ConnectorTool,
  answer: EgressAnswer,
  asked: Asked,
): UpstreamAnswer => {
  if (answer.status === 401) return { kind: 'unauthorized' }
  const challenge = bearerChallenge(answer.headers['www-authenticate'] ?? null)
  if (answer.status === 403 && challenge.get('error') === 'insufficient_scope')
    return { kind: 'insufficient_scope', scopes: splitScopes(challenge.get('scope')) }
  const body = readBody(answer)
  return answer.status >= 200 && answer.status < 300
    ? readSuccess(connector, tool, { answer, body }, asked)
    : readFailure(connector, tool, { answer, body }, asked)
}

type Read = { answer: EgressAnswer; body: AnswerBody }

const readSuccess = (
  connector: ConnectorFile,
  tool: ConnectorTool,
  { answer, body }: Read,
  asked: Asked,
): UpstreamAnswer => {
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
      if (refused) return readRefusal(connector, { error: refused.error, body: body.value }, asked)
      const page = { url: asked.url, cursor: asked.cursor, answer: body.value, headers: answer.headers }
      return { kind: 'result', value: shapeResult(tool, page) }
    }
  }
}

const describeFile = (party: string, { type, bytes }: Extract<AnswerBody, { kind: 'binary' }>) => ({
  note: `${party} answered with a file, which cannot be shown here.`,
  content_type: type,
  bytes,
})

const readFailure = (
  connector: ConnectorFile,
  { result }: ConnectorTool,
  { answer, body }: Read,
  asked: Asked,
): UpstreamAnswer => {
  const told = result?.error !== undefined && body.kind === 'json' ? readText(body.value, result.error) : null
  const known = knownRefusal(connector, { error: told, body: body.kind === 'json' ? body.value : null })
  if (known) return known
  const message = told ?? findMessage(body)
  const said = message === null ? null : quote(message, asked.secrets)
  return failed(statusRefusal(connector.name, answer, said), outageOf(answer.status))
}

type ProviderRefusal = { error: string | null; body: unknown }

const readRefusal = (
  connector: ConnectorFile,
  refused: ProviderRefusal,
  { secrets }: Asked,
): UpstreamAnswer => {
  // A GraphQL mutation reports invalid input in its payload, and a request that was rejected as a whole at the top.
  const message = refused.error ?? findMessage({ kind: 'json', value: refused.body })
  return (
    knownRefusal(connector, refused) ??
    failed(saidRefusal(connector.name, message === null ? null : quote(message, secrets)))
  )
}

const knownRefusal = ({ errors }: ConnectorFile, { error, body }: ProviderRefusal): UpstreamAnswer | null => {
  if (error === null) return null
  if (errors?.unauthorized?.includes(error)) return { kind: 'unauthorized' }
  if (!errors?.insufficient_scope?.includes(error)) return null
  const named = errors.missing_scopes === undefined ? null : readText(body, errors.missing_scopes)
  return { kind: 'insufficient_scope', scopes: splitScopes(named) }
}

/** RFC 6749 separates scopes by spaces; some providers use commas. */
const splitScopes = (scopes: string | null | undefined): string[] =>
  (scopes ?? '').split(/[ ,]+/).filter(Boolean)
