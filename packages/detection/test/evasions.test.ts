import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_ENTITIES, type Entity, scanValue } from '../src/index.ts'
import { LABELED } from './corpus.ts'
import { type Random, seeded } from './random.ts'
import { allRules, defaultRules } from './rule-sets.ts'
import { CONTEXT_SENTENCES } from './sentences.ts'
import { SPECIMENS } from './specimens.ts'

/** Number of values of each entity for each disguise. */
const EACH = 20

const sentenceOf = (entity: Entity, value: string): string =>
  (CONTEXT_SENTENCES[entity]?.[0] ?? 'Please keep {} safe.').replace('{}', () => value)

const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, character => String.fromCharCode(character.charCodeAt(0) + 0xfee0))
const arabicDigits = (text: string): string =>
  text.replace(/\d/g, digit => String.fromCharCode(0x660 + Number(digit)))
const boldDigits = (text: string): string =>
  text.replace(/\d/g, digit => String.fromCodePoint(0x1d7ce + Number(digit)))
const invisible = (text: string, random: Random): string =>
  Array.from(text)
    .map(character => character + random.pick(['', '\u200b', '\u200d', '\u00ad', '\ufeff']))
    .join('')
const escapeAll = (text: string, write: (code: string) => string): string =>
  text.replace(/[ -~]/g, character => write(character.charCodeAt(0).toString(16)))
const spaces = (text: string): string => text.replaceAll(' ', '\u00a0').replaceAll('-', '\u2011')

/** Tests all rules and the default rules, which skip more of the text. */
const finds = (entity: Entity, value: unknown): boolean =>
  [allRules, ...(DEFAULT_ENTITIES.includes(entity) ? [defaultRules] : [])].every(rules =>
    scanValue(value, rules).some(match => match.entity === entity),
  )

const DISGUISES: Record<string, (sentence: string, value: string, random: Random) => unknown> = {
  'full-width characters': sentence => fullWidth(sentence),
  'digits of another script': (sentence, value) => sentence.replace(value, () => arabicDigits(value)),
  'bold digits': (sentence, value) => sentence.replace(value, () => boldDigits(value)),
  'zero-width characters': (sentence, value, random) =>
    sentence.replace(value, () => invisible(value, random)),
  'non-breaking spaces and dashes': sentence => spaces(sentence),
  'combining marks on digits': (sentence, value) =>
    sentence.replace(value, () => value.replace(/\d/g, digit => `${digit}\u0336`)),
  'key caps': (sentence, value) =>
    sentence.replace(value, () => value.replace(/\d/g, digit => `${digit}\ufe0f\u20e3`)),
  'percent-encoding': (sentence, value) => sentence.replace(value, () => encodeURIComponent(value)),
  'percent-encoding of every character, twice': (sentence, value) =>
    sentence.replace(value, () => encodeURIComponent(escapeAll(value, code => `%${code}`))),
  'HTML entities': (sentence, value) =>
    sentence.replace(value, () => escapeAll(value, code => `&#x${code};`)),
  'JSON escapes': (sentence, value) =>
    sentence.replace(value, () => escapeAll(value, code => `\\u00${code}`)),
  base64: sentence => ({ blob: Buffer.from(sentence).toString('base64') }),
  base64url: sentence => `see ${Buffer.from(sentence).toString('base64url')} there`,
  'the key of a member': sentence => ({ [sentence]: true }),
  'the text of a resource': sentence => ({
    content: [{ type: 'resource', resource: { uri: 'a://b', text: sentence } }],
  }),
  'two pieces of text': (sentence, value, random) => {
    const at = sentence.indexOf(value) + 1 + random.below(value.length - 1)
    return {
      content: [
        { type: 'text', text: sentence.slice(0, at) },
        { type: 'text', text: sentence.slice(at) },
      ],
    }
  },
  'three spans of rich text': (sentence, value) => {
    const at = sentence.indexOf(value)
    const [a, b] = [at + Math.ceil(value.length / 3), at + Math.ceil((value.length * 2) / 3)]
    return [sentence.slice(0, a), sentence.slice(a, b), sentence.slice(b)].map(text => ({ plain_text: text }))
  },
}

for (const [name, disguise] of Object.entries(DISGUISES))
  test(`entities are found in ${name}`, () => {
    const random = seeded(11)
    const missed: string[] = []
    for (const entity of LABELED)
      for (let n = 0; n < EACH; n++) {
        const value = (SPECIMENS[entity] as (random: Random) => string)(random)
        const sentence = sentenceOf(entity, value)
        if (!finds(entity, sentence)) continue
        const disguised = disguise(sentence, value, random)
        if (!finds(entity, disguised)) missed.push(`${entity}: ${JSON.stringify(disguised)}`)
      }
    assert.ok(missed.length <= (LABELED.length * EACH) / 100, missed.join('\n'))
  })

test('a card is found with any separator, and with separated digits', () => {
  const groups = ['4111', '1111', '1111', '1111']
  for (const separator of [' ', '-', '.', '/', '_', '  ', ' - ', '\u2009', '\u2013', '\t'])
    assert.ok(finds('CREDIT_CARD', `number ${groups.join(separator)} given`), JSON.stringify(separator))
  for (const separator of [' ', '-', '.'])
    assert.ok(finds('CREDIT_CARD', Array.from(groups.join('')).join(separator)), separator)
})

test('a card that touches a letter, or spans lines, is found near a word that names a card', () => {
  for (const text of [
    'my card 4111111111111111x is new',
    'card4111111111111111',
    'visa4111 1111 1111 1111',
    'card: 4111 1111 1111 1111USD',
    'card: no4111-1111-1111-1111',
    'Card number:\n4111\n1111\n1111\n1111\nThanks',
    'Card number:\r\n4111\r\n1111\r\n1111\r\n1111',
    'card 4111 1111\n1111 1111',
    'card 4111&nbsp;1111&nbsp;1111&nbsp;1111',
  ])
    assert.ok(finds('CREDIT_CARD', text), text)
})

test('identifiers and columns of figures with the digits of a card do not match', () => {
  for (const text of [
    'order ORD4111111111111111 was shipped',
    'sha 4111111111111111ab',
    '4111\n1111\n1111\n1111',
    'cards sold per day:\n4111\n1111\n1111\n1111\n2500',
    'cards sold per day:\n12\n4111\n1111\n1111\n1111',
    'card a4111b1111c1111d1111',
  ])
    assert.ok(!finds('CREDIT_CARD', text), text)
})

test('base64 is decoded once: base64 inside base64 does not match', () => {
  const once = Buffer.from('my card is 4111 1111 1111 1111').toString('base64')
  assert.ok(finds('CREDIT_CARD', once))
  assert.ok(!finds('CREDIT_CARD', Buffer.from(once).toString('base64')))
})

test('entities without a digit are found across two content blocks', () => {
  const pieces = (...texts: string[]) => ({ content: texts.map(text => ({ type: 'text', text })) })
  assert.ok(finds('MAC_ADDRESS', pieces('its address is de:ad:be:', 'ef:ca:fe as printed')))
  assert.ok(finds('MAC_ADDRESS', pieces('its address is de-ad-b', 'e-ef-ca-fe as printed')))
  assert.ok(finds('API_KEY', pieces('the key is ghp_abcdefghijklmnop', 'qrstuvwxyzabcdefghijklmnop')))
  assert.ok(finds('API_KEY', pieces('the key is ghp_abcdefgh', '', 'ijklmnopqrstuvwxyzabcdefghijklmnop')))
  assert.ok(finds('EMAIL_ADDRESS', pieces('write to ana', '@example.com')))
})
