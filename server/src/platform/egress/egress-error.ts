export type EgressFailure = 'blocked' | 'timeout' | 'too_large' | 'unreachable'

export class EgressError extends Error {
  readonly failure: EgressFailure

  constructor(failure: EgressFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EgressError'
    this.failure = failure
  }
}

/** Failures of the name lookup, the connection or the TLS handshake, before any byte of a request is sent. */
const NEVER_SENT =
  /^(EMFILE|ENFILE|ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/

/** Whether the request was certainly not sent, so that it cannot have been executed. */
export const wasNeverSent = (error: EgressError): boolean =>
  error.failure === 'blocked' || codesOf(error.cause).some(code => NEVER_SENT.test(code))

/** Whether this machine, and not the provider, is the cause: it has no free file descriptor. */
export const isLocalFailure = (error: EgressError): boolean =>
  codesOf(error.cause).some(code => code === 'EMFILE' || code === 'ENFILE')

const codesOf = (error: unknown, depth = 0): string[] => {
  if (!(error instanceof Error) || depth > 3) return []
  const { code, cause } = error as NodeJS.ErrnoException
  // Each address that was tried has its own error, and all of them must have failed before sending.
  const tried = error instanceof AggregateError ? error.errors.map(each => codesOf(each, depth + 1)) : []
  return [...(code ? [code] : []), ...codesOf(cause, depth + 1), ...(tried.at(-1) ?? [])]
}

/** Maps any error to one of the four failures. An abort by the caller's deadline counts as a timeout. */
export const toEgressError = (error: unknown, url: URL, signal: AbortSignal): EgressError => {
  if (error instanceof EgressError) return error
  const { cause, name } = error as Error
  if (cause instanceof EgressError) return cause
  const deadlinePassed = signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'
  if (deadlinePassed || /Timeout/.test(name))
    return new EgressError('timeout', `${url.host} did not respond in time.`, error)
  return new EgressError('unreachable', `${url.host} cannot be reached.`, error)
}
