export const eventTypes = [
  'registered_user.created',
  'registered_user.updated',
  'registered_user.deactivated',
  'registered_user.reactivated',
  'registered_user.deleted',
  'link.opened',
  'link.completed',
  'link.exited',
  'link.failed',
  'link.renewal_requested',
  'credential.created',
  'credential.replaced',
  'credential.refreshed',
  'credential.needs_reauth',
  'credential.revoked',
  'tool_call.completed',
  'tool_call.failed',
  'connector.tools_changed',
  'tool_pack.updated',
  'api_key.regenerated',
] as const

export type EventType = (typeof eventTypes)[number]
