/** The cases for which every language has a text. */

/** The effect of a tool on the account. */
export const TOOL_KINDS = ['read', 'create', 'change', 'delete'] as const
export type ToolKind = (typeof TOOL_KINDS)[number]

export const KEY_PROBLEMS = [
  'fields_missing',
  'format_unfit',
  'address_unfit',
  'key_rejected',
  'key_check_unavailable',
  'scope_missing',
] as const
export type KeyProblem = (typeof KEY_PROBLEMS)[number]

export const FAILURE_REASONS = [
  'provider_error',
  'provider_timeout',
  'provider_unavailable',
  'exchange_failed',
  'issuer_mismatch',
  'invalid_state',
  'session_expired',
  'key_rejected',
  'key_check_unavailable',
  'scope_missing',
  'no_site',
  'internal',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

export const REFUSED_REASONS = [
  'invalid_link',
  'user_inactive',
  'unauthorized_origin',
  'other_browser',
  'cookies_blocked',
  'too_many_requests',
  'connector_gone',
  'unavailable',
  'organization_moving',
  'wrong_cell',
] as const
export type RefusedReason = (typeof REFUSED_REASONS)[number]

export type Outcome = 'success' | 'exit' | 'error'
