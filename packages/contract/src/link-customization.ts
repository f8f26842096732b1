import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'

const strict = { additionalProperties: false } as const
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Languages of the Link pages. */
export const linkLanguages = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'] as const
export type LinkLanguage = (typeof linkLanguages)[number]

/**
 * Texts that an organization may replace, each with its allowed placeholders. Texts about trust (what is never shared, how
 * to disconnect) cannot be replaced, so that users can rely on them.
 */
export const linkTextKeys = {
  'picker.title': [],
  'picker.lead': ['organization'],
  'consent.title': ['connector', 'organization'],
  'consent.lead': ['organization', 'connector'],
  'key.title': ['connector'],
  'connected.title': ['connector'],
  'connected.lead': ['organization'],
  'expired.lead': ['organization'],
} as const satisfies Record<string, readonly string[]>
export type LinkTextKey = keyof typeof linkTextKeys

export const linkThemes = ['light', 'dark'] as const
export type LinkTheme = (typeof linkThemes)[number]

const textOf = (placeholders: readonly string[]) =>
  Type.Optional(
    Type.String({
      maxLength: 160,
      description: placeholders.length
        ? `Allowed placeholders: ${placeholders.map(name => `{${name}}`).join(' and ')}`
        : 'No placeholders allowed',
    }),
  )

const fromEach = <Key extends string, T>(keys: readonly Key[], make: (key: Key) => T) =>
  Object.fromEntries(keys.map(key => [key, make(key)])) as Record<Key, T>

const TextsOfOneLanguage = Type.Object(
  fromEach(Object.keys(linkTextKeys) as LinkTextKey[], key => textOf(linkTextKeys[key])),
  strict,
)
export const LinkTexts = Type.Object(
  fromEach(linkLanguages, () => Type.Optional(TextsOfOneLanguage)),
  {
    ...strict,
    description:
      'Custom texts by language and key. The object is replaced as a whole: omitted texts return to their default. {} clears',
  },
)
export type LinkTexts = Static<typeof LinkTexts>

const clearable = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema))
const color = (description: string) =>
  clearable(Type.String({ maxLength: 7, pattern: '^(#[0-9a-fA-F]{6})?$', description }))
const address = (description: string) => clearable(Type.String({ maxLength: 2048, description }))

/** Omitted fields keep their value. Null clears a field, as does its empty value. */
export const LinkCustomizationPatch = Type.Object(
  {
    primary_color: color('#rrggbb. Color of buttons, focus rings and outlines. "" restores the default'),
    primary_color_dark: color(
      '#rrggbb. Primary color in dark mode. Default: derived from primary_color. "" restores the default',
    ),
    radius: clearable(
      Type.Integer({
        minimum: 0,
        maximum: 24,
        description: 'Corner radius of the card in pixels; controls scale in proportion. Default: 20',
      }),
    ),
    co_branding: clearable(
      Type.Boolean({ description: 'Whether the footer shows the Carabiner logo. Default: true' }),
    ),
    support_url: address('Support page or address: an https URL, or mailto: with one address. "" clears'),
    privacy_url: address('https URL. "" clears'),
    terms_url: address('https URL. "" clears'),
    redirect_uri: address(
      'URL to which hosted Link redirects the browser with status, Connector and scopes. Its origin must be an allowed callback origin, both now and when the redirect happens. "" clears',
    ),
    connector_order: clearable(
      Type.Array(Slug, {
        maxItems: 200,
        uniqueItems: true,
        description: 'Slugs of the connectors that the picker shows first, in this order. [] clears',
      }),
    ),
    texts: clearable(LinkTexts),
    default_language: clearable(
      Type.Enum(['', ...linkLanguages], {
        description: 'Language for browsers that request none of the supported languages. "" clears',
      }),
    ),
  },
  strict,
)
export type LinkCustomizationPatch = Static<typeof LinkCustomizationPatch>

export const LinkLogo = Type.Object({
  url: Type.String({
    description: 'URL of the image. It contains a hash of the content, so it can be cached indefinitely',
  }),
  width: Type.Integer(),
  height: Type.Integer(),
})
export type LinkLogo = Static<typeof LinkLogo>

const ThemeContrast = Type.Object({
  primary: Type.String({
    description: 'Color in use: the configured color, or its nearest shade with sufficient contrast',
  }),
  on_primary: Type.String(),
  accent: Type.String({
    description: 'Color of focus rings, outlines and icons; contrast of at least 3:1 against the page',
  }),
  ratio: Type.Number({ description: 'WCAG contrast ratio of on_primary on primary; at least 4.5' }),
})

export const LinkCustomization = Type.Object({
  primary_color: Type.String(),
  primary_color_dark: nullable(
    Type.String({
      description: 'Null if derived from primary_color; contrast.dark contains the derived color',
    }),
  ),
  radius: Type.Integer(),
  co_branding: Type.Boolean(),
  support_url: nullable(Type.String()),
  privacy_url: nullable(Type.String()),
  terms_url: nullable(Type.String()),
  redirect_uri: nullable(Type.String()),
  connector_order: Type.Array(Slug),
  texts: LinkTexts,
  default_texts: LinkTexts,
  default_language: Type.Enum(linkLanguages),
  logo: Type.Object({ light: nullable(LinkLogo), dark: nullable(LinkLogo) }),
  contrast: Type.Object({ light: ThemeContrast, dark: ThemeContrast }),
  updated_at: nullable(Type.String({ format: 'date-time' })),
})
export type LinkCustomization = Static<typeof LinkCustomization>

export const LinkPreview = Type.Object({
  preview_url: Type.String({
    description: 'Shows all pages. Append `/` and the name of a page for a single one.',
  }),
  expires_at: Type.String({ format: 'date-time' }),
  contrast: Type.Object({ light: ThemeContrast, dark: ThemeContrast }),
})
