import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvCell } from './export-records.ts'

test('csvCell: quotes where needed and escapes formulas', () => {
  const cells: [unknown, string][] = [
    [null, ''],
    [12.5, '12.5'],
    [-3, '-3'],
    [true, 'true'],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['  =1', `"'  =1"`],
    ['＝1', `"'＝1"`],
    [{ 'x-a': '=1' }, '"{""x-a"":""=1""}"'],
    [[], '[]'],
  ]
  for (const [value, cell] of cells) assert.equal(csvCell(value), cell)
})
