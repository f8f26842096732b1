import type { Database } from '../../platform/database/database.ts'
import { recordEvent } from '../events/record-event.ts'
import { credentialStore } from './credential-store.ts'
import { type HeldCredential, placeOf } from './held-credential.ts'

/**
 * The third party refused the credential itself; the next call says so and brings the link to mend it. With a fence, only
 * the holder of the lease may say it: another one may be given new tokens at this moment.
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
    const marked = await credentialStore.markNeedsReauth(tx, placeOf(held), reason, fence)
    if (marked) {
      const payload = { credential_id: held.row.id, connector_slug: connectorSlug, reason }
      await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.needs_reauth', payload })
    }
    return marked !== null
  })
