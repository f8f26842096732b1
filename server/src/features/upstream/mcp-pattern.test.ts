import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLinear } from './mcp-pattern.ts'

const linear = [
  '^[a-z0-9-]+$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^\\+?[0-9]{7,15}$',
  '^(asc|desc)$',
  '^(?:https|http)://[^\\s]+$',
  '^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$',
  '^#[0-9a-fA-F]{6}$',
  '^.*$',
  '^[^@]+@example\\.com$',
  '^',
]
const notLinear = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@)$',
  '^a*a*a*b$',
  '^a*a*$',
  'a+b',
  '.*=.*',
  '^(?=a)b$',
  '^(?<name>a)\\k<name>$',
  '^(a)\\1$',
  `^${'(a|a)'.repeat(11)}$`,
  `^${'a?'.repeat(30)}${'a'.repeat(30)}$`,
  `^${'a{0,500}'.repeat(3)}$`,
  `^${'a'.repeat(300)}$`,
  '^a|b+$',
  '^(a$',
  '^a)$',
  '^[a$',
  '^\\u{110000}$',
  '^\\p{L}+$',
  '',
]

test('patterns are run where they are linear, and only there', () => {
  assert.deepEqual(
    linear.filter(pattern => !isLinear(pattern)),
    [],
  )
  assert.deepEqual(notLinear.filter(isLinear), [])
})

test('what is let through is quick on text that is made to be slow', () => {
  const texts = [
    'a'.repeat(100_000),
    `${'0'.repeat(100_000)}x`,
    `${'A1'.repeat(50_000)}!`,
    '-'.repeat(100_000),
  ]
  const startedAt = performance.now()
  for (const pattern of [...linear, '^a{0,900}a*b$', '^(a|b|c|d)(a|b|c|d)(a|b|c|d)(a|b|c|d)a*x$'])
    for (const text of texts) new RegExp(pattern, 'u').test(text)
  assert.ok(performance.now() - startedAt < 5000)
})
