import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStreamRoom } from './stream-limit.ts'

const taker = (organizationId: string, registeredUserId: string) => ({ organizationId, registeredUserId })

test('nobody takes more than their share, and who leaves makes room, once', () => {
  const room = createStreamRoom({ all: 5, organization: 3, user: 2 })
  const enter = (organization: string, user: string) => room.enter(taker(organization, user), () => undefined)
  const leave = enter('a', '1')
  assert.ok(leave && enter('a', '1'))
  assert.equal(enter('a', '1'), null, 'a user has two')
  assert.ok(enter('a', '2'))
  assert.equal(enter('a', '3'), null, 'an organization has three')
  assert.ok(enter('b', '4') && enter('b', '4'))
  assert.equal(enter('c', '5'), null, 'all have five')
  leave()
  leave()
  assert.ok(enter('c', '5'))
  assert.equal(enter('c', '6'), null)
})

test('closing ends all of them, and lets nobody in', () => {
  const room = createStreamRoom({ all: 9, organization: 9, user: 9 })
  let ended = 0
  for (const user of ['1', '2', '3']) {
    const leave = room.enter(taker('a', user), () => {
      ended++
      leave?.()
    })
  }
  room.close()
  assert.equal(ended, 3)
  assert.equal(
    room.enter(taker('a', '1'), () => undefined),
    null,
  )
})
