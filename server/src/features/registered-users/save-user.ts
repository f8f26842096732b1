import type { RegisteredUserCreate, RegisteredUserPatch } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { endUserCredentials } from '../credentials/end-credentials.ts'
import { recordEvent } from '../events/record-event.ts'
import { type Owner, registeredUserStore, type StoredUser, type UserFields } from './registered-user-store.ts'

type Deps = { db: Database; vault: Vault }

/** If the `origin_user_id` exists, its user is updated with the other given fields; a second user is never created. */
export const createUser = async (
  { db, vault }: Deps,
  owner: Owner,
  { origin_user_id: originUserId, ...fields }: RegisteredUserCreate,
): Promise<{ user: StoredUser; created: boolean }> => {
  const id = newUuid()
  const dataKey = await vault.createUserKey(owner.organizationId, id)
  return db.transaction(async tx => {
    await requirePlan(tx, owner, fields)
    const inserted = await registeredUserStore.insert(tx, owner, { id, originUserId, dataKey, fields })
    const known = inserted ?? (await registeredUserStore.findByOrigin(tx, owner, originUserId))
    if (!known) throw new Error('the user was deleted between insert and read')
    if (!inserted) await registeredUserStore.update(tx, owner.organizationId, known.id, fields)
    const user = await mustFind(tx, owner, known.id)
    if (inserted || Object.keys(fields).length > 0)
      await recordUserEvent(tx, owner, user, inserted ? 'registered_user.created' : 'registered_user.updated')
    return { user, created: inserted !== null }
  })
}

export const findUserId = async (db: Queryable, owner: Owner, originUserId: string): Promise<string | null> =>
  (await registeredUserStore.findByOrigin(db, owner, originUserId))?.id ?? null

/** §3, Registered User: deactivation revokes credentials and ends sessions; reactivation does not restore them. */
export const patchUser = (
  { db }: Deps,
  owner: Owner,
  id: string,
  { is_active: active, ...fields }: RegisteredUserPatch,
): Promise<StoredUser> => {
  requireId(id)
  return db.transaction(async tx => {
    await requirePlan(tx, owner, fields)
    const before = await registeredUserStore.lock(tx, owner, id)
    if (!before) throw new Refusal('registered_user_not_found')
    const isUpdated = Object.keys(fields).length > 0
    if (isUpdated) await registeredUserStore.update(tx, owner.organizationId, id, fields)
    const user = await mustFind(tx, owner, id)
    if (isUpdated) await recordUserEvent(tx, owner, user, 'registered_user.updated')
    if (active === undefined || active === before.isActive) return user
    await registeredUserStore.setActive(tx, owner.organizationId, id, active)
    if (!active) await endUserCredentials(tx, owner.organizationId, id, 'user_deactivated')
    const change = active ? 'registered_user.reactivated' : 'registered_user.deactivated'
    await recordUserEvent(tx, owner, user, change)
    return mustFind(tx, owner, id)
  })
}

export const requireId = (id: string): void => {
  if (!isUuid(id)) throw new Refusal('registered_user_not_found')
}

const mustFind = async (tx: Transaction, owner: Owner, id: string): Promise<StoredUser> => {
  const user = await registeredUserStore.find(tx, owner, id)
  if (!user) throw new Refusal('registered_user_not_found')
  return user
}

const requirePlan = async (tx: Queryable, owner: Owner, fields: UserFields): Promise<void> => {
  // Clearing a limit is allowed on every plan.
  if (typeof fields.rate_limit_per_minute !== 'number') return
  const plan = await registeredUserStore.plan(tx, owner.organizationId)
  if (!plan?.allowsRateLimits) throw new Refusal('plan_required', { param: 'rate_limit_per_minute' })
}

type UserEvent =
  | 'registered_user.created'
  | 'registered_user.updated'
  | 'registered_user.deactivated'
  | 'registered_user.reactivated'

const recordUserEvent = (
  tx: Transaction,
  { organizationId }: Owner,
  { id, originUserId }: StoredUser,
  type: UserEvent,
): Promise<void> =>
  recordEvent(tx, {
    organizationId,
    registeredUserId: id,
    type,
    payload: { origin_user_id: originUserId },
  })
