import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIMS, linkReport } from './src/link/link-report.ts'
import { type LinkBench, ratioOf, runLinkBench } from './src/link/run-link-bench.ts'

/** The aim is 0.6; three loads beside other tests tell it no closer than this. */
const RATIO = 0.8

// What an application's page loads to embed Link has its budget in packages/link/test.
test('the first view of Link is interactive well before the same picker in React, and small', async t => {
  const measure = async (): Promise<{ result: LinkBench; ratios: number[] }> => {
    const result = await runLinkBench({ loads: 3, lines: ['loopback'] })
    t.diagnostic(linkReport(result))
    // Whatever else the machine does disturbs one of these or the other; a page that has grown slow shows in both.
    return {
      result,
      ratios: (['fastest', 'work'] as const).map(figure => ratioOf(result, 'loopback', { figure })),
    }
  }
  let { result, ratios } = await measure()
  // Other tests may have had the processor for all three loads, and not three times in a row: a slow page has no better turn.
  for (let again = 0; again < 2 && Math.min(...ratios) >= RATIO; again++)
    ({ result, ratios } = await measure())
  const { script, style, total } = result.zipped.link
  assert.ok(script <= AIMS.script, `${script} bytes of script`)
  assert.ok(style <= AIMS.style, `${style} bytes of style`)
  assert.ok(total <= AIMS.total, `${total} bytes in all`)
  assert.deepEqual(result.foreign, [])
  assert.ok(Math.min(...ratios) < RATIO, `${ratios.map(ratio => ratio.toFixed(2)).join(' and ')} of React`)
})
