import type { ConnectorTool } from '@carabiner/contract'
import type { Egress, EgressAnswer } from '../../../platform/egress/egress.ts'
import { MAX_RESULT_BYTES } from '../call-limits.ts'

type Answered = { url: string; answer: EgressAnswer }
type FollowOptions = {
  /** On the clock of `performance.now()`. */
  deadline: number
  signal?: AbortSignal
}

/**
 * Some vendors answer a download with a redirect to an address that needs no credential. It is requested once, without the
 * credential, and only on a host that the connector file names. Any other redirect is returned as it is.
 */
export const followDownload = async (
  { egress }: { egress: Egress },
  { request: { method, redirect_hosts = [] } }: ConnectorTool,
  { url, answer }: Answered,
  { deadline, signal }: FollowOptions,
): Promise<EgressAnswer> => {
  const target = method === 'GET' ? redirectTarget(url, answer) : null
  if (!target || !redirect_hosts.some(host => matchesHost(host, target.hostname))) return answer
  const download = await egress.request({
    method: 'GET',
    url: target.href,
    headers: { accept: '*/*' },
    ...(signal && { signal }),
    timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
    maxBytes: MAX_RESULT_BYTES,
  })
  // The credential was not sent, so a 401 says nothing about it.
  return download.status === 401 ? { ...download, status: 403 } : download
}

const redirectTarget = (url: string, { status, headers }: EgressAnswer): URL | null => {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return null
  if (!URL.canParse(headers.location, url)) return null
  const target = new URL(headers.location, url)
  return target.username === '' && target.password === '' ? target : null
}

const matchesHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
