import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase, openTestDatabase } from '../server/test/support/databases.ts'
import { runSealBench } from './src/seal/run-seal-bench.ts'
import { sealReport } from './src/seal/seal-report.ts'

test('seal bench: reports every figure', async t => {
  const database = await createTestDatabase('postgres')
  const db = await openTestDatabase(database)
  const result = await runSealBench(db, { rounds: 1, times: 20, warmUp: 0 })
  await db.close()
  await database.drop()
  t.diagnostic(sealReport(result))
  for (const [name, { rounds }] of Object.entries(result.measured))
    assert.ok(rounds.length === 1 && rounds.every(microseconds => microseconds > 0), name)
})
