import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePage, toPage } from './cursor.ts'
import { isRefusal } from './refusal.ts'
import { newUuid } from './uuid.ts'

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: newUuid(index) }))

test('page: without a query, the first fifty rows', () => {
  assert.deepEqual(parsePage({}), { limit: 50, after: null })
})

test('page: a cursor leads to the row after the last one', () => {
  const page = toPage(rows(11), 10)
  assert.equal(page.data.length, 10)
  assert.deepEqual(parsePage({ limit: '10', cursor: page.next_cursor as string }), {
    limit: 10,
    after: page.data[9]?.id,
  })
})

test('page: a full page without further rows and an empty page have no cursor', () => {
  assert.equal(toPage(rows(10), 10).next_cursor, null)
  assert.deepEqual(toPage([], 10), { data: [], next_cursor: null })
})

for (const limit of ['0', '101', '-1', '', ' ', 'abc', 'NaN', '1.5', 'Infinity']) {
  test(`page: a limit of "${limit}" is rejected`, () => {
    assert.throws(
      () => parsePage({ limit }),
      error => isRefusal(error, 'invalid_request') && error.param === 'limit',
    )
  })
}

test('page: limits from 1 to 100 are accepted', () => {
  for (const limit of ['1', '50', '100']) assert.equal(parsePage({ limit }).limit, Number(limit))
})

for (const cursor of [
  '',
  'x',
  newUuid(),
  'bm90LWEtdXVpZA',
  '../..',
  '\0',
  Buffer.from(`${newUuid()}'`).toString('base64url'),
]) {
  test(`page: an invalid cursor is rejected: ${JSON.stringify(cursor)}`, () => {
    assert.throws(
      () => parsePage({ cursor }),
      error => isRefusal(error, 'invalid_cursor') && error.param === 'cursor',
    )
  })
}
