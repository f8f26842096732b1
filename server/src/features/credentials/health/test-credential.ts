import type { CredentialTest } from '@carabiner/contract'
import type { CheckedCredential } from '../../connectors/check-credential.ts'
import { OAuthError } from '../../oauth/protocol.ts'
import { type CredentialSummary, credentialReadStore } from '../credential-read-store.ts'
import type { CredentialSecret } from '../credential-secret.ts'
import { type HeldCredential, openCredential } from '../refresh-credential.ts'
import { type InvestigationDeps, identityAnswer, requestIdentity, settle } from './investigate-refusal.ts'
import { renewRefused } from './renew-refused.ts'

type Deps = InvestigationDeps
type Outcome = CredentialTest['outcome']
type TestResult = { outcome: Outcome; account: string | null; accountId: string | null }

const MESSAGES: Record<Outcome, string> = {
  works: 'The provider accepts this credential.',
  needs_reauth: 'The provider no longer accepts this credential. The user must link again.',
  rejected:
    'The provider rejected this credential, but has not said that it ended. It stays connected and is checked again.',
  revoked: 'This credential was revoked. The user must link again.',
  paused: 'The user has paused this connection. The provider was not called.',
  unavailable: 'The provider is unavailable. The credential was not changed.',
}

/** Calls the provider with the credential, refreshing it first if due, as the next tool call would. */
export const testCredential = async (
  deps: Deps,
  organizationId: string,
  credential: CredentialSummary,
): Promise<CredentialTest> => {
  const found = await runTest(deps, organizationId, credential)
  const recorded = await credentialReadStore.recordCheck(deps.db, organizationId, credential.id, found)
  return {
    works: found.outcome === 'works',
    outcome: found.outcome,
    message: MESSAGES[found.outcome],
    account: found.account ?? credential.account,
    checked_at: (recorded?.checkedAt ?? credential.updatedAt).toISOString(),
  }
}

const failed = (outcome: Outcome): TestResult => ({ outcome, account: null, accountId: null })

const runTest = async (
  deps: Deps,
  organizationId: string,
  credential: CredentialSummary,
): Promise<TestResult> => {
  if (credential.pausedUntil !== null) return failed('paused')
  if (credential.status !== 'active') return failed(credential.status)
  const { registeredUserId, connectorSlug } = credential
  const held: HeldCredential = { organizationId, registeredUserId, connectorSlug, credential }
  try {
    const opened = await openCredential(deps, held)
    if (!opened.usable) return failed(opened.reason === 'expired' ? 'needs_reauth' : 'revoked')
    return await checkOrRenew(deps, { ...held, credential: opened.credential }, opened.secret)
  } catch (error) {
    if (error instanceof OAuthError)
      return failed(error.failure.kind === 'certificate_refused' ? 'rejected' : 'unavailable')
    throw error
  }
}

const checkOrRenew = async (
  deps: Deps,
  held: HeldCredential,
  secret: CredentialSecret,
): Promise<TestResult> => {
  const first = await requestIdentity(deps, { held, secret })
  if (first.kind !== 'rejected') return report(deps, held, first)
  const renewed = await renewRefused(deps, { held, secret })
  if (renewed?.usable === false) return failed('needs_reauth')
  if (!renewed) return report(deps, held, first)
  const current = { held: { ...held, credential: renewed.credential }, secret: renewed.secret }
  return report(deps, current.held, await requestIdentity(deps, current))
}

/** One rejection does not end the credential, unless the provider states that it was revoked. */
const report = async (deps: Deps, held: HeldCredential, checked: CheckedCredential): Promise<TestResult> => {
  if (checked.kind === 'account') await checked.keep?.()
  const verdict = await settle(deps, { held }, identityAnswer(checked))
  if (checked.kind !== 'rejected') return toTestResult(checked)
  return failed(verdict.ends ? 'needs_reauth' : 'rejected')
}

const toTestResult = (checked: CheckedCredential): TestResult =>
  checked.kind === 'account'
    ? { outcome: 'works', account: checked.account, accountId: checked.accountId }
    : failed('unavailable')
