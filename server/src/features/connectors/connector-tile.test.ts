import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestTint, tileOf } from './connector-tile.ts'

test('nearestTint: returns the nearest tint for a color and null for grays', () => {
  const tints = ['#ff0000', '#ffb300', '#2eb67d', '#5e6ad2', '#4a154b', '#000000', '#ffffff', '#808080'].map(
    nearestTint,
  )
  assert.deepEqual(tints, [0, 2, 3, 6, 7, null, null, null])
})

test('tileOf: uses the letters and color of the connector file, else its initial and a hue of its slug', () => {
  const tile = (logo?: { letters: string; color: string }) =>
    tileOf({ slug: 'notes', name: 'élan notes', ...(logo && { logo }) })
  assert.deepEqual(tile({ letters: 'NO', color: '#ff0000' }), { letters: 'NO', hue: 25 })
  const { letters, hue } = tile()
  assert.equal(letters, 'É')
  assert.deepEqual(tile({ letters: 'NO', color: '#808080' }), { letters: 'NO', hue })
  assert.notEqual(tileOf({ slug: 'sandbox-notes', name: 'Notes' }).hue, hue)
})
