import { type ErrorCode, errorCatalogue } from '@carabiner/contract/errors'

/** Why a call needed a connection. */
const REASONS: Record<string, string> = {
  never_linked: 'The user has not connected this account yet.',
  expired: 'The connection has expired and could not be renewed.',
  revoked: 'The connection was revoked at the provider.',
  insufficient_scope: 'The connection lacks a permission that the tool needs.',
}

const ERRORS = [
  ...Object.entries(REASONS).map(([code, words]) => ({ code, words })),
  ...Object.entries(errorCatalogue).map(([code, { text }]) => ({ code, words: text })),
]

export const isErrorCode = (text: string): boolean => ERRORS.some(({ code }) => code === text)

/** The error codes that contain a text, which may also be typed in words: `rate limit`. */
export const findErrors = (text: string): { code: string; words: string }[] => {
  const wanted = text.replaceAll(/[\s_]+/g, '_')
  return ERRORS.filter(({ code }) => code.includes(wanted))
}

const OUTCOME_WORDS: Record<string, string> = {
  unknown: 'The process ended during the call, so the provider may have executed it.',
  withheld:
    'The provider executed the call, but the user or the key was deactivated in the meantime. The caller did not receive the result, and the call is not counted.',
}

/** An error code in plain words. */
export const errorWords = (code: string | null, outcome: string): string | null => {
  if (code === null) return OUTCOME_WORDS[outcome] ?? null
  return REASONS[code] ?? (code in errorCatalogue ? errorCatalogue[code as ErrorCode].text : null)
}
