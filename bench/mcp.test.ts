import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeMcp } from './src/mcp/mcp-aims.ts'
import { mcpReport } from './src/mcp/mcp-report.ts'
import { runMcpBench } from './src/mcp/run-mcp-bench.ts'

test('the bench of tools/call runs, and every figure of what is ours is there', async () => {
  const result = await runMcpBench({
    seconds: 0.2,
    connections: 4,
    rounds: 1,
    json: undefined,
    profile: undefined,
    only: ['gateway', 'gateway, HTTP tool', 'pass-through', 'direct'],
    steps: false,
    brief: true,
  })
  assert.equal(result.measured.length, 8)
  for (const { subject, connections, median } of result.measured) {
    for (const figure of ['perSecond', 'p50', 'p99', 'answers'] as const)
      assert.ok(median[figure] > 0, `${subject}, ${connections}: ${figure}`)
  }
  assert.equal(judgeMcp(result).length, 2)
  assert.match(mcpReport(result), /tools\/call at 4, to pass-through at 4/)
})
