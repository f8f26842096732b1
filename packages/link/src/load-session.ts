import { LinkError } from './link-error.ts'
import { request } from './request.ts'

/** What a link token was traded for. */
export type Session = {
  url: string
  used: boolean
  /** By this clock, in milliseconds. */
  deadline: number
}

type Answer = {
  url: string
  status: string
  expires_at: string
  error?: { code: string; message?: string; request_id?: string }
}

const RETRY_DELAY = 1_000

/** Form-encoded, so that no preflight is needed. It consumes nothing, so it may be sent again. */
export const loadSession = async (
  linkUrl: string | undefined,
  linkToken: string,
  signal: AbortSignal,
): Promise<Session> => {
  const post = async () =>
    request(new URL(linkUrl ?? '/link', location.href).href.replace(/\/?$/, '/sessions'), {
      method: 'POST',
      body: new URLSearchParams({ link_token: linkToken }),
      signal,
    })
  const answer = await post()
    .catch(() => new Promise(resolve => setTimeout(resolve, RETRY_DELAY)).then(post))
    .then(response => response.json() as Promise<Answer>)
    .catch(() => {
      throw new LinkError('network_error')
    })
  const { error, status, url, expires_at } = answer
  if (error) throw new LinkError(error.code, error.message, error.request_id)
  const used = status === 'used'
  if (!used && status !== 'open') throw new LinkError(status === 'expired' ? 'link_token_expired' : status)
  // The service says that an open one is good. A clock that claims otherwise is wrong, and is not asked again.
  const deadline = Date.parse(expires_at)
  return { url, used, deadline: used || deadline < Date.now() ? Infinity : deadline }
}
