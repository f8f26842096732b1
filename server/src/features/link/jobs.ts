import type { Database } from '../../platform/database.ts'
import { codeStore } from './code-store.ts'

const BATCH = 100

/** Codes that nobody redeemed: the sealed credential is destroyed, and revoked at the third party where it can be. */
export const expireCodes = async (db: Database): Promise<number> => {
  let count = 0
  for (;;) {
    const overdue = await codeStore.overdue(db, BATCH)
    for (const row of overdue) await codeStore.end(db, row, 'code_expired', 'code_expired')
    count += overdue.length
    if (overdue.length < BATCH) return count
  }
}

export const deleteOldSessions = async (db: Database): Promise<void> => {
  await codeStore.deleteOldSessions(db)
}
