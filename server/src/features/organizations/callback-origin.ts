import { domainToUnicode } from 'node:url'
import { isLoopbackHost } from '@carabiner/contract/loopback'

/**
 * An allowed callback origin: `https://host[:port]`, `http://` on loopback for development, or `scheme://` for an app.
 * Two addresses have the same origin exactly when these strings are equal.
 */
declare const originBrand: unique symbol
export type CallbackOrigin = string & { readonly [originBrand]: true }

/** RFC 3986 §3.1, lower case. */
const SCHEME = /^[a-z][a-z0-9+.-]*$/

/**
 * Schemes handled by the browser instead of an app: they execute scripts, carry caller-supplied content, read local files,
 * start other protocols or wrap another address. No application can register them.
 */
const BROWSER_SCHEMES = new Set([
  'localhost',
  'chrome-search',
  'chrome-untrusted',
  'facetime',
  'callto',
  'smsto',
  'itms-services',
  'ms-msdt',
  'search-ms',
  'ms-its',
  'mk',
  'shell',
  'res',
  'feed',
  'about',
  'android-app',
  'blob',
  'chrome',
  'chrome-extension',
  'content',
  'data',
  'devtools',
  'edge',
  'file',
  'filesystem',
  'ftp',
  'ftps',
  'gopher',
  'http',
  'https',
  'intent',
  'jar',
  'javascript',
  'livescript',
  'mailto',
  'mhtml',
  'mocha',
  'moz-extension',
  'ms-appx',
  'ms-appx-web',
  'opera',
  'resource',
  'safari-extension',
  'safari-web-extension',
  'sms',
  'tel',
  'urn',
  'vbscript',
  'view-source',
  'wais',
  'ws',
  'wss',
  'wyciwyg',
])

/** Characters that the URL parser silently drops or rewrites; addresses that contain them are rejected. */
// oxlint-disable-next-line no-control-regex -- this pattern matches control characters on purpose
const REWRITTEN_CHARACTERS = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/

export const parseUrl = (text: string): URL | null =>
  !REWRITTEN_CHARACTERS.test(text) && URL.canParse(text) ? new URL(text) : null

/** Like `parseUrl`, but also rejects a host that the parser normalized, because the list is compared with what the caller wrote. */
export const parseExactUrl = (text: string): URL | null => {
  const url = parseUrl(text)
  return url && isHostExact(text, url) ? url : null
}

/** The parser normalizes slashes, `@`, other alphabets and other number bases; a host changed by that is not exact. */
const isHostExact = (text: string, url: URL): boolean => {
  if (!/^https?:$/.test(url.protocol)) return true
  const host = /^https?:\/\/([^/?#]*?)(?::\d*)?(?:[/?#]|$)/i
    .exec(text)?.[1]
    ?.replace(/[A-Z]/g, letter => letter.toLowerCase())
  return host === url.hostname || host === domainToUnicode(url.hostname)
}

/** The origin of an address that a browser may be redirected to, or null if it has no allowed origin. */
export const originOf = (url: URL): CallbackOrigin | null => {
  if (url.username || url.password) return null
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'https') return isPlainHost(url.hostname) ? (url.origin as CallbackOrigin) : null
  if (scheme === 'http') return isLoopbackHost(url.hostname) ? (url.origin as CallbackOrigin) : null
  return isAppScheme(scheme) ? (`${scheme}://` as CallbackOrigin) : null
}

/** Parses and normalizes an entry of the list. Returns null if it has a path, a query, a wildcard or no valid origin. */
export const parseOriginEntry = (text: string): CallbackOrigin | null => {
  const app = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/\/?)?$/.exec(text)
  if (app?.[1]) {
    const scheme = app[1].toLowerCase()
    return isAppScheme(scheme) ? (`${scheme}://` as CallbackOrigin) : null
  }
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol)) return null
  const bare = url.pathname === '/' && !/[?#*@]/.test(text) && /^https?:\/\/[^/]+\/?$/i.test(text)
  return bare ? originOf(url) : null
}

const isAppScheme = (scheme: string): boolean => SCHEME.test(scheme) && !BROWSER_SCHEMES.has(scheme)

// `app.example.com.` is the same host but a different origin; only the form without the dot is allowed.
const isPlainHost = (hostname: string): boolean => hostname !== '' && !/^\.|\.$|\.\.|\*/.test(hostname)

/** Whether an address opens an application by its custom URL scheme. */
export const isAppCallback = (href: string): boolean => !/^https?:/.test(href)
