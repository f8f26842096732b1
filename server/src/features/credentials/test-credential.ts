import type { CredentialTest } from '@carabiner/contract'
import type { Vault } from '../../platform/vault/vault.ts'
import { type CheckedCredential, checkCredential } from '../connectors/check-credential.ts'
import type { McpConnectors } from '../connectors/mcp-servers/mcp-connectors.ts'
import { OAuthError } from '../oauth/protocol.ts'
import { type CredentialSummary, credentialReadStore } from './credential-read-store.ts'
import type { CredentialSecret } from './credential-secret.ts'
import {
  type HeldCredential,
  markForReauth,
  openCredential,
  type RefreshDeps,
  refreshCredential,
} from './refresh-credential.ts'

type Deps = RefreshDeps & { vault: Vault; mcpConnectors: McpConnectors }
type Outcome = CredentialTest['outcome']
type TestResult = { outcome: Outcome; account: string | null; accountId: string | null }

const MESSAGES: Record<Outcome, string> = {
  works: 'The provider accepts this credential.',
  needs_reauth: 'The provider no longer accepts this credential. The user must link again.',
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
    if (error instanceof OAuthError) return failed('unavailable')
    throw error
  }
}

const checkOrRenew = async (
  deps: Deps,
  held: HeldCredential,
  secret: CredentialSecret,
): Promise<TestResult> => {
  const first = await check(deps, held, secret)
  if (first.kind !== 'rejected') return toTestResult(first)
  const renewed = secret.kind === 'oauth' ? await refreshCredential(deps, held) : null
  if (renewed?.usable === false) return failed('needs_reauth')
  const second = renewed && (await check(deps, held, renewed.secret))
  if (second && second.kind !== 'rejected') return toTestResult(second)
  await markForReauth(deps.db, { ...held, credential: renewed?.credential ?? held.credential }, 'revoked')
  return failed('needs_reauth')
}

const check = async (
  deps: Deps,
  { organizationId, connectorSlug }: HeldCredential,
  secret: CredentialSecret,
): Promise<CheckedCredential> => {
  const connector = await deps.connectors.find(organizationId, connectorSlug)
  if (!connector) return { kind: 'unavailable' }
  const checked = await checkCredential(deps, organizationId, connector, secret)
  if (checked.kind === 'account') await checked.keep?.()
  return checked
}

const toTestResult = (checked: CheckedCredential): TestResult =>
  checked.kind === 'account'
    ? { outcome: 'works', account: checked.account, accountId: checked.accountId }
    : failed('unavailable')
