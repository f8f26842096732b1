import type { Database } from '../../../platform/database/database.ts'
import { codeStore } from './code-store.ts'

export const deleteOldSessions = async (db: Database): Promise<void> => {
  await codeStore.deleteOldSessions(db)
}
