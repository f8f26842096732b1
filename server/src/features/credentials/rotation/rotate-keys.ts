import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { NIL_UUID } from '../../../core/uuid.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import { type KeyEncryptionKey, VaultKeyError } from '../../../platform/vault/key.ts'
import type { VaultKeyRing } from '../../../platform/vault/key-ring.ts'
import type { OrganizationKeys } from '../../../platform/vault/organization-keys.ts'
import { lockVaultKey, renewOrganizationKey, switchVaultKey } from '../../../platform/vault/rotation.ts'
import { vaultStore } from '../../../platform/vault/vault-store.ts'
import { type Progress, progressOf } from './rotate-progress.ts'
import { type RotationRow, rotateStore } from './rotate-store.ts'
import { type Rekeyed, rekeyUsers, resealOrganizationSecrets, type Unreadable } from './rotate-users.ts'

/** Until users who were held by others, or whose tokens were being refreshed, are looked at again. */
const PAUSE = 0.5 * SECOND

/** Where the vault keys are kept. What only a file allows is absent where they come by settings. */
export type VaultKeyKeeper = {
  ring: VaultKeyRing
  /** Puts a new key on top. */
  add?: () => void
  /** Drops what stands below the key in use, and says how many keys that were. */
  dropOlder?: (inUse: KeyEncryptionKey) => number
}

export type Rotated = {
  /** An earlier run had begun it. */
  resumed: boolean
  users: number
  secrets: number
  droppedVaultKeys: number
  unreadable: Unreadable[]
}

type Deps = {
  db: Database
  keeper: VaultKeyKeeper
  tell?: (progress: Progress) => void
  clock?: () => number
}
type Run = {
  db: Database
  keeper: VaultKeyKeeper
  vaultKey: KeyEncryptionKey
  /** As this run saw it last. */
  rotation: RotationRow
  moved: (rotation: RotationRow) => void
  unreadable: Unreadable[]
}

/**
 * A new vault key, a new key for every organization, a new data key for every user, and every secret sealed anew, while
 * the service runs. Each step is a transaction that also says how far it came: a run that was killed is gone on with, and
 * two runs at once take turns.
 */
export const rotateKeys = async ({ db, keeper, tell, clock = Date.now }: Deps): Promise<Rotated> => {
  const { resumed, rotation, vaultKey } = await begin(db, keeper)
  const startedAt = clock()
  const run: Run = {
    db,
    keeper,
    vaultKey,
    rotation,
    unreadable: [],
    moved: now => {
      run.rotation = now
      tell?.(progressOf(rotation, now, clock() - startedAt))
    },
  }
  run.moved(rotation)
  await rotateOrganizations(run)
  const droppedVaultKeys = await finish(run)
  const { users_done: users, secrets_done: secrets } = run.rotation
  return { resumed, users, secrets, droppedVaultKeys, unreadable: run.unreadable }
}

type Begun = { rotation: RotationRow; vaultKey: KeyEncryptionKey; resumed: boolean }

/** The key is on disk before the database names it. Killed in between, it is found on top the next time, and used. */
const begin = (db: Database, { ring, add }: VaultKeyKeeper): Promise<Begun> =>
  db.transaction(async tx => {
    const current = await lockVaultKey(tx, ring)
    const running = await rotateStore.running(tx)
    if (running) return { rotation: running, vaultKey: requireKey(ring, running.vault_key_id), resumed: true }
    if (ring.first().id.equals(current.id)) add?.()
    const vaultKey = ring.first()
    await switchVaultKey(tx, ring, vaultKey)
    const rotation = await rotateStore.start(tx, vaultKey.id)
    if (!rotation) throw new Error('the rotation was not stored')
    return { rotation, vaultKey, resumed: false }
  })

const requireKey = (ring: VaultKeyRing, id: Buffer): KeyEncryptionKey => {
  const key = ring.find(id)
  if (key) return key
  throw new VaultKeyError(
    'A rotation is under way to a vault key that is not here. Go on with it on the machine where it was begun, or bring its KEY_FILE or VAULT_KEY here.',
  )
}

const rotateOrganizations = async (run: Run): Promise<void> => {
  let organizationId = run.rotation.organization_id
  organizationId ??= (await rotateStore.nextOrganization(run.db, null))?.id ?? null
  while (organizationId) {
    const keys = await enter(run, organizationId)
    if (keys) await rotateUsers(run, organizationId, keys)
    organizationId = (await rotateStore.nextOrganization(run.db, organizationId))?.id ?? null
  }
}

/** Null: another run has been here before. */
const enter = (run: Run, organizationId: string): Promise<OrganizationKeys | null> =>
  step(run, async (tx, rotation) => {
    if (rotation.organization_id && rotation.organization_id > organizationId) return null
    if (rotation.organization_id !== organizationId)
      await rotateStore.enterOrganization(tx, rotation.id, organizationId)
    const { vaultKey } = run
    const { ring } = run.keeper
    const renewal = { organizationId, vaultKey, since: rotation.started_at }
    const keys = await renewOrganizationKey(tx, ring, renewal)
    run.unreadable.push(...(await resealOrganizationSecrets(tx, organizationId, keys)))
    return keys
  })

/** Over and over, until nobody is left but those whose own key does not open. */
const rotateUsers = async (run: Run, organizationId: string, keys: OrganizationKeys): Promise<void> => {
  const hopeless = new Map<string, Unreadable>()
  for (;;) {
    const batch = await rotateBatch(run, organizationId, keys)
    if (!batch) break
    for (const each of batch.unreadable)
      if (each.place.connectorSlug === null) hopeless.set(each.place.registeredUserId, each)
      else run.unreadable.push(each)
    if (batch.last !== null) continue
    if ((await rotateStore.countLeft(run.db, organizationId, keys[0].id)) <= hopeless.size) break
    await delay(PAUSE)
    await step(run, tx => rotateStore.advance(tx, run.rotation.id, null, 0, 0))
  }
  run.unreadable.push(...hopeless.values())
}

const rotateBatch = async (
  run: Run,
  organizationId: string,
  keys: OrganizationKeys,
): Promise<Rekeyed | null> => {
  const done = await step(run, async (tx, rotation) => {
    if (rotation.organization_id !== organizationId) return null
    const rekeyed = await rekeyUsers(tx, { organizationId, keys, after: rotation.user_id ?? NIL_UUID })
    if (rekeyed.last === null) return { rekeyed, rotation }
    const { last, users, secrets } = rekeyed
    return { rekeyed, rotation: await rotateStore.advance(tx, rotation.id, last, users, secrets) }
  })
  if (done) run.moved(done.rotation)
  return done?.rekeyed ?? null
}

/** Null: another run has finished it. */
const step = <T>(
  { db, rotation }: Run,
  work: (tx: Transaction, rotation: RotationRow) => Promise<T>,
): Promise<T | null> =>
  db.transaction(async tx => {
    const current = await rotateStore.lock(tx, rotation.id)
    return current && work(tx, current)
  })

/** Old vault keys are dropped when nothing is wrapped under them. Backups from before need them still. */
const finish = async (run: Run): Promise<number> => {
  const dropped = await step(run, async (tx, rotation) => {
    const { vaultKey, keeper } = run
    if ((await vaultStore.countWrappedElsewhere(tx, vaultKey.id)) > 0)
      throw new Error('keys are still wrapped under an older vault key; nothing was dropped')
    const count = keeper.dropOlder?.(vaultKey) ?? 0
    await rotateStore.finish(tx, rotation.id)
    return count
  })
  return dropped ?? 0
}
