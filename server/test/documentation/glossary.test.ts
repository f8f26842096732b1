import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../../..')
const WORDS = join(ROOT, 'server/src/features/pages/views/words')
/** In the order of the columns. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-br', 'ja', 'ar']

describe('the glossary of Link', () => {
  const [head = [], , ...rows] = readFileSync(join(ROOT, 'docs/project/glossary.md'), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    )

  it('has a column for every language, and a translation of every term', () => {
    assert.equal(head.length, LANGUAGES.length)
    assert.ok(rows.length > 10)
    for (const row of rows) assert.ok(row.length === LANGUAGES.length && row.every(Boolean), row.join())
  })

  for (const [column, language] of LANGUAGES.entries())
    it(`${language}: the sentences use the terms`, () => {
      const words = readFileSync(join(WORDS, `${language}.ts`), 'utf8').toLowerCase()
      const unused = rows
        .map(row => row[column] as string)
        .filter(term => !words.includes(term.toLowerCase()))
      assert.deepEqual(unused, [])
    })
})
