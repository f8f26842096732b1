import { CarabinerError } from '@carabiner/sdk'

/** `fetch` with the error of the SDK if there is no response. */
export const fetchResponse = async (
  url: string,
  init: Omit<RequestInit, 'signal'>,
  signal?: AbortSignal,
): Promise<Response> => {
  try {
    return await fetch(url, { ...init, ...(signal && { signal }) })
  } catch (cause) {
    signal?.throwIfAborted()
    throw new CarabinerError({
      status: 0,
      code: 'network_error',
      type: 'connection_error',
      message: 'The service cannot be reached.',
      cause,
    })
  }
}
