import { table } from '../table.ts'
import { type Line, type LinkBench, ratioOf } from './run-link-bench.ts'

/** Bytes after compression, and the ratio on a line that costs nothing. */
export const AIMS = { ratio: 0.6, script: 12_000, style: 8_000, total: 35_000 }

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

const timeTable = (result: LinkBench, line: Line): string =>
  table([
    [
      line,
      'interactive ms',
      'loads',
      'to react',
      'fastest',
      'first paint ms',
      'work ms',
      'sent kB',
      'script',
      'style',
    ],
    ...result.measured
      .filter(entry => entry.line === line)
      .map(({ subject, interactive, firstPaint, work, loads }) => {
        const times = loads.map(load => Math.round(load.interactive))
        const [{ bytes } = { bytes: { script: 0, style: 0, total: 0 } }] = loads
        const inline = (size: number) => (subject === 'react' ? kilobytes(size) : 'inline')
        return [
          subject,
          interactive.toFixed(0),
          `${Math.min(...times)}–${Math.max(...times)}`,
          subject === 'react' ? '' : `${ratioOf(result, line, { subject }).toFixed(2)}×`,
          subject === 'react' ? '' : `${ratioOf(result, line, { subject, figure: 'fastest' }).toFixed(2)}×`,
          firstPaint.toFixed(0),
          work.toFixed(0),
          kilobytes(bytes.total),
          inline(bytes.script),
          inline(bytes.style),
        ]
      }),
  ])

const sizeTable = ({ zipped }: LinkBench): string =>
  table([
    ['gzip, kB', 'script', 'style', 'everything'],
    ...Object.entries(zipped).map(([subject, { script, style, total }]) => [
      subject,
      kilobytes(script),
      kilobytes(style),
      kilobytes(total),
    ]),
  ])

const aimTable = (result: LinkBench, line: Line): string => {
  const verdict = (what: string, value: number, limit: number, show: (value: number) => string) => [
    what,
    show(value),
    `≤ ${show(limit)}`,
    value <= limit ? 'met' : 'missed',
  ]
  const { script, style, total } = result.zipped.link
  const size = (bytes: number) => `${kilobytes(bytes)} kB`
  return table([
    ['aim', 'value', 'wanted', ''],
    verdict(
      `interactive, to react (${line})`,
      ratioOf(result, line),
      AIMS.ratio,
      value => `${value.toFixed(2)}×`,
    ),
    verdict('script, gzip', script, AIMS.script, size),
    verdict('style, gzip', style, AIMS.style, size),
    verdict('everything for the first view, gzip', total, AIMS.total, size),
    verdict('requests to another origin', result.foreign.length, 0, String),
  ])
}

export const linkReport = (result: LinkBench): string => {
  const lines = [...new Set(result.measured.map(({ line }) => line))]
  return [
    `${result.connectors} connectors, 4× slower CPU, nothing cached; medians of ${result.loads} loads`,
    ...lines.map(line => timeTable(result, line)),
    sizeTable(result),
    aimTable(result, lines[0] ?? 'loopback'),
  ].join('\n\n')
}
