/** What every page knows. */
export type Frame = {
  /** Null where the link itself was not recognisable: then nothing is said of anybody. */
  organization: { name: string } | null
  user: { name: string } | null
  testMode: boolean
  requestId: string
  /** As the reader should see it, for example "14:32 UTC". */
  time: string
}

/** The frame of a page that asks for something: a page without an asker would be a page nobody should trust. */
export type KnownFrame = Frame & { organization: { name: string } }

export type ConnectorFace = { slug: string; name: string; summary: string; method: 'oauth' | 'api_key' }

export type FormTarget = {
  /** A path of this origin. */
  action: string
  /** Hidden inputs, such as the form token. */
  fields: Record<string, string>
}

export type Permission = { title: string; detail: string | null }

export type KeyField = {
  name: string
  label: string
  hint: string | null
  placeholder: string | null
  secret: boolean
  /** What the person typed before. A secret is never written back into a page, whatever stands here. */
  value: string | null
}

export const KEY_PROBLEMS = [
  'fields_missing',
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
] as const
export type RefusedReason = (typeof REFUSED_REASONS)[number]

export type Outcome = 'success' | 'exit' | 'error'
