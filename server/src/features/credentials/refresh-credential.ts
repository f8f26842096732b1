import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import { OAuthError } from '../oauth/protocol.ts'
import { credentialStore } from './credential-store.ts'
import {
  type HeldCredential,
  openRow,
  placeOf,
  type RefreshDeps,
  reasonOf,
  type UsableCredential,
} from './held-credential.ts'
import { refreshUnderLease } from './refresh-under-lease.ts'

export type { HeldCredential, RefreshDeps, UsableCredential } from './held-credential.ts'
export { reasonOf } from './held-credential.ts'
export { markForReauth } from './mark-for-reauth.ts'

/** Twice what the token endpoint may take; a node that dies holds nobody up for longer. */
const LEASE_SECONDS = 20
const POLL_INTERVAL = 0.1 * SECOND

export const openCredential = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> =>
  held.row.refresh_due
    ? refreshCredential(deps, held)
    : { usable: true, secret: await openRow(deps, held), row: held.row }

/** However many callers a process has, one of them asks the database for the lease or waits there for another node. */
export const refreshCredential = (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> =>
  deps.refreshing(`${held.organizationId} ${held.row.id} ${held.row.version}`, () =>
    refreshOrWait(deps, held),
  )

/**
 * One node refreshes under a lease; the others wait for its result. A lease that ran out is taken over, with a higher
 * fence, and what its first holder still brings is judged by that.
 */
const refreshOrWait = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential> => {
  const deadline = Date.now() + LEASE_SECONDS * SECOND
  for (;;) {
    const halfOver = Date.now() + (LEASE_SECONDS * SECOND) / 2
    const lease = await credentialStore.takeLease(deps.db, placeOf(held), LEASE_SECONDS)
    const brought = lease && (await refreshUnderLease(deps, held, { ...lease, halfOver }))
    if (brought) return brought
    const found = await readOutcome(deps, held)
    if (found) return found
    if (Date.now() > deadline) throw new OAuthError({ kind: 'provider_timeout' })
    await delay(POLL_INTERVAL)
  }
}

/** What stands there now, unless it is still what was to be refreshed. */
const readOutcome = async (deps: RefreshDeps, held: HeldCredential): Promise<UsableCredential | null> => {
  const current = await credentialStore.find(deps.db, held.organizationId, held.row.id)
  if (current?.status !== 'active') return { usable: false, reason: reasonOf(current) }
  if (current.version === held.row.version) return null
  return { usable: true, secret: await openRow(deps, held, current), row: current }
}
