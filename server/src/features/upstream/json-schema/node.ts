import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { arrayChecks } from './arrays.ts'
import type { Check, CheckRun, Evaluated } from './check-run.ts'
import { type Branch, explainUnion, fieldsOf } from './explain-union.ts'
import { objectChecks } from './objects.ts'
import { scalarChecks } from './scalars.ts'

const ALWAYS: Check = () => true
const NEVER: Check = (_value, run) => run.fail('is not allowed')

export const prepareNode = (schema: unknown): Check => {
  if (!isObject(schema)) return schema === false ? NEVER : ALWAYS
  const parts = [
    ...arrayChecks(schema, prepareNode),
    ...objectChecks(schema, prepareNode),
    ...combinators(schema),
  ]
  // A value of the wrong type has no further issues, and which parts are unevaluated is known only if the others are valid.
  const all = inOrder([
    ...scalarChecks(schema),
    ...(parts.length > 0 ? [allOf(parts)] : []),
    ...unevaluated(schema),
  ])
  const collects = schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined
  if (!collects) return all
  // The keyword applies to what this schema and its subschemas have not evaluated; the caller receives all that was.
  return (value, run, evaluated) => {
    const own: Evaluated = { properties: new Set(), items: new Set() }
    if (!all(value, run, own)) return false
    merge(own, evaluated, run)
    return true
  }
}

const merge = (from: Evaluated, into: Evaluated | null, run: CheckRun): void => {
  if (!into) return
  run.spend(from.properties.size + from.items.size)
  for (const name of from.properties) into.properties.add(name)
  for (const index of from.items) into.items.add(index)
}

/** Stops at the first check that fails. */
const inOrder =
  (checks: Check[]): Check =>
  (value, run, evaluated) => {
    run.spend(1 + checks.length)
    for (const check of checks) if (!check(value, run, evaluated)) return false
    return true
  }

/** Goes on after a failure, as long as issues are reported. */
const allOf =
  (checks: Check[]): Check =>
  (value, run, evaluated) => {
    run.spend(1 + checks.length)
    let isValid = true
    for (const check of checks) {
      if (check(value, run, evaluated)) continue
      if (!run.reports) return false
      isValid = false
    }
    return isValid
  }

/** Properties and items evaluated by a failing schema do not count. */
const probeMerging = (check: Check, value: unknown, run: CheckRun, evaluated: Evaluated | null): boolean => {
  const own: Evaluated | null = evaluated && { properties: new Set(), items: new Set() }
  const passed = run.probe(check, value, own)
  if (passed && own) merge(own, evaluated, run)
  return passed
}

const combinators = (schema: JsonObject): Check[] => {
  const all = Array.isArray(schema.allOf) ? schema.allOf.map(prepareNode) : null
  const any = branches(schema.anyOf)
  const one = branches(schema.oneOf)
  return [
    ...(all ? [allOf(all)] : []),
    ...(any ? [countingCheck(any, 'anyOf')] : []),
    ...(one ? [countingCheck(one, 'oneOf')] : []),
    ...(schema.not === undefined ? [] : [notCheck(prepareNode(schema.not))]),
    ...(schema.if === undefined ? [] : [conditional(schema)]),
  ]
}

const branches = (list: unknown): Branch[] | null =>
  Array.isArray(list) ? list.map(schema => ({ check: prepareNode(schema), fields: fieldsOf(schema) })) : null

const countingCheck =
  (all: Branch[], keyword: 'anyOf' | 'oneOf'): Check =>
  (value, run, evaluated) => {
    run.spend(1)
    let passed = 0
    for (const { check } of all) {
      if (probeMerging(check, value, run, evaluated)) passed++
      const decided = keyword === 'anyOf' ? passed > 0 && !evaluated : passed > 1
      if (decided) break
    }
    if (keyword === 'anyOf' ? passed > 0 : passed === 1) return true
    return passed > 1
      ? run.fail('must match exactly one of its forms (oneOf), and matches several')
      : explainUnion(all, value, run)
  }

const notCheck =
  (check: Check): Check =>
  (value, run) =>
    run.probe(check, value, null) ? run.fail('must NOT be valid') : true

const conditional = (schema: JsonObject): Check => {
  const condition = prepareNode(schema.if)
  const yes = prepareNode(schema.then ?? true)
  const no = prepareNode(schema.else ?? true)
  return (value, run, evaluated) =>
    (probeMerging(condition, value, run, evaluated) ? yes : no)(value, run, evaluated)
}

const unevaluated = (schema: JsonObject): Check[] => {
  const { unevaluatedProperties, unevaluatedItems } = schema
  const property = prepareNode(unevaluatedProperties ?? true)
  const item = prepareNode(unevaluatedItems ?? true)
  const checkProperties: Check = (value, run, evaluated) => {
    if (!isObject(value) || !evaluated) return true
    for (const name of Object.keys(value)) {
      run.spend(1)
      if (evaluated.properties.has(name)) continue
      if (unevaluatedProperties === false)
        return run.fail('must NOT have unevaluated properties', () => ({ name }))
      if (!run.at(name, property, value[name])) return false
      evaluated.properties.add(name)
    }
    return true
  }
  const checkItems: Check = (value, run, evaluated) => {
    if (!Array.isArray(value) || !evaluated) return true
    for (let index = 0; index < value.length; index++) {
      run.spend(1)
      if (evaluated.items.has(index)) continue
      if (unevaluatedItems === false) return run.fail('must NOT have unevaluated items')
      if (!run.at(index, item, value[index])) return false
      evaluated.items.add(index)
    }
    return true
  }
  return [
    ...(unevaluatedProperties === undefined ? [] : [checkProperties]),
    ...(unevaluatedItems === undefined ? [] : [checkItems]),
  ]
}
