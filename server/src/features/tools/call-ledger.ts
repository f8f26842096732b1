import { coalesce } from '../../platform/coalesce.ts'
import type { Database } from '../../platform/database.ts'
import {
  type AdmissionRow,
  type AskedHttpCall,
  type AskedMcpCall,
  admissionStore,
  type McpAdmissionRow,
} from './admission-store.ts'
import { type Settled, type SettledCall, settlementStore } from './settlement-store.ts'

/**
 * Calls are written down when they are admitted, and again when they are settled. Each of both is one statement, and so one commit,
 * for all who come while the one before is under way; nobody is answered before their own is on disk. One statement of a kind at a
 * time: two share the same work among twice as many commits, and measured at 32 callers cost the database twice as much.
 */
export type CallLedger = {
  admit(call: AskedHttpCall): Promise<AdmissionRow>
  admitMcp(call: AskedMcpCall): Promise<McpAdmissionRow>
  settle(call: SettledCall): Promise<Settled>
}

export const createCallLedger = (db: Database): CallLedger => ({
  admit: coalesce((calls: AskedHttpCall[]) => admissionStore.admit(db, calls)),
  admitMcp: coalesce((calls: AskedMcpCall[]) => admissionStore.admitMcp(db, calls)),
  settle: coalesce<SettledCall, Settled>(calls => settlementStore.settle(db, calls)),
})
