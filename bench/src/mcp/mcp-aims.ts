import type { AimResult } from '../aims.ts'
import type { McpSubject } from './mcp-measurements.ts'
import type { McpMeasured, McpResult } from './run-mcp-bench.ts'

/** A ratio is comparable between machines; the added latency is not. */
const RATIOS: { reference: McpSubject; atLeast: number }[] = [
  { reference: 'mcp-proxy', atLeast: 5 },
  { reference: 'mcp-hub', atLeast: 5 },
  { reference: 'SDK proxy', atLeast: 5 },
  { reference: 'pass-through', atLeast: 0.6 },
]
const MAX_ADDED_MS = 1.2

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
]

const checkAddedLatency = (result: McpResult): AimResult[] => {
  const ours = findMeasured(result, 'gateway', false)
  const direct = findMeasured(result, 'direct', false)
  if (!ours || !direct) return []
  const value = ours.median.p50 - direct.median.p50
  const aim = `≤ ${MAX_ADDED_MS} ms`
  return [{ name: 'p50 at 1, added to direct', value, unit: ' ms', aim, met: value <= MAX_ADDED_MS }]
}
