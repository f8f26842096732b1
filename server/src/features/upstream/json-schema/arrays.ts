import type { JsonObject } from '../json.ts'
import type { Check } from './node.ts'
import { equals } from './scalars.ts'

type Prepare = (schema: unknown) => Check

export const arrayChecks = (schema: JsonObject, prepare: Prepare): Check[] => [
  ...sizeCheck(schema),
  ...itemChecks(schema, prepare),
  ...(schema.contains === undefined ? [] : [containsCheck(schema, prepare)]),
  ...(schema.uniqueItems === true ? [uniqueCheck] : []),
]

const sizeCheck = ({ minItems, maxItems }: JsonObject): Check[] => {
  if (typeof minItems !== 'number' && typeof maxItems !== 'number') return []
  return [
    (value, run) => {
      if (!Array.isArray(value)) return true
      if (typeof minItems === 'number' && value.length < minItems)
        return run.fail(`must NOT have fewer than ${minItems} items`)
      if (typeof maxItems === 'number' && value.length > maxItems)
        return run.fail(`must NOT have more than ${maxItems} items`)
      return true
    },
  ]
}

/** `prefixItems` with `items` after them, and the older `items` list with `additionalItems` after it. */
const itemChecks = (schema: JsonObject, prepare: Prepare): Check[] => {
  const { items, prefixItems, additionalItems } = schema
  const older = Array.isArray(items)
  const first: unknown[] = older ? (items as unknown[]) : Array.isArray(prefixItems) ? prefixItems : []
  const others = older ? additionalItems : items
  if (first.length === 0 && others === undefined) return []
  const checks = first.map(prepare)
  const other = others === undefined ? null : prepare(others)
  return [
    (value, run, evaluated) => {
      if (!Array.isArray(value)) return true
      const end = other ? value.length : Math.min(checks.length, value.length)
      if (others === false && value.length > checks.length)
        return run.fail(`must NOT have more than ${checks.length} items`)
      for (let index = 0; index < end; index++) {
        run.spend(1)
        if (!run.at(index, checks[index] ?? (other as Check), value[index])) return false
        evaluated?.items.add(index)
      }
      return true
    },
  ]
}

const containsCheck = (schema: JsonObject, prepare: Prepare): Check => {
  const check = prepare(schema.contains)
  const least = typeof schema.minContains === 'number' ? schema.minContains : 1
  const most = typeof schema.maxContains === 'number' ? schema.maxContains : Number.POSITIVE_INFINITY
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return true
    let found = 0
    for (let index = 0; index < value.length; index++) {
      run.spend(1)
      if (!run.probe(check, value[index], null)) continue
      found++
      evaluated?.items.add(index)
    }
    return found >= least && found <= most ? true : run.fail(`must contain at least ${least} valid item(s)`)
  }
}

const uniqueCheck: Check = (value, run) => {
  if (!Array.isArray(value)) return true
  for (let index = 1; index < value.length; index++)
    for (let earlier = 0; earlier < index; earlier++)
      if (equals(value[index], value[earlier], run))
        return run.fail(`must NOT have duplicate items (items ## ${earlier} and ${index} are identical)`)
  return true
}
