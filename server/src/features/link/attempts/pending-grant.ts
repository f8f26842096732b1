import { hashSecret } from '../../../core/hash-secret.ts'
import type { Transaction } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { unsealSecret } from '../../credentials/credential-secret.ts'
import { lockUser } from '../../credentials/lock-user.ts'
import { storePending, takePending } from '../../credentials/pending-secrets.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'
import type { ObtainedCredential, SealedCredential } from './obtained-credential.ts'

/** The key of a pending grant. It is not the hash of any authorization code, so no code redeems the grant. */
export const grantKey = (choice: 'site' | 'account', attemptId: string): Buffer =>
  hashSecret(`${choice} of ${attemptId}`)

/** Stores a sealed grant until the person has made a choice or the session expires. */
export const storeGrant = (
  tx: Transaction,
  session: StoredSession,
  sealed: SealedCredential,
  key: Buffer,
): Promise<void> =>
  storePending(tx, {
    ...sealed,
    method: sealed.secret.kind,
    endsInSeconds: sealed.endsInSeconds ?? null,
    organizationId: session.organizationId,
    registeredUserId: session.registeredUserId,
    sessionId: session.id,
    mode: session.mode,
    codeHash: key,
    sessionMintedAt: session.mintedAt,
    expiresAt: session.expiresAt,
    replaces: null,
    label: null,
  })

/**
 * Takes a grant once. The user's row is locked first, as in every transaction here, so that it is decrypted with the user's current key.
 * Returns null if it was already taken or revoked.
 */
export const takeGrant = async (
  tx: Transaction,
  { vault }: { vault: Vault },
  session: StoredSession,
  { key, attemptId, serverId }: { key: Buffer; attemptId: string; serverId: string | null },
): Promise<ObtainedCredential | null> => {
  const { organizationId, registeredUserId } = session
  const dataKey = await lockUser(tx, organizationId, registeredUserId)
  const stored = dataKey && (await takePending(tx, organizationId, key))
  if (!stored) return null
  const userKey = await vault.openUserKey(organizationId, registeredUserId, dataKey, tx)
  const owner = {
    organizationId,
    registeredUserId,
    connectorSlug: stored.connectorSlug,
    secretId: stored.secretId,
  }
  return {
    attemptId,
    connectorSlug: stored.connectorSlug,
    serverId,
    secret: unsealSecret(userKey, owner, stored.sealed),
    scopes: stored.scopes,
    account: stored.account,
    accountId: stored.accountId,
    oauthApp: stored.oauthApp,
    expiresInSeconds: stored.expiresInSeconds,
    endsInSeconds: stored.endsInSeconds,
  }
}
