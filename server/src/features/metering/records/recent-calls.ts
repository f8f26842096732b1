import { thirdPartyErrors } from '@carabiner/contract'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { CallRecord, Owner } from './call-record.ts'
import { recordStore } from './record-store.ts'

/** Larger than the number that is shown, because calls that were rejected or answered from storage are skipped. */
const MAX_READ = 50

export type RecentCall = { tool: string; startedAt: Date; succeeded: boolean }

type Used = { registeredUserId: string; connector: string; credentialId: string }

/** The latest calls of a user with one account of a connector that reached the provider, newest first, without their contents. */
export const readRecentCalls = async (
  lists: ReadDatabase,
  owner: Owner,
  { registeredUserId, connector, credentialId }: Used,
  limit: number,
): Promise<RecentCall[]> => {
  const filter = {
    registeredUserId,
    connector,
    toolPackId: null,
    tool: null,
    outcome: null,
    errorCode: null,
    accountLabel: null,
    since: null,
    until: null,
    requestId: null,
    traceId: null,
    header: null,
  }
  const { rows } = await recordStore.page(lists, owner, filter, null, MAX_READ)
  return rows
    .filter(call => call.credentialId === credentialId && reachedProvider(call))
    .slice(0, limit)
    .map(({ tool, startedAt, outcome }) => ({ tool, startedAt, succeeded: outcome === 'success' }))
}

const PROVIDER_ERRORS: ReadonlySet<string | null> = new Set(thirdPartyErrors)

/** The process may have ended during a call with outcome `unknown`, so the provider may have executed it. */
const reachedProvider = ({ outcome, errorCode }: CallRecord): boolean =>
  ['success', 'unknown', 'withheld'].includes(outcome) || PROVIDER_ERRORS.has(errorCode)
