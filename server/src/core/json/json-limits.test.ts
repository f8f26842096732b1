import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { exceedsJsonLimits, jsonLimits } from './json-limits.ts'

const list = (item: string, count: number): string =>
  `[${Array.from({ length: count }, () => item).join(',')}]`

/** More shapes than can have the same 32-bit hash as another one by chance; one such pair occurs in every 86 runs. */
const COLLISIONS = 20

const differing = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, n) => ({ [`a${n}`]: 1 })))

const numbered = (count: number) => Array.from({ length: count }, (_, n) => [`a${n}`, n])

/** Two names in each order of many pairs. */
const reversed = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, n) => [
      { a: n, [`b${n}`]: n },
      { [`b${n}`]: n, a: n },
    ]),
  )

suite('the limits of JSON', () => {
  for (const [name, text, exceeds] of [
    ['objects at the limit', list('{}', jsonLimits.objects), false],
    ['one object too many', list('{}', jsonLimits.objects + 1), true],
    ['members at the limit', list('{"a":1,"b":2,"c":3,"d":4}', jsonLimits.members / 4), false],
    ['one member too many', list('{"a":1,"b":2,"c":3,"d":4,"e":5}', jsonLimits.members / 5 + 1), true],
    ['shapes at the limit', differing(jsonLimits.shapes), false],
    ['names in another order are other shapes', reversed(jsonLimits.shapes / 3 + COLLISIONS), true],
    [
      'many names in one object',
      JSON.stringify(Object.fromEntries(numbered(jsonLimits.shapes + COLLISIONS))),
      true,
    ],
    ['items at the limit', list('1', jsonLimits.items), false],
    ['one item too many', list('1', jsonLimits.items + 1), true],
    ['nested lists count as items', '['.repeat(jsonLimits.items + 1), true],
    ['a megabyte of punctuation in a string', JSON.stringify('{[,:"\\'.repeat(200_000)), false],
    ['a string that is never closed', `"${'{'.repeat(100_000)}`, false],
    ['a megabyte of backslashes', JSON.stringify('\\'.repeat(500_000)), false],
    [
      'objects after a string that ends with a backslash',
      `["\\\\",${list('{}', jsonLimits.objects + 1)}]`,
      true,
    ],
  ] as const)
    test(name, () => assert.equal(exceedsJsonLimits(text), exceeds))

  for (const [name, text, exceeds] of [
    ['lists at the maximum depth', '[[[]]]', false],
    ['lists that are too deep', '[[[[]]]]', true],
    ['objects that are too deep', '{"a":{"a":{"a":{}}}}', true],
    ['siblings', '[[[]],[[]],{"a":[]}]', false],
    ['brackets in a string', '["[[[[{{{{"]', false],
  ] as const)
    test(`depth: ${name}`, () => assert.equal(exceedsJsonLimits(text, 3), exceeds))
})
