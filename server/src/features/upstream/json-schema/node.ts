import { isObject, type JsonObject } from '../json.ts'
import { arrayChecks } from './arrays.ts'
import type { Check, CheckRun, Evaluated } from './check-run.ts'
import { objectChecks } from './objects.ts'
import { scalarChecks } from './scalars.ts'

const ALWAYS: Check = () => true
const NEVER: Check = (_value, run) => run.fail('is not allowed')

export const prepareNode = (schema: unknown): Check => {
  if (!isObject(schema)) return schema === false ? NEVER : ALWAYS
  const checks = [
    ...scalarChecks(schema),
    ...arrayChecks(schema, prepareNode),
    ...objectChecks(schema, prepareNode),
    ...combinators(schema),
  ]
  const all = allOf([...checks, ...unevaluated(schema)])
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

const allOf =
  (checks: Check[]): Check =>
  (value, run, evaluated) => {
    run.spend(1 + checks.length)
    for (const check of checks) if (!check(value, run, evaluated)) return false
    return true
  }

/** Properties and items evaluated by a failing schema do not count. */
const probeMerging = (check: Check, value: unknown, run: CheckRun, evaluated: Evaluated | null): boolean => {
  const own: Evaluated | null = evaluated && { properties: new Set(), items: new Set() }
  const passed = run.probe(check, value, own)
  if (passed && own) merge(own, evaluated, run)
  return passed
}

const combinators = (schema: JsonObject): Check[] => {
  const list = (key: string): Check[] | null =>
    Array.isArray(schema[key]) ? (schema[key] as unknown[]).map(prepareNode) : null
  const all = list('allOf')
  const any = list('anyOf')
  const one = list('oneOf')
  return [
    ...(all ? [allOf(all)] : []),
    ...(any ? [countingCheck(any, 'anyOf')] : []),
    ...(one ? [countingCheck(one, 'oneOf')] : []),
    ...(schema.not === undefined ? [] : [notCheck(prepareNode(schema.not))]),
    ...(schema.if === undefined ? [] : [conditional(schema)]),
  ]
}

const countingCheck =
  (checks: Check[], keyword: 'anyOf' | 'oneOf'): Check =>
  (value, run, evaluated) => {
    run.spend(1)
    let passed = 0
    for (const check of checks) {
      if (probeMerging(check, value, run, evaluated)) passed++
      const decided = keyword === 'anyOf' ? passed > 0 && !evaluated : passed > 1
      if (decided) break
    }
    if (keyword === 'anyOf' ? passed > 0 : passed === 1) return true
    return run.fail(
      keyword === 'anyOf' ? 'must match a schema in anyOf' : 'must match exactly one schema in oneOf',
    )
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
      if (unevaluatedProperties === false) return run.fail('must NOT have unevaluated properties', name)
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
