import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  expressionOf,
  expressionOfPart,
  type Part,
  periods,
  readDomains,
  readParts,
} from '../../../dashboard/src/pages/policies/conditions/condition-parts.ts'
import { starters } from '../../../dashboard/src/pages/policies/starters.ts'
import { checkCondition } from '../../src/features/policies/conditions/check-condition.ts'
import { compilePolicy } from '../../src/features/policies/conditions/compile-policy.ts'
import type { CallFacts } from '../../src/features/policies/conditions/policy.ts'

const TOOL = {
  name: 'bank__pay',
  inputSchema: {
    type: 'object',
    properties: {
      amount: { type: 'number' },
      to: { type: 'string' },
      cc: { type: 'array', items: { type: 'string' } },
      urgent: { type: 'boolean' },
      in: { type: 'string' },
      'a-b "c" && d': { type: 'string' },
    },
    additionalProperties: false,
  },
}

const argument = (name: string, comparison: string, value = ''): Part =>
  ({ kind: 'argument', name, comparison, value }) as Part
const outside = (name: string, domains: string, isList = false): Part => ({
  kind: 'domain',
  name,
  isList,
  domains,
})

const PARTS: readonly Part[] = [
  { kind: 'destructive' },
  { kind: 'changes' },
  { kind: 'effect', effect: 'irreversible' },
  ...['>', '>=', '<', '<='].map(comparison => argument('amount', comparison, '100.5')),
  argument('amount', '>', '-3'),
  argument('amount', '<', '100'),
  ...['is', 'is not', 'contains', 'starts with'].map(comparison =>
    argument('to', comparison, 'a "quoted" \\ text && ) 🙂'),
  ),
  argument('urgent', 'true'),
  argument('urgent', 'false'),
  argument('in', 'is', 'x'),
  argument('a-b "c" && d', 'is', 'x'),
  outside('to', 'acme.com, b-c.example.org'),
  outside('cc', 'acme.com', true),
  { kind: 'metadata', name: 'level', isEqual: true, value: 'trainee' },
  { kind: 'metadata', name: 'cost center', isEqual: false, value: '7' },
  { kind: 'label', isEqual: true, value: 'Work' },
  { kind: 'time', from: 18, to: 8, zone: 'Europe/Berlin' },
  { kind: 'time', from: 9, to: 24, zone: 'UTC' },
  ...periods.map((period): Part => ({ kind: 'count', calls: '20', period, effect: null })),
  { kind: 'count', calls: '1', period: '1h', effect: 'sends' },
]

test('every form of the builder is a valid condition, and is read back from its expression', () => {
  for (const part of PARTS) {
    const expression = expressionOf([part])
    assert.deepEqual(checkCondition(expression, { tools: [TOOL] }), [], expression)
    assert.deepEqual(readParts(expression), [part], expression)
  }
  const all = expressionOf(PARTS)
  assert.deepEqual(readParts(all), PARTS)
  for (const { id, parts } of starters())
    assert.deepEqual(readParts(expressionOf(parts)), id === 'domain' ? [] : parts, id)
})

test('expressions with other forms are not read', () => {
  for (const other of [
    'args.amount > 100.0',
    'has(args.amount) && args.to > 100.0',
    'has(args.amount) && args.amount > 100',
    'tool.destructive || !tool.read_only',
    'tool.destructive && ',
    ' && tool.destructive',
    'tool.destructive  && !tool.read_only',
    '!tool.destructive',
    '(now.getHours("UTC") >= 18 || now.getHours("Europe/Berlin") < 8)',
    '(now.getHours("UTC") >= 8 || now.getHours("UTC") < 18)',
    'has(args.to) && !args.to.matches("acme")',
    'count("2h") >= 20',
    'count("1h") > 20',
    '"unknown',
  ])
    assert.equal(readParts(other), null, other)
  assert.deepEqual(readParts(''), [])
})

test('an incomplete form has no expression, and is left out of the whole', () => {
  const incomplete: Part[] = [
    argument('', '>', '1'),
    argument('amount', '>', 'many'),
    argument('to', 'is'),
    outside('to', ''),
    outside('to', 'not a domain!'),
    outside('', 'acme.com'),
    { kind: 'metadata', name: '', isEqual: true, value: 'x' },
    { kind: 'label', isEqual: true, value: '' },
    { kind: 'time', from: 8, to: 8, zone: 'UTC' },
    { kind: 'count', calls: '0', period: '1h', effect: null },
    { kind: 'count', calls: 'many', period: '1h', effect: 'pays' },
  ]
  for (const part of incomplete) assert.equal(expressionOfPart(part), null, JSON.stringify(part))
  assert.equal(expressionOf([...incomplete, { kind: 'destructive' }]), 'tool.destructive')
  assert.deepEqual(readDomains(' @Acme.com;b.org '), ['acme.com', 'b.org'])
})

const FACTS: CallFacts = {
  tool: { name: TOOL.name, connector: 'bank', read_only: false, destructive: true, effects: ['pays'] },
  pack: { id: 'p' },
  mode: 'production',
  account: { identity: 'ana@acme.com', label: 'Work', shared: false, organization: false },
  user: { id: 'u', origin_user_id: 'o', metadata: { level: 'trainee' } },
  counts: new Map([
    ['1h', 19],
    ['1h pays', 20],
  ]),
  now: Date.parse('2026-11-19T17:30:00Z'),
}

const matches = (part: Part, facts: Partial<CallFacts>): boolean => {
  const rule = { id: 'r', name: 'r', when: expressionOf([part]), tools: ['*'], approvers: [] }
  const { matched, failed } = compilePolicy([{ ...rule, effect: 'deny' }], 'allow').decide({
    ...FACTS,
    ...facts,
  })
  assert.deepEqual(failed, [])
  return matched.length === 1
}

test('an address outside a domain is anything but one address at it', () => {
  const part = outside('to', 'acme.com, b.org')
  for (const [to, isOutside] of [
    ['ana@acme.com', false],
    ['ANA@ACME.COM', false],
    ['jun+x@b.org', false],
    ['ana@evil.com', true],
    ['ana@notacme.com', true],
    ['ana@sub.acme.com', true],
    ['ana@acmeXcom', true],
    ['ana@evil.com, jun@acme.com', true],
    ['ana@evil.com;jun@acme.com', true],
    ['ana@evil.com jun@acme.com', true],
    ['"x" <ana@evil.com> <y@acme.com', true],
    ['ana@evil.com@acme.com', true],
    ['ana@evil.com\njun@acme.com', true],
    ['ana@acme.com\n', true],
    ['@acme.com', true],
    ['', true],
  ] as const)
    assert.equal(matches(part, { args: { to } }), isOutside, JSON.stringify(to))
  assert.equal(matches(part, { args: {} }), false, 'an argument that is not given')
  const list = outside('cc', 'acme.com', true)
  assert.equal(matches(list, { args: { cc: ['a@acme.com', 'b@acme.com'] } }), false)
  assert.equal(matches(list, { args: { cc: ['a@acme.com', 'b@evil.com'] } }), true)
})

test('numbers, texts, metadata, labels and hours are compared as the builder says', () => {
  const args = { amount: 100.5, to: 'Invoice 7', urgent: true }
  for (const [part, expected] of [
    [argument('amount', '>', '100'), true],
    [argument('amount', '>', '100.5'), false],
    [argument('amount', '>=', '100.5'), true],
    [argument('to', 'contains', 'voice'), true],
    [argument('to', 'starts with', 'voice'), false],
    [argument('urgent', 'true'), true],
    [argument('urgent', 'false'), false],
    [argument('missing', 'is not', 'x'), false],
    [{ kind: 'metadata', name: 'level', isEqual: true, value: 'trainee' }, true],
    [{ kind: 'metadata', name: 'team', isEqual: false, value: 'x' }, false],
    [{ kind: 'label', isEqual: false, value: 'Work' }, false],
    // 18:30 in Berlin, 17:30 UTC.
    [{ kind: 'time', from: 18, to: 8, zone: 'Europe/Berlin' }, true],
    [{ kind: 'time', from: 18, to: 8, zone: 'UTC' }, false],
    [{ kind: 'time', from: 9, to: 18, zone: 'UTC' }, true],
    [{ kind: 'count', calls: '20', period: '1h', effect: 'pays' }, true],
    [{ kind: 'count', calls: '21', period: '1h', effect: 'pays' }, false],
    [{ kind: 'count', calls: '20', period: '1h', effect: null }, false],
  ] as const)
    assert.equal(matches(part, { args }), expected, JSON.stringify(part))
})
