import { Refusal } from '../../core/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { recordEvent } from '../events/record-event.ts'
import type { CredentialOwner } from './credential-read-store.ts'
import { credentialStore } from './credential-store.ts'
import { pauseStore } from './pause-store.ts'
import { requireCredential } from './read-credentials.ts'

const BATCH = 100

/**
 * Rejects tool calls with the credential until the time is over. A call that was admitted before is not interrupted. Pausing
 * again replaces the time.
 */
export const pauseCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
  seconds: number,
): Promise<void> => {
  const { id } = await requireCredential(db, owner, credentialId)
  const { organizationId, registeredUserId } = owner
  await db.transaction(async tx => {
    await credentialStore.lockUser(tx, organizationId, registeredUserId)
    const paused = await pauseStore.pause(tx, { organizationId, registeredUserId, id }, seconds)
    if (!paused) throw new Refusal('credential_not_found')
    const payload = {
      credential_id: id,
      connector_slug: paused.connectorSlug,
      label: paused.label,
      paused_until: paused.pausedUntil.toISOString(),
    }
    await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.paused', payload })
  })
}

/** Ends a pause early. Has no effect if the credential is not paused. */
export const resumeCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
): Promise<void> => {
  const { id, status } = await requireCredential(db, owner, credentialId)
  if (status === 'revoked') throw new Refusal('credential_not_found')
  const { organizationId, registeredUserId } = owner
  await db.transaction(async tx => {
    await credentialStore.lockUser(tx, organizationId, registeredUserId)
    const resumed = await pauseStore.resume(tx, { organizationId, registeredUserId, id })
    if (!resumed) return
    const payload = {
      credential_id: id,
      connector_slug: resumed.connectorSlug,
      label: resumed.label,
      reason: 'requested',
    } as const
    await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.resumed', payload })
  })
}

/** Records the end of pauses whose time is over. They have had no effect since then. */
export const resumeDue = async (db: Database): Promise<void> => {
  while ((await pauseStore.resumeDue(db, BATCH)) === BATCH);
}
