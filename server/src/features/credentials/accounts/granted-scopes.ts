import type { Mode } from '../../../core/mode.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { grantedScopesStore } from './granted-scopes-store.ts'

/** A scope of a connector, and the number of active credentials that have it. */
export type GrantedScope = { connectorSlug: string; scope: string; credentials: number }

/** The scopes of the credentials that were linked at least this many days ago. */
export const readGrantedScopes = (
  db: Queryable,
  owner: { organizationId: string; mode: Mode },
  days: number,
): Promise<GrantedScope[]> => grantedScopesStore.olderThan(db, owner, days)
