import {
  type LinkCustomizationPatch,
  type LinkTextKey,
  type LinkTexts,
  linkTextKeys,
} from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { type CallbackOrigin, originOf, parseExactUrl } from './callback-origin.ts'
import type { GivenSettings, Settings } from './link-customization.ts'
import { carriesParameter } from './reserved-parameters.ts'

export type CheckedPatch = {
  set: Settings
  /** The fields that were given with their empty value. */
  cleared: string[]
  /** Where redirect_uri leads; the statement that saves it asks whether it is listed. */
  redirectOrigin: CallbackOrigin | null
}

/** What the service appends to redirect_uri; a doubled one could be read as the answer. */
const RESERVED = new Set(['status', 'connector', 'scopes'])

/** The schema has seen to types and lengths; this is the rest. */
export const checkPatch = (patch: LinkCustomizationPatch): CheckedPatch => {
  const [nulls, values] = partition(Object.entries(patch), ([, value]) => value === null)
  const given = Object.fromEntries(values) as GivenSettings
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
  // One address and a subject: whatever else a mailto: can carry would be written in the person's name.
  const isMail = /^mailto:[^\s?#@,;<>"]+@[^\s?#@,;<>"]+(\?subject=[^\s&#]*)?$/i.test(text)
  if (url && isMail && name === 'support_url') return url.href
  const kinds = name === 'support_url' ? 'an https address, or mailto: with one address' : 'an https address'
  throw new Refusal('invalid_request', {
    param: name,
    message: `"${name}" is ${kinds}; http is taken on loopback only.`,
  })
}

const checkRedirectUri = (text: string): { href: string; origin: CallbackOrigin } => {
  const param = 'redirect_uri'
  const url = parseExactUrl(text)
  if (!url) throw new Refusal('invalid_redirect_uri', { param })
  if (carriesParameter(url.search, RESERVED)) throw new Refusal('reserved_redirect_parameter', { param })
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

/** An empty text is as good as none. */
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

// Controls can hide what a sentence says, and those for direction can turn it round.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

const checkText = (param: string, key: LinkTextKey, text: string): string => {
  const allowed: readonly string[] = linkTextKeys[key]
  const refuse = (why: string) => new Refusal('invalid_request', { param, message: `"${param}" ${why}` })
  if (UNSEEN.test(text)) throw refuse('holds a control character, or one that changes the direction of text.')
  const around = text.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    if (allowed.includes(name)) return ''
    const known = allowed.length ? `knows ${allowed.map(each => `{${each}}`).join(' and ')}` : 'knows none'
    throw refuse(`has a placeholder that this sentence does not have: {${name}}. It ${known}.`)
  })
  if (/[{}]/.test(around)) throw refuse('has a brace that is not part of a placeholder.')
  return text.trim()
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const partition = <T>(all: T[], test: (each: T) => boolean): [T[], T[]] => [
  all.filter(test),
  all.filter(each => !test(each)),
]
