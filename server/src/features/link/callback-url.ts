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
  if (!url) throw new Refusal('invalid_callback_url', { param: 'callback_url' })
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

export const isAppCallback = (href: string): boolean => !/^https?:/.test(href)

/** Appends the outcome; the caller's own parameters and fragment stay as they were, byte for byte. */
export const withOutcome = (href: string, { status, code, state }: CallbackOutcome): string => {
  const [beforeFragment = '', ...fragment] = href.split('#')
  // %20 and not `+` for a space: whoever splits the query by hand reads it right as well.
  const appended = Object.entries({ status, code, state })
    .flatMap(([name, value]) => (value ? [`${name}=${encodeURIComponent(value)}`] : []))
    .join('&')
  const joint = !beforeFragment.includes('?') ? '?' : /[?&]$/.test(beforeFragment) ? '' : '&'
  return [beforeFragment + joint + appended, ...fragment].join('#')
}

/** Every name that some server might read out of the query: `;` separates for some, `name[]` is an array for others. */
const queryNames = (search: string): string[] =>
  search
    .replace(/^\?/, '')
    .split(/[&;]/)
    .map(pair =>
      decodeFully(pair.split('=')[0] ?? '')
        .replace(/\[.*$/s, '')
        .trim()
        .toLowerCase(),
    )

/** Decoded until it stays the same: a name hidden under several layers of percent-encoding is still that name. */
const decodeFully = (name: string): string => {
  const decoded = decodeLeniently(name.replaceAll('+', ' '))
  return decoded === name ? name : decodeFully(decoded)
}

const decodeLeniently = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
