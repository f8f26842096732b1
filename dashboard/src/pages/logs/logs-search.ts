import type { AuditSearch } from '../settings/audit/audit-search.ts'
import type { DeliverySearch } from '../webhooks/delivery-search.ts'

export const TABS = ['calls', 'deliveries', 'audit'] as const
export const RANGES = ['24h', '1h', '7d', '30d', 'custom'] as const

/** Filters of the tool calls. All are part of the URL. */
export type CallSearch = {
  outcome?: string
  connector?: string
  tool?: string
  user?: string
  pack?: string
  account?: string
  error?: string
  request?: string
  trace?: string
  range?: (typeof RANGES)[number]
  from?: string
  to?: string
}
/** Of all tabs. */
export type LogsSearch = CallSearch &
  DeliverySearch &
  Omit<AuditSearch, 'range'> & {
    tab?: (typeof TABS)[number]
    /** The open call, and the one that it is compared with. */
    call?: string
    compare?: string
    live?: string
  }
