export type EgressFailure = 'blocked' | 'timeout' | 'too_large' | 'unreachable'

export class EgressError extends Error {
  readonly failure: EgressFailure

  constructor(failure: EgressFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EgressError'
    this.failure = failure
  }
}

/** Whatever went wrong on the way, as one of the four failures. A deadline of the caller's is a time-out as well. */
export const toEgressError = (error: unknown, url: URL, signal: AbortSignal): EgressError => {
  if (error instanceof EgressError) return error
  const { cause, name } = error as Error
  if (cause instanceof EgressError) return cause
  const deadlinePassed = signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'
  if (deadlinePassed || /Timeout/.test(name))
    return new EgressError('timeout', `${url.host} did not answer in time.`, error)
  return new EgressError('unreachable', `${url.host} cannot be reached.`, error)
}
