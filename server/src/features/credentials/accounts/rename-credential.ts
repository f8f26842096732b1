import { parseAccountLabel } from '../../../core/account-label.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type CredentialOwner, credentialReadStore } from '../credential-read-store.ts'
import { credentialStore } from '../credential-store.ts'
import { requireCredential } from '../read-credentials.ts'

/** Changes the label of an account. The user's row is locked, as when an account is stored, so that two accounts never share a label. */
export const renameCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
  given: string,
): Promise<void> => {
  const label = parseAccountLabel(given, 'label')
  const { id, status } = await requireCredential(db, owner, credentialId)
  if (status === 'revoked') throw new Refusal('credential_not_found')
  const { organizationId, registeredUserId } = owner
  await db.transaction(async tx => {
    await credentialStore.lockUser(tx, organizationId, registeredUserId)
    const renamed = await credentialReadStore.rename(tx, { organizationId, registeredUserId, id, label })
    if (!renamed) throw new Refusal('account_label_taken', { param: 'label' })
  })
}
