import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import { isServed } from '../../core/organization-state.ts'
import { OAuthError } from '../oauth/protocol.ts'
import { credentialStore } from './credential-store.ts'
import {
  credentialVersion,
  decryptCredential,
  type HeldCredential,
  type RefreshDeps,
  reasonOf,
  type UsableCredential,
} from './held-credential.ts'
import { refreshUnderLease } from './refresh-under-lease.ts'
import { findRenewal } from './renewal.ts'

export type { HeldCredential, RefreshDeps, UsableCredential } from './held-credential.ts'
export { decryptCredential, reasonOf } from './held-credential.ts'
export { markForReauth } from './mark-for-reauth.ts'

/** Twice the timeout of the token endpoint. After a node crashes, the others wait at most this long. */
const LEASE_SECONDS = 20
const POLL_INTERVAL_MS = 0.1 * SECOND

export const openCredential = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> =>
  held.credential.refreshDue
    ? refreshCredential(deps, held)
    : { usable: true, secret: await decryptCredential(deps, held), credential: held.credential }

/** Whether a refresh could be attempted. Decrypts the credential as a refresh does, and changes nothing. */
export const isRefreshable = async (
  deps: Pick<RefreshDeps, 'connectors' | 'apps' | 'vault' | 'log'>,
  held: HeldCredential,
): Promise<boolean> => (await findRenewal(deps, held)) !== null

/** Single-flight per process: one caller takes the lease or waits for another node, and the others share its result. */
export const refreshCredential = (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> =>
  deps.refreshing(`${held.organizationId} ${held.credential.id} ${held.credential.version}`, () =>
    refreshOrWait(deps, held),
  )

/**
 * One node refreshes under a lease; the others wait for its result. An expired lease is taken over with a higher fence,
 * which decides whether a late result of the first holder is accepted.
 */
const refreshOrWait = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> => {
  const deadline = Date.now() + LEASE_SECONDS * SECOND
  for (;;) {
    const requestDeadline = Date.now() + (LEASE_SECONDS * SECOND) / 2
    const lease = await credentialStore.takeLease(deps.db, credentialVersion(held), LEASE_SECONDS)
    const refreshed =
      lease && (await countOutcome(deps, held, refreshUnderLease(deps, held, { ...lease, requestDeadline })))
    if (refreshed) return refreshed
    const found = await readOutcome(deps, held)
    if (found) return found
    if (Date.now() > deadline) throw new OAuthError({ kind: 'provider_timeout' })
    await delay(POLL_INTERVAL_MS)
  }
}

/** A lease that another node has taken over is not counted: that node counts its own refresh. */
const countOutcome = async (
  { countRefresh }: RefreshDeps,
  { connectorSlug }: HeldCredential,
  refresh: Promise<UsableCredential | null>,
): Promise<UsableCredential | null> => {
  try {
    const refreshed = await refresh
    if (refreshed) countRefresh(connectorSlug, refreshed.usable ? 'refreshed' : 'rejected')
    return refreshed
  } catch (error) {
    countRefresh(connectorSlug, 'failed')
    throw error
  }
}

/**
 * Returns the stored credential, or null if it is still the version to be refreshed. Throws if the organization is being moved: two
 * installations must not both refresh a credential.
 */
const readOutcome = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential | null> => {
  const current = await credentialStore.find(deps.db, held.organizationId, held.credential.id)
  if (current?.status !== 'active') return { usable: false, reason: reasonOf(current) }
  if (current.version === held.credential.version)
    return isServed(current.organizationState) ? null : { usable: false, reason: 'revoked' }
  return { usable: true, secret: await decryptCredential(deps, held, current), credential: current }
}
