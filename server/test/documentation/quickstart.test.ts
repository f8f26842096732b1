import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { QUICKSTART, withQuickstartOutputs } from '../../../scripts/quickstart-outputs.ts'
import { startTestService } from '../support/test-service.ts'
import { root } from './fenced-blocks.ts'

test('quickstart: its commands print what the page shows', async () => {
  const page = readFileSync(join(root, QUICKSTART), 'utf8')
  const service = await startTestService('pglite', {}, { withJobs: false })
  try {
    assert.equal(page, await withQuickstartOutputs(page, service), 'run npm run docs:quickstart')
  } finally {
    await service.stop()
  }
})
