import { type PolicyHookAnswer, type PolicyHookRequest, policyBounds } from '@carabiner/contract'
import { type Signer, signatureHeaders } from '../../../core/webhook-signature.ts'
import { type Egress, EgressError, type EgressFailure } from '../../../platform/egress/egress.ts'
import { isLocalFailure } from '../../../platform/egress/egress-error.ts'
import type { Outcome } from '../../upstream/traffic/circuit-breaker.ts'
import { parseHookAnswer } from './hook-answer.ts'

export type OutgoingHook = {
  url: string
  signers: readonly Signer[]
  request: PolicyHookRequest
  signal: AbortSignal
}

/** `error`: the end of “the hook gave no decision: …”. `reach`: whether the endpoint is available. */
export type HookResult = { answer: Required<PolicyHookAnswer> } | HookFailure
export type HookFailure = { error: string; reach: Outcome }

/** Callers read the error, so it contains no address. */
const FAILURES: Record<EgressFailure, HookFailure> = {
  timeout: { error: 'it did not answer in time', reach: 'down' },
  unreachable: { error: 'it cannot be reached', reach: 'down' },
  certificate_refused: { error: 'it cannot be reached', reach: 'down' },
  blocked: { error: 'its address is not allowed', reach: 'unknown' },
  too_large: { error: 'its answer is too large', reach: 'up' },
}

/** Asks the endpoint once. Redirects are not followed. */
export const sendHook = async (
  egress: Egress,
  { url, signers, request, signal }: OutgoingHook,
): Promise<HookResult> => {
  const body = JSON.stringify(request)
  try {
    const response = await egress.request({
      url,
      method: 'POST',
      headers: {
        ...signatureHeaders({ id: request.id, sentAt: new Date(), body }, signers),
        'content-type': 'application/json',
      },
      body,
      timeoutMs: null,
      signal,
      maxBytes: policyBounds.hookResponseBytes,
    })
    const { status } = response
    if (status < 200 || status > 299) return { error: `it answered with status ${status}`, reach: 'up' }
    const answer = parseHookAnswer(response.body)
    return answer ? { answer } : { error: 'its answer is malformed', reach: 'up' }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const failure = FAILURES[error.failure]
    return isLocalFailure(error) ? { ...failure, reach: 'unknown' } : failure
  }
}
