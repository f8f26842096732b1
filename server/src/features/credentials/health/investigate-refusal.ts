import { isUuid } from '../../../core/uuid.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { type CheckedCredential, checkCredential } from '../../connectors/check-credential.ts'
import type { McpConnectors } from '../../connectors/mcp-servers/mcp-connectors.ts'
import type { CredentialSecret } from '../credential-secret.ts'
import { credentialVersion, type HeldCredential, type RefreshDeps } from '../held-credential.ts'
import { markForReauth } from '../mark-for-reauth.ts'
import { refusalStore } from './refusal-store.ts'
import { CONFIRMATION_MS, type IdentityAnswer, judgeRefusal, type RefusalVerdict } from './refusal-verdict.ts'
import { statedEndStore } from './stated-end-store.ts'

export type InvestigationDeps = RefreshDeps & { vault: Vault; mcpConnectors: McpConnectors }
type Refused = { held: HeldCredential; secret: CredentialSecret }

/**
 * Decides about a credential that was refused although its token is current. The identity request is made at most once in ten minutes per
 * credential; until then the credential stays as it is.
 */
export const investigateRefusal = async (
  deps: InvestigationDeps,
  refused: Refused,
  answer: 'unauthorized' | 'revoked',
): Promise<RefusalVerdict> => {
  if (answer === 'revoked') return settle(deps, refused, 'revoked')
  const version = credentialVersion(refused.held)
  if (!(await refusalStore.claimCheck(deps.db, version))) return { ends: false, because: 'not_checked' }
  return settle(deps, refused, identityAnswer(await requestIdentity(deps, refused)))
}

/** Also stores when the key ends, if the provider states it. */
export const requestIdentity = async (
  deps: InvestigationDeps,
  { held, secret }: Refused,
): Promise<CheckedCredential> => {
  const { organizationId, connectorSlug } = held
  const connector = await deps.connectors.find(organizationId, connectorSlug)
  if (!connector) return { kind: 'unavailable' }
  const checked = await checkCredential(deps, organizationId, connector, secret)
  if (checked.kind === 'account' && checked.endsAt)
    await statedEndStore.note(deps.db, credentialVersion(held), checked.endsAt)
  return checked
}

export const identityAnswer = (checked: CheckedCredential): IdentityAnswer => {
  if (checked.kind !== 'rejected') return checked.kind === 'account' ? 'accepted' : 'unknown'
  if (checked.because === 'other') return 'unknown'
  return checked.because === 'revoked' ? 'revoked' : 'refused'
}

/** Records the answer to the identity request, and ends the credential if that is certain. */
export const settle = async (
  { db }: InvestigationDeps,
  { held }: Pick<Refused, 'held'>,
  identity: IdentityAnswer,
): Promise<RefusalVerdict> => {
  const version = credentialVersion(held)
  if (identity === 'accepted') await refusalStore.forget(db, version)
  const recorded = identity === 'refused' ? await refusalStore.record(db, version) : null
  if (identity === 'refused' && !recorded) return { ends: false, because: 'not_checked' }
  const refusedForMs = recorded?.refusedForMs ?? 0
  const { oauthApp } = held.credential
  // Nothing ends a credential before, so the comparison is not needed.
  const compared =
    refusedForMs >= CONFIRMATION_MS
      ? await refusalStore.compare(db, version, oauthApp !== null && !isUuid(oauthApp))
      : null
  if (compared?.hadSuccess) {
    await refusalStore.forget(db, version)
    await refusalStore.record(db, version)
    return { ends: false, because: 'not_confirmed' }
  }
  const verdict = judgeRefusal({
    identity,
    refusedForMs,
    usesOAuthApp: oauthApp !== null,
    wasRefreshed: recorded?.wasRefreshed === true,
    others: compared ?? { accepted: 0, refused: 0 },
  })
  if (!verdict.ends) return verdict
  const marked = await markForReauth(db, held, 'revoked')
  return marked ? verdict : { ends: false, because: 'not_checked' }
}
