/** `certificate_refused`: the server does not accept the client certificate that was presented to it. */
export type EgressFailure = 'blocked' | 'timeout' | 'too_large' | 'unreachable' | 'certificate_refused'

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

/**
 * Alerts with which a server refuses the certificate of a client (RFC 8446 §6.2). In TLS 1.3, they arrive after the client has completed its
 * handshake. The server does not read a request before it has.
 */
const CERTIFICATE_ALERT =
  /_ALERT_(BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|NO_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA|ACCESS_DENIED)$/

/** Whether the request was certainly not executed: it was not sent, or not read. */
export const wasNeverSent = (error: EgressError): boolean =>
  error.failure === 'blocked' ||
  error.failure === 'certificate_refused' ||
  codesOf(error.cause).some(code => NEVER_SENT.test(code))

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

/**
 * Maps any error to one of the failures. An abort by the caller's deadline counts as a timeout. `presented`: whether the connection
 * presents a client certificate.
 */
export const toEgressError = (
  error: unknown,
  url: URL,
  { signal, presented = false }: { signal: AbortSignal; presented?: boolean },
): EgressError => {
  if (error instanceof EgressError) return error
  const { cause, name } = error as Error
  if (cause instanceof EgressError) return cause
  const deadlinePassed = signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'
  if (deadlinePassed || /Timeout/.test(name))
    return new EgressError('timeout', `${url.host} did not respond in time.`, error)
  if (presented && codesOf(error).some(code => CERTIFICATE_ALERT.test(code)))
    return new EgressError('certificate_refused', `${url.host} refused the client certificate.`, error)
  return new EgressError('unreachable', `${url.host} cannot be reached.`, error)
}
