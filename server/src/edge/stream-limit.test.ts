import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStreamLimiter } from './stream-limit.ts'

const owner = (organizationId: string, holder: string) => ({ organizationId, holder })

test('stream limit: applies per holder, organization and in total; a slot is released once', () => {
  const streams = createStreamLimiter({ all: 5, organization: 3, holder: 2 })
  const acquire = (organization: string, holder: string) =>
    streams.enter(owner(organization, holder), () => undefined)
  const release = acquire('a', '1')
  assert.ok(release && acquire('a', '1'))
  assert.equal(acquire('a', '1'), null, 'two per holder')
  assert.ok(acquire('a', '2'))
  assert.equal(acquire('a', '3'), null, 'three per organization')
  assert.ok(acquire('b', '4') && acquire('b', '4'))
  assert.equal(acquire('c', '5'), null, 'five in total')
  release()
  release()
  assert.ok(acquire('c', '5'))
  assert.equal(acquire('c', '6'), null)
})

test('stream limit: closing ends all streams and rejects new ones', () => {
  const streams = createStreamLimiter({ all: 9, organization: 9, holder: 9 })
  let ended = 0
  for (const user of ['1', '2', '3']) {
    const release = streams.enter(owner('a', user), () => {
      ended++
      release?.()
    })
  }
  streams.close()
  assert.equal(ended, 3)
  assert.equal(
    streams.enter(owner('a', '1'), () => undefined),
    null,
  )
})
