import type { Verdict } from '../aims.ts'
import type { McpSubject } from './mcp-measurements.ts'
import type { McpMeasured, McpResult } from './run-mcp-bench.ts'

/** A ratio holds on any machine; the added time is that of the machine it was taken on. */
const RATIOS: { reference: McpSubject; atLeast: number }[] = [
  { reference: 'mcp-proxy', atLeast: 5 },
  { reference: 'mcp-hub', atLeast: 5 },
  { reference: 'SDK proxy', atLeast: 5 },
  { reference: 'pass-through', atLeast: 0.6 },
]
const MOST_ADDED = 1.2

/** The one of a subject with the most connections, or with one. */
export const findMeasured = (
  { measured, options }: McpResult,
  subject: McpSubject,
  many: boolean,
): McpMeasured | undefined =>
  measured.find(m => m.subject === subject && (many && options.connections > 1) === m.connections > 1)

export const judgeMcp = (result: McpResult): Verdict[] => [
  ...RATIOS.flatMap(({ reference, atLeast }) => {
    const ours = findMeasured(result, 'gateway', true)
    const theirs = findMeasured(result, reference, true)
    if (!ours || !theirs) return []
    const value = ours.median.perSecond / theirs.median.perSecond
    const what = `tools/call at ${ours.connections}, to ${reference} at ${theirs.connections}`
    return [{ what, value, unit: '×', aim: `≥ ${atLeast}×`, met: value >= atLeast }]
  }),
  ...judgeAdded(result),
]

const judgeAdded = (result: McpResult): Verdict[] => {
  const ours = findMeasured(result, 'gateway', false)
  const direct = findMeasured(result, 'direct', false)
  if (!ours || !direct) return []
  const value = ours.median.p50 - direct.median.p50
  const aim = `≤ ${MOST_ADDED} ms`
  return [{ what: 'p50 at 1, over direct', value, unit: ' ms', aim, met: value <= MOST_ADDED }]
}
