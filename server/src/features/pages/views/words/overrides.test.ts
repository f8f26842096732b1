// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LinkTextKey, type LinkTexts, linkTextKeys } from '@carabiner/contract'
import { en } from './en.ts'
import { withTexts } from './overrides.ts'
import { inline, plain, type Sentence } from './sentence.ts'
import type { Words } from './words.ts'

const organization = 'Orbit'
const connector = 'Notes'

const SENTENCES: Record<LinkTextKey, (words: Words) => Sentence> = {
  'picker.title': words => words.picker.title,
  'picker.lead': words => words.picker.lead(organization),
  'consent.title': words => words.consent.title(connector, organization),
  'consent.lead': words => words.asks(organization, connector),
  'key.title': words => words.apiKey.title(connector),
  'connected.title': words => words.connected.title(connector),
  'connected.lead': words => words.connected.lead(organization),
  'expired.lead': words => words.expired.lead(organization),
}
const keys = Object.keys(SENTENCES) as LinkTextKey[]

describe('an organization’s own wording', () => {
  for (const key of keys) {
    test(`replaces ${key} and nothing else, with every name that it may use`, () => {
      const placeholders = linkTextKeys[key]
      const template = ['Ours', ...placeholders.map(name => `{${name}}`)].join(' – ')
      const worded = withTexts(en, { [key]: template })
      const names = placeholders.map(name => (name === 'connector' ? connector : organization))
      assert.equal(plain(SENTENCES[key](worded)), ['Ours', ...names].join(' – '))
      assert.deepEqual(SENTENCES[key](worded).names, names)
      for (const other of keys.filter(one => one !== key)) {
        assert.deepEqual(SENTENCES[other](worded), SENTENCES[other](en), other)
      }
    })
  }

  test('may use names in any order, repeatedly, or not at all', () => {
    const title = (template: string): Sentence =>
      withTexts(en, { 'consent.title': template }).consent.title(connector, organization)
    const table: [string, Sentence][] = [
      ['Hello', { texts: ['Hello'], names: [] }],
      ['{organization}', { texts: ['', ''], names: ['Orbit'] }],
      ['{organization}{connector}', { texts: ['', '', ''], names: ['Orbit', 'Notes'] }],
      ['{connector}, {connector}.', { texts: ['', ', ', '.'], names: ['Notes', 'Notes'] }],
      ['{} { connector } {a b} }{', { texts: ['{} { connector } {a b} }{'], names: [] }],
    ]
    for (const [template, sentence] of table) assert.deepEqual(title(template), sentence, template)
  })

  test('combines several overrides and does not modify the original', () => {
    const worded = withTexts(en, {
      'connected.title': 'Done with {connector}',
      'connected.lead': 'Thank you.',
    })
    assert.equal(plain(worded.connected.title('Notes')), 'Done with Notes')
    assert.equal(plain(worded.connected.lead('Orbit')), 'Thank you.')
    assert.equal(plain(en.connected.title('Notes')), 'Notes is connected')
    assert.equal(worded.connected.back, en.connected.back)
  })

  test('is never markup, and neither are the names in it', () => {
    const worded = withTexts(en, { 'connected.title': '<b>{connector}</b>' })
    assert.equal(
      String(inline(worded.connected.title('<i>{organization}</i>'))),
      '&lt;b&gt;<bdi>&lt;i&gt;{organization}&lt;/i&gt;</bdi>&lt;/b&gt;',
    )
  })

  test('changes nothing without overrides', () => {
    assert.equal(withTexts(en, {}), en)
    assert.equal(withTexts(en, { 'picker.titel': 'x', toString: 'x', 'consent.trust': 'x', cancel: 'x' }), en)
    assert.equal(withTexts(en, { 'picker.title': '', 'picker.lead': ' \n' }), en)
  })

  test('falls back to the original if a name is not available', () => {
    const { expired } = withTexts(en, { 'expired.lead': 'Ask {organization} for another.' })
    assert.equal(plain(expired.lead('Orbit')), 'Ask Orbit for another.')
    assert.deepEqual(expired.lead(null), en.expired.lead(null))
    assert.equal(plain(withTexts(en, { 'expired.lead': 'Too late.' }).expired.lead(null)), 'Too late.')

    for (const name of ['organization', 'connector', 'user', 'constructor', '__proto__']) {
      assert.deepEqual(withTexts(en, { 'picker.title': `Hello {${name}}` }).picker.title, en.picker.title)
    }
    assert.deepEqual(
      withTexts(en, { 'key.title': 'Hello {organization}' }).apiKey.title('Notes'),
      en.apiKey.title('Notes'),
    )
  })

  test('matches the keys that the API accepts', () => {
    const kept: LinkTexts = { de: { 'picker.title': 'Was darf es sein?' } }
    assert.equal(plain(withTexts(en, kept.de ?? {}).picker.title), 'Was darf es sein?')
  })
})
