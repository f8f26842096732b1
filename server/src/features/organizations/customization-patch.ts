import {
  type LinkCustomizationPatch,
  type LinkTextKey,
  type LinkTexts,
  linkTextKeys,
} from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { type CallbackOrigin, originOf, parseExactUrl } from './callback-origin.ts'
import type { PatchSettings, Settings } from './link-customization.ts'
import { hasParameter } from './reserved-parameters.ts'

export type CheckedPatch = {
  set: Settings
  /** The fields that were set to null or an empty value. */
  cleared: string[]
  /** The origin of redirect_uri. The statement that saves it checks that it is allowed. */
  redirectOrigin: CallbackOrigin | null
}

/** The parameters that the service appends to redirect_uri; a duplicate could be mistaken for the result. */
const RESERVED = new Set(['status', 'connector', 'scopes'])

/** Checks what the schema cannot express; it has already checked types and lengths. */
export const checkPatch = (patch: LinkCustomizationPatch): CheckedPatch => {
  const [nulls, values] = partition(Object.entries(patch), ([, value]) => value === null)
  const given = Object.fromEntries(values) as PatchSettings
  for (const name of ['primary_color', 'primary_color_dark'] as const)
    if (given[name]) given[name] = given[name].toLowerCase()
  for (const name of ['support_url', 'privacy_url', 'terms_url'] as const)
    if (given[name]) given[name] = checkAddress(name, given[name])
  if (given.texts) given.texts = checkTexts(given.texts)
  const redirect = given.redirect_uri ? checkRedirectUri(given.redirect_uri) : null
  if (redirect) given.redirect_uri = redirect.href
  const [kept, empty] = partition(Object.entries(given), ([, value]) => !isEmpty(value))
  return {
    set: Object.fromEntries(kept),
    cleared: [...nulls, ...empty].map(([name]) => name),
    redirectOrigin: redirect?.origin ?? null,
  }
}

const checkAddress = (name: string, text: string): string => {
  const url = parseExactUrl(text)
  if (url && /^https?:$/.test(url.protocol) && originOf(url)) return url.href
  // Only an address and a subject are allowed; other mailto: fields could put words into the person's message.
  const isMail = /^mailto:[^\s?#@,;<>"]+@[^\s?#@,;<>"]+(\?subject=[^\s&#]*)?$/i.test(text)
  if (url && isMail && name === 'support_url') return url.href
  const kinds = name === 'support_url' ? 'an https address, or mailto: with one address' : 'an https address'
  throw new Refusal('invalid_request', {
    param: name,
    message: `"${name}" must be ${kinds}. http is allowed on loopback only.`,
  })
}

const checkRedirectUri = (text: string): { href: string; origin: CallbackOrigin } => {
  const param = 'redirect_uri'
  const url = parseExactUrl(text)
  if (!url) throw new Refusal('invalid_redirect_uri', { param })
  if (hasParameter(url.search, RESERVED)) throw new Refusal('reserved_redirect_parameter', { param })
  const origin = originOf(url)
  if (!origin)
    throw url.protocol === 'http:' ? unlistedRedirect() : new Refusal('invalid_redirect_uri', { param })
  return { href: url.href, origin }
}

export const unlistedRedirect = (): Refusal =>
  new Refusal('unauthorized_origin', {
    param: 'redirect_uri',
    message:
      'Unauthorized origin: the origin of redirect_uri is not on the list of allowed callback origins.',
  })

/** Empty texts are dropped. */
const checkTexts = (texts: LinkTexts): LinkTexts =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([language, ofLanguage]) => [
        language,
        Object.fromEntries(
          Object.entries(ofLanguage)
            .map(([key, text]) => [key, checkText(`texts.${language}.${key}`, key as LinkTextKey, text)])
            .filter(([, text]) => text),
        ),
      ])
      .filter(([, ofLanguage]) => !isEmpty(ofLanguage)),
  )

// Control characters can hide text, and direction controls can reverse it.
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

const checkText = (param: string, key: LinkTextKey, text: string): string => {
  const allowed: readonly string[] = linkTextKeys[key]
  const refuse = (why: string) => new Refusal('invalid_request', { param, message: `"${param}" ${why}` })
  if (INVISIBLE.test(text)) throw refuse('must not contain control characters or direction controls.')
  const around = text.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    if (allowed.includes(name)) return ''
    const known = allowed.length
      ? `allowed are ${allowed.map(each => `{${each}}`).join(' and ')}`
      : 'none are allowed'
    throw refuse(`has an unknown placeholder {${name}}; ${known}.`)
  })
  if (/[{}]/.test(around)) throw refuse('must not contain braces outside of placeholders.')
  return text.trim()
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const partition = <T>(all: T[], test: (each: T) => boolean): [T[], T[]] => [
  all.filter(test),
  all.filter(each => !test(each)),
]
