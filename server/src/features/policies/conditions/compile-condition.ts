import { functions } from './functions.ts'
import { findOverload, type Overload } from './overload.ts'
import { type Node, parseCondition } from './parse-condition.ts'
import { type Count, countKey } from './policy.ts'
import {
  entryOf,
  Failure,
  integerOf,
  isMap,
  keysOf,
  kindOf,
  type MapKey,
  type Meter,
  OUT_OF_STEPS,
  type Result,
  spend,
  type Value,
} from './values.ts'

/** The variables of conditions. A fact that is not given is undefined, and what depends on it is unknown. */
export const variables = ['tool', 'account', 'user', 'client', 'args', 'pack', 'mode', 'now'] as const
export type Variable = (typeof variables)[number]

export type Facts = { [name in Variable]: Value | undefined } & {
  counts: ReadonlyMap<string, number> | undefined
}

export type Condition = (facts: Facts, meter: Meter) => Result

type Evaluation = { facts: Facts; meter: Meter; locals: Value[] }
type Step = (evaluation: Evaluation) => Result
/** The variables of the macros around a node; the innermost is the last. */
type Scope = readonly string[]

const UNKNOWN = new Failure('The fact is not known.', true)
const NOT_BOOLEAN = new Failure('A condition must be true or false.')

/** A function of literals is called when it is compiled. */
const MAX_CONSTANT_STEPS = 1000

/** Compiles an expression to functions. Throws an error if it is invalid. */
export const compileCondition = (source: string): Condition => compileParsed(parseCondition(source))

export const compileParsed = (node: Node): Condition => {
  const step = compileNode(node, [])
  return (facts, meter) => step({ facts, meter, locals: [] })
}

/** Every node takes a step. */
const compileNode = (node: Node, scope: Scope): Step => {
  const step = compileKind(node, scope)
  return evaluation => (spend(evaluation.meter, 1) ? step(evaluation) : OUT_OF_STEPS)
}

const compileKind = (node: Node, scope: Scope): Step => {
  switch (node.kind) {
    case 'literal':
      return () => node.value
    case 'variable':
      return compileVariable(node.name, scope)
    case 'field':
      return compileField(node, scope)
    case 'has':
      return compileHas(node, scope)
    case 'index':
      return compileIndex(node, scope)
    case 'call':
      return node.name === 'count' ? compileCount(node) : compileCall(node, scope)
    case 'logic':
      return compileLogic(node, scope)
    case 'conditional':
      return compileConditional(node, scope)
    case 'list':
      return compileList(node, scope)
    case 'map':
      return compileMap(node, scope)
    case 'macro':
      return compileMacro(node, scope)
  }
}

type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>

const compileVariable = (name: string, scope: Scope): Step => {
  const slot = scope.lastIndexOf(name)
  if (slot !== -1) return ({ locals }) => locals[slot] as Value
  if (!isVariable(name)) throw new Error(`Unknown variable: ${name}`)
  return ({ facts }) => {
    const fact = facts[name]
    return fact === undefined ? UNKNOWN : fact
  }
}

const isVariable = (name: string): name is Variable => (variables as readonly string[]).includes(name)

const compileField = ({ target, name }: NodeOf<'field'>, scope: Scope): Step => {
  const targetStep = compileNode(target, scope)
  const missing = new Failure(`There is no field ${name}.`)
  return evaluation => {
    const value = targetStep(evaluation)
    if (value instanceof Failure) return value
    const found = isMap(value) ? entryOf(value, name) : undefined
    return found === undefined ? missing : found
  }
}

const compileHas = ({ target, name }: NodeOf<'has'>, scope: Scope): Step => {
  const targetStep = compileNode(target, scope)
  const notMap = new Failure('has() needs a field of a map.')
  return evaluation => {
    const value = targetStep(evaluation)
    if (value instanceof Failure) return value
    return isMap(value) ? entryOf(value, name) !== undefined : notMap
  }
}

const compileIndex = ({ target, index }: NodeOf<'index'>, scope: Scope): Step => {
  const [targetStep, indexStep] = [compileNode(target, scope), compileNode(index, scope)]
  const missing = new Failure('There is no such element.')
  return evaluation => {
    const value = targetStep(evaluation)
    if (value instanceof Failure) return value
    const key = indexStep(evaluation)
    if (key instanceof Failure) return key
    const found = Array.isArray(value)
      ? value[Number(integerOf(key) ?? -1)]
      : isMap(value)
        ? entryOf(value, key)
        : undefined
    return found === undefined ? missing : found
  }
}

/** The counts that a condition can read are known when it is compiled, so their arguments are literals. */
const compileCount = (node: NodeOf<'call'>): Step => {
  const count = countOf(node)
  if (!count) throw new Error('count() takes a period and an effect.')
  const key = countKey(count)
  return ({ facts: { counts } }) => {
    const value = counts?.get(key)
    return value === undefined ? UNKNOWN : BigInt(value)
  }
}

/** Returns null if the arguments are not literals. */
export const countOf = ({ args }: NodeOf<'call'>): Count | null => {
  const [period, effect, ...others] = args.map(arg =>
    arg.kind === 'literal' && typeof arg.value === 'string' ? arg.value : null,
  )
  if (typeof period !== 'string' || effect === null || others.length > 0) return null
  return effect === undefined ? { period } : { period, effect: effect as NonNullable<Count['effect']> }
}

const compileCall = ({ name, args }: NodeOf<'call'>, scope: Scope): Step => {
  const overloads = functions.get(name)?.filter(({ takes }) => takes.length === args.length) ?? []
  if (overloads.length === 0) throw new Error(`Unknown function: ${name}`)
  const prepared = prepare(overloads, args)
  const candidates = prepared ? [prepared] : overloads
  const mismatch = new Failure(`${name} does not take these values.`)
  const call = (meter: Meter, values: readonly Value[]): Result => {
    const found = findOverload(candidates, values.map(kindOf))
    return found ? found.run(meter, ...(values as never[])) : mismatch
  }
  const literals = args.flatMap(arg => (arg.kind === 'literal' ? [arg.value] : []))
  if (!prepared && literals.length === args.length) {
    const constant = call({ left: MAX_CONSTANT_STEPS }, literals)
    return () => constant
  }
  const steps = (prepared ? args.slice(0, -1) : args).map(arg => compileNode(arg, scope))
  return evaluation => {
    const values: Value[] = []
    for (const step of steps) {
      const value = step(evaluation)
      if (value instanceof Failure) return value
      values.push(value)
    }
    return call(evaluation.meter, values)
  }
}

/** The function with its last argument applied, if that must be a literal. */
const prepare = (overloads: readonly Overload[], args: readonly Node[]): Overload | null => {
  const found = overloads.find(overload => overload.prepare)
  if (!found?.prepare) return null
  const literal = args.at(-1)
  if (literal?.kind !== 'literal' || typeof literal.value !== 'string')
    throw new Error('The last argument must be a string literal.')
  return { takes: found.takes.slice(0, -1), gives: found.gives, run: found.prepare(literal.value) }
}

/** One operand decides, even if others fail. An unknown operand could still decide, so it outweighs a failed one. */
const compileLogic = ({ operator, operands }: NodeOf<'logic'>, scope: Scope): Step => {
  const steps = operands.map(operand => compileNode(operand, scope))
  const decides = operator === '||'
  return evaluation => {
    let failure: Failure | null = null
    for (const step of steps) {
      const value = step(evaluation)
      if (value === decides) return decides
      if (value !== !decides) failure = worse(failure, value instanceof Failure ? value : NOT_BOOLEAN)
    }
    return failure ?? !decides
  }
}

const worse = (before: Failure | null, after: Failure): Failure =>
  before === null || (after.isUnknown && !before.isUnknown) ? after : before

const compileConditional = ({ test, yes, no }: NodeOf<'conditional'>, scope: Scope): Step => {
  const [testStep, yesStep, noStep] = [
    compileNode(test, scope),
    compileNode(yes, scope),
    compileNode(no, scope),
  ]
  return evaluation => {
    const value = testStep(evaluation)
    if (typeof value === 'boolean') return value ? yesStep(evaluation) : noStep(evaluation)
    return value instanceof Failure ? value : NOT_BOOLEAN
  }
}

const compileList = ({ items }: NodeOf<'list'>, scope: Scope): Step => {
  const constants = items.map(item => (item.kind === 'literal' ? item.value : undefined))
  // Lists of literals, such as the allowed domains, are created once.
  if (!constants.includes(undefined)) return () => constants as Value[]
  const steps = items.map(item => compileNode(item, scope))
  return evaluation => {
    const values: Value[] = []
    for (const step of steps) {
      const value = step(evaluation)
      if (value instanceof Failure) return value
      values.push(value)
    }
    return values
  }
}

const compileMap = ({ entries }: NodeOf<'map'>, scope: Scope): Step => {
  const steps = entries.map(({ key, value }) => [compileNode(key, scope), compileNode(value, scope)] as const)
  const invalidKey = new Failure('A key of a map must be a string, an integer or a boolean, and unique.')
  return evaluation => {
    const map = new Map<MapKey, Value>()
    for (const [keyStep, valueStep] of steps) {
      const key = keyStep(evaluation)
      if (key instanceof Failure) return key
      const value = valueStep(evaluation)
      if (value instanceof Failure) return value
      if ((typeof key !== 'string' && typeof key !== 'bigint' && typeof key !== 'boolean') || map.has(key))
        return invalidKey
      map.set(key, value)
    }
    return map
  }
}

const compileMacro = ({ name, range, variable, filter, body }: NodeOf<'macro'>, scope: Scope): Step => {
  const rangeStep = compileNode(range, scope)
  const inner = [...scope, variable]
  const [filterStep, bodyStep] = [filter && compileNode(filter, inner), compileNode(body, inner)]
  const notRepeatable = new Failure(`${name}() needs a list or a map.`)
  const run = macros[name]
  return evaluation => {
    const value = rangeStep(evaluation)
    if (value instanceof Failure) return value
    const items = isMap(value) ? keysOf(value, evaluation.meter) : value
    if (items instanceof Failure) return items
    if (!Array.isArray(items)) return notRepeatable
    const at = (step: Step) => (item: Value) => {
      evaluation.locals[scope.length] = item
      return step(evaluation)
    }
    return run(items, at(bodyStep), filterStep && at(filterStep))
  }
}

type ItemStep = (item: Value) => Result
type RunMacro = (items: readonly Value[], body: ItemStep, filter: ItemStep | null) => Result

/** Like `&&` and `||` over the items: one item decides, even if others fail. */
const quantifier =
  (decides: boolean): RunMacro =>
  (items, body) => {
    let failure: Failure | null = null
    for (const item of items) {
      const value = body(item)
      if (value === decides) return decides
      if (value === OUT_OF_STEPS) return value
      if (value !== !decides) failure = worse(failure, value instanceof Failure ? value : NOT_BOOLEAN)
    }
    return failure ?? !decides
  }

const selectItems = (items: readonly Value[], filter: ItemStep | null, body: ItemStep | null): Result => {
  const selected: Value[] = []
  for (const item of items) {
    const isSelected = filter ? filter(item) : true
    if (typeof isSelected !== 'boolean') return isSelected instanceof Failure ? isSelected : NOT_BOOLEAN
    if (!isSelected) continue
    const value = body ? body(item) : item
    if (value instanceof Failure) return value
    selected.push(value)
  }
  return selected
}

const macros: Record<NodeOf<'macro'>['name'], RunMacro> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: (items, body) => {
    const selected = selectItems(items, body, null)
    return selected instanceof Failure ? selected : (selected as readonly Value[]).length === 1
  },
  filter: (items, body) => selectItems(items, body, null),
  map: (items, body, filter) => selectItems(items, filter, body),
}
