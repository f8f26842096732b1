import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type LinkTextKey, linkLanguages, linkTextKeys } from '@carabiner/contract'
import { DEFAULT_TEXTS } from './default-texts.ts'
import { wordsIn } from './index.ts'
import { withTexts } from './overrides.ts'
import { plain } from './sentence.ts'

describe('the default texts', () => {
  it('are templates with the allowed placeholders, in all languages', () => {
    assert.equal(DEFAULT_TEXTS.en?.['consent.title'], 'Connect {connector} to {organization}')
    assert.equal(
      DEFAULT_TEXTS.de?.['connected.lead'],
      'Der Assistent von {organization} kann dort weitermachen, wo er aufgehört hat.',
    )
    for (const language of linkLanguages)
      for (const [key, allowed] of Object.entries(linkTextKeys)) {
        const text = DEFAULT_TEXTS[language]?.[key as LinkTextKey] ?? ''
        assert.ok(text.length > 0 && text.length <= 160, `${language} ${key}: ${text}`)
        const used = [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        for (const name of used)
          assert.ok(
            allowed.some(each => each === name),
            `${language} ${key}: ${name}`,
          )
      }
  })

  it('change nothing if they are entered as an organization’s own', () => {
    for (const language of linkLanguages) {
      const words = wordsIn(language)
      const replaced = withTexts(words, DEFAULT_TEXTS[language] ?? {})
      assert.equal(plain(replaced.asks('Orbit', 'Notes')), plain(words.asks('Orbit', 'Notes')))
      assert.equal(plain(replaced.expired.lead('Orbit')), plain(words.expired.lead('Orbit')))
      assert.equal(plain(replaced.apiKey.title('Notes')), plain(words.apiKey.title('Notes')))
    }
  })
})
