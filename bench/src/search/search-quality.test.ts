import assert from 'node:assert/strict'
import { test } from 'node:test'
import { padPack, type SearchedPack, shippedPack } from './catalog-tools.ts'
import { everydayRequests, isAside, isKept, type LabelledRequest, labelledRequests } from './request-sets.ts'
import { measureQuality, measureTokens } from './run-search-bench.ts'

/**
 * Shares of the requests with an acceptable tool among the first 5 and 10: a little below what was measured, so that a change of a
 * description does not fail the test, and a worse ranking does. One of the requests kept aside is 2 %, one everyday request 0.5 %.
 */
const FLOORS: [name: string, requests: LabelledRequest[], at5: number, at10: number][] = [
  ['labelled', labelledRequests, 0.94, 0.97],
  ['labelled, kept aside', labelledRequests.filter(isAside), 0.86, 0.94],
  ['everyday, for tuning', everydayRequests.filter(request => !isKept(request)), 0.91, 0.95],
  ['everyday, kept', everydayRequests.filter(isKept), 0.88, 0.94],
]

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

const checkFloors = async (pack: SearchedPack, floors: typeof FLOORS): Promise<void> => {
  for (const [name, requests, at5, at10] of floors) {
    const { recallAt } = await measureQuality(pack, requests)
    assert.ok(recallAt[5] >= at5 && recallAt[10] >= at10, `${name}: ${JSON.stringify(recallAt)}`)
  }
}

test('search: acceptable tools are among the first of the whole catalog', () => checkFloors(shipped, FLOORS))

test('search: acceptable tools are among the first of a pack with tools of other domains', () =>
  checkFloors(padPack(shipped, 1_000), FLOORS.slice(0, 1)))

test('search: reduces the list of 1,000 tools to less than a hundredth', async () => {
  const tokens = await measureTokens(padPack(shipped, 1_000), labelledRequests)
  assert.ok(tokens.search * 100 < tokens.list, JSON.stringify(tokens))
  assert.ok((tokens.search + tokens.perSearch) * 50 < tokens.list, JSON.stringify(tokens))
})
