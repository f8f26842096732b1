import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { isMoving } from '../../../core/organization-state.ts'
import { NIL_UUID } from '../../../core/uuid.ts'
import type { Database, Transaction } from '../../../platform/database/database.ts'
import { type KeyEncryptionKey, VaultKeyError } from '../../../platform/vault/key.ts'
import type { VaultKeyRing } from '../../../platform/vault/key-ring.ts'
import type { OrganizationKeys } from '../../../platform/vault/organization-keys.ts'
import { lockVaultKey, renewOrganizationKey, switchVaultKey } from '../../../platform/vault/rotation.ts'
import { vaultStore } from '../../../platform/vault/vault-store.ts'
import { type Progress, progressOf } from './rotate-progress.ts'
import { type KeyRotation, rotateStore } from './rotate-store.ts'
import {
  type RekeyResult,
  rekeyUsers,
  resealOrganizationSecrets,
  type UnreadableSecret,
} from './rotate-users.ts'

/** The delay before retrying users that were locked or had a refresh in flight. */
const RETRY_DELAY_MS = 0.5 * SECOND

/** The source of the vault keys. Operations that need a key file are absent if the keys come from settings. */
export type VaultKeySource = {
  ring: VaultKeyRing
  /** Adds a new first key. */
  add?: () => void
  /** Removes the keys after the one in use and returns their number. */
  dropOlder?: (inUse: KeyEncryptionKey) => number
}

export type RotationResult = {
  /** The run continued an interrupted rotation. */
  resumed: boolean
  users: number
  secrets: number
  droppedVaultKeys: number
  unreadable: UnreadableSecret[]
}

type Deps = {
  db: Database
  keySource: VaultKeySource
  onProgress?: (progress: Progress) => void
  clock?: () => number
}
type RotationRun = {
  db: Database
  keySource: VaultKeySource
  vaultKey: KeyEncryptionKey
  /** The state after the last step of this run. */
  rotation: KeyRotation
  reportProgress: (rotation: KeyRotation) => void
  unreadable: UnreadableSecret[]
}

/**
 * Rotates the vault key, every organization key and every user's data key, and seals every secret again, while the service
 * runs. Each step is a transaction that also records the progress, so an interrupted run can be resumed, and concurrent
 * runs alternate.
 */
export const rotateKeys = async ({
  db,
  keySource,
  onProgress,
  clock = Date.now,
}: Deps): Promise<RotationResult> => {
  const { resumed, rotation, vaultKey } = await begin(db, keySource)
  const startedAt = clock()
  const run: RotationRun = {
    db,
    keySource,
    vaultKey,
    rotation,
    unreadable: [],
    reportProgress: now => {
      run.rotation = now
      onProgress?.(progressOf(rotation, now, clock() - startedAt))
    },
  }
  run.reportProgress(rotation)
  await rotateOrganizations(run)
  const droppedVaultKeys = await finish(run)
  const { usersDone: users, secretsDone: secrets } = run.rotation
  return { resumed, users, secrets, droppedVaultKeys, unreadable: run.unreadable }
}

type StartedRotation = { rotation: KeyRotation; vaultKey: KeyEncryptionKey; resumed: boolean }

/**
 * The key is written to disk before the database refers to it. After a crash in between, the next run finds it first in the
 * ring and uses it.
 */
const begin = (db: Database, { ring, add }: VaultKeySource): Promise<StartedRotation> =>
  db.transaction(async tx => {
    const current = await lockVaultKey(tx, ring)
    const running = await rotateStore.running(tx)
    if (running) return { rotation: running, vaultKey: requireKey(ring, running.vaultKeyId), resumed: true }
    const unstable = await rotateStore.findUnstable(tx)
    if (unstable)
      throw new VaultKeyError(
        `Organization ${unstable.id} is being imported, moved or deleted. Rotate the keys when that has finished.`,
      )
    if (ring.first().id.equals(current.id)) add?.()
    const vaultKey = ring.first()
    await switchVaultKey(tx, ring, vaultKey)
    const rotation = await rotateStore.start(tx, vaultKey.id)
    if (!rotation) throw new Error('the rotation was not stored')
    return { rotation, vaultKey, resumed: false }
  })

const MOVING =
  'An organization is being moved to or from this installation. Its keys must not change meanwhile. Run the rotation again after the move.'

/** The organization cannot start to move before the transaction ends. */
const requireNotMoving = async (tx: Transaction, organizationId: string): Promise<void> => {
  const state = await rotateStore.lockState(tx, organizationId)
  if (state !== null && isMoving(state)) throw new VaultKeyError(MOVING)
}

const requireKey = (ring: VaultKeyRing, id: Buffer): KeyEncryptionKey => {
  const key = ring.find(id)
  if (key) return key
  throw new VaultKeyError(
    'A key rotation is in progress, but its vault key is not available here. Continue on the machine where the rotation was started, or copy its KEY_FILE or VAULT_KEY to this machine.',
  )
}

const rotateOrganizations = async (run: RotationRun): Promise<void> => {
  let organizationId = run.rotation.organizationId
  organizationId ??= (await rotateStore.nextOrganization(run.db, null))?.id ?? null
  while (organizationId) {
    const keys = await startOrganization(run, organizationId)
    if (keys) await rotateUsers(run, organizationId, keys)
    organizationId = (await rotateStore.nextOrganization(run.db, organizationId))?.id ?? null
  }
}

/** Returns null if another run has already processed the organization. */
const startOrganization = (run: RotationRun, organizationId: string): Promise<OrganizationKeys | null> =>
  step(run, async (tx, rotation) => {
    if (rotation.organizationId && rotation.organizationId > organizationId) return null
    if (rotation.organizationId !== organizationId)
      await rotateStore.enterOrganization(tx, rotation.id, organizationId)
    await requireNotMoving(tx, organizationId)
    const { vaultKey } = run
    const { ring } = run.keySource
    const renewal = { organizationId, vaultKey, since: rotation.startedAt }
    const keys = await renewOrganizationKey(tx, ring, renewal)
    run.unreadable.push(...(await resealOrganizationSecrets(tx, organizationId, keys)))
    return keys
  })

/** Repeats until only users remain whose own key cannot be decrypted. */
const rotateUsers = async (
  run: RotationRun,
  organizationId: string,
  keys: OrganizationKeys,
): Promise<void> => {
  const unreadableUsers = new Map<string, UnreadableSecret>()
  for (;;) {
    const batch = await rotateBatch(run, organizationId, keys)
    if (!batch) break
    for (const each of batch.unreadable)
      if (each.location.connectorSlug === null) unreadableUsers.set(each.location.registeredUserId, each)
      else run.unreadable.push(each)
    if (batch.last !== null) continue
    if ((await rotateStore.countLeft(run.db, organizationId, keys[0].id)) <= unreadableUsers.size) break
    await delay(RETRY_DELAY_MS)
    await step(run, tx => rotateStore.advance(tx, run.rotation.id, null, 0, 0))
  }
  run.unreadable.push(...unreadableUsers.values())
}

const rotateBatch = async (
  run: RotationRun,
  organizationId: string,
  keys: OrganizationKeys,
): Promise<RekeyResult | null> => {
  const done = await step(run, async (tx, rotation) => {
    if (rotation.organizationId !== organizationId) return null
    await requireNotMoving(tx, organizationId)
    const rekeyed = await rekeyUsers(tx, { organizationId, keys, after: rotation.userId ?? NIL_UUID })
    if (rekeyed.last === null) return { rekeyed, rotation }
    const { last, users, secrets } = rekeyed
    return { rekeyed, rotation: await rotateStore.advance(tx, rotation.id, last, users, secrets) }
  })
  if (done) run.reportProgress(done.rotation)
  return done?.rekeyed ?? null
}

/** Returns null if another run has finished the rotation. */
const step = <T>(
  { db, rotation }: RotationRun,
  work: (tx: Transaction, rotation: KeyRotation) => Promise<T>,
): Promise<T | null> =>
  db.transaction(async tx => {
    const current = await rotateStore.lock(tx, rotation.id)
    return current && work(tx, current)
  })

/** Removes old vault keys once nothing is wrapped under them. Older backups still need them. */
const finish = async (run: RotationRun): Promise<number> => {
  const dropped = await step(run, async (tx, rotation) => {
    const { vaultKey, keySource } = run
    if ((await vaultStore.countWrappedElsewhere(tx, vaultKey.id)) > 0)
      throw new Error('keys are still wrapped under an older vault key; no vault key was removed')
    const count = keySource.dropOlder?.(vaultKey) ?? 0
    await rotateStore.finish(tx, rotation.id)
    return count
  })
  return dropped ?? 0
}
