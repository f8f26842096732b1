// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LinkLanguage } from '@carabiner/contract'
import { chooseLanguage } from './choose-language.ts'

const none = { requested: null, accepted: undefined, fallback: 'en' } as const

const asking = (requested: string, fallback: LinkLanguage = 'en') =>
  chooseLanguage({ ...none, requested, fallback })
const accepting = (accepted: string, fallback: LinkLanguage = 'en') =>
  chooseLanguage({ ...none, accepted, fallback })

describe('the language of a page', () => {
  test('is the requested one, regardless of region and spelling', () => {
    const table: [string, LinkLanguage][] = [
      ['de', 'de'],
      ['de-AT', 'de'],
      ['DE', 'de'],
      ['en-GB', 'en'],
      ['pt', 'pt-BR'],
      ['pt-PT', 'pt-BR'],
      ['PT_br', 'pt-BR'],
      ['ja-JP-u-ca-japanese', 'ja'],
      ['ar-EG', 'ar'],
      [' fr ', 'fr'],
    ]
    for (const [requested, language] of table) {
      assert.equal(asking(requested, language === 'en' ? 'de' : 'en'), language, requested)
    }
  })

  test('is not one whose tag only resembles a supported one', () => {
    for (const requested of [
      '',
      'deu',
      'deutsch',
      'xx',
      'zh',
      '*',
      'constructor',
      '__proto__',
      '-de',
      'd',
      '../de',
    ]) {
      assert.equal(asking(requested, 'ja'), 'ja', requested)
    }
  })

  test('is the requested one, else the browser’s, else the fallback', () => {
    assert.equal(chooseLanguage({ requested: 'fr', accepted: 'de', fallback: 'en' }), 'fr')
    assert.equal(chooseLanguage({ requested: 'xx', accepted: 'de', fallback: 'en' }), 'de')
    assert.equal(chooseLanguage({ requested: null, accepted: 'xx', fallback: 'es' }), 'es')
    assert.equal(chooseLanguage({ requested: null, accepted: undefined, fallback: 'es' }), 'es')
  })

  test('is the supported language that the browser prefers most', () => {
    const table: [string, LinkLanguage][] = [
      ['de', 'de'],
      ['de-CH,de;q=0.9,en;q=0.8', 'de'],
      ['nl,fr;q=0.8,de;q=0.9', 'de'],
      ['fr;q=0.8,de;q=0.8', 'fr'],
      ['en;q=0.1, ar;q=0.2', 'ar'],
      ['de ; q = 0.2 , pt-PT ; q = 0.7', 'pt-BR'],
      ['de;Q=0.5,es;Q=1.000', 'es'],
      ['zh-Hant-TW,ja;q=0.1', 'ja'],
    ]
    for (const [accepted, language] of table) assert.equal(accepting(accepted), language, accepted)
  })

  test('is never one that the browser excludes', () => {
    assert.equal(accepting('de;q=0'), 'en')
    assert.equal(accepting('de;q=0.000, fr;q=0.001'), 'fr')
  })

  test('is the fallback if the browser accepts any language', () => {
    assert.equal(accepting('*', 'ja'), 'ja')
    assert.equal(accepting('*, de;q=0.5', 'ja'), 'ja')
    assert.equal(accepting('*;q=0.5, de', 'ja'), 'de')
    assert.equal(accepting('*;q=0, de;q=0.1', 'ja'), 'de')
  })

  test('ignores malformed entries', () => {
    for (const entry of [
      'fr;q=',
      'fr;q=2',
      'fr;q=-1',
      'fr;q=abc',
      'fr;q=NaN',
      'fr;q=1e9',
      'fr;',
      'fr fr',
      '<fr>',
    ]) {
      assert.equal(accepting(`${entry},,;,=,de;q=0.1`), 'de', entry)
    }
  })

  test('ignores hostile headers', () => {
    for (const accepted of [
      '',
      ',',
      ','.repeat(1e6),
      ';q='.repeat(1e6),
      '-'.repeat(1e6),
      'a-'.repeat(1e6),
      `a${' '.repeat(1e6)};q=1`,
      '\u0000\uffff\ud800',
      '__proto__,constructor;q=0.9',
      'fr'.repeat(1e6),
    ]) {
      assert.equal(accepting(accepted), 'en', accepted.slice(0, 20))
      assert.equal(asking(accepted), 'en', accepted.slice(0, 20))
    }
  })

  test('is read from the first 20 entries and 1,000 characters only', () => {
    assert.equal(accepting(`${'xx,'.repeat(19)}de`), 'de')
    assert.equal(accepting(`${'xx,'.repeat(20)}de`), 'en')
    assert.equal(accepting(`${' '.repeat(998)}de`), 'de')
    assert.equal(accepting(`${' '.repeat(999)}de`), 'en')
  })
})
