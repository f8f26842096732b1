import type { Queryable } from '../../platform/database/database.ts'
import { credentialStore } from './credential-store.ts'

/** Locks the user until the transaction ends and returns its wrapped data key, or null if there is no such user. */
export const lockUser = async (
  tx: Queryable,
  organizationId: string,
  registeredUserId: string,
): Promise<Buffer | null> =>
  (await credentialStore.lockUser(tx, organizationId, registeredUserId))?.dataKey ?? null
