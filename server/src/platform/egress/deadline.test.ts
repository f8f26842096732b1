import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { startDeadline } from './deadline.ts'

describe('a deadline', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 }))
  afterEach(() => mock.timers.reset())

  it('aborts at its timeout', () => {
    const { signal } = startDeadline(30)
    mock.timers.tick(29)
    assert.equal(signal.aborted, false)
    mock.timers.tick(1)
    assert.equal(signal.aborted, true)
    assert.equal((signal.reason as Error).name, 'TimeoutError')
  })

  it('aborts with the outer signal and its reason', () => {
    const outer = new AbortController()
    const early = startDeadline(1000, outer.signal)
    outer.abort(new Error('enough'))
    assert.equal((early.signal.reason as Error).message, 'enough')
    assert.equal(startDeadline(1000, outer.signal).signal.aborted, true)
  })

  it('aborts nothing after its end, even if the outer signal aborts', () => {
    const outer = new AbortController()
    const { signal, end } = startDeadline(20, outer.signal)
    end()
    outer.abort()
    mock.timers.tick(50)
    assert.equal(signal.aborted, false)
  })

  it('gives a process that was stopped time to read data that has arrived', () => {
    const { signal } = startDeadline(30)
    // The clock advanced while the process was stopped; its timer fires only now.
    mock.timers.setTime(1230)
    mock.timers.tick(0)
    assert.equal(signal.aborted, false)
    mock.timers.tick(1000)
    assert.equal(signal.aborted, true)
  })
})
