import type { AimResult } from '../aims.ts'
import type { McpSubject } from './mcp-measurements.ts'
import type { McpMeasured, McpResult } from './run-mcp-bench.ts'

/** A ratio is comparable between machines; latency and CPU time are not. */
const RATIOS: { reference: McpSubject; atLeast: number }[] = [
  { reference: 'mcp-proxy', atLeast: 2.3 },
  { reference: 'SDK proxy', atLeast: 2.3 },
  { reference: 'mcp-hub', atLeast: 2 },
  { reference: 'pass-through', atLeast: 0.5 },
]
const MAX_ADDED_MS = 1.6
const MAX_CPU_MICROSECONDS = { service: 600, database: 200 }

/** Returns the measurement of a subject with several connections (`many`) or with one. */
export const findMeasured = (
  { measured, options }: McpResult,
  subject: McpSubject,
  many: boolean,
): McpMeasured | undefined =>
  measured.find(m => m.subject === subject && (many && options.connections > 1) === m.connections > 1)

export const checkMcpAims = (result: McpResult): AimResult[] => [
  ...RATIOS.flatMap(({ reference, atLeast }) => {
    const ours = findMeasured(result, 'gateway', true)
    const theirs = findMeasured(result, reference, true)
    if (!ours || !theirs) return []
    const value = ours.median.perSecond / theirs.median.perSecond
    const name = `tools/call at ${ours.connections}, ratio to ${reference} at ${theirs.connections}`
    return [{ name, value, unit: '×', aim: `≥ ${atLeast}×`, met: value >= atLeast }]
  }),
  ...checkAddedLatency(result),
  ...checkCpu(result, 'service', 'the service'),
  ...checkCpu(result, 'database', 'PostgreSQL'),
]

const atMost = (name: string, value: number, unit: string, limit: number): AimResult => ({
  name,
  value,
  unit,
  aim: `≤ ${limit}${unit}`,
  met: value <= limit,
})

const checkAddedLatency = (result: McpResult): AimResult[] => {
  const ours = findMeasured(result, 'gateway, RAM disk', false)
  const direct = findMeasured(result, 'direct', false)
  if (!ours || !direct) return []
  const value = ours.median.p50 - direct.median.p50
  return [atMost('p50 at 1 on a RAM disk, added to direct', value, ' ms', MAX_ADDED_MS)]
}

const checkCpu = (result: McpResult, of: 'service' | 'database', name: string): AimResult[] => {
  const ours = findMeasured(result, 'gateway', true)
  if (!ours?.median.cost) return []
  const value = ours.median.cost[of]
  return [
    atMost(`CPU time of ${name} per call at ${ours.connections}`, value, ' µs', MAX_CPU_MICROSECONDS[of]),
  ]
}
