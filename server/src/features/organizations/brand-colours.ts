import type { LinkTheme } from '@carabiner/contract'

export type BrandTheme = {
  /** What buttons are filled with, and what is written on it. */
  primary: string
  on_primary: string
  /** Of the one on the other. */
  ratio: number
  /** The same hue where it must stand out from the page by itself: focus rings, outlines, icons. */
  accent: string
}

export const DEFAULT_PRIMARY = { light: '#1f2a44', dark: '#8fa8ff' } as const

/** WCAG 1.4.3: the label of a button. */
const TEXT_CONTRAST = 4.5
/** WCAG 1.4.11: a focus ring, an outline. */
const SHAPE_CONTRAST = 3

const LIGHTNESS_STEP = 1 / 256

type Chosen = { primary_color?: string; primary_color_dark?: string }

/** Every page asks, few organizations differ, and the search takes a millisecond. */
const MOST_KNOWN = 1_000
const known = new Map<string, Record<LinkTheme, BrandTheme>>()

/** Whatever colour was chosen, what comes back can be read: its hue stays, and its lightness moves only as far as it must. */
export const brandColours = (chosen: Chosen): Record<LinkTheme, BrandTheme> => {
  const key = `${chosen.primary_color ?? ''} ${chosen.primary_color_dark ?? ''}`
  const found = known.get(key) ?? findColours(chosen)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(key, found)
  return found
}

const findColours = (settings: Chosen): Record<LinkTheme, BrandTheme> => {
  const light = settings.primary_color?.toLowerCase() ?? DEFAULT_PRIMARY.light
  const dark = settings.primary_color_dark?.toLowerCase()
  const lifted = light === DEFAULT_PRIMARY.light ? DEFAULT_PRIMARY.dark : light
  return {
    light: themeOf(light, 'light', [-1, 1]),
    // A colour that was chosen for light pages is lifted off dark ones; one that was chosen for them stays as it is.
    dark: dark ? themeOf(dark, 'dark', [1, -1]) : themeOf(accentNear(lifted, 'dark', [1]), 'dark', [1]),
  }
}

const themeOf = (colour: string, theme: LinkTheme, directions: number[]): BrandTheme => {
  const primary = nearest(colour, directions, each => inkOn(each) !== null)
  const on_primary = inkOn(primary) ?? DEFAULT_PRIMARY.light
  // Rounded down: the number never promises more than there is.
  const ratio = Math.floor(contrast(primary, on_primary) * 100) / 100
  return { primary, on_primary, ratio, accent: accentNear(primary, theme, directions) }
}

const accentNear = (colour: string, theme: LinkTheme, directions: number[]): string =>
  nearest(colour, directions, each => {
    const own = luminance(each)
    return SURFACES[theme].every(surface => ratioOf(own, surface) >= SHAPE_CONTRAST)
  })

const inkOn = (colour: string): string | null => {
  const own = luminance(colour)
  return INKS.find(each => ratioOf(own, each.luminance) >= TEXT_CONTRAST)?.colour ?? null
}

/** The colour of the same hue, as given or as little lighter or darker as it takes. */
const nearest = (colour: string, directions: number[], isGood: (colour: string) => boolean): string => {
  if (isGood(colour)) return colour
  const [lightness, chroma, hue] = toOklch(colour)
  for (let away = LIGHTNESS_STEP; away <= 1; away += LIGHTNESS_STEP) {
    for (const direction of directions) {
      const moved = lightness + direction * away
      const found = moved >= 0 && moved <= 1 ? fromOklch([moved, chroma, hue]) : null
      if (found && isGood(found)) return found
    }
  }
  throw new Error(`no readable lightness of ${colour}`)
}

/** WCAG 2.2, "contrast ratio". */
export const contrast = (one: string, other: string): number => ratioOf(luminance(one), luminance(other))

const ratioOf = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

const luminance = (colour: string): number => {
  const [red, green, blue] = toLinear(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

type Triple = [number, number, number]

const map = (triple: Triple, change: (value: number) => number): Triple => triple.map(change) as Triple

const toLinear = (colour: string): Triple => {
  const value = Number.parseInt(colour.slice(1), 16)
  return map([value >> 16, (value >> 8) & 255, value & 255], byte => {
    const channel = byte / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
}

const toHex = (linear: Triple): string =>
  `#${map(linear, value => {
    const inside = Math.min(1, Math.max(0, value))
    const channel = inside <= 0.0031308 ? inside * 12.92 : 1.055 * inside ** (1 / 2.4) - 0.055
    return Math.round(channel * 255)
  })
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('')}`

// OKLab (B. Ottosson, 2020): equal steps of its lightness look equal, whatever the hue.
const toOklch = (colour: string): Triple => {
  const [red, green, blue] = toLinear(colour)
  const [l, m, s] = map(
    [
      0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue,
      0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue,
      0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue,
    ],
    Math.cbrt,
  )
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, b), Math.atan2(b, a)]
}

const oklchToLinear = ([lightness, chroma, hue]: Triple): Triple => {
  const a = chroma * Math.cos(hue)
  const b = chroma * Math.sin(hue)
  const [l, m, s] = map(
    [
      lightness + 0.3963377774 * a + 0.2158037573 * b,
      lightness - 0.1055613458 * a - 0.0638541728 * b,
      lightness - 0.0894841775 * a - 1.291485548 * b,
    ],
    root => root ** 3,
  )
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

/** A colour that no screen shows is brought back by its chroma alone, so that lightness and hue stay what was asked for. */
const fromOklch = ([lightness, chroma, hue]: Triple): string => {
  const wanted = oklchToLinear([lightness, chroma, hue])
  if (isShown(wanted)) return toHex(wanted)
  let [least, most] = [0, chroma]
  for (let halving = 0; halving < 10; halving += 1) {
    const middle = (least + most) / 2
    if (isShown(oklchToLinear([lightness, middle, hue]))) least = middle
    else most = middle
  }
  return toHex(oklchToLinear([lightness, least, hue]))
}

const isShown = (linear: Triple): boolean => linear.every(value => value >= -0.0001 && value <= 1.0001)

/** What the primary colour stands on: paper, wash and ground of the pages. */
const SURFACES: Record<LinkTheme, number[]> = {
  light: ['#ffffff', '#f5f6f8', '#f1f3f6'].map(luminance),
  dark: ['#16191f', '#1e222a', '#0c0e12'].map(luminance),
}
const INKS = ['#ffffff', '#0b1026'].map(colour => ({ colour, luminance: luminance(colour) }))
