import { table } from '../table.ts'
import { type LinkBench, type Network, ratioOf } from './run-link-bench.ts'

/** Sizes in bytes after compression, and the ratio on an unthrottled network. */
export const AIMS = { ratio: 0.6, script: 12_000, style: 8_000, total: 35_000 }

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

const timeTable = (result: LinkBench, network: Network): string =>
  table([
    [
      network,
      'interactive ms',
      'loads',
      'to React',
      'fastest',
      'first paint ms',
      'work ms',
      'sent kB',
      'script',
      'style',
    ],
    ...result.measured
      .filter(entry => entry.network === network)
      .map(({ subject, interactive, firstPaint, work, loads }) => {
        const times = loads.map(load => Math.round(load.interactive))
        const [{ bytes } = { bytes: { script: 0, style: 0, total: 0 } }] = loads
        const inline = (size: number) => (subject === 'react' ? kilobytes(size) : 'inline')
        return [
          subject,
          interactive.toFixed(0),
          `${Math.min(...times)}–${Math.max(...times)}`,
          subject === 'react' ? '' : `${ratioOf(result, network, { subject }).toFixed(2)}×`,
          subject === 'react'
            ? ''
            : `${ratioOf(result, network, { subject, figure: 'fastest' }).toFixed(2)}×`,
          firstPaint.toFixed(0),
          work.toFixed(0),
          kilobytes(bytes.total),
          inline(bytes.script),
          inline(bytes.style),
        ]
      }),
  ])

const sizeTable = ({ gzipped }: LinkBench): string =>
  table([
    ['gzip, kB', 'script', 'style', 'total'],
    ...Object.entries(gzipped).map(([subject, { script, style, total }]) => [
      subject,
      kilobytes(script),
      kilobytes(style),
      kilobytes(total),
    ]),
  ])

const aimTable = (result: LinkBench, network: Network): string => {
  const aim = (name: string, value: number, limit: number, format: (value: number) => string) => [
    name,
    format(value),
    `≤ ${format(limit)}`,
    value <= limit ? 'met' : 'missed',
  ]
  const { script, style, total } = result.gzipped.link
  const size = (bytes: number) => `${kilobytes(bytes)} kB`
  return table([
    ['aim', 'value', 'target', ''],
    aim(
      `interactive, ratio to React (${network})`,
      ratioOf(result, network),
      AIMS.ratio,
      value => `${value.toFixed(2)}×`,
    ),
    aim('script, gzip', script, AIMS.script, size),
    aim('style, gzip', style, AIMS.style, size),
    aim('total of the first view, gzip', total, AIMS.total, size),
    aim('requests to another origin', result.crossOrigin.length, 0, String),
  ])
}

export const linkReport = (result: LinkBench): string => {
  const networks = [...new Set(result.measured.map(({ network }) => network))]
  return [
    `${result.connectors} connectors, 4× slower CPU, nothing cached; medians of ${result.loads} loads`,
    ...networks.map(network => timeTable(result, network)),
    sizeTable(result),
    aimTable(result, networks[0] ?? 'loopback'),
  ].join('\n\n')
}
