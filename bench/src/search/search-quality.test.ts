import assert from 'node:assert/strict'
import { test } from 'node:test'
import { padPack, shippedPack } from './catalog-tools.ts'
import { everydayRequests, isAside, isKept, labelledRequests } from './request-sets.ts'
import { measureQuality, measureTokens } from './run-search-bench.ts'

/** A little below what was measured, so that a change of a description does not fail the test, and a worse ranking does. */
const MIN_RECALL_AT_5 = 0.84
/** Of 50 requests that were not used for tuning; one request is 2 %. */
const MIN_RECALL_AT_5_ASIDE = 0.74

const shipped = shippedPack()

test('labelled requests: are different ones, and name tools that exist', () => {
  const all = [...labelledRequests, ...everydayRequests]
  assert.equal(labelledRequests.length, 200)
  assert.equal(everydayRequests.length, 390)
  assert.equal(new Set(all.map(({ request }) => request)).size, all.length)
  const names = new Set(shipped.tools.map(({ name }) => name))
  assert.deepEqual(
    all.flatMap(({ tools }) => tools).filter(name => !names.has(name)),
    [],
  )
  assert.ok(all.every(({ tools }) => tools.length > 0))
})

test('everyday requests: their text splits them into 183 for tuning and 207 that are kept', () => {
  assert.equal(everydayRequests.filter(isKept).length, 207)
})

for (const pack of [shipped, padPack(shipped, 1_000)])
  test(`search: finds an acceptable tool among the first five of ${pack.tools.length}`, async () => {
    const all = await measureQuality(pack, labelledRequests)
    assert.ok(all.recallAt[5] >= MIN_RECALL_AT_5, `${all.recallAt[5]}`)
    const aside = await measureQuality(pack, labelledRequests.filter(isAside))
    assert.ok(aside.recallAt[5] >= MIN_RECALL_AT_5_ASIDE, `${aside.recallAt[5]} of the requests kept aside`)
  })

test('search: reduces the list of 1,000 tools to less than a hundredth', async () => {
  const tokens = await measureTokens(padPack(shipped, 1_000), labelledRequests)
  assert.ok(tokens.search * 100 < tokens.list, JSON.stringify(tokens))
  assert.ok((tokens.search + tokens.perSearch) * 50 < tokens.list, JSON.stringify(tokens))
})
