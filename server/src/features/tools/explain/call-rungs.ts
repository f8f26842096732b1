import type { ExplainDetail, ExplainFix } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { ownHeaders } from '../../connectors/mcp-servers/mcp-connectors.ts'
import { isOpenable, type RefreshDeps } from '../../credentials/refresh-credential.ts'
import { requireAllowance, requireRate } from '../../metering/limits/limits.ts'
import type { RecordedViolation } from '../../rules/gate.ts'
import { ACCOUNT_ARGUMENT, withoutAccount } from '../admission/named-account.ts'
import { type GateForDeps, gateFor, readArguments } from '../calls/apply-rules.ts'
import { type ArgumentCheck, requireFittingChoice } from '../calls/argument-check.ts'
import { accountRefusal } from '../calls/choose-account.ts'
import { type AuthRequired, chooseAccess } from '../calls/resolve-credential.ts'
import { connectFix } from './admission-rungs.ts'
import { admittedCall, type Subject } from './explained-subject.ts'
import { type Finding, failed, notChecked, passed, type Rungs } from './ladder.ts'

export type CallRungDeps = Pick<RefreshDeps, 'connectors' | 'apps' | 'vault' | 'log'> &
  GateForDeps & { db: Queryable; checkArguments: ArgumentCheck }

type CallRungs = Omit<
  Rungs,
  'key' | 'user' | 'mode' | 'tool_pack' | 'user_status' | 'connector' | 'tool' | 'tool_definition'
>

const NOT_APPLICABLE = 'Does not apply to a tool of the service itself.'

/** The steps after the admission of a call. Each runs only if all steps before it have passed. */
export const callRungs = (deps: CallRungDeps, subject: Subject, who: string): CallRungs => {
  const rung = (check: (call: Call) => Finding | Promise<Finding>) => async (): Promise<Finding> => {
    const admitted = admittedCall(subject)
    if (subject.ownToolOffered) return notChecked(NOT_APPLICABLE)
    if (!admitted) throw new Error('a call that is not admitted has passed every step of the admission')
    const args = subject.args && withoutAccount(admitted.callable, subject.args)
    return check({ ...admitted, subject: { ...subject, args }, who, access: chooseAccess(admitted) })
  }
  return {
    plan_limit: rung(checkPlan),
    rate_limit: rung(checkRate),
    arguments: rung(call => checkArguments(deps, call)),
    security_rules: rung(call => checkRules(deps, call)),
    account: rung(call => checkAccount(deps, call)),
    credential: rung(checkCredential),
    scopes: rung(checkScopes),
    token: rung(call => checkToken(deps, call)),
    provider: rung(({ callable }) => notChecked(`${callable.connector.name} was not called.`)),
  }
}

type Call = NonNullable<ReturnType<typeof admittedCall>> & {
  subject: Subject
  who: string
  access: ReturnType<typeof chooseAccess>
}

/** Runs a check of the call path and turns its refusal into a failure. Other errors are faults, not decisions. */
const attempt = async (
  check: () => void | Promise<void>,
  explain: (refusal: Refusal) => Finding,
): Promise<Finding | null> => {
  try {
    await check()
    return null
  } catch (error) {
    if (error instanceof Refusal && !isFault(error)) return explain(error)
    throw error
  }
}

const isFault = ({ code }: Refusal): boolean =>
  code === 'internal_error' || code === 'unavailable' || code === 'check_capacity_exceeded'

const checkPlan = async ({ callable, subject: { call } }: Call): Promise<Finding> => {
  const { callLimit, planLeft, cycleEndsAt } = call
  if (callable.kind === 'authenticate' || planLeft === null)
    return passed(
      call.mode === 'test' ? 'Test calls are not limited by the plan.' : 'The plan does not limit this call.',
    )
  const detail: ExplainDetail = {
    ...(callLimit !== null && { limit: callLimit }),
    remaining: Math.max(0, planLeft),
    ...(cycleEndsAt && { resets_at: cycleEndsAt.toISOString() }),
  }
  const failure = await attempt(
    () => requireAllowance(planLeft > 0),
    refusal =>
      failed({ refusal }, `The organization has used all ${callLimit} calls of this billing cycle.`, {
        detail,
        fix: {
          action: 'raise_plan_limit',
          label: `Ask the operator for a higher limit, or wait until ${detail.resets_at}.`,
        },
      }),
  )
  return failure ?? passed(`${planLeft} of ${callLimit} calls remain in this billing cycle.`, detail)
}

const checkRate = async ({ callable, subject: { call }, who }: Call): Promise<Finding> => {
  const { rateLimitPerMinute: limit, rateLeft } = call
  if (callable.kind === 'authenticate' || limit === null)
    return passed(`${who} has no rate limit for this call.`)
  const failure = await attempt(
    () => requireRate(call),
    refusal =>
      failed({ refusal }, `${who} has used all ${limit} calls of this minute.`, {
        detail: { limit, remaining: 0, ...retryAfter(refusal) },
        fix: { action: 'wait', label: `Call again in ${refusal.retryAfterSeconds} s.` },
      }),
  )
  return failure ?? passed(`${who} may make ${limit} calls per minute.`, { limit, remaining: rateLeft ?? 0 })
}

const retryAfter = ({ retryAfterSeconds: seconds }: Refusal): ExplainDetail =>
  seconds === undefined ? {} : { retry_after_seconds: seconds }

const checkArguments = async (
  deps: CallRungDeps,
  { admission, callable, subject: { args } }: Call,
): Promise<Finding> => {
  const failure = await attempt(
    async () => {
      requireFittingChoice(callable)
      if (args) await deps.checkArguments(admission.organizationId, callable, args)
    },
    refusal =>
      failed({ refusal }, refusal.message, {
        ...(refusal.param !== undefined && { detail: { param: refusal.param } }),
        fix:
          refusal.code === 'tool_not_found'
            ? { action: 'update_tool_pack', label: 'Save the Tool Pack with settings that fit the tool.' }
            : { action: 'change_arguments', label: 'Change the arguments of the call.' },
      }),
  )
  if (failure) return failure
  return args ? passed('The arguments match the input schema.') : notChecked('No arguments were given.')
}

const checkRules = async (
  deps: CallRungDeps,
  { admission, callable, subject: { args, requestId } }: Call,
): Promise<Finding> => {
  const violations: RecordedViolation[] = []
  const gate = await gateFor(deps, admission, requestId, violations)
  if (!args) return notChecked('No arguments were given.')
  const failure = await attempt(
    async () => void (await readArguments(deps, { admission, callable }, args, gate)),
    refusal =>
      failed({ refusal }, refusal.message, {
        detail: { matches: matchesOf(violations) },
        fix: { action: 'change_arguments', label: 'Remove the data that the rule does not allow.' },
      }),
  )
  if (failure) return failure
  const redacted = violations.some(({ action, dry_run: dryRun }) => action === 'redact' && !dryRun)
  return passed(
    redacted ? 'A security rule replaces part of the arguments.' : 'The security rules allow the arguments.',
    { redacted, matches: matchesOf(violations) },
  )
}

const matchesOf = (violations: RecordedViolation[]): NonNullable<ExplainDetail['matches']> =>
  violations.map(({ entity, action, count }) => ({ entity, action, count }))

const NO_ACCOUNT = 'The call does not use an account of the user.'

/** What a call requests of the user for one of these reasons; null if it requests nothing. */
const requested = ({ access }: Call, ...reasons: AuthRequired['reason'][]): AuthRequired | null =>
  'authRequired' in access && reasons.includes(access.authRequired.reason) ? access.authRequired : null

const usesOrganization = ({ access }: Call): boolean => 'by' in access && access.by === 'organization'

const CHOICES = { fixed: 'which the Tool Pack fixes', named: 'which it names', only: 'the only one' }

const checkAccount = async ({ db }: CallRungDeps, call: Call): Promise<Finding> => {
  const { admission, callable, access, who } = call
  const { name } = callable.connector
  if ('by' in access && access.by === 'organization') {
    const isOpen = access.server.authentication === 'none'
    return passed(isOpen ? `${name} needs no account.` : `${name} uses the secret of the organization.`, {
      authentication: isOpen ? 'none' : 'organization',
    })
  }
  const detail: ExplainDetail = { authentication: 'user' }
  if ('refusal' in access && access.refusal.code === 'account_unavailable')
    return failed({ refusal: access.refusal }, access.refusal.message, {
      detail,
      fix: {
        action: 'update_tool_pack',
        label: 'Link or share the account, or change the rule of the Tool Pack.',
      },
    })
  const authRequired = requested(call, 'never_linked')
  if (authRequired)
    return failed({ authRequired }, `${who} has no ${name} account connected.`, {
      detail,
      fix: connectFix(call.subject, `Connect a ${name} account: create a link and hand it to the user.`),
    })
  if ('accountProblem' in access) {
    const refusal = await accountRefusal(db, call, access.accountProblem)
    return failed({ refusal }, refusal.message, {
      detail: { ...detail, account_labels: refusal.accounts?.map(({ label }) => label) ?? [] },
      fix: { action: 'change_arguments', label: `Name one of the accounts in "${ACCOUNT_ARGUMENT}".` },
    })
  }
  const { credential } = admission
  if (!credential || credential.status === 'revoked') return passed(`${who} has connected ${name}.`, detail)
  const choice = admission.fixedAccount !== null ? 'fixed' : call.subject.account !== null ? 'named' : 'only'
  return passed(
    `${who} has connected ${name}. The call uses the account “${credential.label}”, ${CHOICES[choice]}.`,
    {
      ...detail,
      credential_id: credential.id,
      account_label: credential.label,
      account_choice: choice,
    },
  )
}

const checkCredential = (call: Call): Finding => {
  if (usesOrganization(call)) return passed(NO_ACCOUNT)
  const { credential } = call.admission
  const { name } = call.callable.connector
  const detail: ExplainDetail = credential ? { credential_status: credential.status } : {}
  if ('refusal' in call.access && credential?.pausedUntil)
    return failed({ refusal: call.access.refusal }, `The user has paused the connection to ${name}.`, {
      detail: { ...detail, paused_until: credential.pausedUntil.toISOString() },
      fix: resume(call, credential.id),
    })
  const authRequired = requested(call, 'expired', 'revoked')
  if (!authRequired) return passed(`The connection to ${name} is active.`, detail)
  const ended = authRequired.reason === 'expired' ? 'has expired' : 'was ended'
  return failed({ authRequired }, `The connection to ${name} ${ended}.`, { detail, fix: reconnect(call) })
}

const reconnect = ({ subject, callable }: Call): ExplainFix =>
  connectFix(
    subject,
    `Connect ${callable.connector.name} again: create a link and hand it to the user.`,
    'reconnect_account',
  )

const resume = ({ subject }: Call, credentialId: string): ExplainFix => ({
  action: 'resume_connection',
  label: 'Wait until the connection resumes automatically, or ask the user to resume it.',
  request: {
    method: 'POST',
    path: `/api/v1/registered-users/${subject.target.userId}/credentials/${credentialId}/resume`,
    body: {},
  },
})

const checkScopes = (call: Call): Finding => {
  if (usesOrganization(call)) return passed(NO_ACCOUNT)
  const { credential } = call.admission
  const required = call.callable.kind === 'http' ? call.callable.tool.scopes : []
  const detail: ExplainDetail = {
    required_scopes: required.map(scope => [scope].flat()),
    ...(credential && { granted_scopes: credential.scopes }),
  }
  const authRequired = requested(call, 'insufficient_scope')
  if (!authRequired) return passed('The connection has the scopes that the tool requires.', detail)
  const missing = authRequired.missingScopes ?? []
  return failed(
    { authRequired },
    `The connection to ${call.callable.connector.name} lacks the scopes ${missing.join(', ')}.`,
    {
      detail: { ...detail, missing_scopes: missing },
      fix: {
        action: 'grant_scopes',
        label: 'Call the tool. It answers with a link that requests the missing scopes.',
      },
    },
  )
}

/** Decrypts what a call would decrypt, and uses nothing of it. */
const checkToken = async (deps: CallRungDeps, call: Call): Promise<Finding> => {
  const { access } = call
  if (!('by' in access)) throw new Error('an earlier step reports a missing or paused connection')
  if (access.by === 'organization') {
    await ownHeaders(deps.vault, access.server)
    return passed(NO_ACCOUNT)
  }
  const { accessExpiresAt, refreshDue } = access.held.credential
  const detail: ExplainDetail = {
    refresh_due: refreshDue,
    ...(accessExpiresAt && { access_expires_at: accessExpiresAt.toISOString() }),
  }
  if (await isOpenable(deps, access.held))
    return passed(
      refreshDue
        ? 'The access token has expired. The next call refreshes it.'
        : 'The credential can be used.',
      detail,
    )
  return failed(
    { authRequired: { reason: 'expired' } },
    `The access token for ${call.callable.connector.name} has expired and cannot be refreshed.`,
    { detail, fix: reconnect(call) },
  )
}
