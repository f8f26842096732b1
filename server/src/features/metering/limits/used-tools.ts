import type { Queryable } from '../../../platform/database/database.ts'
import type { Owner } from '../records/call-record.ts'
import { usedToolsStore } from './used-tools-store.ts'

export type UsedTool = { connectorSlug: string; tool: string }

/** The tools that were called in the last days. */
export const readUsedTools = (db: Queryable, owner: Owner, days: number): Promise<UsedTool[]> =>
  usedToolsStore.ofDays(db, owner, days)
