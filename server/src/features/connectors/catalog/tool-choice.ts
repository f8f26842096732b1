import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { nearestName } from '../../../core/nearest-name.ts'
import type { RequestRules } from '../../upstream/http/raw-request.ts'
import { INLINE_BUDGET, prepareCheck } from '../../upstream/json-schema/check.ts'
import { checkingSchema, MAX_INLINE_NODES, SchemaError } from '../../upstream/json-schema/parse-schema.ts'

/** `fixed`: the pack sets the value. `hidden`: the input is omitted. Either way the model does not see the input. */
export type InputSetting = { fixed: unknown } | { hidden: true }
/** How a pack presents a tool. Empty: unchanged. */
export type ToolChoice = {
  description?: string
  inputs?: Record<string, InputSetting>
  /** JSON Pointers to the fields of a result that the model receives; all of them by default. */
  view?: string[]
  /** Only of a raw request: what the pack allows. */
  request?: RequestRules
}
/** The raw requests that a pack allows, by connector. */
export type Requests = Record<string, RequestRules>
/** The chosen tools of each connector, by name. A connector that is missing offers all of its tools unchanged. */
export type Choices = Record<string, Record<string, ToolChoice>>

const UNCHANGED: ToolChoice = {}

/** Null if the pack does not offer the tool. Only own keys count, because a tool may be named `constructor`. */
export const choiceOf = (choices: Choices, slug: string, tool: string): ToolChoice | null => {
  const chosen = Object.hasOwn(choices, slug) ? choices[slug] : undefined
  if (!chosen) return UNCHANGED
  return (Object.hasOwn(chosen, tool) && chosen[tool]) || null
}

/** The input schema that the model receives. Arguments are validated against the tool's own schema. */
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

/** The first argument that the model must not set, or null. */
export const findForbiddenInput = ({ inputs }: ToolChoice, given: JsonObject): string | null =>
  Object.keys(given).find(name => inputs && Object.hasOwn(inputs, name)) ?? null

/** The arguments that are sent: the model's and the fixed ones. */
export const withFixed = (choice: ToolChoice, given: JsonObject): JsonObject => ({
  ...given,
  ...fixedValues(choice),
})

const fixedValues = ({ inputs = {} }: ToolChoice): JsonObject =>
  Object.fromEntries(
    Object.entries(inputs).flatMap(([name, setting]) => ('fixed' in setting ? [[name, setting.fixed]] : [])),
  )

export type ChoiceProblem = { input: string; why: string }

/**
 * Why a tool with this input schema cannot be offered with this choice, or null. Checked when a pack is saved and
 * whenever the tool is offered or called, because a server's tools may have changed and a call must never be sent
 * without its fixed values.
 */
export const findChoiceProblem = (schema: JsonObject, choice: ToolChoice): ChoiceProblem | null => {
  if (!choice.inputs) return null
  const known = asObject(schema.properties)
  const required = namesIn(schema.required)
  for (const [input, setting] of Object.entries(choice.inputs)) {
    if (!Object.hasOwn(known, input)) return { input, why: unknownInput(input, Object.keys(known)) }
    if ('hidden' in setting && required.includes(input))
      return { input, why: `"${input}" is required: set a fixed value, or leave it to the model.` }
  }
  return findInvalidValue(schema, fixedValues(choice))
}

const unknownInput = (input: string, known: string[]): string => {
  const meant = nearestName(input, known)
  return `The tool has no input "${input}"${meant ? `; did you mean "${meant}"?` : '.'}`
}

/**
 * Each value is validated against the schema of its own input. Constraints between inputs are checked with the
 * arguments of a call.
 */
const findInvalidValue = (schema: JsonObject, values: JsonObject): ChoiceProblem | null => {
  const names = Object.keys(values)
  if (names.length === 0) return null
  try {
    const known = asObject(schema.properties)
    const properties = Object.fromEntries(names.map(name => [name, known[name]]))
    const options = { root: schema, maxNodes: MAX_INLINE_NODES }
    const checking = checkingSchema({ type: 'object', properties }, options)
    const issues = prepareCheck(checking.schema)(values, INLINE_BUDGET)
    if (issues === null) return null
    if (issues === 'too_expensive')
      return {
        input: names[0] as string,
        why: 'The fixed values take too long to check against the tool’s input schema.',
      }
    const [issue] = issues
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
