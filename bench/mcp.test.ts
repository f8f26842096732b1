import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkMcpAims } from './src/mcp/mcp-aims.ts'
import { mcpReport } from './src/mcp/mcp-report.ts'
import { runMcpBench } from './src/mcp/run-mcp-bench.ts'

test('tools/call bench: reports every figure of the gateway and its own references', async () => {
  const result = await runMcpBench({
    seconds: 0.2,
    connections: 4,
    rounds: 1,
    json: undefined,
    profile: undefined,
    processes: 2,
    only: ['gateway', 'gateway, HTTP tool', 'pass-through', 'direct'],
    steps: false,
    admissionCommit: 'sync',
    brief: true,
  })
  assert.equal(result.measured.length, 8)
  for (const { subject, connections, median } of result.measured) {
    for (const figure of ['perSecond', 'p50', 'p99', 'responses'] as const)
      assert.ok(median[figure] > 0, `${subject}, ${connections}: ${figure}`)
  }
  // In so short a time, the kernel may count no CPU time at all.
  for (const { subject, median } of result.measured.filter(one => one.subject.startsWith('gateway'))) {
    const { service, database, walBytes } = median.cost ?? { service: -1, database: -1, walBytes: -1 }
    assert.ok(service >= 0 && database >= 0 && walBytes > 0, `${subject}: ${JSON.stringify(median.cost)}`)
  }
  assert.equal(checkMcpAims(result).length, 3)
  assert.match(mcpReport(result), /gateway with 2 processes/)
  assert.match(mcpReport(result), /tools\/call at 4, ratio to pass-through at 4/)
})
