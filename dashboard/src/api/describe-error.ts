import { CarabinerError } from '@carabiner/sdk'

export type ErrorDescription = {
  /** What happened. */
  title: string
  /** What the reader can do. */
  action: string
  requestId: string | undefined
}

/** What happened and what to do about it, for people who did not write the request. */
export const describeError = (error: unknown): ErrorDescription => {
  if (!(error instanceof CarabinerError))
    return {
      title: 'Something went wrong on this page',
      action: error instanceof Error ? error.message : 'Reload the page.',
      requestId: undefined,
    }
  const { status, code, message, requestId, retryAfter } = error
  if (code === 'network_error' || code === 'timeout')
    return {
      title: 'The service cannot be reached',
      action: 'Check your connection, then try again.',
      requestId,
    }
  if (status === 403)
    return {
      title: 'You don’t have permission to do this',
      action: `${message} An administrator can change your role.`,
      requestId,
    }
  if (status === 404) return { title: 'This does not exist', action: message, requestId }
  if (status === 429)
    return { title: 'Too many requests', action: `Try again in ${retryAfter ?? 30} seconds.`, requestId }
  if (status >= 500)
    return {
      title: 'Something went wrong in the service',
      action: 'Try again. If it keeps failing, include the request ID when you contact support.',
      requestId,
    }
  return { title: 'The request was rejected', action: message, requestId }
}
