/**
 * Errors after which the same statement may succeed: the server is unreachable, failing over, starting, read-only,
 * out of disk, memory or connections, or the statement was cancelled at its timeout.
 */
const UNAVAILABLE_STATES = /^(08|53|57P0|57014|58030|25P03|25006)/
const SYSTEM_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
])
const DRIVER_MESSAGES =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|Query read timeout/

/** A statement timed out because the connection hangs or the server is too slow. Whether it took effect is unknown. */
export class DatabaseTimeout extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The database did not respond in time.')
    this.name = 'DatabaseTimeout'
  }
}

export const isConnectionError = (error: unknown): boolean => {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string }
  return UNAVAILABLE_STATES.test(code) || SYSTEM_ERRORS.has(code) || DRIVER_MESSAGES.test(message)
}
