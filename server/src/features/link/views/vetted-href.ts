/** An address that may stand in a page. Only the functions of this file make one. */
export type VettedHref = string & { readonly vetted: unique symbol }

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const RUNS_IN_THE_PAGE = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'])
const ORIGIN = 'https://same-origin.invalid'

/** A path or query of this origin. Browsers read `//host`, `/\host` and `/<tab>/host` as other hosts, so it is parsed as they do. */
export function ownPath(href: string): VettedHref {
  const own = /^[/?]/.test(href) && isClean(href) && URL.parse(href, ORIGIN)?.origin === ORIGIN
  return own ? vetted(href) : refuse(href)
}

/** A link to follow: a path of this origin, https, or http on loopback. */
export function webHref(href: string): VettedHref {
  if (/^[/?]/.test(href)) return ownPath(href)
  // Without the slashes a browser takes `https:a` for a path of the page it stands in.
  const url = isClean(href) && /^https?:\/\/[^/]/i.test(href) ? URL.parse(href) : null
  if (url?.protocol === 'https:') return vetted(href)
  if (url?.protocol === 'http:' && LOOPBACK.has(url.hostname)) return vetted(href)
  return refuse(href)
}

/** Where a form may go: a path of this origin, or the service's other origin. */
export const formHref = (href: string): VettedHref => webHref(href)

/** Where a person can ask for help: a page, or a letter. */
export function helpHref(href: string): VettedHref {
  return /^mailto:[^\s<>"']+@[^\s<>"']+$/.test(href) ? vetted(href) : webHref(href)
}

/** An application's own scheme, such as `orbit://linked`: any absolute address that opens something else than this page. */
export function appHref(href: string): VettedHref {
  const url = isClean(href) ? URL.parse(href) : null
  return url && !RUNS_IN_THE_PAGE.has(url.protocol) ? vetted(href) : refuse(href)
}

// URL parsers drop tabs, line ends and surrounding blanks; an address that needs that is not one we were meant to get.
// oxlint-disable-next-line no-control-regex
const isClean = (href: string): boolean => !/[\u0000-\u0020\u007f\\]/.test(href)

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place that gives the brand
const vetted = (href: string): VettedHref => href as VettedHref

function refuse(href: string): never {
  throw new TypeError(`not an address for a page: ${JSON.stringify(href.slice(0, 40))}`)
}
