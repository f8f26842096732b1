import { Refusal } from '../../../core/refusal.ts'
import { type CallbackOrigin, originOf, parseExactUrl } from '../../organizations/callback-origin.ts'
import { CALLBACK_PARAMETERS, carriesParameter } from '../../organizations/reserved-parameters.ts'

export type CallbackUrl = { href: string; origin: CallbackOrigin }

export type CallbackStatus = 'success' | 'error' | 'exit'
export type CallbackOutcome = { status: CallbackStatus; code?: string; state?: string | null }

/** A callback_url as given at mint. Whether its origin is listed is asked of the database, here and again at the end. */
export const parseCallbackUrl = (text: string): CallbackUrl => {
  const url = parseExactUrl(text)
  if (!url) throw new Refusal('invalid_callback_url', { param: 'callback_url' })
  if (carriesParameter(url.search, CALLBACK_PARAMETERS)) {
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
export const withOutcome = (href: string, { status, code, state }: CallbackOutcome): string =>
  append(href, { status, code: code || null, state: state || null })

export type LinkResult = { status: CallbackStatus; connector: string | null; scopes: string[] }

/** §4.4: what the organization's `redirect_uri` is requested with. Scopes are separated by spaces, as in OAuth; an API key has none. */
export const withResult = (href: string, { status, connector, scopes }: LinkResult): string =>
  append(href, { status, Connector: connector, scopes: status === 'success' ? scopes.join(' ') : null })

const append = (href: string, parameters: Record<string, string | null>): string => {
  const [beforeFragment = '', ...fragment] = href.split('#')
  // %20 and not `+` for a space: whoever splits the query by hand reads it right as well.
  const appended = Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === null ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
    )
    .join('&')
  const joint = !beforeFragment.includes('?') ? '?' : /^[^?]*\?$|&$/.test(beforeFragment) ? '' : '&'
  return [beforeFragment + joint + appended, ...fragment].join('#')
}
