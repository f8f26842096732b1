import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSingleFlight } from './single-flight.ts'

describe('single flight', () => {
  it('is shared by concurrent callers, and not by later ones', async () => {
    const share = createSingleFlight<number>()
    const first = Promise.withResolvers<number>()
    let begun = 0
    const run = () =>
      share('a', () => {
        begun++
        return begun === 1 ? first.promise : Promise.resolve(begun)
      })
    const results = [run(), run(), run()]
    first.resolve(1)
    assert.deepEqual(await Promise.all(results), [1, 1, 1])
    assert.equal(await run(), 2)
  })

  it('fails for all callers that share it, and the next caller retries', async () => {
    const share = createSingleFlight<string>()
    const failing = () => share('a', () => Promise.reject(new Error('out')))
    const outcomes = await Promise.allSettled([failing(), failing()])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(await share('a', async () => 'in'), 'in')
  })

  it('runs once per key', async () => {
    const share = createSingleFlight<string>()
    const answers = await Promise.all(['a', 'b'].map(key => share(key, async () => key)))
    assert.deepEqual(answers, ['a', 'b'])
  })
})
