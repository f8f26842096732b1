import { isObject, type JsonObject } from '../json.ts'
import type { Check, CheckRun, Evaluated } from './check-run.ts'
import { compilePattern } from './scalars.ts'

type Prepare = (schema: unknown) => Check

export const objectChecks = (schema: JsonObject, prepare: Prepare): Check[] => [
  ...sizeCheck(schema),
  ...requiredCheck(schema),
  ...dependentChecks(schema, prepare),
  ...(schema.propertyNames === undefined ? [] : [namesCheck(prepare(schema.propertyNames))]),
  ...propertyChecks(schema, prepare),
]

type ObjectCheck = (value: JsonObject, run: CheckRun, evaluated: Evaluated | null) => boolean

const forObjects =
  (check: ObjectCheck): Check =>
  (value, run, evaluated) =>
    isObject(value) ? check(value, run, evaluated) : true

const sizeCheck = ({ minProperties, maxProperties }: JsonObject): Check[] => {
  if (typeof minProperties !== 'number' && typeof maxProperties !== 'number') return []
  return [
    forObjects((value, run) => {
      const count = Object.keys(value).length
      run.spend(count)
      if (typeof minProperties === 'number' && count < minProperties)
        return run.fail(`must NOT have fewer than ${minProperties} properties`)
      if (typeof maxProperties === 'number' && count > maxProperties)
        return run.fail(`must NOT have more than ${maxProperties} properties`)
      return true
    }),
  ]
}

const missingOf = (value: JsonObject, names: unknown): string | undefined =>
  Array.isArray(names) ? names.find(name => !Object.hasOwn(value, name as string)) : undefined

const requiredCheck = ({ required }: JsonObject): Check[] => {
  if (!Array.isArray(required) || required.length === 0) return []
  return [
    forObjects((value, run) => {
      run.spend(required.length)
      const missing = missingOf(value, required)
      return missing === undefined ? true : run.fail('is required', missing)
    }),
  ]
}

const dependentChecks = (schema: JsonObject, prepare: Prepare): Check[] => {
  const names = Object.entries(isObject(schema.dependentRequired) ? schema.dependentRequired : {})
  const schemas = Object.entries(isObject(schema.dependentSchemas) ? schema.dependentSchemas : {}).map(
    ([name, part]) => [name, prepare(part)] as const,
  )
  if (names.length + schemas.length === 0) return []
  return [
    forObjects((value, run, evaluated) => {
      run.spend(names.length + schemas.length)
      for (const [name, wanted] of names) {
        if (!Object.hasOwn(value, name)) continue
        if (Array.isArray(wanted)) run.spend(wanted.length)
        const missing = missingOf(value, wanted)
        if (missing !== undefined) return run.fail(`is required when ${name} is present`, missing)
      }
      return schemas.every(([name, check]) => !Object.hasOwn(value, name) || check(value, run, evaluated))
    }),
  ]
}

const namesCheck = (check: Check): Check =>
  forObjects((value, run) => {
    for (const name of Object.keys(value)) {
      run.spend(1)
      if (!run.probe(check, name, null)) return run.fail('is not a valid name', name)
    }
    return true
  })

/** Iterates over the value's properties instead of the schema's, which may be thousands. */
const propertyChecks = (schema: JsonObject, prepare: Prepare): Check[] => {
  const { additionalProperties } = schema
  const own = isObject(schema.properties) ? schema.properties : {}
  const known = new Map(Object.entries(own).map(([name, part]) => [name, prepare(part)]))
  const patterns = Object.entries(isObject(schema.patternProperties) ? schema.patternProperties : {}).map(
    ([pattern, part]) => [compilePattern(pattern), prepare(part)] as const,
  )
  const additional = additionalProperties === undefined ? null : prepare(additionalProperties)
  if (known.size + patterns.length === 0 && !additional) return []
  return [
    forObjects((value, run, evaluated) => {
      for (const name of Object.keys(value)) {
        run.spend(1)
        const check = known.get(name)
        let matched = check !== undefined
        if (check && !run.at(name, check, value[name])) return false
        for (const [matches, part] of patterns) {
          if (!matches(name, run)) continue
          matched = true
          if (!run.at(name, part, value[name])) return false
        }
        if (!matched && additionalProperties === false)
          return run.fail('is not an argument of this tool', name)
        if (!matched && additional && !run.at(name, additional, value[name])) return false
        if (matched || additional) evaluated?.properties.add(name)
      }
      return true
    }),
  ]
}
