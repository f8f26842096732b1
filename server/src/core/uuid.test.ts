import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, NIL_UUID, newUuid } from './uuid.ts'

test('uuid: a new ID is version 7 and contains its time', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
  const id = newUuid(now)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), now)
})

test('uuid: IDs sort by time, up to the maximum timestamp', () => {
  const times = [0, 1, 1_767_225_600_000, 1_767_225_600_001, 2 ** 47, 2 ** 48 - 1]
  const ids = times.map(time => newUuid(time))
  assert.deepEqual(ids.toSorted(), ids)
})

test('uuid: IDs of one millisecond differ in all random bits', () => {
  const ids = Array.from({ length: 2000 }, () => newUuid(1))
  assert.equal(new Set(ids).size, ids.length)
  const seen = ids.map(id => BigInt(`0x${id.replaceAll('-', '')}`))
  const ones = seen.reduce((all, id) => all | id, 0n)
  const always = seen.reduce((all, id) => all & id, (1n << 128n) - 1n)
  const varying = ones & ~always
  // 128 bits minus 48 of time, four of version and two of variant.
  assert.equal(varying.toString(2).replaceAll('0', '').length, 74)
})

test('uuid: is recognized in either case', () => {
  for (const good of [newUuid(), newUuid().toUpperCase(), NIL_UUID]) assert.ok(isUuid(good))
  const id = newUuid()
  const bad = [
    '',
    'x',
    id.slice(1),
    `${id}0`,
    `${id}\n`,
    ` ${id}`,
    id.replaceAll('-', ''),
    `{${id}}`,
    id.replace('7', 'g'),
  ]
  for (const text of [...bad, `urn:uuid:${id}`, '__proto__', id.replace('-', '−')])
    assert.ok(!isUuid(text), text)
})
