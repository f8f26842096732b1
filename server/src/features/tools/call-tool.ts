import type { AuthenticateReason, ErrorCode } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database.ts'
import type { Egress } from '../../platform/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { Vault } from '../../platform/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import {
  type HeldCredential,
  markForReauth,
  openCredential,
  refreshCredential,
  type UsableCredential,
} from '../credentials/refresh-credential.ts'
import type { MintLinkToken } from '../link/mint-link-token.ts'
import { judgeLimits } from '../metering/limits.ts'
import type { OAuthApps } from '../oauth/oauth-app.ts'
import { OAuthError } from '../oauth/protocol.ts'
import { decide } from '../rules/decide.ts'
import { callHttpTool, type ToolArguments, type UpstreamAnswer } from '../upstream/http-tool.ts'
import {
  type AdmissionRow,
  admissionStore,
  type CallerRow,
  credentialOf,
  type Settlement,
} from './admission-store.ts'
import type { ArgumentCheck } from './argument-check.ts'
import { authenticateMeta } from './authenticate.ts'
import { findTool, type NamedTool } from './tool-names.ts'
import { authenticateResult, scrubCredential, successResult, type ToolResult } from './tool-result.ts'

export type ToolCall = {
  keyHash: Buffer
  registeredUserId: string
  toolPackId: string
  name: string
  args: ToolArguments
  requestId: string
  /** `?connectors=a,b`: a narrower pack for this call. */
  only: string[] | null
}

export type CallDeps = {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  mintLinkToken: MintLinkToken
  checkArguments: ArgumentCheck
  log: Log
}

type Admitted = { row: AdmissionRow; named: NamedTool; callId: string }

type Performed = { settlement: Settlement } & ({ result: ToolResult } | { refusal: Refusal })

/** A call is admitted, performed and settled; what it came to is told only once it is settled. */
export const callTool = async (deps: CallDeps, call: ToolCall): Promise<ToolResult> => {
  const admitted = await admit(deps, call) // key → user active → tool in pack; the record is reserved
  const performed = await perform(deps, admitted, call.args).catch(asFailure)
  await settle(deps, admitted, performed.settlement) // record and count
  if ('refusal' in performed) throw performed.refusal
  return performed.result
}

/** Every step between admission and settlement, in this order. None is remembered from an earlier call. */
const perform = async (deps: CallDeps, admitted: Admitted, given: ToolArguments): Promise<Performed> => {
  requireWithinLimits(admitted.row) // plan limit → rate limit
  const args = inspectArguments(deps, admitted.named, given) // input schema → arguments rule
  const credential = await obtainCredential(deps, admitted) // credential, refreshed under a lease where it is due
  if (!credential.usable) return askToAuthenticate(deps, admitted, credential.reason)
  const answered = await askThirdParty(deps, admitted, credential, args) // third party
  if ('reason' in answered) return askToAuthenticate(deps, admitted, answered.reason)
  const result = successResult(inspectResult(answered.value)) // result rule
  return { result, settlement: { outcome: 'success', errorCode: null, thirdPartyMs: answered.ms } }
}

const findAllowedTool = ({ connectors }: CallDeps, { name, only }: ToolCall): NamedTool | null => {
  const named = findTool(connectors, name)
  return named && (only === null || only.includes(named.connector.slug)) ? named : null
}

const admit = async (deps: CallDeps, call: ToolCall): Promise<Admitted> => {
  const named = findAllowedTool(deps, call)
  // A tool that does not exist reserves nothing, but its caller is judged first all the same.
  if (!named) return refuseAdmission(await admissionStore.caller(deps.db, call))
  const row = await admissionStore.admit(deps.db, call, {
    id: newUuid(),
    connectorSlug: named.connector.slug,
    tool: named.tool.name,
    requestId: call.requestId,
  })
  return row.call_id === null ? refuseAdmission(row) : { row, named, callId: row.call_id }
}

const refuseAdmission = (row: CallerRow): never => {
  requireCaller(row)
  if (!row.user_active) throw new Refusal('user_inactive')
  throw new Refusal('tool_not_found', { param: 'name' })
}

export const requireCaller = (row: {
  organization_id: string | null
  user_id: string | null
  pack_id: string | null
}): void => {
  if (row.organization_id === null) throw new Refusal('invalid_api_key', { param: 'Authorization' })
  if (row.user_id === null) throw new Refusal('registered_user_not_found')
  if (row.pack_id === null) throw new Refusal('tool_pack_not_found')
}

const requireWithinLimits = (row: AdmissionRow): void => {
  const decision = judgeLimits(row.plan, row.rate_limit_per_minute)
  if (decision !== 'within') throw new Refusal(decision)
}

const inspectArguments = (
  { checkArguments }: CallDeps,
  named: NamedTool,
  args: ToolArguments,
): ToolArguments => {
  checkArguments(named, args)
  const decision = decide('inbound', args)
  if (decision.action === 'block') throw new Refusal('security_rule_blocked')
  return decision.value as ToolArguments
}

type Obtained =
  | (Extract<UsableCredential, { usable: true }> & { held: HeldCredential })
  | { usable: false; reason: AuthenticateReason }

const obtainCredential = async (deps: CallDeps, { row, named }: Admitted): Promise<Obtained> => {
  const stored = credentialOf(row)
  if (!stored) return { usable: false, reason: 'never_linked' }
  if (stored.status !== 'active')
    return {
      usable: false,
      reason: stored.status === 'needs_reauth' && stored.status_reason === 'expired' ? 'expired' : 'revoked',
    }
  if (!named.tool.scopes.every(scope => stored.scopes.includes(scope)))
    return { usable: false, reason: 'insufficient_scope' }
  const organizationId = row.organization_id as string
  const registeredUserId = row.user_id as string
  const held = { organizationId, registeredUserId, connectorSlug: named.connector.slug, row: stored }
  const opened = await openCredential(deps, held)
  return opened.usable ? { ...opened, held: { ...held, row: opened.row } } : opened
}

type Answered = { value: unknown; ms: number } | { reason: AuthenticateReason }

const askThirdParty = async (
  deps: CallDeps,
  { named }: Admitted,
  credential: Extract<Obtained, { usable: true }>,
  args: ToolArguments,
): Promise<Answered> => {
  const startedAt = performance.now()
  const first = await callHttpTool(deps, { ...named, args, secret: credential.secret })
  if (first.kind !== 'unauthorized') return readAnswer(first, credential, startedAt)
  // The third party ended the token early. A fresh one settles whether it ended the whole grant.
  const renewed = credential.secret.kind === 'oauth' ? await refreshCredential(deps, credential.held) : null
  if (renewed?.usable === false) return { reason: renewed.reason }
  const second = renewed && (await callHttpTool(deps, { ...named, args, secret: renewed.secret }))
  if (second && second.kind !== 'unauthorized')
    return readAnswer(second, { ...credential, ...renewed }, startedAt)
  await markForReauth(deps.db, { ...credential.held, row: renewed?.row ?? credential.held.row }, 'revoked')
  return { reason: 'revoked' }
}

const readAnswer = (
  answer: Exclude<UpstreamAnswer, { kind: 'unauthorized' }>,
  { secret }: Extract<Obtained, { usable: true }>,
  startedAt: number,
): Answered => {
  if (answer.kind === 'insufficient_scope') return { reason: 'insufficient_scope' }
  if (answer.kind === 'failed') throw answer.refusal
  return { value: scrubCredential(answer.value, secret), ms: Math.round(performance.now() - startedAt) }
}

const inspectResult = (value: unknown): unknown => {
  const decision = decide('outbound', value)
  if (decision.action === 'block') throw new Refusal('security_rule_blocked')
  return decision.value
}

const askToAuthenticate = async (
  deps: CallDeps,
  { row, named }: Admitted,
  reason: AuthenticateReason,
): Promise<Performed> => {
  const meta = await authenticateMeta(deps.mintLinkToken, { caller: row, connector: named.connector, reason })
  return {
    result: authenticateResult(meta),
    settlement: { outcome: 'needs_auth', errorCode: null, thirdPartyMs: null },
  }
}

/** A user who was deactivated or deleted while the third party answered gets nothing. */
const settle = async ({ db }: CallDeps, { row, callId }: Admitted, settlement: Settlement): Promise<void> => {
  const settled = await admissionStore.settle(db, row.organization_id as string, callId, settlement)
  if (!settled?.user_active) throw new Refusal(settled ? 'user_inactive' : 'registered_user_not_found')
}

const asFailure = (error: unknown): Performed => {
  const refusal = asRefusal(error)
  return {
    refusal,
    settlement: { outcome: outcomeOf(refusal.code), errorCode: refusal.code, thirdPartyMs: null },
  }
}

const asRefusal = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  if (error instanceof OAuthError) {
    const code = error.failure.kind === 'provider_timeout' ? 'third_party_timeout' : 'third_party_unavailable'
    return new Refusal(code, { cause: error })
  }
  return new Refusal('internal_error', { cause: error })
}

const outcomeOf = (code: ErrorCode): Settlement['outcome'] => {
  if (code === 'security_rule_blocked') return 'blocked'
  return code === 'billing_limit_reached' || code === 'rate_limited' ? 'limited' : 'error'
}
