import {
  AuditEntries,
  AuditQuery,
  AuditVerification,
  AuditVerificationQuery,
  type AuditEntry as ShownEntry,
} from '@carabiner/contract'
import { parsePage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import type { AuditEntry } from './audit-chain.ts'
import { auditStore, type EntryFilter } from './audit-store.ts'
import { listChains, verifyChain } from './audit-verify.ts'

/** Verifying them takes about a second. */
const MAX_VERIFIED = 20_000

type Deps = { db: Database; lists: ReadDatabase; signer: Signer }

export const auditRoutes = (api: Api, { db, lists, signer }: Deps): void => {
  api.get(
    '/audit-entries',
    {
      config: { productionKeyOnly: true, permission: 'audit', errors: ['invalid_cursor'] },
      schema: {
        summary: 'List audit trail entries, newest first',
        description:
          'Every change made through the API or by the operator, with the actor, the origin and the changed fields. Each entry contains the hash of the previous one.',
        tags: ['Audit trail'],
        querystring: AuditQuery,
        response: { 200: AuditEntries },
      },
    },
    async request => {
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
        next_cursor: rows.length > limit && last ? writeCursor(last.sequence) : null,
      }
    },
  )

  api.get(
    '/audit-entries/verification',
    {
      config: { productionKeyOnly: true, permission: 'audit' },
      schema: {
        summary: 'Verify the hash chain of the audit trail',
        description: `Verifies up to ${MAX_VERIFIED.toLocaleString('en')} entries from \`from\` on, and with the last one the seal of the chain. Stops at the first problem.`,
        tags: ['Audit trail'],
        querystring: AuditVerificationQuery,
        response: { 200: AuditVerification },
      },
    },
    async request => {
      const from = Number(request.query.from ?? 1)
      const [chain] = await listChains(db, request.principal.organizationId)
      if (!chain) throw new Refusal('not_found')
      const verdict = await verifyChain({ db, signer }, chain, { from, maxEntries: MAX_VERIFIED })
      const { problem } = verdict
      return {
        verified: verdict.entries,
        head: verdict.head,
        unverified_until: verdict.unverifiedUntil,
        next_from: verdict.isComplete ? null : from + verdict.entries,
        problem: problem && { kind: problem.kind, sequence: problem.sequence, message: problem.text },
      }
    },
  )
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

export const toEntry = (entry: AuditEntry): ShownEntry => ({
  sequence: entry.sequence,
  at: entry.at.toISOString(),
  action: entry.action,
  outcome: entry.outcome,
  target: entry.target,
  registered_user_id: entry.registeredUserId,
  actor: entry.actor,
  from: { address: entry.sender.address, user_agent: entry.sender.userAgent },
  request_id: entry.requestId,
  changes: entry.changes,
  previous_hash: entry.previous.toString('hex'),
  hash: entry.hash.toString('hex'),
})
