import { isObject } from '@carabiner/server/connector-files'
import { listOf, type Part, partsOf, type Resolve, SkippedError, textOf } from './document.ts'
import { argumentName, uniqueName } from './names.ts'
import { isKeptPattern, shorten } from './schema.ts'

/** The arguments of an operation, and the location of each in the request. */
export type Arguments = {
  properties: Record<string, Part>
  required: string[]
  path: Map<string, string>
  query: Record<string, unknown>
  headers: Record<string, string>
  body?: unknown
  bodyType?: 'form'
  /** The header by which the provider recognizes a repeated request. */
  idempotencyHeader?: string
  /** Optional parts of the request that the tool cannot send, with the reason. */
  skipped: string[]
}

type Write = (schema: unknown) => Part
type Context = { resolve: Resolve; write: Write }

export const readArguments = (
  method: string,
  operation: Part,
  shared: unknown,
  context: Context,
): Arguments => {
  const found: Arguments = {
    properties: {},
    required: [],
    path: new Map(),
    query: {},
    headers: {},
    skipped: [],
  }
  for (const parameter of parametersOf(operation, shared, context.resolve))
    takeParameter(found, parameter, context)
  if (operation.requestBody === undefined) return found
  const body = context.resolve(operation.requestBody)
  if (method !== 'get') takeBody(found, body, context)
  else if (!isEmptyBody(body, context)) skipBody(found, body)
  return found
}

const skipBody = (found: Arguments, body: Part): void => {
  if (body.required === true) throw new SkippedError('it is a GET with a body')
  found.skipped.push('its optional body, because a GET is sent without one')
}

/** Some documents define an empty body for every operation. */
const isEmptyBody = (body: Part, { resolve }: Context): boolean =>
  partsOf(body.content).every(([, media]) => {
    const schema = isObject(media) && media.schema !== undefined ? resolve(media.schema) : {}
    return (
      partsOf(schema.properties).length === 0 &&
      !isObject(schema.additionalProperties) &&
      schema.additionalProperties !== true &&
      ['allOf', 'anyOf', 'oneOf', 'items'].every(name => schema[name] === undefined) &&
      (schema.type === 'object' || schema.type === undefined)
    )
  })

/** Parameters of an operation override those of its path. */
const parametersOf = (operation: Part, shared: unknown, resolve: Resolve): Part[] => {
  const all = [...listOf(shared), ...listOf(operation.parameters)].map(resolve)
  return [
    ...new Map(
      all.map(parameter => [`${textOf(parameter.in)} ${textOf(parameter.name)}`, parameter]),
    ).values(),
  ]
}

const addArgument = (found: Arguments, name: string, schema: Part, required: boolean): string => {
  const own = uniqueName(argumentName(name), new Set(Object.keys(found.properties)), 40)
  found.properties[own] = schema
  if (required) found.required.push(own)
  return own
}

/** Headers that the service sets itself. */
const OWN_HEADERS = /^(?:accept|authorization|content-type|cookie|host|user-agent|content-length)$/i

const IDEMPOTENCY_HEADER = /^(?:x-)?idempoten(?:cy|t)-key$/i

const takeParameter = (found: Arguments, parameter: Part, { resolve, write }: Context): void => {
  const name = textOf(parameter.name) ?? ''
  const place = textOf(parameter.in)
  const required = parameter.required === true || place === 'path'
  if (place === 'header' && OWN_HEADERS.test(name)) {
    found.skipped.push(`its header ${name}, which the service sets itself`)
    return
  }
  if (place === 'header' && IDEMPOTENCY_HEADER.test(name)) {
    found.idempotencyHeader = name
    return
  }
  const constant = required ? constantOf(parameter, resolve) : null
  if (constant !== null && place === 'header') {
    found.headers[name] = constant
    return
  }
  try {
    const argument = addArgument(found, name, parameterSchema(parameter, write), required)
    if (place === 'path') found.path.set(name, argument)
    else if (place === 'query') found.query[name] = `{${argument}}`
    else if (place === 'header') found.headers[name] = `{${argument}}`
    else {
      delete found.properties[argument]
      throw new SkippedError(
        `its parameter ${name} is in ${place ?? 'no known place'}, which is not supported`,
      )
    }
  } catch (error) {
    if (required || !(error instanceof SkippedError)) throw error
    found.skipped.push(error.message)
  }
}

/** The value to send for a required parameter that has a default or one allowed value, such as the version of an API. */
const constantOf = (parameter: Part, resolve: Resolve): string | null => {
  const schema = isObject(parameter.schema) ? resolve(parameter.schema) : {}
  const allowed = listOf(schema.enum)
  const value = schema.default ?? schema.const ?? (allowed.length === 1 ? allowed[0] : undefined)
  const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
  return /^[\x21-\x7e][\x20-\x7e]{0,199}$/.test(text) && !/[{}]/.test(text) ? text : null
}

const parameterSchema = (parameter: Part, write: Write): Part => {
  const [content] = partsOf(parameter.content)
  if (content) throw new SkippedError(`its parameter ${String(parameter.name)} is written as ${content[0]}`)
  const description = shorten(textOf(parameter.description) ?? '', 200)
  const schema = write(parameter.schema ?? {})
  const described = description === '' ? schema : { ...schema, description }
  if (schema.type === 'object' || parameter.style === 'deepObject')
    throw new SkippedError(`its parameter ${String(parameter.name)} is an object`)
  if (schema.type !== 'array') return described
  if (parameter.in === 'query' && parameter.explode !== false && (parameter.style ?? 'form') === 'form')
    return described
  const separator =
    parameter.style === 'pipeDelimited' ? '|' : parameter.style === 'spaceDelimited' ? ' ' : ','
  return joinedSchema(schema, description, separator)
}

/** A list that is sent as one text. Its allowed values are described, and checked if a pattern can express them. */
const joinedSchema = (schema: Part, description: string, separator: string): Part => {
  const values = listOf(isObject(schema.items) ? schema.items.enum : undefined).map(String)
  const sentences = [
    description,
    values.length > 0 ? `Allowed: ${values.join(', ')}.` : '',
    `Several are joined by "${separator}".`,
  ]
  const pattern = values.length > 0 ? joinedPattern(values, separator) : null
  return {
    type: 'string',
    description: shorten(sentences.filter(Boolean).join(' '), values.length > 0 ? 600 : 240),
    ...(pattern !== null && { pattern }),
  }
}

const joinedPattern = (values: string[], separator: string): string | null => {
  const one = `(?:${values.map(escapePattern).join('|')})`
  const pattern = `^${one}(?:${escapePattern(separator)}${one})*$`
  return isKeptPattern(pattern) ? pattern : null
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const FORM = 'application/x-www-form-urlencoded'

const takeBody = (found: Arguments, body: Part, { resolve, write }: Context): void => {
  const content = partsOf(body.content)
  const json = content.find(([type]) => /^application\/(?:json|[\w.-]+\+json)(?:;|$)/i.test(type))
  const form = content.find(([type]) => type.toLowerCase().startsWith(FORM))
  const [type, media] = json ?? form ?? []
  if (type === undefined || !isObject(media)) {
    if (content.length === 0 && body.required !== true) return
    const types = content.map(([name]) => name).join(', ') || 'nothing'
    throw new SkippedError(`its body is ${types}, and only JSON and forms can be sent`)
  }
  if (body.required !== true && isDeclaredEmpty(media, { resolve, write })) return
  if (!json) found.bodyType = 'form'
  if (json && !/^application\/json/i.test(type)) found.headers['Content-Type'] = type
  const schema = write(resolve(media.schema ?? {}))
  const members = isObject(schema.properties) ? partsOf(schema.properties) : []
  if (members.length === 0 || schema.anyOf !== undefined) {
    const whole = { ...schema, description: schema.description ?? 'The body of the request.' }
    found.body = `{${addArgument(found, 'body', whole, body.required === true)}}`
    return
  }
  const required = new Set(listOf(schema.required))
  found.body = Object.fromEntries(
    members.map(([name, member]) => {
      const needed = body.required === true && required.has(name)
      return [name, `{${addArgument(found, name, member as Part, needed)}}`]
    }),
  )
}

/** `properties: {}` means that there is nothing to send; without `properties` anything may be sent. */
const isDeclaredEmpty = (media: Part, context: Context): boolean =>
  media.schema !== undefined &&
  isObject(context.resolve(media.schema).properties) &&
  isEmptyBody({ content: { media } }, context)
