import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coalesce } from './coalesce.ts'

/** A statement that ends when the test resolves it. */
const heldRun = () => {
  const batches: { inputs: number[]; finish: () => void; fail: (error: Error) => void }[] = []
  const run = (inputs: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      batches.push({ inputs, finish: () => resolve(inputs.map(input => `answer ${input}`)), fail: reject })
    })
  return { batches, run }
}
const settled = () => new Promise(resolve => setImmediate(resolve))

describe('coalescing', () => {
  it('runs a single input at once', () => {
    const { batches, run } = heldRun()
    void coalesce(run)(1)
    assert.deepEqual(
      batches.map(({ inputs }) => inputs),
      [[1]],
      'the statement started before the call returned',
    )
  })

  it('batches inputs that arrive during a batch, and returns each its own output', async () => {
    const { batches, run } = heldRun()
    const query = coalesce(run)
    const answers = [1, 2, 3, 4].map(input => query(input))
    assert.deepEqual(
      batches.map(({ inputs }) => inputs),
      [[1]],
    )
    batches[0]?.finish()
    await settled()
    assert.deepEqual(batches[1]?.inputs, [2, 3, 4])
    batches[1]?.finish()
    assert.deepEqual(await Promise.all(answers), ['answer 1', 'answer 2', 'answer 3', 'answer 4'])
  })

  it('resolves no input before its batch has ended', async () => {
    const { batches, run } = heldRun()
    const query = coalesce(run)
    const done: number[] = []
    for (const input of [1, 2]) void query(input).then(() => done.push(input))
    batches[0]?.finish()
    await settled()
    assert.deepEqual(done, [1])
    batches[1]?.finish()
    await settled()
    assert.deepEqual(done, [1, 2])
  })

  it('limits the size of a batch, in order of arrival', async () => {
    const sizes: number[] = []
    const query = coalesce(
      async (inputs: number[]) => {
        sizes.push(inputs.length)
        await settled()
        return inputs.map(input => input * 10)
      },
      { maxBatch: 8 },
    )
    const inputs = Array.from({ length: 101 }, (_, index) => index)
    assert.deepEqual(
      await Promise.all(inputs.map(query)),
      inputs.map(input => input * 10),
    )
    assert.ok(sizes.every(size => size <= 8))
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      101,
    )
    assert.equal(sizes.length, 1 + Math.ceil(100 / 8))
  })

  it('limits the batches in flight', async () => {
    let [running, most] = [0, 0]
    const query = coalesce(
      async (inputs: number[]) => {
        most = Math.max(most, ++running)
        await settled()
        running--
        return inputs
      },
      { maxBatch: 2, maxInFlight: 3 },
    )
    await Promise.all(Array.from({ length: 40 }, (_, index) => query(index)))
    assert.equal(most, 3)
  })

  it('an invalid input fails alone, with its own error', async () => {
    const runs: number[][] = []
    const query = coalesce(async (inputs: number[]) => {
      runs.push(inputs)
      await settled()
      const bad = inputs.find(input => input < 0)
      if (bad !== undefined) throw new Error(`bad ${bad}`)
      return inputs.map(input => `answer ${input}`)
    })
    const results = await Promise.allSettled([1, 2, -3, 4, -5].map(query))
    assert.deepEqual(
      results.map(result =>
        result.status === 'fulfilled' ? result.value : (result.reason as Error).message,
      ),
      ['answer 1', 'answer 2', 'bad -3', 'answer 4', 'bad -5'],
    )
    assert.deepEqual(runs, [[1], [2, -3, 4, -5], [2], [-3], [4], [-5]])
  })

  it('continues after a failure', async () => {
    let fails = true
    const query = coalesce(async (inputs: number[]) => {
      if (fails) throw new Error('gone')
      return inputs
    })
    await assert.rejects(query(1), /gone/)
    fails = false
    assert.equal(await query(2), 2)
  })

  it('rejects a batch that returns too few or too many outputs', async () => {
    for (const rows of [[], ['only one'], ['one', 'two', 'three']]) {
      const query = coalesce(async (inputs: number[]) => {
        await settled()
        return inputs.length === 2 ? rows : inputs.map(input => `answer ${input}`)
      })
      const first = query(0)
      const pair = await Promise.allSettled([query(1), query(2)])
      assert.equal(await first, 'answer 0')
      for (const [index, result] of pair.entries())
        if (result.status === 'fulfilled') assert.equal(result.value, `answer ${index + 1}`)
    }
  })
})
