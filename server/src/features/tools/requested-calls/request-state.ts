import { createHash } from 'node:crypto'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import type { ElicitedMeta } from './question.ts'

/**
 * 2026-07-28, "Multi round-trip requests": the client returns the state of our request for a connection or a decision. It is signed, valid only for
 * this user, pack, tool and these arguments, and decides only which link is shown again.
 */

const PURPOSE = 'mcp-request-state'

type BoundTo = Pick<ToolCall, 'registeredUserId' | 'toolPackId' | 'name' | 'args'>

const digestOf = ({ registeredUserId, toolPackId, name, args }: BoundTo): string =>
  createHash('sha256')
    .update(JSON.stringify([registeredUserId, toolPackId, name, args]))
    .digest('base64url')

export const writeRequestState = (signer: Signer, call: BoundTo, meta: ElicitedMeta): string => {
  const body = Buffer.from(JSON.stringify(meta)).toString('base64url')
  const signature = signer.sign(PURPOSE, `${body}|${digestOf(call)}`).toString('base64url')
  return `${body}.${signature}`
}

/** Null if it was not issued by this service for this call. */
export const readRequestState = (signer: Signer, call: BoundTo, state: string): ElicitedMeta | null => {
  const [body = '', signature = '', ...rest] = state.split('.')
  const valid = signer.verify(PURPOSE, `${body}|${digestOf(call)}`, Buffer.from(signature, 'base64url'))
  if (!valid || rest.length > 0) return null
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as ElicitedMeta
}
