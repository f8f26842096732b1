import type { Queryable } from '../../platform/database/database.ts'
import { personStore } from './person-store.ts'

/**
 * Records that the email address is the person's. The administrator who invited the person may have used the link and set a
 * password or a passkey, so the first proof removes everything that was set up before. `keptSessionId`: the session that gave the proof.
 */
export const claimAddress = async (
  db: Queryable,
  personId: string,
  keptSessionId: string | null = null,
): Promise<void> => {
  if (await personStore.verifyAddress(db, personId))
    await personStore.removeCredentials(db, personId, keptSessionId)
}
