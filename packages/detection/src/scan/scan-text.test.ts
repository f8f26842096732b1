import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allRules, defaultRules } from '../../test/rule-sets.ts'
import { compileRules } from '../rules/compile-rules.ts'
import { scanText } from './scan-text.ts'

const found = (text: string, rules = allRules): string[] =>
  scanText(text, rules).map(({ entity, start, end }) => `${entity} ${text.slice(start, end)}`)

/** Example numbers from the documents that define the formats. */
const PUBLISHED: [text: string, expected: string][] = [
  ['IBAN GB82 WEST 1234 5698 7654 32', 'IBAN_CODE GB82 WEST 1234 5698 7654 32'],
  ['pay 378282246310005', 'CREDIT_CARD 378282246310005'],
  ['NHS 943 476 5919', 'UK_NHS 943 476 5919'],
  ['Steuer-ID 86095742719', 'DE_TAX_ID 86095742719'],
  ['65 170839 J 003', 'DE_SOCIAL_SECURITY 65 170839 J 003'],
  ['1 84 12 76 451 089 46', 'FR_NIR 1 84 12 76 451 089 46'],
  ['RSSMRA85T10A562S', 'IT_FISCAL_CODE RSSMRA85T10A562S'],
  ['PESEL 44051401359', 'PL_PESEL 44051401359'],
  ['aadhaar 2345 6789 0124', 'IN_AADHAAR 2345 6789 0124'],
  ['ABN 51 824 753 556', 'AU_ABN 51 824 753 556'],
  ['TFN 123 456 782', 'AU_TFN 123 456 782'],
  ['S1234567D', 'SG_NRIC_FIN S1234567D'],
  ['routing number 111000025', 'US_BANK_NUMBER 111000025'],
  ['DEA AB1234563', 'MEDICAL_LICENSE AB1234563'],
  ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'CRYPTO 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  [
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    'CRYPTO bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ],
  ['+44 20 7946 0958', 'PHONE_NUMBER +44 20 7946 0958'],
  ['001a.2b3c.4d5e', 'MAC_ADDRESS 001a.2b3c.4d5e'],
  ['::ffff:192.0.2.128', 'IP_ADDRESS ::ffff:192.0.2.128'],
]

for (const [text, expected] of PUBLISHED)
  test(`finds ${expected}`, () => assert.ok(found(text).includes(expected), found(text).join()))

/** Wrong check digits, and text that only resembles an entity. */
const NO_MATCH = [
  'GB82 WEST 1234 5698 7654 33',
  '4111 1111 1111 1112',
  'RSSMRA85T10A562T',
  'S1234567E',
  '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3',
  'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj1',
  '550e8400-e29b-41d4-a716-446655440000',
  'version 10.0.19.1',
  '1.2.3.4.5',
  'foo@2x.png',
  'git@github.com:acme/app.git',
  'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  '900-12-3456-7890',
  'std::vector',
  'Order 123456789 is ready.',
]

for (const text of NO_MATCH)
  test(`does not match ${text}`, () => assert.deepEqual(found(text, defaultRules), []))

test('a context word makes an ambiguous number a match, and is reported', () => {
  const [match] = scanText('Her SSN: 123456789', defaultRules)
  assert.deepEqual(match, {
    entity: 'US_SSN',
    start: 9,
    end: 18,
    score: 0.8,
    rule: 'us-ssn',
    context: ['ssn'],
  })
  assert.deepEqual(found('Her reference: 123456789', defaultRules), [])
})

test('a context word applies to the nearest number', () => {
  assert.deepEqual(found('SSN 123456780, passport 123456781', defaultRules), [
    'US_SSN 123456780',
    'US_PASSPORT 123456781',
  ])
})

test('words and thresholds of the settings are applied', () => {
  const rules = compileRules({ entities: { US_SSN: { words: ['Kennziffer'] } } })
  assert.deepEqual(found('kennziffer 123456780', rules), ['US_SSN 123456780'])
  const strict = compileRules({ entities: { US_SSN: { threshold: 0.9 } } })
  assert.deepEqual(found('123-45-6780', strict), [])
  assert.deepEqual(found('ssn 123-45-6780', strict), ['US_SSN 123-45-6780'])
})

test('positions refer to the original text, with invisible characters and surrogate pairs', () => {
  const text = '😀 jane\u200b@exam\u00adple.com, 𝟒𝟏𝟏𝟏 1111 1111 1111!'
  assert.deepEqual(found(text), [
    'EMAIL_ADDRESS jane\u200b@exam\u00adple.com',
    'CREDIT_CARD 𝟒𝟏𝟏𝟏 1111 1111 1111',
  ])
})

test('of overlapping matches the one with the higher rank is kept, then the longer one', () => {
  const text = 'https://example.com/?to=jane@example.com'
  assert.deepEqual(found(text), [`URL ${text}`])
  const rules = compileRules({ entities: { URL: {}, EMAIL_ADDRESS: { rank: 1 } } })
  assert.deepEqual(found(text, rules), ['EMAIL_ADDRESS jane@example.com'])
})

test('placeholders with a known label are not scanned, others are', () => {
  assert.deepEqual(found('[REDACTED:US_SSN] [REDACTED:EMAIL_ADDRESS]'), [])
  assert.deepEqual(found('[REDACTED:123-45-6780]'), ['US_SSN 123-45-6780'])
})

test('a private key is found from header to footer, also if it is truncated', () => {
  const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQ==\n-----END EC PRIVATE KEY-----'
  assert.deepEqual(found(`a ${key} b`), [`PRIVATE_KEY ${key}`])
  assert.deepEqual(found(key.slice(0, 36)), [`PRIVATE_KEY ${key.slice(0, 36)}`])
})

test('numbers, secrets of letters and base64 are found deep in plain prose', () => {
  const prose = 'nobody has written anything of interest here and so it goes on and on '.repeat(7)
  const key = 'AKIAQWERTYUIOPASDFGH'
  const encoded = Buffer.from('mail jane.doe@example.com').toString('base64')
  for (const [value, entity] of [
    [key, 'API_KEY'],
    ['jane@example.com', 'EMAIL_ADDRESS'],
    ['4111 1111 1111 1111', 'CREDIT_CARD'],
    [encoded, 'EMAIL_ADDRESS'],
  ])
    for (const head of [prose, `${prose}x `, prose.slice(0, 200)])
      assert.deepEqual(found(`${head}${value} ${prose}`, defaultRules), [`${entity} ${value}`])
  assert.deepEqual(found(`${prose}her SSN is 123456780 ${prose}`, defaultRules), ['US_SSN 123456780'])
  assert.deepEqual(found(`${prose}123456780 is her SSN ${prose}`, defaultRules), ['US_SSN 123456780'])
})
