import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase, openTestDatabase } from '../server/test/support/databases.ts'
import { ratioOf, runSealBench } from './src/seal/run-seal-bench.ts'
import { AIMS, sealReport } from './src/seal/seal-report.ts'

/** A few rounds beside other tests tell the aims no closer than this. */
const SLACK = 0.6

test('sealing costs little more than its cipher, and opening with all keys stays below its budget', async t => {
  const database = await createTestDatabase('pglite')
  const db = await openTestDatabase(database)
  const result = await runSealBench(db, { rounds: 9, times: 500 })
  await db.close()
  await database.drop()
  t.diagnostic(sealReport(result))
  const fastest = Math.min(...result.measured['opened, with all its keys'].rounds)
  assert.ok(fastest <= AIMS.openMicroseconds, `${fastest} µs`)
  const ratio = ratioOf(result, 'sealed', 'AES-GCM, seal')
  assert.ok(ratio >= AIMS.sealToCipher * SLACK, `${ratio} of the cipher alone`)
})
