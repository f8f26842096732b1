import { Refusal } from '../../../core/refusal.ts'
import { type Failure, failed, type Outage } from '../provider-answer.ts'
import { outageOf, retryAfter, statusRefusal } from '../provider-error.ts'
import { cleanLine } from '../text.ts'
import { type McpToolResult, readToolResult } from '../tool-result.ts'
import { type Obstacle, obstacle } from './connection.ts'
import type { Reply } from './exchange.ts'
import { RPC_CODES } from './revision.ts'

export type McpAnswer =
  /** `revision`: what worked this time; another one than was known where the server was upgraded. */
  | { kind: 'result'; result: McpToolResult; revision: string }
  | { kind: 'unauthorized'; challenge: string | null }
  | { kind: 'insufficient_scope'; scopes: string[] }
  | Failure

/** What a server's reply to `tools/call` comes to. */
export const readMcpAnswer = (party: string, reply: Reply, revision: string): McpAnswer => {
  if (reply.kind === 'error') return readError(party, reply)
  if (reply.kind === 'status' && reply.status !== 401 && reply.status !== 403)
    return failed(statusRefusal(party, reply, null), outageOf(reply.status))
  if (reply.kind !== 'result') return meetObstacle(party, obstacle(reply))
  const { resultType = 'complete' } = reply.result
  if (resultType === 'input_required') return wantsPerson(party)
  const result = resultType === 'complete' ? readToolResult(reply.result) : null
  return result
    ? { kind: 'result', result, revision }
    : fail(`${party} answered with something that is not a tool result.`)
}

/** A status that says "later" holds for the error that came with it too. */
const readError = (
  party: string,
  { error, status, headers }: Extract<Reply, { kind: 'error' }>,
): McpAnswer => {
  if (error.code === RPC_CODES.urlElicitationRequired) return wantsPerson(party)
  const message = `${party} refused the call: ${cleanLine(error.message, 500) || `error ${error.code}`}`
  return status === 429 || outageOf(status)
    ? fail(message, { status, retryAfterSeconds: retryAfter(headers) })
    : fail(message)
}

/** The server's question, and an address in it, stay here: a link that a third party wants opened is not ours to hand on. */
const wantsPerson = (party: string): McpAnswer =>
  fail(
    `${party} wants something that only a person can give, so the call was not finished. Do it in ${party} itself; trying again will not help.`,
  )

export const meetObstacle = (party: string, found: Obstacle): McpAnswer =>
  found.kind === 'refused' ? fail(`${party} cannot be used right now. ${found.message}`, found.busy) : found

type Later = { status: number; retryAfterSeconds: number | null }

const fail = (message: string, later?: Later): Failure => {
  const wait = later?.retryAfterSeconds ?? null
  const outage: Outage | null = later ? outageOf(later.status) : null
  const refusal = new Refusal('third_party_error', {
    message,
    retryable: later !== undefined,
    ...(wait !== null && { retryAfterSeconds: wait }),
  })
  return failed(refusal, outage)
}
