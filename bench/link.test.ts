import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIMS, linkReport } from './src/link/link-report.ts'
import { runLinkBench, SUBJECTS } from './src/link/run-link-bench.ts'

// The size budget of the embedding package is tested in packages/link/test. Only `npm run bench:link` compares times.
test('link bench: runs, and the page is within its size budget', async t => {
  const result = await runLinkBench({ loads: 1, networks: ['loopback'] })
  t.diagnostic(linkReport(result))
  assert.deepEqual(
    result.measured.map(({ subject }) => subject),
    SUBJECTS,
  )
  for (const { subject, interactive, work } of result.measured)
    assert.ok(interactive > 0 && work > 0, `${subject}: ${interactive} and ${work} ms`)
  const { script, style, total } = result.gzipped.link
  assert.ok(script <= AIMS.script, `${script} bytes of script`)
  assert.ok(style <= AIMS.style, `${style} bytes of style`)
  assert.ok(total <= AIMS.total, `${total} bytes in total`)
  assert.deepEqual(result.crossOrigin, [])
})
