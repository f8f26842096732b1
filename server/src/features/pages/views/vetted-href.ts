import { isLoopbackHost } from '@carabiner/contract/loopback'

/** An address that is safe to put into a page. Only the functions of this file create one. */
export type VettedHref = string & { readonly vetted: unique symbol }

const SCRIPT_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'])
const ORIGIN = 'https://same-origin.invalid'

/**
 * A path or query of this origin. Browsers resolve `//host`, `/\host` and `/<tab>/host` to other hosts, so the address is
 * resolved as browsers do.
 */
export function ownPath(href: string): VettedHref {
  const isOwn = /^[/?]/.test(href) && isClean(href) && URL.parse(href, ORIGIN)?.origin === ORIGIN
  return isOwn ? vetted(href) : refuse(href)
}

/** A link to follow: a path of this origin, https, or http on loopback. */
export function webHref(href: string): VettedHref {
  if (/^[/?]/.test(href)) return ownPath(href)
  // Without slashes, a browser resolves `https:a` relative to the page.
  const url = isClean(href) && /^https?:\/\/[^/]/i.test(href) ? URL.parse(href) : null
  if (url?.protocol === 'https:') return vetted(href)
  if (url?.protocol === 'http:' && isLoopbackHost(url.hostname)) return vetted(href)
  return refuse(href)
}

/** A form action: a path of this origin, or the service's other origin. */
export const formHref = (href: string): VettedHref => webHref(href)

/** A help link: a web page or a `mailto:` address. */
export function helpHref(href: string): VettedHref {
  return /^mailto:[^\s<>"']+@[^\s<>"']+$/.test(href) ? vetted(href) : webHref(href)
}

/** A custom URL scheme such as `orbit://linked`: any absolute address that does not execute in this page. */
export function appHref(href: string): VettedHref {
  const url = isClean(href) ? URL.parse(href) : null
  return url && !SCRIPT_SCHEMES.has(url.protocol) ? vetted(href) : refuse(href)
}

// URL parsers strip tabs, line breaks and surrounding spaces; an address that contains any is rejected.
// oxlint-disable-next-line no-control-regex
const isClean = (href: string): boolean => !/[\u0000-\u0020\u007f\\]/.test(href)

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place that creates the branded type
const vetted = (href: string): VettedHref => href as VettedHref

function refuse(href: string): never {
  throw new TypeError(`address not allowed in a page: ${JSON.stringify(href.slice(0, 40))}`)
}
