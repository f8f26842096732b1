import { table } from '../table.ts'
import { checkMcpAims, findMeasured } from './mcp-aims.ts'
import { meanFlush } from './resource-use.ts'
import type { McpResult } from './run-mcp-bench.ts'

const figuresTable = (result: McpResult): string => {
  const rows = result.measured.toSorted((a, b) => b.connections - a.connections)
  const body = rows.map(({ subject, connections, median, rounds }) => {
    const rates = rounds.map(({ perSecond }) => Math.round(perSecond))
    const ours = findMeasured(result, 'gateway', connections > 1)?.median
    const direct = findMeasured(result, 'direct', connections > 1)?.median
    return [
      subject,
      String(connections),
      Math.round(median.perSecond).toString(),
      `${Math.min(...rates)}–${Math.max(...rates)}`,
      median.p50.toFixed(2),
      median.p99.toFixed(2),
      direct && connections === 1 ? `+${(median.p50 - direct.p50).toFixed(2)}` : '',
      subject.startsWith('gateway') || !ours ? '' : `${(ours.perSecond / median.perSecond).toFixed(2)}×`,
      median.cost ? median.cost.service.toFixed(0) : '',
      median.cost ? median.cost.database.toFixed(0) : '',
      median.cost ? median.cost.walBytes.toFixed(0) : '',
      median.cost ? median.cost.flushes.toFixed(2) : '',
      median.cost ? meanFlush(median.cost).toFixed(0) : '',
    ]
  })
  return table([
    [
      'tools/call',
      'connections',
      'per s',
      'rounds',
      'p50 ms',
      'p99 ms',
      'added ms',
      'ratio',
      'service µs',
      'PostgreSQL µs',
      'WAL bytes',
      'flushes',
      'flush µs',
    ],
    ...body,
  ])
}

const aimTable = (result: McpResult): string =>
  table([
    ['aim', 'value', 'target', ''],
    ...checkMcpAims(result).map(({ name, value, unit, aim, met }) => [
      name,
      `${value.toFixed(2)}${unit}`,
      aim,
      met ? 'met' : 'missed',
    ]),
  ])

export const mcpReport = (result: McpResult): string => {
  const { machine, options, loadedMegabytes } = result
  return [
    `${machine.processors}, Node ${machine.node}; medians of ${options.rounds} × ${options.seconds} s; gateway with ${options.processes} ${options.processes === 1 ? 'process' : 'processes'}, ${loadedMegabytes.toFixed(0)} MB at the end; ADMISSION_COMMIT=${options.admissionCommit}`,
    figuresTable(result),
    aimTable(result),
  ].join('\n\n')
}
