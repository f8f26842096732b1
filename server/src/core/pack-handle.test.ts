import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packHandle, readPackHandle } from './pack-handle.ts'
import { routingCode } from './token.ts'
import { newUuid } from './uuid.ts'

test('packHandle: starts with the routing code, and reads back as the pack and the mode', () => {
  for (let i = 0; i < 100; i++) {
    const [organizationId, toolPackId] = [newUuid(), newUuid()]
    for (const mode of ['production', 'test'] as const) {
      const handle = packHandle(organizationId, toolPackId, mode)
      assert.match(handle, /^[0-9A-Za-z]{26}(-test)?$/)
      assert.deepEqual(readPackHandle(handle), { routingCode: routingCode(organizationId), toolPackId, mode })
    }
  }
})

test('readPackHandle: rejects malformed handles, and numbers of more than 128 bits', () => {
  const handle = packHandle(newUuid(), newUuid(), 'production')
  for (const malformed of [
    '',
    handle.slice(1),
    `${handle}0`,
    `${handle}-Test`,
    `${handle}-test-test`,
    `k3Xa${'z'.repeat(22)}`,
    `${handle.slice(0, -1)}-`,
  ])
    assert.equal(readPackHandle(malformed), null, malformed)
})
