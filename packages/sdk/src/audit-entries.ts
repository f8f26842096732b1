import type { AuditEntry, AuditVerification } from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import type { CallOptions, Send } from './send.ts'

export type AuditFilter = PageOptions & {
  /** Such as `tool_pack.updated`. */
  action?: string
  /** ID of the API key that made the change. */
  actor?: string
  /** ID of the changed resource. */
  target?: string
  registered_user_id?: string
  /** ISO 8601; `since` is inclusive, `until` is not. */
  since?: string
  until?: string
}

/** The audit log: who changed which resource, and from where. Requires the production key. */
export const auditEntries = (send: Send) => ({
  /** Newest first. Pages are fetched as you iterate. */
  list: (filter: AuditFilter = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<AuditEntry>>('GET', '/audit-entries', options, { query: { ...filter, cursor } }),
    ),
  /** Verifies the hash chain from entry `from` on. Repeat with `next_from` until it is null. */
  verify: ({ from }: { from?: number } = {}, options?: CallOptions) =>
    send<AuditVerification>('GET', '/audit-entries/verification', options, { query: { from } }),
})
