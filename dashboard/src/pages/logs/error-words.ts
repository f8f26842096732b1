import { type ErrorCode, errorCatalogue } from '@carabiner/contract/errors'

/** Why a call needed a connection. */
const REASONS: Record<string, string> = {
  never_linked: 'The user has not connected this account yet.',
  expired: 'The connection has expired and could not be renewed.',
  revoked: 'The connection was revoked at the provider.',
  insufficient_scope: 'The connection lacks a permission that the tool needs.',
}

export const isErrorCode = (code: string): boolean => code in errorCatalogue || code in REASONS

const OUTCOME_WORDS: Record<string, string> = {
  unknown: 'The process ended during the call, so the provider may have executed it.',
  withheld:
    'The provider has executed the call, but the user or the key was deactivated meanwhile. The caller did not get the result, and the call does not count.',
}

/** An error code in plain words. */
export const errorWords = (code: string | null, outcome: string): string | null => {
  if (code === null) return OUTCOME_WORDS[outcome] ?? null
  return REASONS[code] ?? (code in errorCatalogue ? errorCatalogue[code as ErrorCode].text : null)
}
