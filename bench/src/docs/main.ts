import { parseArgs } from 'node:util'
import { startBrowser } from '../../../e2e/support/browser.ts'
import { table } from '../table.ts'
import { type Load, loadPage } from './load-page.ts'
import { serveSubjects } from './serve-subjects.ts'

const { values } = parseArgs({ options: { loads: { type: 'string' } } })
const loads = Number(values.loads ?? 9)
if (!Number.isInteger(loads) || loads < 1) throw new Error('--loads must be a whole number, at least 1')

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const subjects = await serveSubjects()
const browser = await startBrowser()
const measured: Record<'start' | 'bare', Load[]> = { start: [], bare: [] }
try {
  // Alternating, so that other load on the machine affects both.
  for (let load = 0; load < loads; load++)
    for (const name of ['start', 'bare'] as const)
      measured[name].push(await loadPage(browser, subjects[name]))
} finally {
  await browser.close()
  await subjects.stop()
}

const row = (label: string, results: Load[]): string[] => [
  label,
  median(results.map(({ largestPaint }) => largestPaint)).toFixed(0),
  (median(results.map(({ bytes }) => bytes)) / 1000).toFixed(1),
  median(results.map(({ requests }) => requests)).toFixed(0),
]
const paint = (results: Load[]): number => median(results.map(({ largestPaint }) => largestPaint))
process.stdout.write(
  `${table([
    ['phone, 4× slower CPU, 10 Mbit/s', 'largest paint ms', 'sent kB', 'requests'],
    row('start page of the documentation', measured.start),
    row('the same content, bare', measured.bare),
  ])}\n\nLargest contentful paint: ${(paint(measured.start) / paint(measured.bare)).toFixed(2)}× of the bare page.\n`,
)
