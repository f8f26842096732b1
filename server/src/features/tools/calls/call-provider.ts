import type { ConnectorFile } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import { Refusal, reword } from '../../../core/refusal.ts'
import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import { refusedScopes } from '../../connectors/link-scopes.ts'
import { type InvestigationDeps, investigateRefusal } from '../../credentials/health/investigate-refusal.ts'
import { CHECK_INTERVAL_MS, type KeepReason } from '../../credentials/health/refusal-verdict.ts'
import { renewRefused } from '../../credentials/health/renew-refused.ts'
import { secretTexts } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import { createProgressFilter } from '../../upstream/call-progress.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type {
  ProviderResponse,
  ProviderSuccess,
  ServerTaskOptions,
} from '../../upstream/provider-response.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'
import type { CallProgress, ToolCall } from '../admission/admit-call.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { scrubAny } from '../results/isolated-scrub.ts'
import { createScrubber, replaceBrokenBlocks, type Scrubber } from '../results/scrub-secrets.ts'
import type { Access, AuthRequired } from '../steps/call/access.ts'
import { callWithRetry, type RetryDeps, startDeadline } from './call-with-retry.ts'
import { providerOf } from './choose-provider.ts'

export type ProviderCallDeps = RetryDeps & InvestigationDeps & { isolated: IsolatedPool }

/** `failure`: the answer is the response of a provider that has failed or rejected the request. */
export type Answered = { answer: ProviderSuccess; ms: number; failure?: Refusal }

type Call = Pick<ToolCall, 'signal' | 'onProgress'> & {
  admission: CallAdmission
  callable: Exclude<CallableTool, { kind: 'authenticate' }>
  access: Access
  args: ToolArguments
  /** Sent to the provider, so that it recognizes a repeated request. */
  idempotencyKey: string | null
  /** The trace context that the provider receives, if any. */
  traceparent: string | null
  serverTask: ServerTaskOptions | null
}

/**
 * Calls the provider. After a 401 it refreshes the token once, because the token may have ended before the grant did. If the provider refuses
 * the new token too, the account is asked to link again only if it is certain that the credential has ended.
 */
export const callProvider = async (
  deps: ProviderCallDeps,
  call: Call,
): Promise<Answered | { authRequired: AuthRequired }> => {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const { access } = call
  const { connector } = call.callable
  const attempt = attemptsOf(deps, call)
  const first = await attempt(access)
  if (!isRefused(first)) return readAnswer(deps, call, { answer: first, access, ms: ms() })
  if (access.by === 'organization') throw credentialRejected(connector.name, access)
  const renewed = await renewRefused(deps, access)
  if (renewed?.usable === false) return { authRequired: { reason: renewed.reason } }
  const held = { ...access.held, credential: renewed?.credential ?? access.held.credential }
  const current = { ...access, secret: renewed?.secret ?? access.secret, held }
  const answer = renewed ? await attempt(current) : first
  if (!isRefused(answer)) return readAnswer(deps, call, { answer, access: current, ms: ms() })
  const verdict = await investigateRefusal(deps, current, answer.kind)
  if (verdict.ends) return { authRequired: { reason: 'revoked' } }
  throw refusedForNow(connector.name, answer, verdict.because)
}

const isRefused = (answer: ProviderResponse): answer is Refused =>
  answer.kind === 'unauthorized' || answer.kind === 'revoked'

/** Nothing was carried out, and a later call may succeed. */
const refusedForNow = (name: string, answer: Refused, because: KeepReason): Refusal =>
  new Refusal('third_party_error', {
    message:
      'refusesCertificate' in answer
        ? `${name} refused the client certificate of this account${KEPT[because]} ${RENEW_CERTIFICATE}`
        : `${name} rejected this call as unauthorized (401)${KEPT[because]}`,
    retryable: true,
    carriedOut: 'no',
    ...(because !== 'account_works' && { retryAfterSeconds: CHECK_INTERVAL_MS / SECOND }),
  })

const STAYS_CONNECTED =
  'The account stays connected and is checked again. If its access was removed there, the user can connect it again.'
export const RENEW_CERTIFICATE =
  'If the certificate was replaced or revoked there, the user must enter a current one.'
const KEPT: Record<KeepReason, string> = {
  account_works: ', but accepts the account. Trying again later may help.',
  not_checked: `. ${STAYS_CONNECTED}`,
  not_confirmed: `, and the account too. That may be an outage. ${STAYS_CONNECTED}`,
  others_refused: ', and other accounts too, which looks like an outage. The account stays connected.',
}

/** Both attempts, before and after a refresh, share one deadline and one progress listener. */
const attemptsOf = (
  deps: ProviderCallDeps,
  { admission, callable, args, signal, onProgress, idempotencyKey, traceparent, serverTask }: Call,
): ((access: Access) => Promise<ProviderResponse>) => {
  const provider = providerOf(callable, args)
  let scrub: Scrubber = value => value
  const hear = onProgress && createProgressFilter(progress => onProgress(scrub(progress) as CallProgress))
  const options = startDeadline(deps, { signal, onProgress: hear, idempotencyKey, traceparent, serverTask })
  const organizationId = admission.organizationId
  const registeredUserId = admission.userId
  return access => {
    if (hear) scrub = createScrubber(secretsOf(callable.connector, access))
    return callWithRetry(deps, provider, { organizationId, registeredUserId, access, args, options })
  }
}

/** Users have nothing to connect here; only the organization can fix it. */
const credentialRejected = (name: string, { secret }: Extract<Access, { by: 'organization' }>): Refusal =>
  new Refusal('third_party_forbidden', {
    message: secret
      ? `${name} no longer accepts the secret of this organization. Give the connector a new one.`
      : `${name} now requires authentication. Choose a method of authentication for the connector.`,
    retryable: false,
  })

type Refused = Extract<ProviderResponse, { kind: 'unauthorized' | 'revoked' }>
type Received = { answer: Exclude<ProviderResponse, Refused>; access: Access; ms: number }

const readAnswer = async (
  { isolated }: ProviderCallDeps,
  { callable, admission }: Call,
  { answer, access, ms }: Received,
): Promise<Answered | { authRequired: AuthRequired }> => {
  const { connector } = callable
  if (answer.kind === 'insufficient_scope') {
    const wanted = callable.kind === 'http' ? callable.tool.scopes : []
    return {
      authRequired: {
        reason: 'insufficient_scope',
        missingScopes: refusedScopes(connector, wanted, answer.scopes),
      },
    }
  }
  const secrets = secretsOf(connector, access)
  if (answer.kind === 'failed' && !answer.response)
    throw scrubRefusal(answer.refusal, createScrubber(secrets))
  const given: ProviderSuccess = answer.kind === 'failed' ? { kind: 'value', value: answer.response } : answer
  const scrubbed = (await scrubAny(isolated, admission.organizationId, secrets, given)) as ProviderSuccess
  return {
    answer: withWholeBlocks(given, scrubbed),
    ms,
    ...(answer.kind === 'failed' && { failure: answer.refusal }),
  }
}

const withWholeBlocks = (given: ProviderSuccess, scrubbed: ProviderSuccess): ProviderSuccess =>
  scrubbed === given || scrubbed.kind === 'value'
    ? scrubbed
    : { ...scrubbed, result: { ...scrubbed.result, content: replaceBrokenBlocks(scrubbed.result.content) } }

/** The message quotes the provider. */
const scrubRefusal = (refusal: Refusal, scrub: Scrubber): Refusal => {
  const message = scrub(refusal.message) as string
  return message === refusal.message ? refusal : reword(refusal, message)
}

/** The secrets that a call was made with. */
const secretsOf = (connector: ConnectorFile, access: Access): string[] => {
  if (access.by === 'user') return secretTexts(connector, access.secret)
  return access.secret ? [access.secret.reveal()] : []
}
