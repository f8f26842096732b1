import { encodeQr } from '@carabiner/contract/qr'
import type { Screen } from '../terminal/screen.ts'

const QUIET_ZONE = 2

/**
 * A QR code for a terminal: each character shows two modules, one above the other. Light modules are drawn, because most
 * terminals have a dark background; with colors, it does not depend on the background. Null: the text is too long.
 */
export const qrText = (text: string, { paint }: Screen): string | null => {
  const code = encodeQr(text)
  if (!code) return null
  const size = code.length + QUIET_ZONE * 2
  const isLight = (row: number, column: number): boolean =>
    !(code[row - QUIET_ZONE]?.[column - QUIET_ZONE] ?? false)
  const line = (row: number): string =>
    Array.from({ length: size }, (_, column) => {
      const [top, bottom] = [isLight(row, column), row + 1 < size && isLight(row + 1, column)]
      return top ? (bottom ? '█' : '▀') : bottom ? '▄' : ' '
    }).join('')
  return Array.from({ length: Math.ceil(size / 2) }, (_, n) =>
    paint(['whiteBright', 'bgBlack'], line(n * 2)),
  ).join('\n')
}
