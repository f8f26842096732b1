import { SERVICE_ACTOR } from '../../core/audited-change.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { appendEntries } from '../events/audit-trail.ts'
import { recordEvent } from '../events/record-event.ts'
import { apiKeyStore } from './api-key-store.ts'
import { organizationStore } from './organization-store.ts'
import { isListed, requireKeyId } from './replace-api-key.ts'

/** Also ends the overlaps of the keys that it replaces, so that nothing of a leaked key is left. */
export const revokeKey = (db: Database, organizationId: string, keyId: string): Promise<void> =>
  db.transaction(async tx => {
    const key = requireKeyId(organizationId, keyId)
    await organizationStore.lock(tx, organizationId)
    if (await apiKeyStore.revoke(tx, key)) return
    throw new Refusal((await isListed(tx, key)) ? 'last_production_key' : 'api_key_not_found')
  })

export const endOverlap = (db: Database, organizationId: string, keyId: string): Promise<void> =>
  db.transaction(async tx => {
    const key = requireKeyId(organizationId, keyId)
    if (await apiKeyStore.endOverlap(tx, key)) return
    throw new Refusal((await isListed(tx, key)) ? 'api_key_not_rolled' : 'api_key_not_found')
  })

/** Records an event for each key that expires soon, once. */
export const reportExpiringKeys = (db: Database): Promise<void> =>
  db.transaction(async tx => {
    for (const { organizationId, id, mode, name, expiresAt } of await apiKeyStore.takeExpiring(tx))
      await recordEvent(tx, {
        organizationId,
        registeredUserId: null,
        type: 'api_key.expiring',
        mode,
        payload: { api_key_id: id, name, expires_at: expiresAt.toISOString() },
      })
  })

const SERVICE = {
  actor: SERVICE_ACTOR,
  sender: { address: null, userAgent: null },
  requestId: 'start',
} as const

/**
 * Runs before the service listens, except in development: development keys are printed on a terminal and must not work in
 * production.
 */
export const revokeDevelopmentKeys = ({ db, signer }: { db: Database; signer: Signer }): Promise<number> =>
  db.transaction(async tx => {
    const revoked = await apiKeyStore.revokeDevelopmentKeys(tx)
    const entries = revoked.map(({ organizationId, id }) => ({
      change: {
        ...SERVICE,
        organizationId,
        action: 'api_key.revoked',
        target: { type: 'api_key', id },
        registeredUserId: null,
        changes: [],
      },
      outcome: 'done' as const,
    }))
    if (entries.length > 0) await appendEntries(tx, { signer, onBreak: () => undefined }, entries)
    return revoked.length
  })
