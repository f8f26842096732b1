import { isObject, type JsonObject } from '../../upstream/json.ts'
import { INLINE_BUDGET, prepareCheck } from '../../upstream/json-schema/check.ts'
import { checkingSchema, MAX_INLINE_NODES, SchemaError } from '../../upstream/json-schema/parse-schema.ts'
import { nearestName } from './nearest-name.ts'

/** `fixed`: the pack gives it. `hidden`: nobody does. Either way the model does not know the input. */
export type InputSetting = { fixed: unknown } | { hidden: true }
/** How a pack offers a tool; empty: as it is. */
export type ToolChoice = { description?: string; inputs?: Record<string, InputSetting> }
/** The tools chosen of each connector, by name; a connector that is missing offers all its tools as they are. */
export type Choices = Record<string, Record<string, ToolChoice>>

const AS_IT_IS: ToolChoice = {}

/** Null: the pack has not chosen it. Own keys alone: a tool may be called `constructor`. */
export const choiceOf = (choices: Choices, slug: string, tool: string): ToolChoice | null => {
  const chosen = Object.hasOwn(choices, slug) ? choices[slug] : undefined
  if (!chosen) return AS_IT_IS
  return (Object.hasOwn(chosen, tool) && chosen[tool]) || null
}

/** The input schema as the model sees it. Arguments are judged by the tool's own. */
export const publishInputs = (schema: JsonObject, { inputs }: ToolChoice): JsonObject => {
  if (!inputs) return schema
  const open = (name: string): boolean => !Object.hasOwn(inputs, name)
  const { properties, required, ...rest } = schema
  const left = namesIn(required).filter(open)
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(asObject(properties)).filter(([name]) => open(name))),
    ...(left.length > 0 && { required: left }),
  }
}

/** An argument that is not the model's to give, or null. */
export const presumedInput = ({ inputs }: ToolChoice, given: JsonObject): string | null =>
  Object.keys(given).find(name => inputs && Object.hasOwn(inputs, name)) ?? null

/** What is sent: what the model gave, and what the pack gives. */
export const withFixed = (choice: ToolChoice, given: JsonObject): JsonObject => ({
  ...given,
  ...fixedValues(choice),
})

const fixedValues = ({ inputs = {} }: ToolChoice): JsonObject =>
  Object.fromEntries(
    Object.entries(inputs).flatMap(([name, setting]) => ('fixed' in setting ? [[name, setting.fixed]] : [])),
  )

export type Misfit = { input: string; why: string }

/**
 * Why a tool of this input schema cannot be offered like this, or null. Asked when a pack is saved, and again whenever the tool is
 * offered or called: a server's tools may have changed since, and a call must never leave without its fixed values.
 */
export const findMisfit = (schema: JsonObject, choice: ToolChoice): Misfit | null => {
  if (!choice.inputs) return null
  const known = asObject(schema.properties)
  const required = namesIn(schema.required)
  for (const [input, setting] of Object.entries(choice.inputs)) {
    if (!Object.hasOwn(known, input)) return { input, why: unknownInput(input, Object.keys(known)) }
    if ('hidden' in setting && required.includes(input))
      return { input, why: `"${input}" is required: give it a fixed value, or leave it to the model.` }
  }
  return findRefusedValue(schema, fixedValues(choice))
}

const unknownInput = (input: string, known: string[]): string => {
  const meant = nearestName(input, known)
  return `The tool has no input "${input}"${meant ? `; did you mean "${meant}"?` : '.'}`
}

/** Each value by the schema of its own input; constraints between inputs are checked with a call's arguments. */
const findRefusedValue = (schema: JsonObject, values: JsonObject): Misfit | null => {
  const names = Object.keys(values)
  if (names.length === 0) return null
  try {
    const known = asObject(schema.properties)
    const properties = Object.fromEntries(names.map(name => [name, known[name]]))
    const options = { root: schema, maxNodes: MAX_INLINE_NODES }
    const checking = checkingSchema({ type: 'object', properties }, options)
    const issue = prepareCheck(checking.schema)(values, INLINE_BUDGET)
    if (issue === null) return null
    if (issue === 'too_expensive')
      return {
        input: names[0] as string,
        why: 'The fixed values take too long to check against the tool’s input schema.',
      }
    const [input = '', ...deeper] = issue.path
    const at = deeper.length > 0 ? ` at ${deeper.join('.')}` : ''
    return { input, why: `The fixed value of "${input}"${at} ${issue.message}.` }
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { input: names[0] as string, why: 'The tool’s input schema cannot be read.' }
  }
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})
const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(name => typeof name === 'string') : []
