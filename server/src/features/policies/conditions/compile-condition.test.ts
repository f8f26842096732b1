import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hostileConditions, longText, numbers } from '../../../../test/support/hostile-conditions.ts'
import { compileCondition, type Facts } from './compile-condition.ts'
import { MAX_CONDITION_DEPTH, MAX_CONDITION_LENGTH, MAX_PATTERNS } from './parse-condition.ts'
import { Failure, OUT_OF_STEPS, type Result, Timestamp, type Value } from './values.ts'

const TUESDAY_EVENING = Date.parse('2026-03-31T22:30:00Z')

const evaluate = (source: string, args: unknown = {}, meter = { left: 15_000 }): Result =>
  compileCondition(source)(
    {
      tool: { name: 'gmail__send_email', effects: ['sends'] },
      account: null,
      args: args as Value,
      mode: 'test',
      now: new Timestamp(TUESDAY_EVENING),
      counts: new Map([['1h sends', 3]]),
    } as unknown as Facts,
    meter,
  )

/** Whether the expression fails, and not because something is unknown. */
const fails = (source: string, args?: unknown): boolean => {
  const result = evaluate(source, args)
  return result instanceof Failure && !result.isUnknown
}

describe('evaluation', () => {
  for (const source of [
    '1 + 2 * 3 - 4 / 2 == 5 && -7 % 3 == -1 && - -1 == 1 && !!true',
    '[1, 2.0, "a"] == [1.0, 2, "a"] && 1 != 1.5 && "1" != 1 && null == null',
    '1 < 1.5 && 2.5 > 2 && "a" < "b" && false < true && 0x10 == 16 && 1e3 == 1000 && .5 == 0.5',
    'true ? false || true : 1 / 0 == 1',
    '"a" in ["a"] && "k" in {"k": null} && !(2 in [1]) && 1.0 in {1: "x"}',
    '{"k": [1, {"x": "y"}]}["k"][1].x == "y" && [1, 2][1.0] == 2',
    'size("añ😀") == 3 && [1, 2].size() == 2 && {"a": 1}.size() == 1',
    '"abc".startsWith("ab") && "abc".endsWith("bc") && "abc".contains("b") && "ÀB".lowerAscii() == "Àb"',
    '[1, 2, 3].all(x, x > 0) && [1, 2].exists(x, x == 2) && [1, 2].exists_one(x, x > 1)',
    '[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6] && [1, 2].map(x, x > 1, x + 1) == [3]',
    '[[1], [2]].all(x, x.exists(y, y in [1, 2] && x == [y]))',
    '{"a": 1, "b": 2}.all(key, key.size() == 1)',
    'int("7") + int(1.9) == 8 && double("1.5") == 1.5 && string(7) + string(true) == "7true"',
    '"a\\n\\X41\\u00e9\\U0001F600\\101" == "a\\nAé😀A" && r"\\n" == "\\\\n" && """a"b""" == \'a"b\'',
    'now.getDayOfWeek() == 2 && now.getHours() == 22 && now.getHours("Europe/Berlin") == 0 && now.getDate("Europe/Berlin") == 1 && now.getMonth("Europe/Berlin") == 3',
    'now - timestamp("2026-03-31T21:00:00Z") == duration("1h30m") && now + duration("-1h") < now && duration("90m").getHours() == 1',
    'count("1h", "sends") == 3 && mode == "test" && "sends" in tool.effects && account == null',
    '1 == 1 // a comment',
  ])
    test(`true: ${source}`, () => assert.equal(evaluate(source), true))

  for (const source of [
    '1 / 0 == 1',
    '1 % 0 == 1',
    '9223372036854775807 + 1 > 0',
    '1 + 1.5 == 2.5',
    '"a" + 1 == "a1"',
    '"a" < 1',
    '[1][1] == 1',
    '[1][-1] == 1',
    'args.to == "x"',
    'account.identity == "x"',
    'has(mode.x)',
    'tool.name',
    '1 ? true : false',
    '"x" && true',
    '5.all(x, true)',
    '{[1]: 2} == {}',
    '{"a": 1, "a": 2} == {}',
    'int("x") == 1',
    'timestamp("yesterday") < now',
    'timestamp("0000-12-31T00:00:00Z") < now',
    'now + duration("99999999h") > now',
    'duration("315576000000s") + duration("1s") > duration("1s")',
    '[1, 2].exists_one(x, 1 / 0 == x)',
  ])
    test(`no boolean: ${source}`, () => assert.notEqual(typeof evaluate(source), 'boolean'))

  test('one operand or item decides, even if others fail', () => {
    for (const source of [
      'args.x || true',
      'true || args.x',
      '!(false && 1 / 0 == 1)',
      '[0, 1].exists(x, 1 / x == 1)',
      '![0, 1].all(x, 1 / x == 2)',
    ])
      assert.equal(evaluate(source), true, source)
    for (const source of ['args.x || false', '[0, 2].exists(x, 1 / x == 1)', 'args.x && true'])
      assert.ok(fails(source), source)
  })

  test('a fact that is not given makes a result unknown, unless something else decides', () => {
    assert.deepEqual(evaluate('user.id == "x" || 1 / 0 == 1'), evaluate('1 / 0 == 1 || user.id == "x"'))
    for (const source of ['user.id == "x"', 'count("2h") > 1', 'pack == null'])
      assert.ok((evaluate(source) as Failure).isUnknown, source)
    assert.equal(evaluate('user.id == "x" || true'), true)
  })

  test('null is a value, and a missing field is not', () => {
    assert.equal(evaluate('has(args.to) && args.to == null', { to: null }), true)
    assert.equal(evaluate('has(args.to)', {}), false)
    assert.ok(fails('has(args.to.cc)', {}))
  })
})

describe('hostile values', () => {
  test('inherited properties are not fields, and own ones with their names are', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length']) {
      assert.equal(evaluate(`has(args.${name})`), false, name)
      assert.ok(fails(`args.${name} == 1`), name)
      assert.ok(fails(`args["${name}"] == 1`), name)
      assert.ok(fails(`{}.${name} == 1`), name)
      const own = JSON.parse(`{"${name}": 7}`)
      assert.equal(
        evaluate(`args.${name} == 7 && "${name}" in args && args == {"${name}": 7}`, own),
        true,
        name,
      )
    }
    assert.ok(fails('args.s.length == 1', { s: 'a' }))
    assert.ok(fails('args.l.length == 1', { l: ['a'] }))
  })

  test('numbers beyond the precision of doubles, infinity and NaN are compared by value', () => {
    const args = { large: 2 ** 53, negativeZero: -0 }
    assert.equal(evaluate('args.large < 9007199254740993 && args.large != 9007199254740993', args), true)
    assert.equal(evaluate('args.large == 9007199254740992 && args.negativeZero == 0', args), true)
    assert.equal(
      evaluate('0.0 / 0.0 != 0.0 / 0.0 && !(0.0 / 0.0 < 1.0) && 1.0 / 0.0 > 9223372036854775807'),
      true,
    )
    assert.ok(fails('int(1.0 / 0.0) == 1'))
  })

  test('lone surrogates are characters', () => {
    const args = { s: 'a\ud800', t: '\udc00\ud800' }
    assert.equal(evaluate('args.s.size() == 2 && args.t.size() == 2 && args.s != "a"', args), true)
    assert.equal(evaluate('args.s.matches("^a.$") && !args.s.matches("\\\\p{L}$")', args), true)
  })
})

describe('bounds', () => {
  for (const { name, source, args } of hostileConditions())
    test(`${name}: stops when its steps are used`, () => {
      const meter = { left: 15_000 }
      assert.equal(evaluate(source, args, meter), OUT_OF_STEPS)
      assert.ok(meter.left < 0)
      // Another rule can be evaluated: nothing of the first one is still running or kept.
      assert.equal(evaluate('1 == 1'), true)
    })

  test('what a condition reads of large arguments determines its steps, not their size', () => {
    const meter = { left: 15_000 }
    assert.equal(
      evaluate(
        'args.to.endsWith("@acme.com") && args.l[59999] == 59999',
        { to: 'x@acme.com', l: numbers(60_000), s: longText },
        meter,
      ),
      true,
    )
    assert.ok(meter.left > 14_980, `${meter.left} steps left`)
  })

  test('an operand after the steps are used does not decide', () => {
    assert.equal(evaluate('args.l.all(x, x in args.l) || true', { l: numbers(5000) }), OUT_OF_STEPS)
  })

  test('a pattern takes steps in proportion to the text', () => {
    const stepsFor = (length: number): number => {
      const meter = { left: 10_000_000 }
      assert.equal(
        evaluate('args.s.matches("(a|aa|[a-c]+)+$")', { s: `${'a'.repeat(length)}!` }, meter),
        false,
      )
      return 10_000_000 - meter.left
    }
    assert.ok(stepsFor(20_000) < 2.1 * stepsFor(10_000))
  })

  test('the number of patterns of a condition is limited', () => {
    const source = (count: number) => Array.from({ length: count }, () => 'mode.matches("t")').join(' && ')
    assert.equal(evaluate(source(MAX_PATTERNS)), true)
    assert.throws(() => compileCondition(source(MAX_PATTERNS + 1)), /at most 10 patterns/)
  })

  test('a condition that is too long or too deeply nested is rejected', () => {
    const deep = MAX_CONDITION_DEPTH + 1
    for (const source of [
      ' '.repeat(MAX_CONDITION_LENGTH + 1),
      `${'('.repeat(deep)}true${')'.repeat(deep)}`,
      `${'['.repeat(deep)}1${']'.repeat(deep)} == 1`,
      `${'!'.repeat(deep)}true`,
      `1${' + 1'.repeat(deep)} > 1`,
      `args${'.a'.repeat(deep)}`,
      `${'true ? true : '.repeat(deep)}true`,
      '('.repeat(1900),
    ])
      assert.throws(() => compileCondition(source), /nested too deeply|more than/, source.slice(0, 40))
    assert.equal(evaluate(Array.from({ length: 200 }, () => 'true').join(' && ')), true)
  })
})

describe('syntax', () => {
  for (const source of [
    '',
    'true true',
    '1 +',
    'args.',
    'args.to(',
    '[1, 2',
    '{"a" 1}',
    '"a',
    "'''a",
    '"\\q"',
    '"\\ud800"',
    '9223372036854775808',
    '1u == 1',
    'b"a" == "a"',
    '12abc',
    'a = b',
    'while',
    'has(args)',
    '[1].all(1, true)',
    'type(1) == int',
    'unknown == 1',
    'args.s.matches(args.t)',
    'now.getHours(args.zone) == 1',
    'count(args.period) > 1',
  ])
    test(`rejects ${source}`, () => assert.throws(() => compileCondition(source)))

  for (const pattern of [
    '(',
    ')',
    '[a',
    'a**',
    '*',
    '(?=a)',
    '(?<!a)',
    '(a)\\\\1',
    'a{2,1}',
    'a{1001}',
    '(a{100}){100}',
    '\\\\p{Nope}',
    '[b-a]',
    '\\\\y',
  ])
    test(`rejects the pattern ${pattern}`, () =>
      assert.throws(() => compileCondition(`args.s.matches("${pattern}")`)))

  test('the smallest integer', () =>
    assert.equal(evaluate('-9223372036854775808 < -9223372036854775807'), true))
})
