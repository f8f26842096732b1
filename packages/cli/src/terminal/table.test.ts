import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openScreen, PLAIN_SCREEN, usesColors } from './screen.ts'
import { details, table, truncate } from './table.ts'

const COLUMNS = [
  { title: 'ID', value: (row: { id: string; name: string | null }) => row.id },
  { title: 'NAME', value: (row: { id: string; name: string | null }) => row.name, shrinks: true },
]
const ESCAPE = '\u001b'

describe('table', () => {
  it('aligns columns and shows missing values', () => {
    const rows = [
      { id: '1', name: 'Ana' },
      { id: '22', name: null },
    ]
    assert.equal(table(rows, COLUMNS, PLAIN_SCREEN), 'ID  NAME\n1   Ana\n22  –')
  })

  it('truncates columns that may shrink to the width of the terminal, and never an ID', () => {
    const rows = [{ id: '0190a5c1-7b1e', name: 'a very long name that does not fit' }]
    const text = table(rows, COLUMNS, { ...PLAIN_SCREEN, width: 30 })
    for (const line of text.split('\n')) assert.ok(line.length <= 30, line)
    assert.match(text, /0190a5c1-7b1e {2}a very long na…$/)
    assert.match(table(rows, COLUMNS, { ...PLAIN_SCREEN, width: 5 }), /0190a5c1-7b1e {2}a very …/)
  })

  it('measures wide characters by their columns', () => {
    assert.equal(truncate('日本語テキスト', 7), '日本語…')
    assert.equal(truncate('👩‍👩‍👧 family', 6), '👩‍👩‍👧 fa…')
  })

  it('removes terminal control characters', () => {
    const rows = [{ id: '1', name: `a${ESCAPE}[2J\nb` }]
    const text = table(rows, COLUMNS, PLAIN_SCREEN)
    assert.ok(!text.includes(ESCAPE))
    assert.equal(text.split('\n').length, 2)
    assert.ok(!details([['Name', `x${ESCAPE}[31m`]], PLAIN_SCREEN).includes(ESCAPE))
  })
})

describe('colors', () => {
  it('are used on a terminal only, never with NO_COLOR, and always with FORCE_COLOR', () => {
    const terminal = { isTTY: true, columns: 80 }
    assert.equal(usesColors(terminal, {}), true)
    assert.equal(usesColors({}, {}), false)
    assert.equal(usesColors(terminal, { NO_COLOR: '1' }), false)
    assert.equal(usesColors(terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }), false)
    assert.equal(usesColors({}, { FORCE_COLOR: '1' }), true)
    assert.equal(usesColors(terminal, { FORCE_COLOR: '0' }), false)
    assert.equal(usesColors(terminal, { TERM: 'dumb' }), false)
    assert.equal(openScreen(terminal, {}).paint('bold', 'x'), `${ESCAPE}[1mx${ESCAPE}[22m`)
    assert.equal(openScreen({}, {}).width, Number.POSITIVE_INFINITY)
  })
})
