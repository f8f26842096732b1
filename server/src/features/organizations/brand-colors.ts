import type { LinkTheme } from '@carabiner/contract'

export type BrandTheme = {
  /** The fill color of buttons and the color of their label. */
  primary: string
  on_primary: string
  /** The contrast ratio of the two. */
  ratio: number
  /** The same hue with enough contrast to the page: for focus rings, outlines and icons. */
  accent: string
}

export const DEFAULT_PRIMARY = { light: '#1f2a44', dark: '#8fa8ff' } as const

/** WCAG 1.4.3: the label of a button. */
const MIN_TEXT_CONTRAST = 4.5
/** WCAG 1.4.11: a focus ring, an outline. */
const MIN_SHAPE_CONTRAST = 3

const LIGHTNESS_STEP = 1 / 256

type ChosenColors = { primary_color?: string; primary_color_dark?: string }

/** Cached, because every page needs the colors and computing them takes about a millisecond. */
const MAX_CACHED = 1_000
const cache = new Map<string, Record<LinkTheme, BrandTheme>>()

/** Returns accessible colors for the chosen ones. The hue stays the same, and the lightness changes as little as possible. */
export const brandColors = (chosen: ChosenColors): Record<LinkTheme, BrandTheme> => {
  const key = `${chosen.primary_color ?? ''} ${chosen.primary_color_dark ?? ''}`
  const found = cache.get(key) ?? findColors(chosen)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, found)
  return found
}

const findColors = (settings: ChosenColors): Record<LinkTheme, BrandTheme> => {
  const light = settings.primary_color?.toLowerCase() ?? DEFAULT_PRIMARY.light
  const dark = settings.primary_color_dark?.toLowerCase()
  const darkBase = light === DEFAULT_PRIMARY.light ? DEFAULT_PRIMARY.dark : light
  return {
    light: themeOf(light, 'light', [-1, 1]),
    // A color chosen for light pages is made lighter for dark pages; a color chosen for dark pages is kept.
    dark: dark ? themeOf(dark, 'dark', [1, -1]) : themeOf(accentNear(darkBase, 'dark', [1]), 'dark', [1]),
  }
}

const themeOf = (color: string, theme: LinkTheme, directions: number[]): BrandTheme => {
  const primary = nearest(color, directions, each => labelColorOn(each) !== null)
  const on_primary = labelColorOn(primary) ?? DEFAULT_PRIMARY.light
  // Rounded down, so that the reported ratio is never too high.
  const ratio = Math.floor(contrast(primary, on_primary) * 100) / 100
  return { primary, on_primary, ratio, accent: accentNear(primary, theme, directions) }
}

const accentNear = (color: string, theme: LinkTheme, directions: number[]): string =>
  nearest(color, directions, each => {
    const own = luminance(each)
    return SURFACES[theme].every(surface => ratioOf(own, surface) >= MIN_SHAPE_CONTRAST)
  })

const labelColorOn = (color: string): string | null => {
  const own = luminance(color)
  return LABEL_COLORS.find(each => ratioOf(own, each.luminance) >= MIN_TEXT_CONTRAST)?.color ?? null
}

/** Returns the color itself if it is accessible, otherwise the nearest lighter or darker color of the same hue. */
const nearest = (color: string, directions: number[], isAccessible: (color: string) => boolean): string => {
  if (isAccessible(color)) return color
  const [lightness, chroma, hue] = toOklch(color)
  for (let away = LIGHTNESS_STEP; away <= 1; away += LIGHTNESS_STEP) {
    for (const direction of directions) {
      const moved = lightness + direction * away
      const found = moved >= 0 && moved <= 1 ? fromOklch([moved, chroma, hue]) : null
      if (found && isAccessible(found)) return found
    }
  }
  throw new Error(`no accessible lightness for ${color}`)
}

/** WCAG 2.2, "contrast ratio". */
export const contrast = (one: string, other: string): number => ratioOf(luminance(one), luminance(other))

const ratioOf = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

const luminance = (color: string): number => {
  const [red, green, blue] = toLinear(color)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

type Triple = [number, number, number]

const map = (triple: Triple, change: (value: number) => number): Triple => triple.map(change) as Triple

const toLinear = (color: string): Triple => {
  const value = Number.parseInt(color.slice(1), 16)
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

// OKLab (B. Ottosson, 2020): equal steps of lightness are perceived as equal for every hue.
const toOklch = (color: string): Triple => {
  const [red, green, blue] = toLinear(color)
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

/** Colors outside of the sRGB gamut are mapped by reducing chroma only, which preserves lightness and hue. */
const fromOklch = ([lightness, chroma, hue]: Triple): string => {
  const wanted = oklchToLinear([lightness, chroma, hue])
  if (isInGamut(wanted)) return toHex(wanted)
  let [low, high] = [0, chroma]
  for (let halving = 0; halving < 10; halving += 1) {
    const middle = (low + high) / 2
    if (isInGamut(oklchToLinear([lightness, middle, hue]))) low = middle
    else high = middle
  }
  return toHex(oklchToLinear([lightness, low, hue]))
}

const isInGamut = (linear: Triple): boolean => linear.every(value => value >= -0.0001 && value <= 1.0001)

/** The backgrounds of the primary color on Link's pages. */
const SURFACES: Record<LinkTheme, number[]> = {
  light: ['#ffffff', '#f5f6f8', '#f1f3f6'].map(luminance),
  dark: ['#16191f', '#1e222a', '#0c0e12'].map(luminance),
}
const LABEL_COLORS = ['#ffffff', '#0b1026'].map(color => ({ color, luminance: luminance(color) }))
