import type { JsonObject } from '../../../core/json/object.ts'
import type { Check } from './check-run.ts'
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

/** Supports `prefixItems` with `items`, and the older array form of `items` with `additionalItems`. */
const itemChecks = (schema: JsonObject, prepare: Prepare): Check[] => {
  const { items, prefixItems, additionalItems } = schema
  const isLegacy = Array.isArray(items)
  const prefix: unknown[] = isLegacy ? (items as unknown[]) : Array.isArray(prefixItems) ? prefixItems : []
  const restSchema = isLegacy ? additionalItems : items
  if (prefix.length === 0 && restSchema === undefined) return []
  const checks = prefix.map(prepare)
  const restCheck = restSchema === undefined ? null : prepare(restSchema)
  return [
    (value, run, evaluated) => {
      if (!Array.isArray(value)) return true
      const end = restCheck ? value.length : Math.min(checks.length, value.length)
      if (restSchema === false && value.length > checks.length)
        return run.fail(`must NOT have more than ${checks.length} items`)
      let isValid = true
      for (let index = 0; index < end; index++) {
        run.spend(1)
        if (run.at(index, checks[index] ?? (restCheck as Check), value[index])) evaluated?.items.add(index)
        else if (run.reports) isValid = false
        else return false
      }
      return isValid
    },
  ]
}

const containsCheck = (schema: JsonObject, prepare: Prepare): Check => {
  const check = prepare(schema.contains)
  const min = typeof schema.minContains === 'number' ? schema.minContains : 1
  const max = typeof schema.maxContains === 'number' ? schema.maxContains : Number.POSITIVE_INFINITY
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return true
    let found = 0
    for (let index = 0; index < value.length; index++) {
      run.spend(1)
      if (!run.probe(check, value[index], null)) continue
      found++
      evaluated?.items.add(index)
    }
    return found >= min && found <= max ? true : run.fail(`must contain at least ${min} valid item(s)`)
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
