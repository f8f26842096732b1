import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePage, toPage } from './cursor.ts'
import { isRefusal } from './refusal.ts'
import { newUuid } from './uuid.ts'

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: newUuid(index) }))

test('without a query: the first fifty', () => {
  assert.deepEqual(parsePage({}), { limit: 50, after: null })
})

test('the cursor of a page leads to the row behind its last one', () => {
  const page = toPage(rows(11), 10)
  assert.equal(page.data.length, 10)
  assert.deepEqual(parsePage({ limit: '10', cursor: page.next_cursor as string }), {
    limit: 10,
    after: page.data[9]?.id,
  })
})

test('a full page with nothing behind it is the last one, and so is an empty one', () => {
  assert.equal(toPage(rows(10), 10).next_cursor, null)
  assert.deepEqual(toPage([], 10), { data: [], next_cursor: null })
})

for (const limit of ['0', '101', '-1', '', ' ', 'abc', 'NaN', '1.5', 'Infinity']) {
  test(`a limit of "${limit}" is refused by name`, () => {
    assert.throws(
      () => parsePage({ limit }),
      error => isRefusal(error, 'invalid_request') && error.param === 'limit',
    )
  })
}

test('limits from one to a hundred are taken', () => {
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
  test(`a cursor that no list returned is refused: ${JSON.stringify(cursor)}`, () => {
    assert.throws(
      () => parsePage({ cursor }),
      error => isRefusal(error, 'invalid_cursor') && error.param === 'cursor',
    )
  })
}
