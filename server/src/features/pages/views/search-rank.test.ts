// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rankOf, type SearchableApp } from './search-rank.ts'

const app = (name: string, text = '', keywords: string[] = []): SearchableApp => ({ name, keywords, text })
/** Worst match first, so that a sort that ignores the ranks is detected. */
const APPS = [
  app('Front', 'A shared inbox for email'),
  app('Hotmail', 'Messages'),
  app('Gmail', 'Messages and drafts', ['email', 'mail']),
  app('Team Mail', 'Messages'),
  app('Mailchimp', 'Newsletters', ['email']),
  app('GitHub', 'Code and issues'),
  app('Google Drive', 'Files and folders'),
]
const found = (query: string): string[] =>
  APPS.map(one => ({ name: one.name, rank: rankOf(query, one) }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ name }) => name)

describe('rankOf', () => {
  test('ranks name prefix, word, keyword, part of the name, description in this order', () => {
    assert.deepEqual(found('mail'), ['Mailchimp', 'Team Mail', 'Gmail', 'Hotmail', 'Front'])
  })
  test('finds apps by their keywords', () => {
    assert.deepEqual(found('email'), ['Gmail', 'Mailchimp', 'Front'])
  })
  test('ignores spaces, case and accents', () => {
    assert.deepEqual(found('git hub'), ['GitHub'])
    assert.deepEqual(found('GÍTHUB'), ['GitHub'])
  })
  test('finds several words in any field and order', () => {
    assert.deepEqual(found('drive files'), ['Google Drive'])
  })
  test('ranks all apps equally for an empty query and rejects non-matching apps', () => {
    assert.deepEqual(
      found(' '),
      APPS.map(({ name }) => name),
    )
    assert.deepEqual(found('zzz'), [])
  })
})
