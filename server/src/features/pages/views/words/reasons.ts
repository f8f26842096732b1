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
  'other_account',
  'nothing_entered',
  'server_changed',
  'private_key_not_a_key',
  'private_key_wrong_file',
  'private_key_encrypted',
  'private_key_public_key',
  'private_key_certificate',
  'private_key_wrong_type',
  'private_key_wrong_curve',
  'private_key_too_small',
  'private_key_too_large',
  'certificate_not_a_certificate',
  'certificate_private_key',
  'certificate_wrong_key',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_refused',
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
  'certificate_refused',
  'scope_missing',
  'no_site',
  'connector_removed',
  'internal',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

export const REFUSED_REASONS = [
  'invalid_link',
  'user_inactive',
  'unauthorized_origin',
  'other_browser',
  'opened_elsewhere',
  'cookies_blocked',
  'too_many_requests',
  'connector_gone',
  'unavailable',
  'organization_moving',
  'wrong_cell',
  'organization_suspended',
  'sign_in_invalid',
  'sign_in_not_allowed',
  'sign_in_unmatched',
  'sign_in_email_unverified',
  'sign_in_denied',
  'sign_in_failed',
  'approval_invalid',
  'approval_of_another_user',
] as const
export type RefusedReason = (typeof REFUSED_REASONS)[number]

/** What has become of an approval, for the user who decides. */
export const APPROVAL_ENDINGS = [
  'approved',
  'executing',
  'done',
  'remembered',
  'waits_for_others',
  'denied',
  'failed',
  'unknown',
  'expired',
  'account_changed',
  'action_changed',
  'rules_changed',
] as const
export type ApprovalEnding = (typeof APPROVAL_ENDINGS)[number]

export type Outcome = 'success' | 'exit' | 'error'

/** How a connection is shown to its user. */
export const CONNECTION_STATES = ['active', 'at_risk', 'needs_reauth', 'paused'] as const
export type ConnectionState = (typeof CONNECTION_STATES)[number]

/** What became of the access at the provider. */
export const REVOCATION_STATES = ['pending', 'revoked', 'not_supported', 'kept_shared', 'gave_up'] as const
export type RevocationState = (typeof REVOCATION_STATES)[number]
