import { hashSecret } from '../../core/hash-secret.ts'
import type { Mode } from '../../core/mode.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { Log } from '../../platform/log.ts'
import type { Signer, Vault } from '../../platform/vault/vault.ts'
import { APPROVE_PATH, approvalHandle } from '../approvals/approval-address.ts'
import type { OtherSignIn } from '../authorization/pages.ts'
import { REJECTIONS } from '../authorization/requests/rejection.ts'
import { IdentityError } from '../authorization/settings/identity-error.ts'
import { providerAddress, readIdentity } from '../authorization/settings/identity-provider.ts'
import type { ProviderDiscovery } from '../authorization/settings/provider-discovery.ts'
import { findApprovalProvider } from '../authorization/settings/save-settings.ts'
import { providerRedirectUri } from '../authorization/settings/sign-in-addresses.ts'
import { readHandle, writeHandle } from '../pages/handle.ts'
import type { RefusedReason } from '../pages/views/index.ts'
import { findUserId } from '../registered-users/save-user.ts'
import { type ApprovalKey, visitStore } from './visit-store.ts'

export type ApprovalSignInDeps = {
  db: Database
  vault: Vault
  egress: Egress
  signer: Signer
  log: Log
  baseUrl: string
  discoverProvider: ProviderDiscovery
}

const STATE = 'approval-sign-in-state'

/** `state`, `nonce` and PKCE verifier follow from the visit and the signing key, so none is stored. */
const secretsOf = (signer: Signer, visit: ApprovalKey) => {
  const derive = (purpose: string): Buffer => signer.sign(purpose, `${visit.organizationId}.${visit.id}`)
  return {
    state: writeHandle(signer, STATE, visit),
    nonce: derive('approval-sign-in-nonce').toString('base64url'),
    codeVerifier: Buffer.concat([
      derive('approval-sign-in-verifier-1'),
      derive('approval-sign-in-verifier-2'),
    ]).toString('base64url'),
  }
}

type Beginning = { approval: ApprovalKey; mode: Mode; browser: string }

/**
 * The user signs in at the organization’s provider for this decision. An earlier sign-in does not count, because the agent may hold that
 * session. Returns the URL of the sign-in, or the reason why users cannot sign in.
 */
export const beginApprovalSignIn = async (
  deps: ApprovalSignInDeps,
  { approval: { organizationId, id: approvalId }, mode, browser }: Beginning,
): Promise<{ href: string } | { refused: RefusedReason }> => {
  const provider = await findApprovalProvider(deps, { organizationId, mode })
  if (!provider) return { refused: 'sign_in_invalid' }
  const visit = { organizationId, id: newUuid() }
  await visitStore.insertSignIn(deps.db, { ...visit, approvalId, browserHash: hashSecret(browser) })
  const redirectUri = providerRedirectUri(deps.baseUrl, organizationId, mode)
  const request = { ...secretsOf(deps.signer, visit), redirectUri, isFresh: true }
  try {
    return { href: await providerAddress(deps, provider, request) }
  } catch (error) {
    return { refused: refusedBy(deps, organizationId, error) }
  }
}

/** The provider has sent the browser back. Null: the sign-in was not for an approval. */
export const createApprovalSignIn =
  (deps: ApprovalSignInDeps): OtherSignIn =>
  async ({ organizationId, mode, parameters, browser }) => {
    const visit = readHandle(deps.signer, STATE, parameters.get('state') ?? '')
    if (visit?.organizationId !== organizationId) return null
    const begun = await visitStore.findSignIn(deps.db, visit)
    if (begun?.mode !== mode) return { refused: 'sign_in_invalid' }
    if (browser === null || !hashSecret(browser).equals(begun.browserHash))
      return { refused: 'other_browser' }
    const provider = await findApprovalProvider(deps, { organizationId, mode })
    if (!provider) return { refused: 'sign_in_invalid' }
    const redirectUri = providerRedirectUri(deps.baseUrl, organizationId, mode)
    const request = { ...secretsOf(deps.signer, visit), redirectUri, maxAgeSeconds: begun.secondsAgo }
    try {
      const { originUserId } = await readIdentity(deps, provider, request, parameters)
      const userId = await findUserId(deps.db, { organizationId, mode }, originUserId)
      if (userId === null || !(await visitStore.identify(deps.db, visit, userId)))
        return { refused: 'sign_in_not_allowed' }
    } catch (error) {
      return { refused: refusedBy(deps, organizationId, error) }
    }
    const handle = approvalHandle(deps.signer, { organizationId, id: begun.approvalId })
    return { href: `${APPROVE_PATH}/${handle}` }
  }

const refusedBy = ({ log }: ApprovalSignInDeps, organizationId: string, error: unknown): RefusedReason => {
  if (!(error instanceof IdentityError)) throw error
  log.warn(
    { organization_id: organizationId, reason: error.failure, error },
    'a sign-in for an approval was rejected',
  )
  return REJECTIONS[error.failure].page
}
