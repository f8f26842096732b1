import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCondition, readsLabelsOrMetadata } from './check-condition.ts'
import { compileCondition } from './compile-condition.ts'
import type { NamedTool } from './policy.ts'

const send = {
  name: 'gmail__send_email',
  inputSchema: {
    type: 'object',
    required: ['to', 'priority'],
    properties: {
      to: { type: 'string' },
      cc: { type: 'array', items: { type: 'string' } },
      amount: { type: 'number' },
      priority: { enum: ['low', 'high'], type: 'string' },
      attachments: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      body: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    },
  },
}
const draft = {
  name: 'gmail__create_draft',
  inputSchema: { type: 'object', required: ['to'], properties: { to: { type: 'string' } } },
}

const messagesOf = (when: string, tools: readonly NamedTool[] = [send]): string[] =>
  checkCondition(when, { tools }).map(({ message }) => message)

const valid = [
  'tool.destructive && !tool.read_only && tool.connector in ["gmail", "slack"]',
  '!args.to.endsWith("@acme.com")',
  'has(args.cc) && args.cc.exists(address, !address.lowerAscii().endsWith("@acme.com"))',
  'has(args.amount) && args.amount > 500 && args.amount * 2.0 < 1e6',
  '"amount" in args && args.amount > 500',
  'args.priority == "high" && "sends" in tool.effects',
  'has(args.attachments) && args.attachments.all(file, file.name.matches("(?i)\\\\.pdf$"))',
  'has(args.headers) && args.headers["X-Test"] == "1"',
  'has(args.body) && args.body.text == "x"',
  'account == null || account.label == null || account.identity.endsWith("@acme.com")',
  'user.metadata.team == "sales" && user.metadata["level"] > 3',
  'client.type == "api_key" && mode == "production" && pack.id != "ops"',
  'now.getHours("Europe/Berlin") < 8 && now > timestamp("2026-01-01T00:00:00Z")',
  'count("1h") >= 10 || count("30m", "sends") + 1 > 5 || count("31d") > 1',
  '(args.priority == "low" ? 1 : 2) > 1',
]
for (const when of valid)
  test(`accepts ${when}`, () => {
    assert.deepEqual(messagesOf(when), [])
    assert.ok(compileCondition(when))
  })

const invalid: [when: string, message: string][] = [
  ['', 'The condition is not complete: a value is missing.'],
  ['tool.readonly', 'tool has no field "readonly". Did you mean "read_only"?'],
  ['acount.shared', 'Unknown variable "acount". Did you mean "account"?'],
  ['client.name == "x"', 'client has no field "name".'],
  ['args.tow == "x"', 'args has no field "tow". Did you mean "to"?'],
  ['has(args.amout)', 'args has no field "amout". Did you mean "amount"?'],
  [
    'has(args.attachments) && args.attachments.all(f, f.nam == "x")',
    'f has no field "nam". Did you mean "name"?',
  ],
  [
    'args.cc.size() > 3',
    'Calls of gmail__send_email may have no field "cc". Test it first: has(args.cc) && …',
  ],
  ['args.to.endswith("x")', 'Unknown function "endswith". Did you mean "endsWith"?'],
  ['siz(args.to) > 1', 'Unknown function "siz". Did you mean "size"?'],
  ['args.to > 5', '">" does not take a string and an int.'],
  ['args.to == 5', 'a string is never equal to an int.'],
  ['1 in tool.effects', 'an int is never equal to a string.'],
  ['mode == "prod"', '"prod" is not a possible value. Did you mean "production"?'],
  ['"send" in tool.effects', '"send" is not a possible value. Did you mean "sends"?'],
  ['args.priority in ["high", "hgh"]', '"hgh" is not a possible value. Did you mean "high"?'],
  [
    'has(args.amount) && args.amount * 2 > 5.0',
    '"*" does not take a double and an int. Write integers as doubles, such as 2.0: the numbers of arguments are doubles.',
  ],
  ['args.to', 'A condition must be true or false; this is a string.'],
  ['args.to && true', '"&&" needs true or false; this is a string.'],
  ['args.to.all(c, true)', 'all() needs a list or a map; this is a string.'],
  ['tool.effects["sends"] == "pays"', 'The index of a list is a number.'],
  ['mode.x == 1', 'a string has no fields.'],
  ['args.to.matches("(a")', '"(a" is not valid: it lacks a closing parenthesis.'],
  ['args.to.matches(args.to)', 'The last argument of matches must be a string literal.'],
  ['now.getHours("Mars") > 1', '"Mars" is not valid: it is not a time zone.'],
  ['now > timestamp("today")', 'Not a valid timestamp.'],
  ['1 / 0 == 1', 'Division by zero.'],
  ['count("1h", "send") > 1', 'Unknown effect "send". Did you mean "sends"?'],
  ['count(1) > 1', 'count() takes a period and an effect as literals, such as count("1h", "sends").'],
]
for (const period of ['1x', '59s', '0h', '745h', '-1h', '1h30m', ''])
  invalid.push([
    `count("${period}") > 1`,
    'The period of count() is from "1m" to "31d", in seconds (s), minutes (m), hours (h) or days (d).',
  ])
for (const [when, message] of invalid)
  test(`${when}: ${message}`, () => assert.deepEqual(messagesOf(when), [message]))

test('positions are those of the name or the operator', () => {
  const [issue] = checkCondition('tool.readonly', { tools: [] })
  assert.deepEqual(issue?.position, { offset: 5, length: 8 })
  assert.deepEqual(checkCondition('mode == "😀" + 1', { tools: [] })[0]?.position, { offset: 13, length: 1 })
  assert.deepEqual(checkCondition('true &', { tools: [] })[0]?.position, { offset: 5, length: 1 })
})

test('arguments: a rule for all tools cannot read them', () => {
  assert.deepEqual(messagesOf('args.to == "x"', []), [
    'A condition that reads args must be in a rule that names its tools.',
  ])
  assert.deepEqual(messagesOf('tool.destructive', []), [])
})

test('arguments: a field that only some of the tools have is tested first', () => {
  const tools = [draft, send]
  assert.deepEqual(messagesOf('args.to == "x"', tools), [])
  assert.deepEqual(messagesOf('args.priority == "low"', tools), [
    'Calls of gmail__create_draft may have no field "priority". Test it first: has(args.priority) && …',
  ])
  assert.deepEqual(messagesOf('has(args.priority) && args.priority == "low"', tools), [])
})

test('arguments: schemas that describe a value in several ways accept any use of it', () => {
  const inputSchema = {
    type: 'object',
    required: ['a', 'b', 'c'],
    properties: {
      a: { $ref: '#/$defs/x' },
      b: { type: ['string', 'null'] },
      c: true,
      __proto__: null,
      constructor: { type: 'boolean' },
    },
  }
  const tools = [{ name: 'x', inputSchema }]
  assert.deepEqual(checkCondition('args.a.b.c > 1 && args.b.size() > 1 && args.c[0] == "x"', { tools }), [])
  assert.equal(checkCondition('args.toString == "x"', { tools }).length, 1)
  assert.deepEqual(checkCondition('args.anything == 1', { tools: [{ name: 'x', inputSchema: {} }] }), [])
})

test('readsLabelsOrMetadata: what an API key can set', () => {
  for (const when of [
    'account.label == "x"',
    'mode == "test" && user.metadata.team == "x"',
    'user["metadata"]["x"] == 1',
  ])
    assert.equal(readsLabelsOrMetadata(when), true, when)
  for (const when of ['account.identity == "label"', 'user.id == "x"', 'args.account.label == "x"', 'true'])
    assert.equal(readsLabelsOrMetadata(when), false, when)
})

test('the number of issues is limited', () => {
  assert.equal(messagesOf(Array.from({ length: 50 }, (_, n) => `u${n}`).join(' && ')).length, 20)
})
