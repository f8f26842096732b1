import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openPglite } from '../../../server/src/platform/database/embedded/pglite.ts'
import { migrate } from '../../../server/src/platform/database/migrate.ts'
import { runSealBench } from './run-seal-bench.ts'
import { sealReport } from './seal-report.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, json: { type: 'string' } } })
const rounds = Number(values.rounds ?? 41)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1000)
  throw new Error('--rounds must be a whole number from 1 to 1000')

const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-seal-'))
const db = await openPglite(folder)
try {
  await migrate(db, { apply: true })
  const result = await runSealBench(db, { rounds, times: 1000 })
  process.stdout.write(`${sealReport(result)}\n`)
  if (values.json) writeFileSync(values.json, JSON.stringify(result, null, 2))
} finally {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
}
