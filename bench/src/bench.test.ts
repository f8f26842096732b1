import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAims } from './aims.ts'
import { JOBS } from './options.ts'
import { report } from './report.ts'
import { runBench } from './run-bench.ts'

test('bench: reports every figure of every measurement', async () => {
  const result = await runBench({
    seconds: 0.2,
    connections: 4,
    rounds: 1,
    jobs: JOBS,
    embedded: false,
    json: undefined,
    profile: undefined,
    ramDisk: false,
  })
  assert.equal(result.measured.length, 10)
  for (const { job, subject, connections, median } of result.measured) {
    for (const figure of ['perSecond', 'p50', 'p99', 'responses'] as const)
      assert.ok(median[figure] > 0, `${job}, ${subject}, ${connections}: ${figure}`)
  }
  for (const starts of Object.values(result.starts)) {
    for (const [name, value] of Object.entries(starts)) assert.ok(value > 0, name)
  }
  assert.equal(checkAims(result).length, 5)
  for (const { value, name } of checkAims(result)) assert.ok(value > 0, name)
  assert.match(report(result), /mint at 4, ratio to pgbench/)
})
