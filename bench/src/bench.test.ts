import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './aims.ts'
import { JOBS } from './options.ts'
import { report } from './report.ts'
import { runBench } from './run-bench.ts'

test('the bench runs, and every figure of every measurement is there', async () => {
  const result = await runBench({
    seconds: 0.2,
    connections: 4,
    rounds: 1,
    jobs: JOBS,
    embedded: false,
    json: undefined,
    profile: undefined,
  })
  assert.equal(result.measured.length, 10)
  for (const { job, subject, connections, median } of result.measured) {
    for (const figure of ['perSecond', 'p50', 'p99', 'answers'] as const)
      assert.ok(median[figure] > 0, `${job}, ${subject}, ${connections}: ${figure}`)
  }
  for (const starts of Object.values(result.starts)) {
    for (const [name, value] of Object.entries(starts)) assert.ok(value > 0, name)
  }
  assert.equal(judge(result).length, 5)
  for (const { value, what } of judge(result)) assert.ok(value > 0, what)
  assert.match(report(result), /mint at 4, to pgbench/)
})
