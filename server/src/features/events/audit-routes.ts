import type { AuditQuery, AuditEntry as ShownEntry } from '@carabiner/contract'
import { MAX_VERIFIED_ENTRIES, operations } from '@carabiner/contract/operations'
import { parsePage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { auditStore, type EntryFilter, type ListedEntry } from './audit-store.ts'
import { listChains, verifyChain } from './audit-verify.ts'

type Deps = { db: Database; lists: ReadDatabase; signer: Signer }

export const auditRoutes = (api: Api, { db, lists, signer }: Deps): void => {
  serve(api, operations.listAuditEntries, async request => {
    const { limit } = parsePage(request.query.limit === undefined ? {} : { limit: request.query.limit })
    const rows = await auditStore.newest(lists, request.principal.organizationId, {
      before: readCursor(request.query.cursor),
      limit: limit + 1,
      filter: readFilter(request.query),
    })
    const data = rows.slice(0, limit)
    const last = data.at(-1)
    return {
      data: data.map(toEntry),
      next_cursor: rows.length > limit && last ? writeCursor(last.entry.sequence) : null,
    }
  })

  serve(api, operations.verifyAuditTrail, async request => {
    const from = Number(request.query.from ?? 1)
    const [chain] = await listChains(db, request.principal.organizationId)
    if (!chain) throw new Refusal('not_found')
    const verdict = await verifyChain({ db, signer }, chain, { from, maxEntries: MAX_VERIFIED_ENTRIES })
    const { problem } = verdict
    return {
      verified: verdict.entries,
      head: verdict.head,
      unverified_until: verdict.unverifiedUntil,
      next_from: verdict.isComplete ? null : from + verdict.entries,
      problem: problem && { kind: problem.kind, sequence: problem.sequence, message: problem.text },
    }
  })
}

const writeCursor = (sequence: number): string => Buffer.from(String(sequence)).toString('base64url')

/** Opaque to the caller; contains the sequence number of the last returned entry. */
const readCursor = (cursor: string | undefined): number => {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Refusal('invalid_cursor', { param: 'cursor' })
  return Number(text)
}

const readFilter = ({ action, actor, target, ...rest }: AuditQuery): EntryFilter => ({
  ...(action !== undefined && { action }),
  ...(actor !== undefined && { actor }),
  ...(target !== undefined && { target }),
  ...(rest.registered_user_id !== undefined && { registeredUserId: rest.registered_user_id }),
  ...(rest.since !== undefined && { since: parseTime('since', rest.since) }),
  ...(rest.until !== undefined && { until: parseTime('until', rest.until) }),
})

/** The format permits times that do not exist, such as leap seconds or the year 0. */
const parseTime = (param: string, text: string): string => {
  const time = new Date(text)
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1)
    throw new Refusal('invalid_request', { param, message: `"${param}" is not a valid time.` })
  return time.toISOString()
}

export const toEntry = ({ entry, targetName, actorName, registeredUserName }: ListedEntry): ShownEntry => ({
  sequence: entry.sequence,
  at: entry.at.toISOString(),
  action: entry.action,
  outcome: entry.outcome,
  target: { ...entry.target, name: targetName },
  registered_user_id: entry.registeredUserId,
  registered_user_name: registeredUserName,
  actor: { ...entry.actor, name: actorName },
  from: { address: entry.sender.address, user_agent: entry.sender.userAgent },
  request_id: entry.requestId,
  changes: entry.changes,
  previous_hash: entry.previous.toString('hex'),
  hash: entry.hash.toString('hex'),
})
