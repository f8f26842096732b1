import { checkAims } from './aims.ts'
import type { Job } from './options.ts'
import type { BenchResult, Measured } from './run-bench.ts'
import { table } from './table.ts'

const jobTable = (job: Job, measured: Measured[]): string => {
  const rows = measured.filter(m => m.job === job).toSorted((a, b) => b.connections - a.connections)
  const serviceRate = (connections: number) =>
    rows.find(m => m.subject === 'service' && m.connections === connections)?.median.perSecond
  const body = rows.map(({ subject, connections, median, rounds }) => {
    const rates = rounds.map(({ perSecond }) => Math.round(perSecond))
    const ours = serviceRate(connections)
    return [
      subject,
      String(connections),
      Math.round(median.perSecond).toString(),
      `${Math.min(...rates)}–${Math.max(...rates)}`,
      median.p50.toFixed(2),
      median.p99.toFixed(2),
      subject === 'service' || ours === undefined ? '' : `${(ours / median.perSecond).toFixed(2)}×`,
      median.exhausted ? 'codes exhausted' : '',
    ]
  })
  return table([[job, 'connections', 'per s', 'rounds', 'p50 ms', 'p99 ms', 'ratio', ''], ...body])
}

const startTable = ({ starts, loadedMegabytes }: BenchResult): string =>
  table([
    ['start', 'first ms', 'second ms', 'MB idle', 'MB after load'],
    ...Object.entries(starts).map(([engine, { cold, warm, idleMegabytes }]) => [
      engine,
      cold.toFixed(0),
      warm.toFixed(0),
      idleMegabytes.toFixed(0),
      engine === 'postgres' ? loadedMegabytes.toFixed(0) : '',
    ]),
  ])

const aimTable = (result: BenchResult): string =>
  table([
    ['aim', 'value', 'target', ''],
    ...checkAims(result).map(({ name, value, unit, aim, met }) => [
      name,
      `${value.toFixed(unit === '×' ? 2 : 0)}${unit}`,
      aim,
      met ? 'met' : 'missed',
    ]),
  ])

export const report = (result: BenchResult): string => {
  const { machine, options, measured } = result
  const jobs = [...new Set(measured.map(({ job }) => job))]
  return [
    `${machine.processors}, Node ${machine.node}; medians of ${options.rounds} × ${options.seconds} s${options.ramDisk ? '; database on a RAM disk' : ''}`,
    ...jobs.map(job => jobTable(job, measured)),
    startTable(result),
    aimTable(result),
  ].join('\n\n')
}
