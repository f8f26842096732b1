import type { ErrorCode } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { type McpToolResult, readToolResult } from '../mcp-tool-result.ts'
import { CHANGE_ARGUMENTS, codeOf, outageOf, retryAfter, statusRefusal } from '../provider-error.ts'
import { type Failure, failed, type Outage } from '../provider-response.ts'
import { cleanLine } from '../text.ts'
import type { TaskEnd } from './await-task.ts'
import { RPC_CODES } from './client-revisions.ts'
import { type Obstacle, obstacle } from './connection.ts'
import type { Reply } from './exchange.ts'

export type McpResponse =
  /** `revision`: the revision that worked, which changes when the server is upgraded. */
  | { kind: 'result'; result: McpToolResult; revision: string }
  | { kind: 'unauthorized'; challenge: string | null }
  | { kind: 'insufficient_scope'; scopes: string[] }
  | Failure

/** Classifies the reply to `tools/call`. */
export const readMcpResponse = (provider: string, reply: Reply, revision: string): McpResponse => {
  if (reply.kind === 'error') return readError(provider, reply)
  if (reply.kind === 'status' && reply.status !== 401 && reply.status !== 403)
    return failed(readStatus(provider, reply), outageOf(reply.status))
  if (reply.kind !== 'result') return obstacleAnswer(provider, obstacle(reply))
  const { resultType = 'complete' } = reply.result
  if (resultType === 'input_required') return needsPerson(provider)
  const result = resultType === 'complete' ? readToolResult(reply.result) : null
  return result ? { kind: 'result', result, revision } : fail(`${provider} returned an invalid tool result.`)
}

/** A status without a JSON-RPC error concerns the transport, so other arguments would not help. */
const readStatus = (provider: string, reply: Extract<Reply, { kind: 'status' }>): Refusal => {
  const refusal = statusRefusal(provider, reply, null)
  const isTransport = refusal.code === 'third_party_rejected' || refusal.code === 'third_party_not_found'
  return isTransport
    ? new Refusal('third_party_error', {
        message: `${provider} responded with status ${reply.status}, which is not an MCP response. Trying again will not help.`,
        retryable: false,
        carriedOut: 'no',
      })
    : refusal
}

/** A retryable status makes its JSON-RPC error retryable too. Only invalid parameters are for the caller to correct. */
const readError = (
  provider: string,
  { error, status, headers }: Extract<Reply, { kind: 'error' }>,
): McpResponse => {
  if (error.code === RPC_CODES.urlElicitationRequired) return needsPerson(provider)
  const message = `${provider} rejected the call: ${cleanLine(error.message, 500) || `error ${error.code}`}`
  if (status === 429 || outageOf(status))
    return fail(message, { retry: { status, retryAfterSeconds: retryAfter(headers) } })
  return error.code === RPC_CODES.invalidParams
    ? fail(`${message.replace(/\.$/, '')}. ${CHANGE_ARGUMENTS}`, { code: 'third_party_rejected' })
    : fail(message)
}

/**
 * The server's question and any URL in it are not passed on, because this service does not vouch for a provider's
 * link.
 */
const needsPerson = (provider: string): McpResponse =>
  fail(
    `${provider} needs input from a person, so the call was not completed. Provide it in ${provider} directly; trying again will not help.`,
    { code: 'upstream_input_required' },
  )

/** Of a task, which the server has begun. */
export const taskFailure = (provider: string, end: Exclude<TaskEnd, { kind: 'replied' }>): McpResponse => {
  const [code, what] =
    end.kind === 'input_required'
      ? ([
          'upstream_input_required',
          'needs input from a person, which it cannot get here, and was cancelled',
        ] as const)
      : (['third_party_error', end.why] as const)
  const message = `${provider} has accepted the call as a task, which ${what}. It may have been carried out in part. Do not repeat it without checking.`
  return failed(new Refusal(code, { message, retryable: false, carriedOut: 'unknown' }))
}

export const obstacleAnswer = (provider: string, found: Obstacle): McpResponse =>
  found.kind === 'refused'
    ? fail(`${provider} cannot be used right now. ${found.message}`, {
        ...(found.busy && { retry: found.busy }),
        ...(found.reason === 'forbidden' && { code: 'third_party_forbidden' }),
      })
    : found

type RetryHint = { status: number; retryAfterSeconds: number | null }
type FailureOptions = { code?: ErrorCode; retry?: RetryHint }

const fail = (message: string, { code, retry }: FailureOptions = {}): Failure => {
  const wait = retry?.retryAfterSeconds ?? null
  const outage: Outage | null = retry ? outageOf(retry.status) : null
  const refusal = new Refusal(code ?? (retry ? codeOf(retry.status) : 'third_party_error'), {
    message,
    retryable: retry !== undefined,
    ...(wait !== null && { retryAfterSeconds: wait }),
  })
  return failed(refusal, outage)
}
