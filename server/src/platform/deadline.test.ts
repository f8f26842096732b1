import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startDeadline } from './deadline.ts'

const stopProcess = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

describe('a deadline', () => {
  it('aborts when its time is up', async () => {
    const { signal } = startDeadline(30)
    assert.equal(signal.aborted, false)
    await delay(60)
    assert.equal(signal.aborted, true)
    assert.equal((signal.reason as Error).name, 'TimeoutError')
  })

  it('aborts with another signal, and with its reason', () => {
    const outer = new AbortController()
    const early = startDeadline(1000, outer.signal)
    outer.abort(new Error('enough'))
    assert.equal((early.signal.reason as Error).message, 'enough')
    assert.equal(startDeadline(1000, outer.signal).signal.aborted, true)
  })

  it('that has ended aborts nothing any more, whatever happens to what it followed', async () => {
    const outer = new AbortController()
    const { signal, end } = startDeadline(20, outer.signal)
    end()
    outer.abort()
    await delay(50)
    assert.equal(signal.aborted, false)
  })

  it('leaves a process that was stopped a moment to read what has arrived', async () => {
    const { signal } = startDeadline(30)
    stopProcess(1200)
    await delay(50)
    assert.equal(signal.aborted, false)
    await delay(1100)
    assert.equal(signal.aborted, true)
  })
})
