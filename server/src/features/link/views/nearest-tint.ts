/** The hues of the eight tints, as the stylesheet has them: `.t0` to `.t7`. */
export const TINT_HUES = [25, 60, 95, 150, 195, 240, 290, 345]

/** Below this, a colour is a grey, and has no hue worth speaking of. */
const LEAST_CHROMA = 0.03

/** The tint that comes nearest to a brand's colour, by OKLCH hue; null for black, white and greys. */
export const nearestTint = (colour: string): string | null => {
  const [a, b] = oklabPlane(colour)
  if (Math.hypot(a, b) < LEAST_CHROMA) return null
  const hue = ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360
  const distances = TINT_HUES.map(tint => Math.min(Math.abs(tint - hue), 360 - Math.abs(tint - hue)))
  return `t${distances.indexOf(Math.min(...distances))}`
}

const linear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4

/** The two axes of colour of OKLab; lightness does not matter here. */
const oklabPlane = (colour: string): [a: number, b: number] => {
  const [r, g, b] = [1, 3, 5].map(at => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ]
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}
