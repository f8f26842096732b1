import stringWidth from 'fast-string-width'
import { printable } from './printable.ts'
import type { Screen } from './screen.ts'

export type Column<Row> = {
  title: string
  value: (row: Row) => string | number | null | undefined
  /** Whether the column may be truncated to fit the terminal. Default: false, as for IDs, which people copy. */
  shrinks?: boolean
}

const GAP = '  '
const MIN_WIDTH = 8

/** A table for people. Columns that may shrink are truncated until it fits the width of the screen. */
export const table = <Row>(rows: readonly Row[], columns: readonly Column<Row>[], screen: Screen): string => {
  const cells = rows.map(row => columns.map(({ value }) => printable(String(value(row) ?? '–'))))
  const titles = columns.map(({ title }) => title)
  const natural = columns.map((_, n) =>
    Math.max(...[titles, ...cells].map(line => stringWidth(line[n] ?? ''))),
  )
  const widths = fitWidths(
    natural,
    columns.map(({ shrinks = false }) => shrinks),
    screen.width,
  )
  const format = (line: readonly string[]): string =>
    line
      .map((cell, n) => pad(truncate(cell, widths[n] as number), widths[n] as number))
      .join(GAP)
      .trimEnd()
  return [screen.paint('bold', format(titles)), ...cells.map(format)].join('\n')
}

/** Takes width from the widest column that may shrink, until the line fits or none can shrink further. */
const fitWidths = (natural: number[], shrinks: boolean[], width: number): number[] => {
  const widths = [...natural]
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width
  while (excess > 0) {
    const candidates = widths.map((each, n) => (shrinks[n] && each > MIN_WIDTH ? each : 0))
    const widest = Math.max(...candidates)
    if (widest === 0) break
    const second = Math.max(MIN_WIDTH, ...candidates.filter(each => each < widest))
    const taken = Math.min(excess, Math.max(1, widest - second))
    widths[candidates.indexOf(widest)] = widest - taken
    excess -= taken
  }
  return widths
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

export const truncate = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 1
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

/** One value per line, with aligned names. Values of null are omitted. */
export const details = (
  fields: readonly (readonly [name: string, value: string | number | boolean | null | undefined])[],
  { paint }: Screen,
): string => {
  const shown = fields.filter(([, value]) => value !== null && value !== undefined)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown
    .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${printable(String(value))}`)
    .join('\n')
}
