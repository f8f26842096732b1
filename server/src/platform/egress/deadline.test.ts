import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { startDeadline } from './deadline.ts'

describe('a deadline', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 }))
  afterEach(() => mock.timers.reset())

  it('aborts when its time is up', () => {
    const { signal } = startDeadline(30)
    mock.timers.tick(29)
    assert.equal(signal.aborted, false)
    mock.timers.tick(1)
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

  it('aborts nothing once it has ended, whatever happens to the signal it followed', () => {
    const outer = new AbortController()
    const { signal, end } = startDeadline(20, outer.signal)
    end()
    outer.abort()
    mock.timers.tick(50)
    assert.equal(signal.aborted, false)
  })

  it('leaves a process that was stopped a moment to read what has arrived', () => {
    const { signal } = startDeadline(30)
    // The clock went on while the process was stopped; its timer fires only now.
    mock.timers.setTime(1230)
    mock.timers.tick(0)
    assert.equal(signal.aborted, false)
    mock.timers.tick(1000)
    assert.equal(signal.aborted, true)
  })
})
