import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allRules, compileRules, defaultRules, type Rules } from '../../src/features/rules/compile-rules.ts'
import { SCAN_BUDGET } from '../../src/features/rules/decide.ts'
import { scanText } from '../../src/features/rules/scan-text.ts'

/** Pieces that make a pattern begin again and again, or read far for nothing; a text is one of them, repeated. */
const PIECES = [
  '1',
  '1 ',
  '1 2 3 4 5 6 7 8 9 ',
  '12345678901234567890 ',
  '9 9 9 9 9 9 9 9 9\n',
  '123456789 ',
  '4242 ',
  '4111111111111111 ',
  '4111 1111 1111 1111 ',
  '-eyJaaaa',
  'eyJa.eyJa.',
  '.',
  '-',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '@',
  'a@',
  'a@b.',
  'a@b.co ',
  'a.',
  '::',
  '1:',
  'a:b::',
  '1::2 ',
  '1.1.1.1..',
  '1.2.3.4 ',
  '+',
  '+1 ',
  '+14155552671 ',
  '(',
  '(415) 555-2671 ',
  'http://',
  'http://a ',
  'www.',
  'ghp_',
  'sk-ant-',
  '[REDACTED:',
  '[',
  'DE89 ',
  'DE89370400440532013000 ',
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa ',
  'aa-',
  'aa:',
  '00:1A:2B:3C:4D:5E ',
  'AB 12 34 56 C ',
  'ssn 123456789 ',
  'tel tel tel ',
  '\u200b',
  'a\u200b',
  '\uff11',
  '\ufdfa',
  '\u{1d7d2}',
  '\u{1f600}',
  'aA',
  'YWJj',
  'bXkgc3NuIGlzIDEyMy00NS02Nzg5',
  '12:34 ',
  'January 31 ',
  'Jane ',
  'Dr. ',
  'Berlin ',
  'AKIA',
  '0x',
  '=',
]

const spent = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const millisecondsFor = (text: string, rules: Rules): number => {
  const started = performance.now()
  scanText(text, rules)
  return performance.now() - started
}

const SMALL = 20_000
const LARGE = SMALL * 4
const MEGABYTE = 1_000_000
const textOf = (piece: string, size: number): string =>
  Buffer.from(piece.repeat(Math.ceil(size / piece.length))).toString()

/** Four times the text takes four times as long; what takes sixteen times reads it again for every part. */
const MOST = 9
/** Below this, a clock and a collector of garbage tell more than the text. */
const NOTICEABLE = 8

for (const [name, rules] of Object.entries({ default: defaultRules, all: allRules }))
  for (const piece of PIECES)
    test(`a text of nothing but ${JSON.stringify(piece)} takes time in proportion to its length (${name} rules)`, () => {
      const [small, large] = [textOf(piece, SMALL), textOf(piece, LARGE)]
      scanText(small, rules)
      const ratio = (): number =>
        millisecondsFor(large, rules) / Math.max(NOTICEABLE, millisecondsFor(small, rules))
      // Another process may have had the processor: the best of three tells.
      assert.ok([1, 2, 3].some(() => ratio() < MOST))
    })

test('a megabyte of any of them is read long before scanning would be given up', t => {
  const slow = PIECES.map(piece => {
    const text = textOf(piece, MEGABYTE)
    const round = (): number => {
      const started = spent()
      scanText(text, defaultRules)
      return Math.round(spent() - started)
    }
    return { piece, ms: Math.min(round(), round(), round()) }
  }).toSorted((a, b) => b.ms - a.ms)
  t.diagnostic(`the slowest: ${JSON.stringify(slow.slice(0, 5))}`)
  assert.ok((slow[0]?.ms ?? 0) < SCAN_BUDGET, JSON.stringify(slow[0]))
})

test('a customer’s rule among placeholders takes time in proportion to the text', () => {
  const rules = compileRules({ entities: {}, custom: [{ label: 'TICKET', pattern: 'TCK-[0-9]' }] })
  const piece = '[REDACTED:TICKET]TCK-1 '
  const [small, large] = [textOf(piece, SMALL * 4), textOf(piece, LARGE * 4)]
  assert.equal(scanText(small, rules).length, Math.ceil((SMALL * 4) / piece.length))
  const ratio = (): number =>
    millisecondsFor(large, rules) / Math.max(NOTICEABLE, millisecondsFor(small, rules))
  assert.ok([1, 2, 3].some(() => ratio() < MOST))
})
