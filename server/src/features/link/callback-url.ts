import { domainToUnicode } from 'node:url'
import { Refusal } from '../../core/refusal.ts'
import { type CallbackOrigin, originOf, parseUrl } from '../organizations/callback-origin.ts'

export type CallbackUrl = { href: string; origin: CallbackOrigin }

export type CallbackStatus = 'success' | 'error' | 'exit'
export type CallbackOutcome = { status: CallbackStatus; code?: string; state?: string | null }

/** §2, callback query parameters: the service appends these, and a doubled one breaks the flow. */
const RESERVED = new Set(['status', 'code', 'state'])

/** A callback_url as given at mint. Whether its origin is listed is asked of the database, here and again at the end. */
export const parseCallbackUrl = (text: string): CallbackUrl => {
  const url = parseUrl(text)
  if (!url || !isWrittenAsRead(text, url))
    throw new Refusal('invalid_callback_url', { param: 'callback_url' })
  if (queryNames(url.search).some(name => RESERVED.has(name))) {
    throw new Refusal('reserved_callback_parameter', { param: 'callback_url' })
  }
  const origin = originOf(url)
  if (!origin)
    throw new Refusal(url.protocol === 'http:' ? 'unauthorized_origin' : 'invalid_callback_url', {
      param: 'callback_url',
    })
  return { href: url.href, origin }
}

/** The parser mends slashes, `@`, other alphabets and other bases of numbers; a host that had to be mended is not exact. */
const isWrittenAsRead = (text: string, url: URL): boolean => {
  if (!/^https?:$/.test(url.protocol)) return true
  const host = /^https?:\/\/([^/?#]*?)(?::\d*)?(?:[/?#]|$)/i
    .exec(text)?.[1]
    ?.replace(/[A-Z]/g, letter => letter.toLowerCase())
  return host === url.hostname || host === domainToUnicode(url.hostname)
}

export const isAppCallback = (href: string): boolean => !/^https?:/.test(href)

/** Appends the outcome; the caller's own parameters and fragment stay as they were, byte for byte. */
export const withOutcome = (href: string, { status, code, state }: CallbackOutcome): string => {
  const [beforeFragment = '', ...fragment] = href.split('#')
  // %20 and not `+` for a space: whoever splits the query by hand reads it right as well.
  const appended = Object.entries({ status, code, state })
    .flatMap(([name, value]) => (value ? [`${name}=${encodeURIComponent(value.toWellFormed())}`] : []))
    .join('&')
  const joint = !beforeFragment.includes('?') ? '?' : /^[^?]*\?$|&$/.test(beforeFragment) ? '' : '&'
  return [beforeFragment + joint + appended, ...fragment].join('#')
}

/** Every name that some server might read out of the query: `;` separates for some, `name[]` is an array for others. */
const queryNames = (search: string): string[] =>
  search
    .replace(/^\?+/, '')
    .split(/[&;]/)
    .map(pair =>
      decodeFully(pair.split('=')[0] ?? '')
        .replace(/^[\s[\]]+/, '')
        .replace(/[[\]\0].*$/s, '')
        .trim()
        .toLowerCase(),
    )

/** Decoded until it stays the same: a name hidden under several layers of percent-encoding is still that name. */
const decodeFully = (name: string): string => {
  for (let current = name; ; ) {
    const decoded = decodeLeniently(current.replaceAll('+', ' '))
    if (decoded === current) return current
    current = decoded
  }
}

const decodeLeniently = (text: string): string =>
  text
    .replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
