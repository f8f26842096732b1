import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import { newUuid } from '../../core/uuid.ts'
import { isConnectionError } from '../../platform/database/postgres/connection-error.ts'
import { recordEvent } from '../events/record-event.ts'
import { type CredentialSecret, sealSecret } from './credential-secret.ts'
import { credentialStore } from './credential-store.ts'
import {
  credentialVersion,
  type HeldCredential,
  type RefreshDeps,
  type UsableCredential,
} from './held-credential.ts'
import type { RenewedSecret } from './renewal.ts'
import { revocationStore } from './revocation-store.ts'

/** Covers a database failover and a later lease holder, about 20 seconds each. */
const SAVE_TIMEOUT_MS = 30 * SECOND
const POLL_INTERVAL_MS = 0.1 * SECOND

export type LeaseContext = {
  held: HeldCredential
  fence: number
  renew(secret: CredentialSecret): Promise<RenewedSecret>
}

/**
 * The old refresh token may be used up, so the new tokens must not be lost: saving is retried while the database is
 * unavailable, and after the lease has expired. Tokens stored by a later lease holder take precedence, and an active holder
 * is waited for. Returns null if the new tokens were not needed or are not usable.
 */
export const saveRenewed = async (
  deps: RefreshDeps,
  lease: LeaseContext,
  renewed: RenewedSecret,
): Promise<UsableCredential | null> => {
  const deadline = Date.now() + SAVE_TIMEOUT_MS
  for (;;) {
    const saved = await trySave(deps, lease, renewed).catch((error: unknown) => {
      if (isConnectionError(error) && Date.now() < deadline) return 'retry' as const
      throw error
    })
    if (saved !== 'retry') return saved
    if (Date.now() > deadline) return null
    await delay(POLL_INTERVAL_MS)
  }
}

const trySave = async (
  deps: RefreshDeps,
  lease: LeaseContext,
  renewed: RenewedSecret,
): Promise<UsableCredential | null | 'retry'> => {
  const saved = await save(deps, lease, renewed)
  if (saved) return saved
  const { organizationId, credential } = lease.held
  const current = await credentialStore.find(deps.db, organizationId, credential.id)
  if (current?.version !== credential.version) return null
  if (current.status === 'active') return 'retry'
  return current.statusReason === 'expired' ? restoreExpired(deps, lease, renewed) : null
}

/**
 * A later lease holder was rejected because this process had used the refresh token. The provider may have revoked the
 * whole token family or only the old token, so the new refresh token is tried.
 */
const restoreExpired = async (
  deps: RefreshDeps,
  lease: LeaseContext,
  { secret }: RenewedSecret,
): Promise<UsableCredential | null> => {
  const proven = await lease.renew(secret).catch(() => null)
  return proven && save(deps, lease, proven, { restores: true })
}

const save = async (
  { db, vault }: RefreshDeps,
  { held, fence }: LeaseContext,
  { secret, scopes, expiresInSeconds, endsInSeconds }: RenewedSecret,
  { restores = false } = {},
): Promise<UsableCredential | null> => {
  const { organizationId, registeredUserId, connectorSlug } = held
  const secretId = newUuid()
  const saved = await db.transaction(async tx => {
    const user = await credentialStore.lockUser(tx, organizationId, registeredUserId)
    if (!user) return null
    // Keys may have been rotated during the request, so the user's current key is read.
    const userKey = await vault.openUserKey(organizationId, registeredUserId, user.dataKey, tx)
    const sealed = sealSecret(userKey, { organizationId, registeredUserId, connectorSlug, secretId }, secret)
    const refreshed = { secretId, sealed, scopes, expiresInSeconds, endsInSeconds }
    const stored = await credentialStore.saveRefreshed(
      tx,
      credentialVersion(held),
      { fence, restores },
      refreshed,
    )
    if (!stored) {
      await revocationStore.revokeRefreshed(tx, credentialVersion(held), refreshed)
      return null
    }
    const { id, label } = held.credential
    const payload = { credential_id: id, connector_slug: connectorSlug, label }
    await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.refreshed', payload })
    return { ...stored, sealed, userKey: user.dataKey }
  })
  return (
    saved && {
      usable: true,
      secret,
      credential: { ...held.credential, ...saved, secretId, scopes },
    }
  )
}
