import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIMS, linkReport } from './src/link/link-report.ts'
import { ratioOf, runLinkBench } from './src/link/run-link-bench.ts'

/** The aim is 0.6; three loads beside other tests tell it no closer than this. */
const RATIO = 0.8

// What an application's page loads to embed Link has its budget in packages/link/test.
test('the first view of Link is interactive well before the same picker in React, and small', async t => {
  const result = await runLinkBench({ loads: 3, lines: ['loopback'] })
  t.diagnostic(linkReport(result))
  const { script, style, total } = result.zipped.link
  assert.ok(script <= AIMS.script, `${script} bytes of script`)
  assert.ok(style <= AIMS.style, `${style} bytes of style`)
  assert.ok(total <= AIMS.total, `${total} bytes in all`)
  assert.deepEqual(result.foreign, [])
  // Whatever else the machine does disturbs one of these or the other; a page that has grown slow shows in both.
  const ratios = (['fastest', 'work'] as const).map(figure => ratioOf(result, 'loopback', { figure }))
  assert.ok(Math.min(...ratios) < RATIO, `${ratios.map(ratio => ratio.toFixed(2)).join(' and ')} of React`)
})
