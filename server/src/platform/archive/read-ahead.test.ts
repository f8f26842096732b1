import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readAhead } from './read-ahead.ts'

it('reads one value ahead, and passes on the values, the result and an error in order', async () => {
  const read: string[] = []
  async function* source(fails: boolean): AsyncGenerator<number, string> {
    for (const n of [1, 2, 3]) {
      read.push(`read ${n}`)
      yield n
    }
    if (fails) throw new Error('broken')
    return 'end'
  }
  const ahead = readAhead(source(false))
  assert.deepEqual(await ahead.next(), { done: false, value: 1 })
  assert.deepEqual(read, ['read 1', 'read 2'])
  assert.deepEqual(await ahead.next(), { done: false, value: 2 })
  assert.deepEqual(await ahead.next(), { done: false, value: 3 })
  assert.deepEqual(await ahead.next(), { done: true, value: 'end' })

  const values: number[] = []
  const failing = (async () => {
    for await (const value of readAhead(source(true))) values.push(value)
  })()
  await assert.rejects(failing, /broken/)
  assert.deepEqual(values, [1, 2, 3])
})

it('closes the source if the caller stops early', async () => {
  let closed = false
  async function* source(): AsyncGenerator<number, void> {
    try {
      yield 1
      yield 2
    } finally {
      closed = true
    }
  }
  for await (const value of readAhead(source())) if (value === 1) break
  assert.ok(closed)
})
