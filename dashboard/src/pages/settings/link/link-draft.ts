import type { LinkCustomization, LinkCustomizationPatch } from '@carabiner/sdk'
import type { Language } from './preview-options.ts'

export type TextKey = keyof NonNullable<LinkCustomization['texts']['en']>

/** The texts that an organization may replace, with their placeholders. */
export const TEXTS: readonly { key: TextKey; label: string; placeholders: string }[] = [
  { key: 'picker.title', label: 'App picker, title', placeholders: '' },
  { key: 'picker.lead', label: 'App picker, text', placeholders: '{organization}' },
  { key: 'consent.title', label: 'Consent, title', placeholders: '{connector} {organization}' },
  { key: 'consent.lead', label: 'Consent, text', placeholders: '{organization} {connector}' },
  { key: 'key.title', label: 'API key, title', placeholders: '{connector}' },
  { key: 'connected.title', label: 'Connected, title', placeholders: '{connector}' },
  { key: 'connected.lead', label: 'Connected, text', placeholders: '{organization}' },
  { key: 'expired.lead', label: 'Expired, text', placeholders: '{organization}' },
]

/** The form: every field as text, so that half-typed values are possible. */
export type Draft = {
  primary_color: string
  primary_color_dark: string
  radius: number
  co_branding: boolean
  support_url: string
  privacy_url: string
  terms_url: string
  redirect_uri: string
  default_language: Language
  texts: LinkCustomization['texts']
}

export const draftOf = (saved: LinkCustomization): Draft => ({
  primary_color: saved.primary_color,
  primary_color_dark: saved.primary_color_dark ?? '',
  radius: saved.radius,
  co_branding: saved.co_branding,
  support_url: saved.support_url ?? '',
  privacy_url: saved.privacy_url ?? '',
  terms_url: saved.terms_url ?? '',
  redirect_uri: saved.redirect_uri ?? '',
  default_language: saved.default_language,
  texts: saved.texts,
})

const COLOR = /^#[0-9a-f]{6}$/i
export const isColor = (text: string): boolean => COLOR.test(text)

/** The fields that differ from the saved ones. Half-typed colors are left out. */
export const changesOf = (saved: LinkCustomization, draft: Draft): LinkCustomizationPatch => {
  const before = draftOf(saved)
  const changed = Object.entries(draft).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(before[name as keyof Draft]) &&
      !(name.startsWith('primary_color') && value !== '' && typeof value === 'string' && !isColor(value)),
  )
  return Object.fromEntries(changed)
}

/** An empty text returns to its default. */
export const withText = (
  texts: LinkCustomization['texts'],
  language: Language,
  key: TextKey,
  text: string,
): LinkCustomization['texts'] => {
  const { [key]: _previous, ...others } = texts[language] ?? {}
  const next = text === '' ? others : { ...others, [key]: text }
  const { [language]: _language, ...rest } = texts
  return Object.keys(next).length === 0 ? rest : { ...rest, [language]: next }
}
