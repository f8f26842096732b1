import type { AuthenticateMeta, ErrorCode } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { toRefusal } from '../../../edge/errors.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import type { MintLinkToken } from '../../link/sessions/mint-link-token.ts'
import { rateHeaders, requireWithinLimits } from '../../metering/limits/limits.ts'
import { OAuthError } from '../../oauth/protocol.ts'
import type { Gate, RecordedViolation } from '../../rules/gate.ts'
import type { RuleBook } from '../../rules/rule-book.ts'
import { admissionStore, type CallFacts, type Settlement } from '../admission/admission-store.ts'
import { type Admitted, admitCall, type ToolCall } from '../admission/admit-call.ts'
import { argumentsToSend } from '../admission/callable-tool.ts'
import { inspectAnswer } from '../results/inspect-result.ts'
import { boundResult } from '../results/store-large-result.ts'
import { authenticateResult, serverResult, successResult, type ToolResult } from '../results/tool-result.ts'
import { gateOf, inspectArguments, inspectFailure, inspectProgress } from './apply-rules.ts'
import type { ArgumentCheck } from './argument-check.ts'
import { type Answered, type AskThirdPartyDeps, askThirdParty } from './call-provider.ts'
import { type AnsweredOnce, answerOnce } from './idempotent-call.ts'
import { type CallNotes, factsOf, startNotes } from './record-call.ts'
import { requireNotRequestedBefore } from './refuse-repeated-scopes.ts'
import { authenticateMeta } from './request-authentication.ts'
import { type Lack, obtainAccess } from './resolve-credential.ts'

export type CallDeps = AskThirdPartyDeps & {
  /** Admissions and settlements of everybody who calls go to the database together. */
  trips: Queryable
  mintLinkToken: MintLinkToken
  checkArguments: ArgumentCheck
  ruleBook: RuleBook
  isolated: IsolatedPool
}

/** What is written down of a call beside its outcome. */
type Noted = { notes: CallNotes; violations: RecordedViolation[] }

type Performed = { settlement: Settlement } & (Called | { refusal: Refusal })

/** `asks`: it came to an `authenticate_meta`, and this is what was missing. */
export type Called = { result: ToolResult; asks?: Asks }
export type Asks = {
  meta: AuthenticateMeta
  organizationId: string
  /** The credential that did not do, as `id:version`; null where there was none. */
  seen: string | null
}

/** A call is admitted, performed and settled; what it came to is told only once it is settled. */
export const callTool = async (deps: CallDeps, call: ToolCall): Promise<Called> => {
  const notes = startNotes()
  const admitted = await admitCall(deps, call) // key → user active → tool in pack; the record is reserved
  const violations: RecordedViolation[] = []
  const performed = await perform(deps, admitted, call, { notes, violations }).catch(asFailure)
  const facts = await factsOf(deps, admitted, call, notes, performed.settlement.thirdPartyMs)
  await settle(deps, { ...admitted, keyHash: call.keyHash }, { ...performed.settlement, violations }, facts) // record and count
  if ('refusal' in performed) throw performed.refusal
  return performed
}

/** Every step between admission and settlement, in this order. None is remembered from an earlier call. */
const perform = async (
  deps: CallDeps,
  admitted: Admitted,
  call: ToolCall,
  { notes, violations }: Noted,
): Promise<Performed> => {
  call.onRate?.(rateHeaders(admitted.row))
  if (admitted.callable.kind !== 'authenticate')
    await requireWithinLimits(deps.db, admitted.row, admitted.callId) // plan limit → rate limit
  const gate = await gateOf(deps, admitted.row, call.requestId, violations)
  const args = await notes.timeRules(() => readArguments(deps, admitted, call.args, gate)) // input schema → arguments rule
  notes.sent(args)
  const access = await obtainAccess(deps, admitted) // credential, refreshed under a lease where it is due
  if ('lacks' in access) return askToAuthenticate(deps, admitted, access.lacks)
  if (admitted.callable.kind === 'authenticate') return sayConnected(admitted.callable.connector.name)
  const onProgress = inspectProgress(gate, call.onProgress)
  const asked = { ...call, ...admitted, callable: admitted.callable, access, args, onProgress }
  const answered = await answerOnce(deps, asked, idempotencyKey =>
    askThirdParty(deps, { ...asked, idempotencyKey }),
  ).catch(inspectFailure(gate)) // third party, or what it answered to the same key of the caller's before
  if ('lacks' in answered) return askToAuthenticate(deps, admitted, answered.lacks)
  const result = toResult(await notes.timeRules(() => inspectAnswer(gate, answered.answer))) // result rule
  const size = notes.answered(result)
  return {
    result: await boundResult(deps, admitted.row, result, size), // cut at the pack's limit
    settlement: settlementOf(answered, result),
  }
}

const readArguments = async (
  { checkArguments }: CallDeps,
  { row, callable }: Admitted,
  args: ToolCall['args'],
  gate: Gate,
): Promise<ToolCall['args']> => {
  const check = (given: ToolCall['args']) => checkArguments(row.organization_id, callable, given)
  await check(args)
  return argumentsToSend(callable, await inspectArguments(gate, check, args))
}

const toResult = (answer: Answered['answer']): ToolResult =>
  answer.kind === 'value' ? successResult(answer.value) : serverResult(answer.result)

/** A server's own word that a tool failed is handed on, and is no success. What is told again was counted the first time. */
const settlementOf = ({ ms, replayed }: AnsweredOnce, { isError }: ToolResult): Settlement => {
  if (replayed) return { outcome: 'replayed', errorCode: null, thirdPartyMs: null }
  return isError
    ? { outcome: 'error', errorCode: 'third_party_error', thirdPartyMs: ms }
    : { outcome: 'success', errorCode: null, thirdPartyMs: ms }
}

/** A tool of the gateway's own is recorded and never counted. */
const GATEWAYS_OWN: Settlement = { outcome: 'needs_auth', errorCode: null, thirdPartyMs: null }

const sayConnected = (name: string): Performed => ({
  result: successResult({
    connected: true,
    message: `${name} is connected. List the tools again to see its own.`,
  }),
  settlement: GATEWAYS_OWN,
})

const askToAuthenticate = async (
  deps: CallDeps,
  { row, callable: { connector } }: Admitted,
  { reason, scopes }: Lack,
): Promise<Performed> => {
  if (reason === 'insufficient_scope') await requireNotRequestedBefore(deps.db, row, connector, scopes ?? [])
  const meta = await authenticateMeta(deps.mintLinkToken, { caller: row, connector, reason, scopes })
  const seen = row.credential_id === null ? null : `${row.credential_id}:${row.credential_version}`
  const asks = { meta, organizationId: row.organization_id, seen }
  return { result: authenticateResult(meta), asks, settlement: GATEWAYS_OWN }
}

/** The result is withheld if the user was deactivated or deleted, or the key regenerated or revoked, while the call was in flight. */
const settle = async (
  deps: CallDeps,
  { row, callId, keyHash }: Admitted & Pick<ToolCall, 'keyHash'>,
  settlement: Settlement,
  facts: CallFacts,
): Promise<void> => {
  const of = { organizationId: row.organization_id, registeredUserId: row.user_id, callId, keyHash }
  // A row that somebody holds is waited for alone, and with it goes what was not found: then the user is gone.
  const settled =
    (await admissionStore.settleUnheld(deps.trips, of, settlement, facts)) ??
    (await admissionStore.settle(deps.db, of, settlement, facts))
  if (!settled?.user_active) throw new Refusal(settled ? 'user_inactive' : 'registered_user_not_found')
  if (!settled.key_valid) throw new Refusal('invalid_api_key', { param: 'Authorization' })
}

const asFailure = (error: unknown): Performed => {
  const refusal = asRefusal(error)
  return {
    refusal,
    settlement: { outcome: outcomeOf(refusal.code), errorCode: refusal.code, thirdPartyMs: null },
  }
}

const asRefusal = (error: unknown): Refusal => {
  if (error instanceof OAuthError) {
    const code = error.failure.kind === 'provider_timeout' ? 'third_party_timeout' : 'third_party_unavailable'
    return new Refusal(code, { cause: error, retryable: true })
  }
  return toRefusal(error)
}

const outcomeOf = (code: ErrorCode): Settlement['outcome'] => {
  if (code === 'security_rule_blocked') return 'blocked'
  return code === 'billing_limit_reached' || code === 'rate_limited' ? 'limited' : 'error'
}
