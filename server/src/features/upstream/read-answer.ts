import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import type { EgressAnswer } from '../../platform/egress.ts'
import { type AnswerBody, readBody } from './answer-body.ts'
import { readText } from './json-pointer.ts'
import { findRefusal, shapeResult } from './shape-result.ts'
import {
  brokenAnswer,
  findMessage,
  outageOf,
  quote,
  saidRefusal,
  statusRefusal,
} from './third-party-error.ts'
import { type Failure, failed } from './upstream-answer.ts'

/** What the third party said, told apart as far as the caller must act on it. */
export type UpstreamAnswer =
  | { kind: 'result'; value: unknown }
  | { kind: 'unauthorized' }
  | { kind: 'insufficient_scope' }
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
  if (answer.status === 403 && /insufficient_scope/.test(answer.headers['www-authenticate'] ?? ''))
    return { kind: 'insufficient_scope' }
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
    case 'text':
      return { kind: 'result', value: { text: body.text } }
    case 'binary':
      return { kind: 'result', value: describeFile(connector.name, body) }
    case 'json': {
      const refused = findRefusal(tool.result ?? {}, body.value)
      if (refused) return readRefusal(connector, refused.error, asked)
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
  const known = knownRefusal(connector, told)
  if (known) return known
  const message = told ?? findMessage(body)
  const said = message === null ? null : quote(message, asked.secrets)
  return failed(statusRefusal(connector.name, answer, said), outageOf(answer.status))
}

const readRefusal = (connector: ConnectorFile, error: string | null, { secrets }: Asked): UpstreamAnswer =>
  knownRefusal(connector, error) ??
  failed(saidRefusal(connector.name, error === null ? null : quote(error, secrets)))

const knownRefusal = ({ errors }: ConnectorFile, error: string | null): UpstreamAnswer | null => {
  if (error === null) return null
  if (errors?.unauthorized?.includes(error)) return { kind: 'unauthorized' }
  return errors?.insufficient_scope?.includes(error) ? { kind: 'insufficient_scope' } : null
}
