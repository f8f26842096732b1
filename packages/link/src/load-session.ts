import { later } from './later.ts'
import { LinkError } from './link-error.ts'
import { request } from './request.ts'

/** The session that a link token was exchanged for. */
export type Session = {
  url: string
  used: boolean
  /** Expiry in milliseconds since the epoch, by the clock of the browser. */
  deadline: number
}

type SessionResponse = {
  url: string
  status: string
  expires_at: string
  error?: { code: string; message?: string; request_id?: string }
}

const RETRY_DELAY_MS = 1_000

/** The token is in a header, by which a load balancer can route the request. It is not consumed, so the request can be retried. */
export const loadSession = async (
  linkUrl: string | undefined,
  linkToken: string,
  signal: AbortSignal,
): Promise<Session> => {
  const post = async () =>
    request(new URL(linkUrl ?? '/link', location.href).href.replace(/\/?$/, '/sessions'), {
      method: 'POST',
      // Encoded, because a damaged token may contain characters that no header can. A valid one stays the same.
      headers: { authorization: `Bearer ${encodeURI(linkToken)}` },
      signal,
    })
  const { error, status, url, expires_at } = await post()
    .catch(() => new Promise<void>(resolve => later(RETRY_DELAY_MS, resolve, signal)).then(post))
    .then(response => response.json() as Promise<SessionResponse>)
    .catch(() => {
      throw new LinkError('network_error')
    })
  if (error) throw new LinkError(error.code, error.message, error.request_id)
  const used = status === 'used'
  if (status === 'expired') throw new LinkError('link_token_expired')
  if (!used && status !== 'open') throw new LinkError(status)
  // The service reports the session as open. If it seems expired by the browser's clock, that clock is wrong and is ignored.
  const expiry = Date.parse(expires_at)
  return { url, used, deadline: !used && expiry > Date.now() ? expiry : Infinity }
}
