import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_ENTITIES, type Entity, scanValue } from '../src/index.ts'
import { LABELLED } from './corpus.ts'
import { type Random, seeded } from './random.ts'
import { allRules, defaultRules } from './rule-sets.ts'
import { TELLING } from './sentences.ts'
import { SPECIMENS } from './specimens.ts'

/** What is found in a sentence is found in the same sentence written so that a machine should overlook it. */
const EACH = 20

const sentenceOf = (entity: Entity, value: string): string =>
  (TELLING[entity]?.[0] ?? 'Please keep {} safe.').replace('{}', () => value)

const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, sign => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))
const arabicDigits = (text: string): string =>
  text.replace(/\d/g, digit => String.fromCharCode(0x660 + Number(digit)))
const boldDigits = (text: string): string =>
  text.replace(/\d/g, digit => String.fromCodePoint(0x1d7ce + Number(digit)))
const invisible = (text: string, random: Random): string =>
  Array.from(text)
    .map(sign => sign + random.pick(['', '\u200b', '\u200d', '\u00ad', '\ufeff']))
    .join('')
const escapeAll = (text: string, write: (code: string) => string): string =>
  text.replace(/[ -~]/g, sign => write(sign.charCodeAt(0).toString(16)))
const spaces = (text: string): string => text.replaceAll(' ', '\u00a0').replaceAll('-', '\u2011')

/** By all rules, and by the default ones where they ask for it: those leave more unread. */
const finds = (entity: Entity, value: unknown): boolean =>
  [allRules, ...(DEFAULT_ENTITIES.includes(entity) ? [defaultRules] : [])].every(rules =>
    scanValue(value, rules).some(match => match.entity === entity),
  )

const EVASIONS: Record<string, (sentence: string, value: string, random: Random) => unknown> = {
  'full-width characters': sentence => fullWidth(sentence),
  'digits of another script': (sentence, value) => sentence.replace(value, () => arabicDigits(value)),
  'bold digits': (sentence, value) => sentence.replace(value, () => boldDigits(value)),
  'zero-width characters': (sentence, value, random) =>
    sentence.replace(value, () => invisible(value, random)),
  'spaces and dashes that do not break': sentence => spaces(sentence),
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
  'base64 for addresses': sentence => `see ${Buffer.from(sentence).toString('base64url')} there`,
  'a key': sentence => ({ [sentence]: true }),
  'a text in a resource': sentence => ({
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

for (const [name, hide] of Object.entries(EVASIONS))
  test(`${name} hide nothing`, () => {
    const random = seeded(11)
    const missed: string[] = []
    for (const entity of LABELLED)
      for (let n = 0; n < EACH; n++) {
        const value = (SPECIMENS[entity] as (random: Random) => string)(random)
        const sentence = sentenceOf(entity, value)
        if (!finds(entity, sentence)) continue
        const hidden = hide(sentence, value, random)
        if (!finds(entity, hidden)) missed.push(`${entity}: ${JSON.stringify(hidden)}`)
      }
    assert.ok(missed.length <= (LABELLED.length * EACH) / 100, missed.join('\n'))
  })

test('a card is found whatever stands between its groups, and where its digits stand one by one', () => {
  const groups = ['4111', '1111', '1111', '1111']
  for (const joint of [' ', '-', '.', '/', '_', '  ', ' - ', '\u2009', '\u2013', '\t'])
    assert.ok(finds('CREDIT_CARD', `number ${groups.join(joint)} given`), JSON.stringify(joint))
  for (const joint of [' ', '-', '.'])
    assert.ok(finds('CREDIT_CARD', Array.from(groups.join('')).join(joint)), joint)
})

test('a card that touches a letter, or is broken over lines, is found beside a word that names it', () => {
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

test('identifiers and columns of figures with the digits of a card are left alone', () => {
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

test('base64 inside base64 is left alone: it is looked into once', () => {
  const once = Buffer.from('my card is 4111 1111 1111 1111').toString('base64')
  assert.ok(finds('CREDIT_CARD', once))
  assert.ok(!finds('CREDIT_CARD', Buffer.from(once).toString('base64')))
})

test('what has no digit is found across two pieces of text too', () => {
  const pieces = (...texts: string[]) => ({ content: texts.map(text => ({ type: 'text', text })) })
  assert.ok(finds('MAC_ADDRESS', pieces('its address is de:ad:be:', 'ef:ca:fe as printed')))
  assert.ok(finds('MAC_ADDRESS', pieces('its address is de-ad-b', 'e-ef-ca-fe as printed')))
  assert.ok(finds('API_KEY', pieces('the key is ghp_abcdefghijklmnop', 'qrstuvwxyzabcdefghijklmnop')))
  assert.ok(finds('API_KEY', pieces('the key is ghp_abcdefgh', '', 'ijklmnopqrstuvwxyzabcdefghijklmnop')))
  assert.ok(finds('EMAIL_ADDRESS', pieces('write to ana', '@example.com')))
})
