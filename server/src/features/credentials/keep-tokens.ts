import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import type { Secret } from '../../core/secret.ts'
import { newUuid } from '../../core/uuid.ts'
import { isConnectionError } from '../../platform/database/connection-error.ts'
import { recordEvent } from '../events/record-event.ts'
import type { Tokens } from '../oauth/protocol.ts'
import { oauthSecret, sealSecret } from './credential-secret.ts'
import { credentialStore } from './credential-store.ts'
import { type HeldCredential, placeOf, type RefreshDeps, type UsableCredential } from './held-credential.ts'

/** A failover takes about 20 seconds, and so does a later holder at the most. */
const PATIENCE = 30 * SECOND
const POLL_INTERVAL = 0.1 * SECOND

export type LeaseHeld = {
  held: HeldCredential
  fence: number
  tenant: Record<string, string>
  ask(refreshToken: Secret): Promise<Tokens>
}

/**
 * The old refresh token may be spent, so what came for it is not let go of lightly: not while the database is away, and not
 * because the lease ran out. It gives way to what is stored since, and waits for a later holder who still asks. Null: it
 * was not needed, or is of no use.
 */
export const keepTokens = async (
  deps: RefreshDeps,
  lease: LeaseHeld,
  tokens: Tokens,
): Promise<UsableCredential | null> => {
  const deadline = Date.now() + PATIENCE
  for (;;) {
    const kept = await tryToKeep(deps, lease, tokens).catch((error: unknown) => {
      if (isConnectionError(error) && Date.now() < deadline) return 'later' as const
      throw error
    })
    if (kept !== 'later') return kept
    if (Date.now() > deadline) return null
    await delay(POLL_INTERVAL)
  }
}

const tryToKeep = async (
  deps: RefreshDeps,
  lease: LeaseHeld,
  tokens: Tokens,
): Promise<UsableCredential | null | 'later'> => {
  const saved = await save(deps, lease, tokens)
  if (saved) return saved
  const { organizationId, row } = lease.held
  const current = await credentialStore.find(deps.db, organizationId, row.id)
  if (current?.version !== row.version) return null
  if (current.status === 'active') return 'later'
  return current.status_reason === 'expired' ? revive(deps, lease, tokens) : null
}

/**
 * A later holder was refused with the token that was spent here. Where that ended the whole family, what came for it is dead
 * too; where it did not, it is all that is left of the link. Only the third party knows, so it is asked.
 */
const revive = async (
  deps: RefreshDeps,
  lease: LeaseHeld,
  { refreshToken }: Tokens,
): Promise<UsableCredential | null> => {
  const proven = refreshToken && (await lease.ask(refreshToken).catch(() => null))
  return proven && save(deps, lease, proven, { revives: true })
}

const save = async (
  { db, vault }: RefreshDeps,
  { held, fence, tenant }: LeaseHeld,
  tokens: Tokens,
  { revives = false } = {},
): Promise<UsableCredential | null> => {
  const { organizationId, registeredUserId, connectorSlug } = held
  const secretId = newUuid()
  const secret = oauthSecret(tokens, tenant)
  const saved = await db.transaction(async tx => {
    const user = await credentialStore.lockUser(tx, organizationId, registeredUserId)
    if (!user) return null
    // Keys may have been rotated while the third party answered: the user's key is the one of this moment.
    const userKey = await vault.openUserKey(organizationId, registeredUserId, user.data_key, tx)
    const sealed = sealSecret(userKey, { organizationId, registeredUserId, connectorSlug, secretId }, secret)
    const refreshed = { ...tokens, secretId, sealed }
    const row = await credentialStore.saveRefreshed(tx, placeOf(held), { fence, revives }, refreshed)
    if (!row) {
      await credentialStore.revokeRefreshed(tx, placeOf(held), refreshed)
      return null
    }
    const payload = { credential_id: held.row.id, connector_slug: connectorSlug }
    await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.refreshed', payload })
    return { ...row, sealed, user_key: user.data_key }
  })
  return (
    saved && {
      usable: true,
      secret,
      row: { ...held.row, ...saved, secret_id: secretId, scopes: tokens.scopes },
    }
  )
}
