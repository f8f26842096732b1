import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOfWork } from '../../../../test/support/cpu-time.ts'
import { isLinear } from './pattern.ts'

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

test('pattern: only linear patterns are accepted', () => {
  assert.deepEqual(
    linear.filter(pattern => !isLinear(pattern)),
    [],
  )
  assert.deepEqual(notLinear.filter(isLinear), [])
})

test('pattern: accepted patterns take linear time on adversarial text', () => {
  const textsOf = (length: number) => [
    'a'.repeat(length),
    `${'0'.repeat(length)}x`,
    `${'A1'.repeat(length / 2)}!`,
    '-'.repeat(length),
  ]
  for (const pattern of [...linear, '^a{0,900}a*b$', '^(a|b|c|d)(a|b|c|d)(a|b|c|d)(a|b|c|d)a*x$']) {
    const expression = new RegExp(pattern, 'u')
    const tryAll = (texts: string[]) => texts.forEach(text => expression.test(text))
    assert.ok(growthOfWork(tryAll, { small: textsOf(25_000), large: textsOf(100_000) }) < 9, pattern)
  }
})
