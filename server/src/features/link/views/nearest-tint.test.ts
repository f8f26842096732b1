import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestTint, TINT_HUES } from './nearest-tint.ts'
import { STYLESHEET } from './stylesheet.ts'

test('nearestTint: returns the nearest tint for a color and null for grays', () => {
  const tints = ['#ff0000', '#ffb300', '#2eb67d', '#5e6ad2', '#4a154b', '#000000', '#ffffff', '#808080'].map(
    nearestTint,
  )
  assert.deepEqual(tints, ['t0', 't2', 't3', 't6', 't7', null, null, null])
})

test('nearestTint: the hues match the stylesheet', () => {
  TINT_HUES.forEach((hue, index) =>
    assert.match(STYLESHEET, new RegExp(`\\.t${index} ?\\{ ?--hue: ?${hue} ?\\}`)),
  )
})
