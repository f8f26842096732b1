import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import type { Secret } from '../../core/secret.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { oauthProvider } from '../connectors/oauth-provider.ts'
import { OAuthError, type OAuthProvider, refreshTokens, type Tokens } from '../oauth/protocol.ts'
import type { CredentialSecret } from './credential-secret.ts'
import { credentialStore } from './credential-store.ts'
import {
  credentialVersion,
  decryptCredential,
  type HeldCredential,
  type RefreshDeps,
  type UsableCredential,
} from './held-credential.ts'
import { markForReauth } from './mark-for-reauth.ts'
import { saveTokens } from './save-tokens.ts'

const RETRY_DELAY_MS = 0.5 * SECOND

export type Lease = {
  fence: number
  /**
   * No token request may start after this time (this process's clock), because its response might arrive after the lease
   * has expired.
   */
  requestDeadline: number
}

/**
 * Refreshes the tokens outside of any transaction. Returns null if another node has taken over the lease; the caller must
 * then read what that node stored. Only the lease holder may mark the credential as expired.
 */
export const refreshUnderLease = async (
  deps: RefreshDeps,
  held: HeldCredential,
  { fence, requestDeadline }: Lease,
): Promise<UsableCredential | null> => {
  try {
    const grant = await findRefreshGrant(deps, held)
    if (!grant) return await markExpired(deps, held, fence)
    const { provider, refreshToken, tenant } = grant
    const refresh = createRefresh(
      deps.egress.onBehalfOf(held.organizationId),
      provider,
      held.credential.scopes,
    )
    const tokens = await refreshWithRetry(() => refresh(refreshToken), requestDeadline)
    if (tokens) return await saveTokens(deps, { held, fence, tenant, refresh }, tokens)
    await credentialStore.releaseLease(deps.db, credentialVersion(held), fence)
    return null
  } catch (error) {
    if (isInvalidGrant(error)) return markExpired(deps, held, fence)
    if (await credentialStore.releaseLease(deps.db, credentialVersion(held), fence)) throw error
    return null
  }
}

/** RFC 6749 §6: if the response has no new refresh token, the old one remains valid. */
const createRefresh =
  (egress: Egress, provider: OAuthProvider, scopes: string[]) =>
  async (refreshToken: Secret): Promise<Tokens> => {
    const tokens = await refreshTokens({ egress }, provider, refreshToken, scopes)
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
  }

/**
 * Retries once if the provider is briefly unavailable. Returns null if this process was delayed for so long that another
 * node may have used the refresh token already; the credential must then be read again.
 */
const refreshWithRetry = async (
  refresh: () => Promise<Tokens>,
  requestDeadline: number,
): Promise<Tokens | null> => {
  if (Date.now() > requestDeadline) return null
  try {
    return await refresh()
  } catch (error) {
    if (!isUnavailable(error) || Date.now() + RETRY_DELAY_MS > requestDeadline) throw error
    await delay(RETRY_DELAY_MS)
    return refresh()
  }
}

const isInvalidGrant = (error: unknown): boolean =>
  error instanceof OAuthError && error.failure.kind === 'invalid_grant'
const isUnavailable = (error: unknown): boolean =>
  error instanceof OAuthError && error.failure.kind === 'provider_unavailable'

/** The provider rejected the grant. Has no effect if another node has stored a new one. */
const markExpired = async (
  { db }: RefreshDeps,
  held: HeldCredential,
  fence: number,
): Promise<UsableCredential | null> =>
  (await markForReauth(db, held, 'expired', fence)) ? { usable: false, reason: 'expired' } : null

type RefreshGrant = Pick<CredentialSecret, 'tenant'> & { provider: OAuthProvider; refreshToken: Secret }

/** Decrypts the credential. Null: without an OAuth app or a refresh token, its access token cannot be replaced. */
export const findRefreshGrant = async (
  deps: Pick<RefreshDeps, 'connectors' | 'apps' | 'vault' | 'log'>,
  held: HeldCredential,
): Promise<RefreshGrant | null> => {
  const secret = await decryptCredential(deps, held)
  const provider = await providerOf(deps, held, secret)
  return provider && secret.kind === 'oauth' && secret.refreshToken
    ? { provider, refreshToken: secret.refreshToken, tenant: secret.tenant }
    : null
}

const providerOf = async (
  { connectors, apps }: Pick<RefreshDeps, 'connectors' | 'apps'>,
  { organizationId, connectorSlug, credential }: HeldCredential,
  { tenant }: CredentialSecret,
): Promise<OAuthProvider | null> => {
  const app = credential.oauthApp === null ? null : await apps.byId(organizationId, credential.oauthApp)
  return oauthProvider(await connectors.ofApp(organizationId, connectorSlug, app), app, tenant)
}
