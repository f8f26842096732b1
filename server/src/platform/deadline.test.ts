import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { deadlineSignal } from './deadline.ts'

const stopProcess = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

describe('a deadline', () => {
  it('aborts when its time is up', async () => {
    const signal = deadlineSignal(30)
    assert.equal(signal.aborted, false)
    await delay(60)
    assert.equal(signal.aborted, true)
    assert.equal((signal.reason as Error).name, 'TimeoutError')
  })

  it('leaves a process that was stopped a moment to read what has arrived', async () => {
    const signal = deadlineSignal(30)
    stopProcess(1200)
    await delay(50)
    assert.equal(signal.aborted, false)
    await delay(1100)
    assert.equal(signal.aborted, true)
  })
})
