import type { Operation } from '@carabiner/contract/operations'
import { UsageError } from '../terminal/output.ts'

export type OperationRequest = {
  method: Operation['method']
  path: string
  query: Record<string, string>
  body: Record<string, unknown> | undefined
}

type Place = 'params' | 'query' | 'body'
type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}

export type OperationField = { name: string; place: Place; isRequired: boolean; schema: Schema }

const PLACES: readonly Place[] = ['params', 'query', 'body']

/** The fields of a request, in the order of its path, query and body. */
export const fieldsOf = (operation: Operation): OperationField[] =>
  PLACES.flatMap(place => {
    const { properties = {}, required = [] } = (operation[place] ?? {}) as Schema
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      place,
      isRequired: place === 'params' || required.includes(name),
      schema,
    }))
  })

/** Builds the request from `name=value` pairs and a body. The service validates it. */
export const buildRequest = (
  operation: Operation,
  pairs: readonly string[],
  body: Record<string, unknown> | undefined,
): OperationRequest => {
  const fields = new Map(fieldsOf(operation).map(field => [field.name, field]))
  const request: OperationRequest = {
    method: operation.method,
    path: operation.path,
    query: {},
    body: operation.body ? { ...body } : body,
  }
  for (const pair of pairs) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    const field = fields.get(name)
    if (!field) throw unknownField(operation, pair, [...fields.keys()])
    if (field.place === 'params') request.path = setParameter(request.path, name, text)
    else if (field.place === 'query') request.query[name] = text
    else request.body = { ...request.body, [name]: readValue(field, text) }
  }
  const [, missing] = /\{(\w+)\}/.exec(request.path) ?? []
  if (missing) throw new UsageError(`The operation ${operation.name} needs ${missing}=….`)
  return request
}

const unknownField = (operation: Operation, pair: string, names: string[]): UsageError =>
  new UsageError(
    `"${pair}" is not a field of ${operation.name}, written as name=value. Its fields: ${names.join(', ') || 'none'}.`,
  )

/** An empty value or dots would change the path. */
const setParameter = (path: string, name: string, value: string): string => {
  if (/^\.{0,2}$/.test(value)) throw new UsageError(`The value of ${name} is not an ID: "${value}".`)
  return path.replace(`{${name}}`, encodeURIComponent(value))
}

const alternatives = ({ anyOf, ...schema }: Schema): Schema[] => anyOf?.flatMap(alternatives) ?? [schema]

const acceptsText = (schema: Schema): boolean =>
  alternatives(schema).some(
    ({ type, enum: values, const: value }) =>
      type === 'string' || typeof value === 'string' || values?.some(each => typeof each === 'string'),
  )

/** Texts are written as they are, other values as JSON. */
const readValue = ({ name, schema }: OperationField, text: string): unknown => {
  const isNull = text === 'null' && alternatives(schema).some(({ type }) => type === 'null')
  if (isNull) return null
  if (acceptsText(schema)) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(
      `The field ${name} must be JSON, such as ${name}=true, ${name}=10 or ${name}='["a","b"]'.`,
    )
  }
}
