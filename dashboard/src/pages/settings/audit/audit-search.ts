export const AUDIT_RANGES = ['30d', '1h', '24h', '7d', 'custom'] as const
export type AuditRange = (typeof AUDIT_RANGES)[number]

/** `entry`: the sequence number of the open entry. */
export type AuditSearch = {
  range: AuditRange
  action?: string
  actor?: string
  target?: string
  from?: string
  to?: string
  entry?: string
}
