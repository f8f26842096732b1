import { isLoopbackHost } from '@carabiner/contract/loopback'

const MAX_LENGTH = 1000
/**
 * Schemes of known MCP clients that are not the reverse of a domain name. Operating systems open many other programs by a scheme, some of
 * which execute what the address contains.
 */
const CLIENT_SCHEMES = new Set([
  'claude:',
  'cursor:',
  'kiro:',
  'raycast:',
  'trae:',
  'vscode:',
  'vscode-insiders:',
  'vscodium:',
  'warp:',
  'windsurf:',
  'zed:',
])

/**
 * RFC 9700 §4.1 and RFC 8252: https, http on loopback, or a private-use scheme. Only visible ASCII without a backslash: URL parsers
 * change other characters, and then the browser goes to another address than the one that was compared.
 */
export const isRedirectUri = (text: string): boolean => {
  if (
    text.length > MAX_LENGTH ||
    !/^[a-z][a-z0-9+.-]*:[\x21-\x5b\x5d-\x7e]+$/.test(text) ||
    text.includes('#')
  )
    return false
  const url = URL.parse(text)
  if (!url || !hasNoUser(text)) return false
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    const hasHost = /^https?:\/\/[^/]/.test(text)
    return hasHost && (url.protocol === 'https:' || isLoopbackHost(url.hostname))
  }
  return isPrivateUseScheme(url.protocol)
}

/** RFC 8252 §7.1: a private-use scheme is the reverse of a domain name of its owner, so it contains a dot. */
const isPrivateUseScheme = (scheme: string): boolean =>
  CLIENT_SCHEMES.has(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+:$/.test(scheme)

/** Of the text, because a URL parser drops an empty user. */
const hasNoUser = (text: string): boolean => !/^[^/]*\/\/[^/?]*@/.test(text)

/**
 * RFC 9700 §2.1: exact string comparison. RFC 8252 §7.3: the port of a loopback address is chosen by the system at run time, so it is not
 * compared.
 */
export const matchesRedirectUri = (registered: string, requested: string): boolean =>
  requested === registered ||
  (isLoopback(registered) && isLoopback(requested) && withoutPort(requested) === withoutPort(registered))

const isLoopback = (text: string): boolean => {
  const url = isRedirectUri(text) ? URL.parse(text) : null
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname)
}

const withoutPort = (text: string): string =>
  text.replace(/^(http:\/\/(?:[^/?:[\]]+|\[[^\]]*\]))(?::\d{1,5})?(?=[/?]|$)/, '$1')

/** The host that a person sees on the consent page, or the scheme of an application on their device. */
export const redirectHost = (redirectUri: string): string => {
  const url = new URL(redirectUri)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol
}

/** Appends the parameters of a response. A redirect URI has no fragment, and its own parameters are kept byte for byte. */
export const withResponse = (redirectUri: string, parameters: Record<string, string | null>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`
}
