import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIMS, linkReport } from './src/link/link-report.ts'
import { runLinkBench, SUBJECTS } from './src/link/run-link-bench.ts'

// The embedding package has its own size budget, in packages/link/test. Times are compared by `npm run bench:link` only.
test('the bench of the first view of Link runs, and the page is within its budget in bytes', async t => {
  const result = await runLinkBench({ loads: 1, lines: ['loopback'] })
  t.diagnostic(linkReport(result))
  assert.deepEqual(
    result.measured.map(({ subject }) => subject),
    SUBJECTS,
  )
  for (const { subject, interactive, work } of result.measured)
    assert.ok(interactive > 0 && work > 0, `${subject}: ${interactive} and ${work} ms`)
  const { script, style, total } = result.zipped.link
  assert.ok(script <= AIMS.script, `${script} bytes of script`)
  assert.ok(style <= AIMS.style, `${style} bytes of style`)
  assert.ok(total <= AIMS.total, `${total} bytes in all`)
  assert.deepEqual(result.foreign, [])
})
