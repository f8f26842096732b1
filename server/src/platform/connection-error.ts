/** Errors after which the same statement may well succeed: the server went away, failed over, is starting, or was kept waiting. */
const CONNECTION_LOST = /^(08|57P0|53300|25P03)/
const NETWORK_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])

export const isConnectionError = (error: unknown): boolean => {
  const code = (error as { code?: string } | null)?.code ?? ''
  const message = (error as Error | null)?.message ?? ''
  return (
    CONNECTION_LOST.test(code) ||
    NETWORK_ERRORS.has(code) ||
    /Connection terminated|is not queryable|timeout exceeded when trying to connect/.test(message)
  )
}
