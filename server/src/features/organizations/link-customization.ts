import type {
  LinkCustomization,
  LinkCustomizationPatch,
  LinkLanguage,
  LinkTexts,
  LinkTheme,
} from '@carabiner/contract'
import { organizationHandle } from '../../core/token.ts'
import { type BrandTheme, brandColors, DEFAULT_PRIMARY } from './brand-colors.ts'

/** The values of a patch without null and empty values, which clear a field and are never stored. */
export type PatchSettings = {
  [Name in keyof LinkCustomizationPatch]: NonNullable<LinkCustomizationPatch[Name]>
}
export type Settings = Omit<PatchSettings, 'default_language'> & { default_language?: LinkLanguage }

/** A row of the view `link_brands`. Its columns are null for an organization without settings. */
export type StoredBrand = {
  organizationId: string
  settings: Settings | null
  lightLogo: string | null
  darkLogo: string | null
}

/** An organization's branding for Link's pages, with defaults filled in. */
export type Brand = {
  colors: Record<LinkTheme, BrandTheme>
  radius: number
  coBranding: boolean
  /** Paths under the base URL. */
  logo: Record<LinkTheme, string | null>
  supportUrl: string | null
  privacyUrl: string | null
  termsUrl: string | null
  /** As saved. The origin is checked against the list when it is used. */
  redirectUri: string | null
  connectorOrder: string[]
  texts: LinkTexts
  defaultLanguage: LinkLanguage
}

const DEFAULTS = {
  primary_color: DEFAULT_PRIMARY.light,
  primary_color_dark: null,
  radius: 20,
  co_branding: true,
  support_url: null,
  privacy_url: null,
  terms_url: null,
  redirect_uri: null,
  connector_order: [],
  texts: {},
  default_language: 'en',
} as const satisfies Partial<LinkCustomization>

export const withDefaults = (settings: Settings | null) => ({ ...DEFAULTS, ...settings })

export const brandOf = (stored: StoredBrand | null): Brand => {
  const settings = withDefaults(stored?.settings ?? null)
  const logo = (hash: string | null | undefined): string | null =>
    stored && hash ? logoPath(stored.organizationId, hash) : null
  return {
    colors: brandColors(stored?.settings ?? {}),
    radius: settings.radius,
    coBranding: settings.co_branding,
    logo: { light: logo(stored?.lightLogo), dark: logo(stored?.darkLogo) },
    supportUrl: settings.support_url,
    privacyUrl: settings.privacy_url,
    termsUrl: settings.terms_url,
    redirectUri: settings.redirect_uri,
    connectorOrder: [...settings.connector_order],
    texts: settings.texts,
    defaultLanguage: settings.default_language,
  }
}

/** Content-addressed: a new logo gets a new path, so responses can be cached forever. */
export const logoPath = (organizationId: string, hash: string): string =>
  `/brand/${organizationHandle(organizationId)}/${hash}.png`
