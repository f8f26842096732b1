import type { Transaction } from '../../platform/database/database.ts'
import type { DataKey } from '../../platform/vault/sealing.ts'
import { resealForOrganization } from './credential-secret.ts'
import { credentialStore } from './credential-store.ts'
import { revocationStore, type UnstoredSecret } from './revocation-store.ts'

/** Invalidates a user's credentials at once and queues their revocation at the provider. */
export const endUserCredentials = async (
  tx: Transaction,
  organizationId: string,
  userId: string,
  reason: string,
): Promise<void> => {
  await credentialStore.revokeAll(tx, organizationId, userId, reason)
}

type Deletion = {
  organizationId: string
  registeredUserId: string
  userKey: DataKey
  organizationKey: DataKey
}

/**
 * Before a user's key is destroyed, tokens that are pending revocation are sealed again under the organization's key,
 * together with their account. The records of earlier revocations are deleted with the user.
 */
export const resealForRevocation = async (
  tx: Transaction,
  { organizationId, registeredUserId, userKey, organizationKey }: Deletion,
): Promise<void> => {
  const secrets = await revocationStore.sealedOfUser(tx, organizationId, registeredUserId)
  await revocationStore.dropUserRevocations(tx, organizationId, registeredUserId)
  for (const stored of secrets) {
    const owner = {
      organizationId,
      registeredUserId,
      connectorSlug: stored.connectorSlug,
      secretId: stored.secretId,
    }
    await revocationStore.insertResealed(tx, {
      ...stored,
      sealed: resealForOrganization({
        userKey,
        organizationKey,
        owner,
        sealed: stored.sealed,
        account: stored.accountId ?? stored.account,
      }),
    })
  }
}

/** Revokes a grant whose session ended while the person was at the provider. */
export const revokeUnstored = async (tx: Transaction, secret: UnstoredSecret): Promise<void> => {
  await revocationStore.revokeUnstored(tx, secret)
}

export const endConnectorCredentials = async (
  tx: Transaction,
  organizationId: string,
  slug: string,
): Promise<void> => {
  await credentialStore.revokeOfConnector(tx, organizationId, slug)
}

export const markOrphaned = async (
  tx: Transaction,
  organizationId: string,
  slug: string,
  appIds: string[],
): Promise<void> => {
  if (appIds.length > 0) await credentialStore.orphan(tx, organizationId, slug, appIds)
}
