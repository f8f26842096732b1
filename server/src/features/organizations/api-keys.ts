import type { Mode } from '../../core/mode.ts'
import { Refusal } from '../../core/refusal.ts'
import { Secret } from '../../core/secret.ts'
import { hashToken, issueToken, tokenHint } from '../../core/token.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { appendEntries } from '../events/audit-trail.ts'
import { recordEvent } from '../events/record-event.ts'
import { organizationStore, type StoredApiKey } from './organization-store.ts'

/** The plaintext key exists only in this value; its hash is stored. */
export type IssuedKey = { stored: StoredApiKey; key: Secret }

export const issueKey = async (
  tx: Queryable,
  organizationId: string,
  mode: Mode,
  name: string,
  { forDevelopment = false } = {},
): Promise<IssuedKey> => {
  const kind = mode === 'production' ? 'productionKey' : 'testKey'
  const token = issueToken(kind, organizationId)
  const stored = await organizationStore.insertKey(tx, {
    organizationId,
    id: newUuid(),
    mode,
    name,
    hash: hashToken(token),
    hint: tokenHint(token, kind),
    forDevelopment,
  })
  return { stored, key: new Secret(token) }
}

/** §5.2: the old key stops working immediately. */
export const regenerateProductionKey = (db: Database, organizationId: string): Promise<IssuedKey> =>
  db.transaction(async tx => {
    const old = await organizationStore.revokeProductionKey(tx, organizationId)
    const issued = await issueKey(tx, organizationId, 'production', 'Production')
    await recordEvent(tx, {
      organizationId,
      registeredUserId: null,
      type: 'api_key.regenerated',
      mode: 'production',
      payload: { api_key_id: issued.stored.id, replaced_api_key_id: old?.id ?? null },
    })
    return issued
  })

export const regenerateTestKey = (db: Database, organizationId: string, keyId: string): Promise<IssuedKey> =>
  db.transaction(async tx => {
    const old = await organizationStore.revokeKey(tx, organizationId, keyId)
    if (!old) throw new Refusal('api_key_not_found')
    const issued = await issueKey(tx, organizationId, old.mode, old.name)
    await recordEvent(tx, {
      organizationId,
      registeredUserId: null,
      type: 'api_key.regenerated',
      mode: old.mode,
      payload: { api_key_id: issued.stored.id, replaced_api_key_id: old.id },
    })
    return issued
  })

const SERVICE = {
  actor: { type: 'system', id: 'service', hint: null },
  sender: { address: null, userAgent: null },
  requestId: 'start',
} as const

/**
 * Runs before the service listens, except in development: development keys are printed on a terminal and must not work in
 * production.
 */
export const revokeDevelopmentKeys = ({ db, signer }: { db: Database; signer: Signer }): Promise<number> =>
  db.transaction(async tx => {
    const revoked = await organizationStore.revokeDevelopmentKeys(tx)
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
