import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { rankNames } from '../../../core/similar-names.ts'
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

const requireNames = (value: JsonObject, names: unknown, run: CheckRun, message: string): boolean => {
  const required = Array.isArray(names) ? (names as string[]) : []
  run.spend(required.length)
  let isValid = true
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue
    isValid = run.fail(message, () => ({ name }))
    if (!run.reports) return false
  }
  return isValid
}

const requiredCheck = ({ required }: JsonObject): Check[] => {
  if (!Array.isArray(required) || required.length === 0) return []
  return [forObjects((value, run) => requireNames(value, required, run, 'is required'))]
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
        if (!requireNames(value, wanted, run, `is required when ${name} is present`)) return false
      }
      return schemas.every(([name, check]) => !Object.hasOwn(value, name) || check(value, run, evaluated))
    }),
  ]
}

const namesCheck = (check: Check): Check =>
  forObjects((value, run) => {
    for (const name of Object.keys(value)) {
      run.spend(1)
      if (!run.probe(check, name, null)) return run.fail('is not a valid name', () => ({ name }))
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
      const checkProperty = (name: string): boolean => {
        run.spend(1)
        const check = known.get(name)
        let matched = check !== undefined
        if (check && !run.at(name, check, value[name])) return false
        for (const [matches, part] of patterns) {
          if (!matches(name, run)) continue
          matched = true
          if (!run.at(name, part, value[name])) return false
        }
        if (!matched && additionalProperties === false) return failUnknown(name, known, run)
        if (!matched && additional && !run.at(name, additional, value[name])) return false
        if (matched || additional) evaluated?.properties.add(name)
        return true
      }
      let isValid = true
      for (const name of Object.keys(value)) {
        if (checkProperty(name)) continue
        if (!run.reports) return false
        isValid = false
      }
      return isValid
    }),
  ]
}

const MAX_FIELDS = 20

const failUnknown = (name: string, known: ReadonlyMap<string, Check>, run: CheckRun): false =>
  run.fail(run.path.length === 0 ? 'is not an argument of this tool' : 'is not a known field', () => ({
    name,
    fields: rankNames(name, [...known.keys()]).slice(0, MAX_FIELDS),
  }))
