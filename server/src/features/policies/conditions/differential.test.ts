import assert from 'node:assert/strict'
import { test } from 'node:test'
import { celEnv, isCelError, parse, plan } from '@bufbuild/cel'
import { Environment } from '@marcbachmann/cel-js'
import { type Random, seeded } from '../../../../../packages/detection/test/random.ts'
import { compileCondition, type Facts } from './compile-condition.ts'
import type { Value } from './values.ts'

type Outcome = boolean | 'fails'
type Bindings = { args: Record<string, Value>; mode: string }
type Evaluate = (bindings: Bindings) => Outcome

const outcomeOf = (result: unknown): Outcome => (typeof result === 'boolean' ? result : 'fails')

const ours = (source: string): Evaluate => {
  const condition = compileCondition(source)
  return bindings => outcomeOf(condition(bindings as unknown as Facts, { left: 1_000_000 }))
}

const buf = celEnv()
const withBuf = (source: string): Evaluate => {
  const evaluate = plan(buf, parse(source))
  return bindings => {
    const result = evaluate(bindings as never)
    return isCelError(result) ? 'fails' : outcomeOf(result)
  }
}

const celJs = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })
const withCelJs =
  (source: string): Evaluate =>
  bindings => {
    try {
      return outcomeOf(celJs.evaluate(source, bindings))
    } catch {
      return 'fails'
    }
  }

const TEXTS = ['', 'a', 'ab', 'b', 'A', 'é', 'x@acme.com', '😀']
const NUMBERS = [0, 1, 2, -1, 0.5, 2 ** 53]

const randomBindings = (random: Random): Bindings => {
  const value = (depth: number): Value => {
    const kind = random.below(depth > 2 ? 4 : 6)
    if (kind === 0) return random.pick(TEXTS)
    if (kind === 1) return random.pick(NUMBERS)
    if (kind === 2) return random.below(2) === 0
    if (kind === 3) return null
    const size = random.below(3)
    if (kind === 4) return Array.from({ length: size }, () => value(depth + 1))
    return Object.fromEntries(Array.from({ length: size }, () => [random.pick(FIELDS), value(depth + 1)]))
  }
  return { args: Object.fromEntries(FIELDS.map(name => [name, value(0)])), mode: random.pick(TEXTS) }
}

const FIELDS = ['s', 'n', 'b', 'l', 'm', 'x']

const randomCondition = (random: Random): string => {
  let variables = 0
  const sign = (...signs: string[]) => random.pick(signs)
  const bool = (depth: number, scope: string[]): string => {
    if (depth > 4) return random.pick(['true', 'false', 'args.b'])
    const inner = (kind: (depth: number, scope: string[]) => string) => kind(depth + 1, scope)
    switch (random.below(14)) {
      case 0:
      case 1:
        return `(${inner(bool)} ${sign('&&', '||')} ${inner(bool)})`
      case 2:
        return `!(${inner(bool)})`
      case 3:
        return `${inner(any)} ${sign('==', '!=')} ${inner(any)}`
      case 4:
        return `${inner(number)} ${sign('<', '<=', '>', '>=')} ${inner(number)}`
      case 5:
        return `${inner(text)} ${sign('<', '<=', '>', '>=')} ${inner(text)}`
      case 6:
        return `${inner(text)}.${sign('startsWith', 'endsWith', 'contains')}(${inner(text)})`
      case 7:
        return `${inner(any)} in ${inner(list)}`
      case 8:
        return `has(args.${random.pick(FIELDS)})`
      case 9: {
        const name = `v${variables++}`
        return `${inner(list)}.${sign('all', 'exists', 'exists_one')}(${name}, ${bool(depth + 1, [...scope, name])})`
      }
      case 10:
        return `(${inner(bool)} ? ${inner(bool)} : ${inner(bool)})`
      case 11:
        return `${inner(text)}.matches("${random.pick(['^a', 'b$', '[a-b]+', '^.*$', '(a|b){2}', '\\\\d', '.@'])}")`
      default:
        return any(depth + 1, scope)
    }
  }
  const any = (depth: number, scope: string[]): string => {
    if (scope.length > 0 && random.below(3) === 0) return random.pick(scope)
    if (depth <= 4 && random.below(3) === 0) return random.pick([number, text, list])(depth + 1, scope)
    return random.pick([
      ...FIELDS.map(name => `args.${name}`),
      'args.m.s',
      'args.l[0]',
      'mode',
      'null',
      '1',
      '"a"',
    ])
  }
  const number = (depth: number, scope: string[]): string => {
    switch (depth > 4 ? 0 : random.below(6)) {
      case 0:
        return random.pick(['0', '1', '2', '-1', '0.5', '2.0', '9007199254740993', 'args.n'])
      case 1:
        return `size(${random.pick([text, list])(depth + 1, scope)})`
      case 2:
      case 3:
        return `(${number(depth + 1, scope)} ${sign('+', '-', '*', '/', '%')} ${number(depth + 1, scope)})`
      default:
        return any(depth + 1, scope)
    }
  }
  const text = (depth: number, scope: string[]): string => {
    if (depth <= 4 && random.below(4) === 0) return `(${text(depth + 1, scope)} + ${text(depth + 1, scope)})`
    return random.below(4) === 0
      ? any(depth + 1, scope)
      : random.pick([...TEXTS.map(t => JSON.stringify(t)), 'args.s', 'mode'])
  }
  const list = (depth: number, scope: string[]): string => {
    switch (depth > 4 ? 0 : random.below(5)) {
      case 0:
      case 1:
        return random.pick(['args.l', '[]', '[1, 2.0]', '["a", "b"]', 'args.x'])
      case 2: {
        const name = `v${variables++}`
        return `${list(depth + 1, scope)}.filter(${name}, ${bool(depth + 1, [...scope, name])})`
      }
      case 3: {
        const name = `v${variables++}`
        return `${list(depth + 1, scope)}.map(${name}, ${any(depth + 1, [...scope, name])})`
      }
      default:
        return `[${any(depth + 1, scope)}, ${any(depth + 1, scope)}]`
    }
  }
  return bool(0, [])
}

/** `@bufbuild/cel` converts an integer to a double to compare it with one. Our comparison is exact, as that of cel-js. */
const isInexact = (source: string): boolean => source.includes('9007199254740993')

/** `has()` of `@bufbuild/cel` reports a field whose value is null as absent. In CEL it is present. */
const testsNull = (source: string, { args }: Bindings): boolean =>
  FIELDS.some(name => args[name] === null && source.includes(`has(args.${name})`))

const CONDITIONS = 1000
const CALLS_PER_CONDITION = 3

test('random conditions: agree with two other implementations', () => {
  const random = seeded(2026)
  const outcomes = { true: 0, false: 0, fails: 0 }
  const compared = { buf: 0, celJs: 0 }
  const differences: string[] = []
  for (let count = 0; count < CONDITIONS; count++) {
    const source = randomCondition(random)
    const [ourEvaluate, bufEvaluate, celJsEvaluate] = [ours(source), withBuf(source), withCelJs(source)]
    for (let call = 0; call < CALLS_PER_CONDITION; call++) {
      const bindings = randomBindings(random)
      const outcome = ourEvaluate(bindings)
      outcomes[`${outcome}`]++
      const fromBuf = isInexact(source) || testsNull(source, bindings) ? null : bufEvaluate(bindings)
      const fromCelJs = celJsEvaluate(bindings)
      if (fromBuf !== null) compared.buf++
      if (fromBuf !== null && fromBuf !== outcome)
        differences.push(`${source} with ${JSON.stringify(bindings)}: ${outcome}, not ${fromBuf}`)
      // cel-js checks types before it evaluates, so it fails for parts that are not reached.
      // It also accepts operations that CEL rejects, such as `null in {}`.
      if (fromCelJs === 'fails' || (outcome === 'fails' && typeof fromBuf !== 'boolean')) continue
      compared.celJs++
      if (fromCelJs !== outcome)
        differences.push(`${source} with ${JSON.stringify(bindings)}: ${outcome}, not ${fromCelJs}`)
    }
  }
  assert.deepEqual(differences.slice(0, 10), [])
  // The conditions are not trivial, and most of them are compared.
  assert.ok(Math.min(...Object.values(outcomes)) > 200, JSON.stringify(outcomes))
  assert.ok(compared.buf > 2700 && compared.celJs > 1000, JSON.stringify(compared))
})

test('random patterns: agree with RE2', () => {
  const random = seeded(7)
  const atoms =
    '[a-b] a b . [ab] [^a] \\d \\w \\s \\D \\W \\S \\b \\B ^ $ \\z (?i)A (?i:[^b]) (?i)\\p{Lu} (?s). (?m)^ (?m)$ (a|b) (?:ab) (|a) 1 \\p{L} \\PL [[:digit:]] [[:^alpha:]] [^\\d\\s] \\x61 é K'
      .split(' ')
      .map(atom => atom.replaceAll('\\', '\\\\'))
  const repeats = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '*?', '{2,}']
  const patternOf = (): string =>
    Array.from({ length: 1 + random.below(5) }, () => {
      const atom = random.pick(atoms)
      return /^(?:\^|\$|\\\\[bBz]$|\(\?[a-z]+\))/.test(atom) ? atom : atom + random.pick(repeats)
    }).join(random.below(6) === 0 ? '|' : '')
  const differences: string[] = []
  let found = 0
  for (let count = 0; count < 1000; count++) {
    const source = `args.s.matches("${patternOf()}")`
    const [ourEvaluate, bufEvaluate] = [ours(source), withBuf(source)]
    for (let text = 0; text < 5; text++) {
      const bindings = { args: { s: random.letters(random.below(6), 'aAb1 \néKſ') }, mode: '' }
      const [outcome, expected] = [ourEvaluate(bindings), bufEvaluate(bindings)]
      if (outcome === true) found++
      if (outcome !== expected)
        differences.push(`${source} ${JSON.stringify(bindings.args.s)}: ${outcome}, not ${expected}`)
    }
  }
  assert.deepEqual(differences.slice(0, 10), [])
  assert.ok(found > 1000 && found < 4000, `${found} matches`)
})
