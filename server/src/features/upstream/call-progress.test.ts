import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgressFilter, type Progress } from './call-progress.ts'

const createRecorder = () => {
  const emitted: Progress[] = []
  let now = 0
  const notify = createProgressFilter(
    progress => void emitted.push(progress),
    () => now,
  )
  return { emitted, notify, advance: (ms: number) => void (now += ms) }
}

test('progress: increasing numbers are forwarded with cleaned messages', () => {
  const { emitted, notify } = createRecorder()
  notify({ progress: 0, total: 3, message: 'a\u202eb\n c', progressToken: 't', _meta: { x: 1 } })
  notify({ progress: 1.5, total: Number.NaN, message: 7 })
  notify({ progress: 2, message: 'x'.repeat(1000) })
  assert.deepEqual(emitted.slice(0, 2), [{ progress: 0, total: 3, message: 'ab c' }, { progress: 1.5 }])
  assert.equal(emitted[2]?.message?.length, 300)
})

test('progress: values that do not increase or are not numbers are dropped', () => {
  const { emitted, notify } = createRecorder()
  for (const progress of [2, 2, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, '3', null, undefined])
    notify({ progress })
  assert.deepEqual(emitted, [{ progress: 2 }])
})

test('progress: limited to ten notifications per second and a thousand per call', () => {
  const { emitted, notify, advance } = createRecorder()
  for (let n = 0; n < 500; n++) notify({ progress: n })
  assert.equal(emitted.length, 10)
  advance(999)
  notify({ progress: 1000 })
  assert.equal(emitted.length, 10)
  for (let n = 0; n < 30_000; n++) {
    advance(100)
    notify({ progress: 2000 + n })
  }
  assert.equal(emitted.length, 1000)
})
