import { Refusal } from '../../../core/refusal.ts'
import { type CallbackOrigin, originOf, parseExactUrl } from '../../organizations/callback-origin.ts'
import { CALLBACK_PARAMETERS, hasParameter } from '../../organizations/reserved-parameters.ts'

export type CallbackUrl = { href: string; origin: CallbackOrigin }

export type CallbackStatus = 'success' | 'error' | 'exit'
export type CallbackOutcome = { status: CallbackStatus; code?: string; state?: string | null }

/**
 * Parses the `callback_url` of a mint request. The organization's origin list is checked separately, at mint and again when
 * the session ends.
 */
export const parseCallbackUrl = (text: string): CallbackUrl => {
  const url = parseExactUrl(text)
  if (!url) throw new Refusal('invalid_callback_url', { param: 'callback_url' })
  if (hasParameter(url.search, CALLBACK_PARAMETERS)) {
    throw new Refusal('reserved_callback_parameter', { param: 'callback_url' })
  }
  const origin = originOf(url)
  if (!origin)
    throw new Refusal(url.protocol === 'http:' ? 'unauthorized_origin' : 'invalid_callback_url', {
      param: 'callback_url',
    })
  return { href: url.href, origin }
}

/** Appends the outcome; the existing query parameters and fragment are kept byte for byte. */
export const withOutcome = (href: string, { status, code, state }: CallbackOutcome): string =>
  appendParameters(href, { status, code: code || null, state: state || null })

export type LinkResult = { status: CallbackStatus; connector: string | null; scopes: string[] }

/**
 * §4.4: appends the result to the organization's `redirect_uri`. Scopes are separated by spaces, as in OAuth; an API key
 * has none.
 */
export const withResult = (href: string, { status, connector, scopes }: LinkResult): string =>
  appendParameters(href, {
    status,
    Connector: connector,
    scopes: status === 'success' ? scopes.join(' ') : null,
  })

export const appendParameters = (href: string, parameters: Record<string, string | null>): string => {
  const [beforeFragment = '', ...fragment] = href.split('#')
  // Spaces become %20 rather than `+`, so that clients that only percent-decode the query read them correctly.
  const appended = Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === null ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
    )
    .join('&')
  const separator = !beforeFragment.includes('?') ? '?' : /^[^?]*\?$|&$/.test(beforeFragment) ? '' : '&'
  return [beforeFragment + separator + appended, ...fragment].join('#')
}
