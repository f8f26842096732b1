import type { AuditEntry } from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import type { CallOptions, Send } from './send.ts'

export type AuditFilter = PageOptions & {
  /** Such as `tool_pack.updated`. */
  action?: string
  /** The id of an API key. */
  actor?: string
  /** The id of what was changed. */
  target?: string
  registered_user_id?: string
  /** ISO 8601; `since` is inclusive, `until` is not. */
  since?: string
  until?: string
}

/** With the production key: who changed what, and from where. */
export const auditEntries = (send: Send) => ({
  /** Newest first, page by page as you read on. */
  list: (filter: AuditFilter = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<AuditEntry>>('GET', '/audit-entries', options, { query: { ...filter, cursor } }),
    ),
})
