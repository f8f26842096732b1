import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { approvalValueBounds, compareValues, foldingOf, isComparable, valuesOf } from './approval-values.ts'

const shown = (args: Record<string, unknown>): string[] =>
  valuesOf(args).map(({ path, kind, text }) => `${path} ${kind} ${text}`)

describe('values of an approval', () => {
  it('lists every value with its path and kind, also of empty lists, objects and texts', () => {
    assert.deepEqual(
      shown({
        to: 'ana@example.com',
        amount: 10,
        tags: ['a', { b: null }],
        address: { city: 'Bern', 'post.code': true },
        none: [],
        nothing: {},
        empty: '',
      }),
      [
        'to text ana@example.com',
        'amount number 10',
        'tags[0] text a',
        'tags[1].b null null',
        'address.city text Bern',
        'address["post.code"] boolean true',
        'none list []',
        'nothing object {}',
        'empty text ',
      ],
    )
    assert.deepEqual(shown({}), [])
  })

  it('lists recipients, amounts and targets first, and texts and files last', () => {
    const args = { body: 'Hi', cc: ['ben', 'eve'], constructor: 1, file: 'x', id: 7, price: 9, urgent: true }
    const roles = { body: 'text', cc: 'recipient', file: 'file', id: 'target', price: 'amount' } as const
    assert.deepEqual(
      valuesOf(args, roles).map(({ path, role }) => `${path} ${role}`),
      [
        'cc[0] recipient',
        'cc[1] recipient',
        'price amount',
        'id target',
        'constructor null',
        'urgent null',
        'body text',
        'file file',
      ],
    )
  })

  it('distinguishes a name with a period or bracket from a nested value', () => {
    const paths = [{ 'a.b': 1 }, { a: { b: 1 } }, { 'a[0]': 1 }, { a: [1] }].map(
      args => valuesOf(args)[0]?.path,
    )
    assert.deepEqual(paths, ['["a.b"]', 'a.b', '["a[0]"]', 'a[0]'])
  })

  it('shows arguments with too many values or too long names as one JSON text', () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`n${n}`, n]))
    for (const args of [many, { ['x'.repeat(approvalValueBounds.pathLength + 1)]: 1 }]) {
      const [value, ...others] = valuesOf(args)
      assert.deepEqual([value?.path, value?.kind, others], ['', 'json', []])
      assert.deepEqual(JSON.parse(value?.text ?? ''), args)
    }
  })

  it('folds long texts, texts with many lines, and encoded or binary data', () => {
    const cases: [text: string, expected: 'long' | 'binary' | null][] = [
      ['a b '.repeat(500), null],
      ['a b '.repeat(501), 'long'],
      ['\n'.repeat(39), null],
      ['\n'.repeat(40), 'long'],
      ['iVBORw0KGgo'.repeat(30), 'binary'],
      [`data:image/png;base64,${'iVBORw0KGgo'.repeat(30)}==`, 'binary'],
      [`PK\u0003\u0004${'\u0000a\u0001'.repeat(100)}`, 'binary'],
      ['https://example.com/'.padEnd(300, 'a.b/'), null],
      ['a\u0000b', null],
      [`${'item_one\n'.repeat(39)}!`, null],
      [`${'\n'.repeat(200_000)}!`, 'long'],
    ]
    for (const [text, expected] of cases)
      assert.equal(foldingOf(text), expected, JSON.stringify(text.slice(0, 40)))
  })

  it('names the values that differ from an earlier call, are new, or are gone', () => {
    const earlier = { to: 'ana', amount: 10, tags: ['a'], note: 'x' }
    const { changed, gone } = compareValues(
      valuesOf({ to: 'ben', amount: '10', tags: ['a', 'b'] }),
      valuesOf(earlier),
    )
    assert.deepEqual(
      [...changed].map(([path, value]) => [path, value?.text ?? null]),
      [
        ['to', 'ana'],
        ['amount', '10'],
        ['tags[1]', null],
      ],
    )
    assert.deepEqual(
      gone.map(({ path }) => path),
      ['note'],
    )
    assert.equal(compareValues(valuesOf(earlier), valuesOf(earlier)).changed.size, 0)
  })

  it('does not repeat long or folded values of an earlier call', () => {
    const isShort = (text: string) => valuesOf({ text }).every(isComparable)
    const { comparedCharacters } = approvalValueBounds
    assert.deepEqual(
      [comparedCharacters, comparedCharacters + 1].map(length => isShort('a b'.padEnd(length, ' c'))),
      [true, false],
    )
    assert.equal(isShort('a\n'.repeat(approvalValueBounds.lines + 1)), false)
  })
})
