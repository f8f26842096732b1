import type {
  LinkCustomization,
  LinkCustomizationPatch,
  LinkLanguage,
  LinkTexts,
  LinkTheme,
} from '@carabiner/contract'
import { type BrandTheme, brandColours, DEFAULT_PRIMARY } from './brand-colours.ts'

/** What an organization set, as it is stored: no field is ever there with its empty value. */
/** What a patch sets; null and empty values clear, and are not stored. */
export type GivenSettings = {
  [Name in keyof LinkCustomizationPatch]: NonNullable<LinkCustomizationPatch[Name]>
}
export type Settings = Omit<GivenSettings, 'default_language'> & { default_language?: LinkLanguage }

/** A row of the view `link_brands`. Left-joined to an organization that has set nothing, its columns are null. */
export type BrandRow = {
  organization_id: string
  settings: Settings | null
  light_logo: string | null
  dark_logo: string | null
}

/** Everything about an organization's taste that a page needs, with the defaults where it has none. */
export type Brand = {
  colours: Record<LinkTheme, BrandTheme>
  radius: number
  coBranding: boolean
  /** Paths under the base URL. */
  logo: Record<LinkTheme, string | null>
  supportUrl: string | null
  privacyUrl: string | null
  termsUrl: string | null
  /** As it was saved; whether its origin is still listed is asked when it is used. */
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

export const brandOf = (row: BrandRow | null): Brand => {
  const settings = withDefaults(row?.settings ?? null)
  const logo = (hash: string | null | undefined): string | null =>
    row && hash ? logoPath(row.organization_id, hash) : null
  return {
    colours: brandColours(row?.settings ?? {}),
    radius: settings.radius,
    coBranding: settings.co_branding,
    logo: { light: logo(row?.light_logo), dark: logo(row?.dark_logo) },
    supportUrl: settings.support_url,
    privacyUrl: settings.privacy_url,
    termsUrl: settings.terms_url,
    redirectUri: settings.redirect_uri,
    connectorOrder: [...settings.connector_order],
    texts: settings.texts,
    defaultLanguage: settings.default_language,
  }
}

/** Named by its content: another logo is another address, so that this one may be kept for ever. */
export const logoPath = (organizationId: string, hash: string): string =>
  `/brand/${organizationId}/${hash}.png`
