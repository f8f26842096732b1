import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTestService } from '../server/test/support/test-service.ts'
import { QUICKSTART, withQuickstartOutputs } from './quickstart-outputs.ts'

const file = join(import.meta.dirname, '..', QUICKSTART)
const service = await startTestService('pglite', {}, { withJobs: false })
try {
  writeFileSync(file, await withQuickstartOutputs(readFileSync(file, 'utf8'), service))
} finally {
  await service.stop()
}
