import type { ServerResponse } from 'node:http'

/** Aborted when the client disconnects before it has received the response. */
export const disconnectSignal = (raw: ServerResponse): AbortSignal => {
  const gone = new AbortController()
  // The client may have left while the request was authenticated.
  if (raw.destroyed && !raw.writableFinished) gone.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
