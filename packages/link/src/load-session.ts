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
      headers: { authorization: `Bearer ${linkToken}` },
      signal,
    })
  const body = await post()
    .catch(() => new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS)).then(post))
    .then(response => response.json() as Promise<SessionResponse>)
    .catch(() => {
      throw new LinkError('network_error')
    })
  const { error, status, url, expires_at } = body
  if (error) throw new LinkError(error.code, error.message, error.request_id)
  const used = status === 'used'
  if (!used && status !== 'open') throw new LinkError(status === 'expired' ? 'link_token_expired' : status)
  // The service reports the session as open. If it seems expired by the browser's clock, that clock is wrong and is ignored.
  const deadline = Date.parse(expires_at)
  return { url, used, deadline: used || deadline < Date.now() ? Infinity : deadline }
}
