import type { Actor } from '../../core/audited-change.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Principal } from '../../edge/principal.ts'
import type { Database, Transaction } from '../../platform/database/database.ts'
import { recordEvent } from '../events/record-event.ts'
import { apiKeyStore } from './api-key-store.ts'
import { type IssuedKey, issueKey, requireBelowLimit, requireMayGive } from './api-keys.ts'
import { organizationStore } from './organization-store.ts'

type KeyId = { organizationId: string; id: string }

/** Both keys are valid until the overlap ends. */
export const rollKey = (
  db: Database,
  author: Principal,
  keyId: string,
  overlapMinutes: number,
): Promise<IssuedKey & { overlapEndsAt: Date }> =>
  db.transaction(async tx => {
    const { organizationId, actor } = author
    await requireBelowLimit(tx, organizationId)
    const id = newUuid()
    const key = requireKeyId(organizationId, keyId)
    const rolled = await apiKeyStore.roll(tx, key, id, overlapMinutes)
    if (!rolled) throw await notReplaceable(tx, key)
    const { overlapEndsAt, ...successor } = rolled
    requireMayGive(author, successor.groups)
    const issued = await issueKey(tx, { ...successor, organizationId, id, createdBy: actor })
    await recordEvent(tx, {
      organizationId,
      registeredUserId: null,
      type: 'api_key.rolled',
      mode: successor.mode,
      payload: {
        api_key_id: id,
        replaced_api_key_id: key.id,
        replaced_key_expires_at: overlapEndsAt.toISOString(),
      },
    })
    return { ...issued, overlapEndsAt }
  })

/** §5.2: the old key stops working immediately. */
export const regenerateKey = (db: Database, author: Principal, keyId: string): Promise<IssuedKey> =>
  db.transaction(async tx => {
    const key = requireKeyId(author.organizationId, keyId)
    const issued = await regenerate(tx, key, author.actor)
    if (!issued) throw await notReplaceable(tx, key)
    requireMayGive(author, issued.stored.groups)
    return issued
  })

/** For operators: replaces the oldest permanent production key, or creates one if there is none. */
export const regenerateProductionKey = (
  db: Database,
  organizationId: string,
  createdBy: Actor,
): Promise<IssuedKey> =>
  db.transaction(async tx => {
    await organizationStore.lock(tx, organizationId)
    const key = await apiKeyStore.permanent(tx, organizationId)
    const issued = key && (await regenerate(tx, { organizationId, id: key.id }, createdBy))
    if (issued) return issued
    const created = await issueKey(tx, { organizationId, mode: 'production', name: 'Production', createdBy })
    await recordRegenerated(tx, { organizationId, id: created.stored.id }, created, null)
    return created
  })

const regenerate = async (tx: Transaction, key: KeyId, createdBy: Actor): Promise<IssuedKey | null> => {
  const { organizationId } = key
  const successor = await apiKeyStore.regenerate(tx, key)
  if (!successor) return null
  const issued = await issueKey(tx, { ...successor, organizationId, createdBy })
  await recordRegenerated(tx, key, issued, key.id)
  return issued
}

const recordRegenerated = (
  tx: Transaction,
  { organizationId }: KeyId,
  { stored }: IssuedKey,
  replacedId: string | null,
): Promise<void> =>
  recordEvent(tx, {
    organizationId,
    registeredUserId: null,
    type: 'api_key.regenerated',
    mode: stored.mode,
    payload: { api_key_id: stored.id, replaced_api_key_id: replacedId },
  })

export const requireKeyId = (organizationId: string, id: string): KeyId => {
  if (!isUuid(id)) throw new Refusal('api_key_not_found')
  return { organizationId, id: id.toLowerCase() }
}

/** Why a key could not be changed. */
export const isListed = async (tx: Transaction, { organizationId, id }: KeyId): Promise<boolean> =>
  (await apiKeyStore.list(tx, organizationId)).some(key => key.id === id)

const notReplaceable = async (tx: Transaction, key: KeyId): Promise<Refusal> =>
  new Refusal((await isListed(tx, key)) ? 'api_key_ended' : 'api_key_not_found')
