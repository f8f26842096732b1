import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import { OAuthError } from '../oauth/protocol.ts'
import type { CredentialSecret } from './credential-secret.ts'
import { credentialStore } from './credential-store.ts'
import {
  credentialVersion,
  type HeldCredential,
  type RefreshDeps,
  type UsableCredential,
} from './held-credential.ts'
import { markForReauth } from './mark-for-reauth.ts'
import { findRenewal, type RenewedSecret } from './renewal.ts'
import { saveRenewed } from './save-renewed.ts'

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
    const renewal = await findRenewal(deps, held)
    if (!renewal) return await markExpired(deps, held, fence)
    const { secret, renew } = renewal
    const egress = deps.egress.onBehalfOf(held.organizationId)
    const renewed = await renewWithRetry(() => renew(egress, secret), requestDeadline)
    const lease = { held, fence, renew: (latest: CredentialSecret) => renew(egress, latest) }
    if (renewed) return await saveRenewed(deps, lease, renewed)
    await credentialStore.releaseLease(deps.db, credentialVersion(held), { fence, hasFailed: false })
    return null
  } catch (error) {
    if (isInvalidGrant(error)) return markExpired(deps, held, fence)
    const version = credentialVersion(held)
    if (await credentialStore.releaseLease(deps.db, version, { fence, hasFailed: true })) throw error
    return null
  }
}

/**
 * Retries once if the provider is briefly unavailable. Returns null if this process was delayed for so long that another
 * node may have used the refresh token already; the credential must then be read again.
 */
const renewWithRetry = async (
  renew: () => Promise<RenewedSecret>,
  requestDeadline: number,
): Promise<RenewedSecret | null> => {
  if (Date.now() > requestDeadline) return null
  try {
    return await renew()
  } catch (error) {
    if (!isUnavailable(error) || Date.now() + RETRY_DELAY_MS > requestDeadline) throw error
    await delay(RETRY_DELAY_MS)
    return renew()
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
