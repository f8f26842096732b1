import type { Queryable } from '../../platform/database/database.ts'
import { restoreStore } from './backup-store.ts'

export class UnfinishedRestore extends Error {
  override name = 'UnfinishedRestore'

  constructor() {
    super(
      'A restore of this database was interrupted, or is still running. Run `carabiner restore` again with the same backup: it continues. Until then, the database is incomplete and cannot be used.',
    )
  }
}

/** An incomplete database would serve deleted users, and would get a new signing key. */
export const requireNoUnfinishedRestore = async (db: Queryable): Promise<void> => {
  if (await restoreStore.find(db)) throw new UnfinishedRestore()
}
