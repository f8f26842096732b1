import { hash } from 'node:crypto'

/** The logo of a brand: one path on a 24 × 24 grid, and the brand's color. */
export type Mark = { color: string; path: string }

/** An image with its own path. The path changes with the image, so clients may cache it forever. */
export type ConnectorLogo = { path: string; type: 'image/svg+xml' | 'image/png'; body: Buffer }

export const LOGO_FOLDER = '/connector-logos'

/** Connectors of one product share its mark. */
export const markName = (slug: string): string =>
  slug.replace(/-(mcp|api-token|self-managed|app|service-app|service-account|server-to-server)$/, '')

const addressed = (name: string, type: ConnectorLogo['type'], body: Buffer): ConnectorLogo => {
  const extension = type === 'image/png' ? 'png' : 'svg'
  const digest = hash('sha256', body, 'hex').slice(0, 12)
  return { path: `${LOGO_FOLDER}/${name}.${digest}.${extension}`, type, body }
}

const WHITE = '#ffffff'
const INK = '#14171f'
/** WCAG 1.4.11, for graphics. */
const MIN_CONTRAST = 3
/** A paler color cannot be darkened to the minimum and still be recognized, so it becomes the background. */
const PALE_CONTRAST = 1.6

/** The mark on a background tile, which looks the same on light and dark pages. The page rounds its corners. */
export const markLogo = (name: string, mark: Mark): ConnectorLogo => {
  const { background, foreground } = tileColors(mark.color)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><path fill="${background}" d="M0 0h48v48H0z"/><path fill="${foreground}" transform="translate(10 10) scale(1.1667)" d="${mark.path}"/></svg>`
  return addressed(name, 'image/svg+xml', Buffer.from(svg))
}

export const tileColors = (color: string): { background: string; foreground: string } => {
  if (contrast(color, WHITE) < PALE_CONTRAST) return { background: color, foreground: INK }
  let foreground = color
  while (contrast(foreground, WHITE) < MIN_CONTRAST) foreground = darker(foreground)
  return { background: WHITE, foreground }
}

const channelsOf = (color: string): number[] =>
  [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16))

const darker = (color: string): string =>
  `#${channelsOf(color)
    .map(channel =>
      Math.floor(channel * 0.97)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

/** The relative luminance of WCAG 2. */
const luminance = (color: string): number => {
  const [r = 0, g = 0, b = 0] = channelsOf(color).map(channel => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

export const contrast = (one: string, other: string): number => {
  const [darkest = 0, lightest = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lightest + 0.05) / (darkest + 0.05)
}

const MAX_LOGO_BYTES = 200 * 1024
const MIN_SIDE = 48
const MAX_SIDE = 1024
const PNG_SIGNATURE = '89504e470d0a1a0a'

/** An operator's image, or the reason why it cannot be used. SVG may contain scripts, so only PNG is accepted. */
export const readPngLogo = (slug: string, body: Buffer): ConnectorLogo | { reason: string } => {
  const isPng = body.length >= 33 && body.subarray(0, 8).toString('hex') === PNG_SIGNATURE
  if (!isPng || body.toString('latin1', 12, 16) !== 'IHDR') return { reason: 'is not a PNG image' }
  if (body.length > MAX_LOGO_BYTES) return { reason: 'is larger than 200 kB' }
  const [width, height] = [body.readUInt32BE(16), body.readUInt32BE(20)]
  if (width !== height || width < MIN_SIDE || width > MAX_SIDE)
    return {
      reason: `is ${width} × ${height} pixels; it must be square, with sides of ${MIN_SIDE} to ${MAX_SIDE} pixels`,
    }
  return addressed(slug, 'image/png', body)
}
