import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TINT_HUES } from '../../connectors/connector-tile.ts'
import { STYLESHEET } from './stylesheet.ts'

test('stylesheet: has a class with the hue of each tint', () => {
  TINT_HUES.forEach((hue, index) =>
    assert.match(STYLESHEET, new RegExp(`\\.t${index} ?\\{ ?--hue: ?${hue} ?\\}`)),
  )
})
