import type { Queryable } from '../../platform/database/database.ts'
import { organizationStore } from './organization-store.ts'

/** The allowed origins, in the form that `originOf` returns. */
export const listCallbackOrigins = async (
  db: Queryable,
  organizationId: string,
): Promise<ReadonlySet<string>> =>
  new Set((await organizationStore.listOrigins(db, organizationId)).map(({ origin }) => origin))
