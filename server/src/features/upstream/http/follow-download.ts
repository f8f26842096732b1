import type { ConnectorTool } from '@carabiner/contract'
import type { Egress, EgressResponse } from '../../../platform/egress/egress.ts'
import { MAX_RESULT_BYTES } from '../call-limits.ts'

type RedirectResponse = { url: string; answer: EgressResponse }
type FollowOptions = {
  /** A `performance.now()` timestamp. */
  deadline: number
  signal?: AbortSignal
}

/**
 * Some providers answer a download with a redirect to a URL that needs no credential. It is requested once, without
 * the credential, and only on a host that the connector file lists. Other redirects are returned unchanged.
 */
export const followDownload = async (
  { egress }: { egress: Egress },
  { request: { method, redirect_hosts = [] } }: ConnectorTool,
  { url, answer }: RedirectResponse,
  { deadline, signal }: FollowOptions,
): Promise<EgressResponse> => {
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
  // No credential was sent, so a 401 does not mean that the credential is invalid.
  return download.status === 401 ? { ...download, status: 403 } : download
}

const redirectTarget = (url: string, { status, headers }: EgressResponse): URL | null => {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return null
  if (!URL.canParse(headers.location, url)) return null
  const target = new URL(headers.location, url)
  return target.username === '' && target.password === '' ? target : null
}

const matchesHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
