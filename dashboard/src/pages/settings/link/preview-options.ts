export const DEVICES = ['desktop', 'phone'] as const
export const THEMES = ['light', 'dark'] as const
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'] as const

export type Device = (typeof DEVICES)[number]
export type Theme = (typeof THEMES)[number]
export type Language = (typeof LANGUAGES)[number]

export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  ja: '日本語',
  ar: 'العربية',
}

/** Pages of the preview that a person is likely to look at. The gallery has all of them. */
export const PAGES = [
  { value: 'consent', label: 'Consent' },
  { value: 'picker', label: 'App picker' },
  { value: 'key', label: 'API key' },
  { value: 'key-rejected', label: 'Key rejected' },
  { value: 'connected', label: 'Connected' },
  { value: 'cancelled', label: 'Canceled' },
  { value: 'expired', label: 'Expired' },
  { value: 'used', label: 'Already used' },
] as const
