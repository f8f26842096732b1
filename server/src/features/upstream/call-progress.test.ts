import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hearProgress, type Progress } from './call-progress.ts'

const listen = () => {
  const heard: Progress[] = []
  let now = 0
  const hear = hearProgress(
    progress => void heard.push(progress),
    () => now,
  )
  return { heard, hear, later: (ms: number) => void (now += ms) }
}

test('numbers that grow are told, with words that can be shown', () => {
  const { heard, hear } = listen()
  hear({ progress: 0, total: 3, message: 'a\u202eb\n c', progressToken: 't', _meta: { x: 1 } })
  hear({ progress: 1.5, total: Number.NaN, message: 7 })
  hear({ progress: 2, message: 'x'.repeat(1000) })
  assert.deepEqual(heard.slice(0, 2), [{ progress: 0, total: 3, message: 'ab c' }, { progress: 1.5 }])
  assert.equal(heard[2]?.message?.length, 300)
})

test('what does not grow, or is no number, is not', () => {
  const { heard, hear } = listen()
  for (const progress of [2, 2, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, '3', null, undefined])
    hear({ progress })
  assert.deepEqual(heard, [{ progress: 2 }])
})

test('a flood is thinned to ten a second and a thousand in all', () => {
  const { heard, hear, later } = listen()
  for (let n = 0; n < 500; n++) hear({ progress: n })
  assert.equal(heard.length, 10)
  later(999)
  hear({ progress: 1000 })
  assert.equal(heard.length, 10)
  for (let n = 0; n < 30_000; n++) {
    later(100)
    hear({ progress: 2000 + n })
  }
  assert.equal(heard.length, 1000)
})
