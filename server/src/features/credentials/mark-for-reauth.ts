import type { Database } from '../../platform/database/database.ts'
import { recordEvent } from '../events/record-event.ts'
import { credentialStore } from './credential-store.ts'
import { credentialVersion, type HeldCredential } from './held-credential.ts'

/**
 * The provider rejected the credential, so the next call returns a link to connect again. With a fence, only the lease
 * holder may mark it, because another node may be receiving new tokens.
 */
export const markForReauth = (
  db: Database,
  held: HeldCredential,
  reason: 'expired' | 'revoked',
  fence: number | null = null,
): Promise<boolean> =>
  db.transaction(async tx => {
    const { organizationId, registeredUserId, connectorSlug } = held
    await credentialStore.lockUser(tx, organizationId, registeredUserId)
    const marked = await credentialStore.markNeedsReauth(tx, credentialVersion(held), reason, fence)
    if (marked) {
      const { id, label } = held.credential
      const payload = { credential_id: id, connector_slug: connectorSlug, label, reason }
      await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.needs_reauth', payload })
    }
    return marked !== null
  })
