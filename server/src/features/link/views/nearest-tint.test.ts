import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestTint, TINT_HUES } from './nearest-tint.ts'
import { STYLESHEET } from './stylesheet.ts'

test('a brand’s colour gets the tint of its own kind; a grey gets none', () => {
  const tints = ['#ff0000', '#ffb300', '#2eb67d', '#5e6ad2', '#4a154b', '#000000', '#ffffff', '#808080'].map(
    nearestTint,
  )
  assert.deepEqual(tints, ['t0', 't2', 't3', 't6', 't7', null, null, null])
})

test('the hues are those of the stylesheet', () => {
  TINT_HUES.forEach((hue, index) =>
    assert.match(STYLESHEET, new RegExp(`\\.t${index} ?\\{ ?--hue: ?${hue} ?\\}`)),
  )
})
