import type { ConnectorFile } from '@carabiner/contract'
import { initial } from '../../core/initial.ts'

/** OKLCH hues of the eight tints of tiles. The pages have a class for each, `.t0` to `.t7`. */
export const TINT_HUES = [25, 60, 95, 150, 195, 240, 290, 345]

/** The number of a tint that is the same wherever the name is shown. */
export const tintOfName = (name: string): number => {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return sum % TINT_HUES.length
}

/** The tint of a connector’s tile, which is shown if there is no logo. */
export const tintOf = ({ slug, logo }: Pick<ConnectorFile, 'slug' | 'logo'>): number =>
  (logo ? nearestTint(logo.color) : null) ?? tintOfName(slug)

/** Letters and hue for a tile in an application, so that it looks as in Link. */
export const tileOf = (
  connector: Pick<ConnectorFile, 'slug' | 'name' | 'logo'>,
): { letters: string; hue: number } => ({
  letters: connector.logo?.letters ?? initial(connector.name),
  hue: TINT_HUES[tintOf(connector)] ?? 0,
})

/** Colors with less chroma are treated as gray, which has no meaningful hue. */
const MIN_CHROMA = 0.03

/** The number of the tint nearest to a brand color by OKLCH hue, or null for black, white and grays. */
export const nearestTint = (color: string): number | null => {
  const [a, b] = oklabPlane(color)
  if (Math.hypot(a, b) < MIN_CHROMA) return null
  const hue = ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360
  const distances = TINT_HUES.map(tint => Math.min(Math.abs(tint - hue), 360 - Math.abs(tint - hue)))
  return distances.indexOf(Math.min(...distances))
}

const linear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4

/** The a and b axes of OKLab; lightness is not needed. */
const oklabPlane = (color: string): [a: number, b: number] => {
  const [r, g, b] = [1, 3, 5].map(at => linear(Number.parseInt(color.slice(at, at + 2), 16) / 255)) as [
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
