import { toolEffects } from '@carabiner/contract'
import { similarNames } from '../../../core/similar-names.ts'
import { countOf, type Variable, variables } from './compile-condition.ts'
import { functions } from './functions.ts'
import { findOverload, type Overload } from './overload.ts'
import { type Node, parseCondition, visitNodes } from './parse-condition.ts'
import type { ConditionIssue, NamedTool } from './policy.ts'
import { parsePeriod } from './times.ts'
import { SyntaxIssue } from './tokenize.ts'
import { ANY, BOOL, STRING, type Type, typeOfArguments, variableTypes } from './types.ts'
import { Failure, type Kind, kindOf } from './values.ts'

const MAX_ISSUES = 20

/**
 * Checks a condition before it is saved. `tools` are the tools that the rule names, with their schemas; none if the rule is for
 * all tools. Returns no issues if the condition can be saved.
 */
export const checkCondition = (
  when: string,
  { tools }: { tools: readonly NamedTool[] },
): ConditionIssue[] => {
  try {
    const node = parseCondition(when)
    const checker = createChecker(node, tools)
    const { kind } = checker.infer(node, new Map())
    if (kind !== 'bool' && kind !== 'any')
      checker.report(node, `A condition must be true or false; this is ${nameOf(kind)}.`)
    return checker.issues.slice(0, MAX_ISSUES)
  } catch (error) {
    if (error instanceof SyntaxIssue) return [error.issue]
    throw error
  }
}

type Scope = ReadonlyMap<string, Type>
type Checker = {
  issues: ConditionIssue[]
  report: (node: Node, message: string) => void
  infer: (node: Node, scope: Scope) => Type
}
type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>

const createChecker = (root: Node, tools: readonly NamedTool[]): Checker => {
  const issues: ConditionIssue[] = []
  const argumentsType = typeOfArguments(tools)
  const tested = testedPaths(root)

  const report = ({ offset, length }: Node, message: string): void => {
    issues.push({ message, position: { offset, length } })
  }

  const infer = (node: Node, scope: Scope): Type => {
    if (issues.length >= MAX_ISSUES) return ANY
    switch (node.kind) {
      case 'literal':
        return typeOfLiteral(node.value)
      case 'variable':
        return inferVariable(node, scope)
      case 'field':
        return inferField(node, node.name, infer(node.target, scope))
      case 'has':
        inferField(node, node.name, infer(node.target, scope))
        return BOOL
      case 'index':
        return inferIndex(node, scope)
      case 'call':
        return node.name === 'count' ? inferCount(node) : inferCall(node, scope)
      case 'logic':
        for (const operand of node.operands) expectBool(operand, scope, `"${node.operator}"`)
        return BOOL
      case 'conditional': {
        expectBool(node.test, scope, '"?"')
        return commonType([infer(node.yes, scope), infer(node.no, scope)])
      }
      case 'list':
        return { kind: 'list', item: commonType(node.items.map(item => infer(item, scope))) }
      case 'map':
        for (const { key, value } of node.entries) {
          infer(key, scope)
          infer(value, scope)
        }
        return { kind: 'map' }
      case 'macro':
        return inferMacro(node, scope)
    }
  }

  const expectBool = (node: Node, scope: Scope, where: string): void => {
    const { kind } = infer(node, scope)
    if (kind !== 'bool' && kind !== 'any')
      report(node, `${where} needs true or false; this is ${nameOf(kind)}.`)
  }

  const inferVariable = (node: NodeOf<'variable'>, scope: Scope): Type => {
    const local = scope.get(node.name)
    if (local) return local
    if (!isVariable(node.name)) {
      report(node, `Unknown variable "${node.name}".${suggest(node.name, [...scope.keys(), ...variables])}`)
      return ANY
    }
    if (node.name !== 'args') return variableTypes[node.name]
    if (tools.length > 0) return argumentsType
    report(node, 'A condition that reads args must be in a rule that names its tools.')
    return ANY
  }

  const inferField = (node: NodeOf<'field' | 'has' | 'index'>, name: string, target: Type): Type => {
    if (target.kind !== 'map' && target.kind !== 'any') {
      report(node, `${nameOf(target.kind)} has no fields.`)
      return ANY
    }
    if (target.kind !== 'map' || !target.fields) return ANY
    const field = target.fields.get(name)
    const path = pathOf(node)
    if (!field) {
      const owner = pathOf(node.target) ?? 'The value'
      report(node, `${owner} has no field "${name}".${suggest(name, target.fields.names())}`)
      return ANY
    }
    const [tool] = field.absentFrom
    if (tool !== undefined && node.kind !== 'has' && !(path !== null && tested.has(path)))
      report(
        node,
        `Calls of ${tool} may have no field "${name}". Test it first: has(${path ?? `….${name}`}) && …`,
      )
    return field.type
  }

  const inferIndex = (node: NodeOf<'index'>, scope: Scope): Type => {
    const target = infer(node.target, scope)
    const index = infer(node.index, scope)
    if (target.kind === 'list') {
      if (!['int', 'double', 'any'].includes(index.kind))
        report(node.index, 'The index of a list is a number.')
      return target.item
    }
    if (target.kind !== 'map' && target.kind !== 'any')
      report(node, `${nameOf(target.kind)} has no elements.`)
    const isName = node.index.kind === 'literal' && typeof node.index.value === 'string'
    return isName ? inferField(node, String((node.index as NodeOf<'literal'>).value), target) : ANY
  }

  const inferCount = (node: NodeOf<'call'>): Type => {
    const count = countOf(node)
    if (!count)
      report(node, 'count() takes a period and an effect as literals, such as count("1h", "sends").')
    else {
      if (parsePeriod(count.period) === null)
        report(
          node,
          'The period of count() is from "1m" to "31d", in seconds (s), minutes (m), hours (h) or days (d).',
        )
      if (count.effect !== undefined && !toolEffects.includes(count.effect))
        report(node, `Unknown effect "${count.effect}".${suggest(count.effect, toolEffects)}`)
    }
    return { kind: 'int' }
  }

  const inferCall = (node: NodeOf<'call'>, scope: Scope): Type => {
    const types = node.args.map(arg => infer(arg, scope))
    const overloads = functions.get(node.name)
    if (!overloads) {
      report(node, `Unknown function "${labelOf(node.name)}".${suggestFunction(node.name)}`)
      return ANY
    }
    const found = findOverload(
      overloads,
      types.map(({ kind }) => kind),
    )
    if (!found) {
      report(node, mismatchOf(node.name, types))
      return ANY
    }
    const isAlwaysUnequal = ['==', '!=', 'in'].includes(node.name) ? neverEqual(node, types) : null
    if (isAlwaysUnequal) report(node, isAlwaysUnequal)
    checkLiterals(node, found)
    return resultOf(found, overloads, types)
  }

  /** The literals that a function gets are known to be wrong before any call. */
  const checkLiterals = (node: NodeOf<'call'>, { prepare, run }: Overload): void => {
    const values = node.args.map(arg => (arg.kind === 'literal' ? arg.value : undefined))
    if (prepare) {
      const literal = values.at(-1)
      if (typeof literal !== 'string')
        report(node, `The last argument of ${labelOf(node.name)} must be a string literal.`)
      else
        try {
          prepare(literal)
        } catch (error) {
          report(node, `${JSON.stringify(literal)} is not valid: it ${(error as Error).message}.`)
        }
    } else if (!values.includes(undefined)) {
      const result = run({ left: 10_000 }, ...(values as never[]))
      if (result instanceof Failure) report(node, result.reason)
    }
  }

  const inferMacro = (node: NodeOf<'macro'>, scope: Scope): Type => {
    const range = infer(node.range, scope)
    if (!['list', 'map', 'any'].includes(range.kind))
      report(node, `${node.name}() needs a list or a map; this is ${nameOf(range.kind)}.`)
    const item = range.kind === 'list' ? range.item : range.kind === 'map' ? STRING : ANY
    const inner = new Map(scope).set(node.variable, item)
    if (node.filter) expectBool(node.filter, inner, `${node.name}()`)
    if (node.name === 'map') return { kind: 'list', item: infer(node.body, inner) }
    expectBool(node.body, inner, `${node.name}()`)
    return node.name === 'filter' ? { kind: 'list', item } : BOOL
  }

  return { issues, report, infer }
}

const isVariable = (name: string): name is Variable => (variables as readonly string[]).includes(name)

const typeOfLiteral = (value: NodeOf<'literal'>['value']): Type => {
  const kind = kindOf(value)
  return typeof value === 'string' ? { kind: 'string', values: [value] } : ({ kind } as Type)
}

const commonType = (types: readonly Type[]): Type => {
  const [first] = types
  if (!first || types.some(({ kind }) => kind !== first.kind)) return ANY
  if (first.kind === 'string') {
    const values = types.map(type => (type.kind === 'string' ? type.values : undefined))
    return values.includes(undefined) ? STRING : { kind: 'string', values: values.flat() as string[] }
  }
  if (first.kind === 'list')
    return { kind: 'list', item: commonType(types.map(type => (type.kind === 'list' ? type.item : ANY))) }
  return types.length > 1 && first.kind === 'map' ? { kind: 'map' } : first
}

/** A function of values whose kinds are not known may be another overload. */
const resultOf = (found: Overload, overloads: readonly Overload[], types: readonly Type[]): Type => {
  const candidates = types.some(({ kind }) => kind === 'any')
    ? overloads.filter(({ takes }) => takes.length === types.length)
    : [found]
  const kinds = new Set(candidates.map(({ gives }) => gives))
  const [kind] = kinds
  if (kinds.size !== 1 || kind === undefined) return ANY
  if (kind === 'list')
    return { kind, item: commonType(types.map(type => (type.kind === 'list' ? type.item : ANY))) }
  return kind === 'string' || kind === 'map' ? { kind } : { kind }
}

/** Why two values can never be equal, such as a misspelled value of an enumeration. */
const neverEqual = (
  { name, args }: NodeOf<'call'>,
  [left = ANY, right = ANY]: readonly Type[],
): string | null => {
  const other = name === 'in' ? (right.kind === 'list' ? right.item : ANY) : right
  if (left.kind === 'string' && other.kind === 'string' && left.values && other.values) {
    const [known, given] =
      args[0]?.kind === 'literal' ? [other.values, left.values] : [left.values, other.values]
    const isLiteral = args.some(arg => arg.kind === 'literal' || arg.kind === 'list')
    const wrong = given.find(value => !known.includes(value))
    if (isLiteral && wrong !== undefined) return `"${wrong}" is not a possible value.${suggest(wrong, known)}`
  }
  const isNumber = (kind: Type['kind']) => kind === 'int' || kind === 'double'
  const canBeEqual =
    left.kind === other.kind ||
    [left.kind, other.kind].some(kind => kind === 'any' || kind === 'null') ||
    (isNumber(left.kind) && isNumber(other.kind))
  return canBeEqual ? null : `${nameOf(left.kind)} is never equal to ${nameOf(other.kind)}.`
}

const mismatchOf = (name: string, types: readonly Type[]): string => {
  const kinds = types.map(({ kind }) => kind)
  const isMixed = '+-*/%'.includes(name) && kinds.includes('int') && kinds.includes('double')
  const hint = isMixed ? ' Write integers as doubles, such as 2.0: the numbers of arguments are doubles.' : ''
  return `"${labelOf(name)}" does not take ${kinds.map(nameOf).join(' and ') || 'no arguments'}.${hint}`
}

const NAMES: Record<Kind | 'any', string> = {
  any: 'any value',
  bool: 'a bool',
  int: 'an int',
  double: 'a double',
  string: 'a string',
  null: 'null',
  list: 'a list',
  map: 'a map',
  timestamp: 'a timestamp',
  duration: 'a duration',
}
const nameOf = (kind: Type['kind']): string => NAMES[kind]

const labelOf = (name: string): string => (name === 'negate' ? '-' : name.replace(/^\./, ''))

const suggest = (given: string, known: readonly string[]): string => {
  const [nearest] = similarNames(given, known, 1)
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`
}

const MACROS = ['.all', '.exists', '.exists_one', '.filter', '.map']

const suggestFunction = (name: string): string => {
  const isMethod = name.startsWith('.')
  const known = [...functions.keys(), ...MACROS, 'count', 'has']
    .filter(other => other.startsWith('.') === isMethod && /\w/.test(other) && other !== 'negate')
    .map(labelOf)
  return suggest(labelOf(name), known)
}

/** `args.message.to`; null if the value is not a field of a variable. */
const pathOf = (node: Node): string | null => {
  if (node.kind === 'variable') return node.name
  if (node.kind !== 'field' && node.kind !== 'has' && node.kind !== 'index') return null
  const name = node.kind === 'index' ? stringOf(node.index) : node.name
  const target = pathOf(node.target)
  return target === null || name === null ? null : `${target}.${name}`
}

const stringOf = (node: Node): string | null =>
  node.kind === 'literal' && typeof node.value === 'string' ? node.value : null

/** Whether a valid condition reads what an API key can set: the labels of accounts and the metadata of users. */
export const readsLabelsOrMetadata = (when: string): boolean => {
  let reads = false
  visitNodes(parseCondition(when), node => {
    reads ||= ['account.label', 'user.metadata'].includes(pathOf(node) ?? '')
  })
  return reads
}

/** The fields whose presence the condition tests, with `has(args.to)` or `"to" in args`. */
const testedPaths = (root: Node): Set<string> => {
  const paths = new Set<string | null>()
  visitNodes(root, node => {
    if (node.kind === 'has') paths.add(pathOf(node))
    if (node.kind !== 'call' || node.name !== 'in') return
    const [name, target] = node.args as [Node, Node]
    if (name.kind === 'literal' && pathOf(target) !== null)
      paths.add(`${pathOf(target)}.${String(name.value)}`)
  })
  paths.delete(null)
  return paths as Set<string>
}
