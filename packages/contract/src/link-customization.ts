import { type Static, Type } from 'typebox'
import { Slug } from './connector.ts'

const strict = { additionalProperties: false } as const
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** The languages that Link pages speak. */
export const linkLanguages = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'] as const
export type LinkLanguage = (typeof linkLanguages)[number]

/**
 * The sentences that an organization may put in its own words, each with the placeholders it may use. Those about trust
 * (what is never seen, how to undo it) are not among them: whoever reads one can rely on it.
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
        ? `May use ${placeholders.map(name => `{${name}}`).join(' and ')}`
        : 'Takes no placeholder',
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
      'Own words for some sentences, by language and key. Given whole: what is left out goes back to the words of the product. {} clears',
  },
)
export type LinkTexts = Static<typeof LinkTexts>

const clearable = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema))
const colour = (description: string) =>
  clearable(Type.String({ maxLength: 7, pattern: '^(#[0-9a-fA-F]{6})?$', description }))
const address = (description: string) => clearable(Type.String({ maxLength: 2048, description }))

/** Only what is given changes. Null clears a field, as its empty value does. */
export const LinkCustomizationPatch = Type.Object(
  {
    primary_color: colour('#rrggbb: buttons, focus rings and outlines. "" goes back to the default'),
    primary_color_dark: colour(
      '#rrggbb, where the person’s device is dark. "" derives it from primary_color again',
    ),
    radius: clearable(
      Type.Integer({
        minimum: 0,
        maximum: 24,
        description: 'Corners of the card in px; controls follow in proportion. 20 unless told',
      }),
    ),
    co_branding: clearable(
      Type.Boolean({ description: 'Whether the product’s mark stays in the foot. true unless told' }),
    ),
    support_url: address('Where a person finds help: https, or mailto: with one address. "" clears'),
    privacy_url: address('https. "" clears'),
    terms_url: address('https. "" clears'),
    redirect_uri: address(
      'Where hosted Link sends the browser with status, Connector and scopes. Its origin must be on the list of allowed callback origins, now and when it is used. "" clears',
    ),
    connector_order: clearable(
      Type.Array(Slug, {
        maxItems: 200,
        uniqueItems: true,
        description: 'Slugs that the picker shows first, in this order; the others follow. [] clears',
      }),
    ),
    texts: clearable(LinkTexts),
    default_language: clearable(
      Type.Enum(['', ...linkLanguages], {
        description: 'For people whose browser asks for none of the languages there are. "" clears',
      }),
    ),
  },
  strict,
)
export type LinkCustomizationPatch = Static<typeof LinkCustomizationPatch>

export const LinkLogo = Type.Object({
  url: Type.String({ description: 'Names the image by its content: it never changes, and may be kept' }),
  width: Type.Integer(),
  height: Type.Integer(),
})
export type LinkLogo = Static<typeof LinkLogo>

const ThemeContrast = Type.Object({
  primary: Type.String({
    description: 'What is shown: the chosen colour, or the nearest lightness of it that can be read',
  }),
  on_primary: Type.String(),
  accent: Type.String({ description: 'Focus rings, outlines and icons: at least 3:1 against the page' }),
  ratio: Type.Number({ description: 'WCAG contrast of on_primary on primary; at least 4.5' }),
})

export const LinkCustomization = Type.Object({
  primary_color: Type.String(),
  primary_color_dark: nullable(
    Type.String({ description: 'null: derived; contrast.dark says what it came to' }),
  ),
  radius: Type.Integer(),
  co_branding: Type.Boolean(),
  support_url: nullable(Type.String()),
  privacy_url: nullable(Type.String()),
  terms_url: nullable(Type.String()),
  redirect_uri: nullable(Type.String()),
  connector_order: Type.Array(Slug),
  texts: LinkTexts,
  default_language: Type.Enum(linkLanguages),
  logo: Type.Object({ light: nullable(LinkLogo), dark: nullable(LinkLogo) }),
  contrast: Type.Object({ light: ThemeContrast, dark: ThemeContrast }),
  updated_at: nullable(Type.String({ format: 'date-time' })),
})
export type LinkCustomization = Static<typeof LinkCustomization>

export const LinkPreview = Type.Object({
  preview_url: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
})
