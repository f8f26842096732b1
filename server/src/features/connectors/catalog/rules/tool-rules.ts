import { type ConnectorFile, type ConnectorTool, oauthMethod } from '@carabiner/contract'
import { mailFields } from '../../../upstream/templates/mime-message.ts'
import { namesIn } from '../../../upstream/templates/template.ts'
import { originOf } from './connector-addresses.ts'
import { type Problem, problem, type Step } from './connector-problem.ts'
import { effectProblems } from './effect-rules.ts'
import { paginationProblems } from './pagination-rules.ts'
import { previewProblems } from './preview-rules.ts'
import { roleProblems } from './role-rules.ts'
import { headerProblems, patternProblems, tenantNames, unknownNames } from './template-rules.ts'

/** Maximum length of `<connector>__<tool>` in the strictest model API. */
const MAX_NAME_LENGTH = 64

export const toolProblems = (file: ConnectorFile, tool: ConnectorTool, index: number): Problem[] => {
  const path: Step[] = ['tools', index]
  return [
    ...nameProblems(file, tool, index, path),
    ...schemaProblems(tool, [...path, 'input_schema']),
    ...argumentProblems(file, tool, path),
    ...scopeProblems(file, tool, [...path, 'scopes']),
    ...requestProblems(tool, path),
    ...paginationProblems(tool, path),
    ...effectProblems(tool, path),
    ...roleProblems(tool, path),
    ...previewProblems(file, tool, path),
    ...headerProblems(tool.request.headers, [...path, 'request', 'headers']),
  ]
}

const nameProblems = (
  file: ConnectorFile,
  { name }: ConnectorTool,
  index: number,
  path: Step[],
): Problem[] => {
  const at = [...path, 'name']
  if (file.tools.findIndex(other => other.name === name) < index)
    return [problem(at, `${name} appears twice`)]
  const whole = `${file.slug}__${name}`
  return whole.length > MAX_NAME_LENGTH
    ? [
        problem(
          at,
          `makes ${whole}, which is ${whole.length} characters long; the maximum is ${MAX_NAME_LENGTH}`,
        ),
      ]
    : []
}

type InputSchema = {
  type?: unknown
  properties?: Record<string, unknown>
  required?: unknown
  additionalProperties?: unknown
}

const schemaProblems = ({ input_schema }: ConnectorTool, path: Step[]): Problem[] => {
  const { type, properties = {}, required = [], additionalProperties } = input_schema as InputSchema
  if (type !== 'object') return [problem(path, 'must have "type": "object"')]
  const problems: Problem[] = []
  if (additionalProperties !== false) problems.push(problem(path, 'must have "additionalProperties": false'))
  if (!Array.isArray(required)) problems.push(problem([...path, 'required'], 'must be a list'))
  else
    for (const name of required)
      if (!Object.hasOwn(properties, name))
        problems.push(problem([...path, 'required'], `${name} is not one of the properties`))
  return [...problems, ...patternsIn(input_schema, path), ...referencesIn(input_schema, path)]
}

const patternsIn = (schema: unknown, path: Step[]): Problem[] => {
  if (schema === null || typeof schema !== 'object') return []
  return Object.entries(schema).flatMap(([name, part]) =>
    name === 'pattern' && typeof part === 'string'
      ? patternProblems(part, [...path, name])
      : patternsIn(part, [...path, Array.isArray(schema) ? Number(name) : name]),
  )
}

const referencesIn = (schema: unknown, path: Step[]): Problem[] => {
  if (schema === null || typeof schema !== 'object') return []
  return Object.entries(schema).flatMap(([name, part]) =>
    name === '$ref' && typeof part === 'string'
      ? [problem([...path, name], 'must not be a reference; write the schema inline')]
      : referencesIn(part, [...path, Array.isArray(schema) ? Number(name) : name]),
  )
}

const argumentProblems = (
  file: ConnectorFile,
  { input_schema, request, pagination }: ConnectorTool,
  path: Step[],
): Problem[] => {
  const { properties = {}, required = [] } = input_schema as InputSchema
  const names = Object.keys(properties)
  const known = new Set([...names, ...tenantNames(file), ...(pagination ? ['cursor'] : [])])
  const { url, query, headers, body } = request
  const used = new Set(namesIn([url, query, headers, body]))
  const inPath = namesIn(url.slice(originOf(url).length)).filter(name => !name.includes('.'))
  const problems = Object.entries({ url, query, headers, body }).flatMap(([part, template]) =>
    unknownNames(template, known, [...path, 'request', part]),
  )
  for (const name of Object.keys(request.path_encoding ?? {}))
    if (!inPath.includes(name))
      problems.push(
        problem([...path, 'request', 'path_encoding', name], `{${name}} is not in the path of the URL`),
      )
  if (pagination?.type === 'continuation')
    problems.push(...unknownNames([pagination.url, pagination.body], known, [...path, 'pagination']))
  for (const name of names)
    if (!used.has(name) && !(pagination && name === 'cursor'))
      problems.push(
        problem([...path, 'input_schema', 'properties', name], `{${name}} is not used in the request`),
      )
  for (const name of inPath)
    if (names.includes(name) && !(Array.isArray(required) && required.includes(name)))
      problems.push(problem([...path, 'input_schema'], `${name} is part of the path, so it must be required`))
  return problems
}

const scopeProblems = (file: ConnectorFile, tool: ConnectorTool, path: Step[]): Problem[] => {
  const method = oauthMethod(file)
  if (!method) return []
  const requested = new Set(method.scopes.map(({ name }) => name))
  return tool.scopes
    .flat()
    .filter(scope => !requested.has(scope))
    .map(scope => problem(path, `${scope} is not one of the scopes that the connector requests`))
}

const requestProblems = ({ request, read_only }: ConnectorTool, path: Step[]): Problem[] => {
  const problems: Problem[] = []
  if (request.method === 'GET' && request.body !== undefined)
    problems.push(problem([...path, 'request', 'body'], 'must not be set with GET'))
  if (request.body_type !== undefined && request.body === undefined)
    problems.push(problem([...path, 'request', 'body_type'], 'must not be set without a body'))
  if (request.redirect_hosts && request.method !== 'GET')
    problems.push(problem([...path, 'request', 'redirect_hosts'], 'is only for GET'))
  if (read_only && ['PUT', 'PATCH', 'DELETE'].includes(request.method))
    problems.push(problem([...path, 'read_only'], `must be false: ${request.method} changes something`))
  return [
    ...problems,
    ...bodyProblems(request, [...path, 'request', 'body']),
    ...formProblems(request.body, [...path, 'request', 'body']),
  ]
}

const bodyProblems = ({ body, body_type }: ConnectorTool['request'], path: Step[]): Problem[] => {
  if (body_type === 'text' && typeof body !== 'string')
    return [problem(path, 'must be a string, because of body_type')]
  return body_type === 'related' && !isListOfParts(body)
    ? [problem(path, 'must be a list of {"type": …, "content": …}, because of body_type')]
    : []
}

const isListOfParts = (body: unknown): boolean =>
  Array.isArray(body) &&
  body.length > 0 &&
  body.every(part => typeof Object(part).type === 'string' && Object(part).content !== undefined)

/** `$mime` and `$base64` are replaced by a value made from their content. */
const formProblems = (template: unknown, path: Step[]): Problem[] => {
  if (template === null || typeof template !== 'object') return []
  return Object.entries(template).flatMap(([name, part]) => {
    const at = [...path, Array.isArray(template) ? Number(name) : name]
    if (name !== '$mime' && name !== '$base64') return formProblems(part, at)
    if (Object.keys(template).length > 1) return [problem(at, 'must be the only member')]
    if (name === '$base64') return typeof part === 'string' ? [] : [problem(at, 'must be a string')]
    const unknown = Object.keys(Object(part)).filter(field => !mailFields.some(known => known === field))
    return unknown.map(field =>
      problem([...at, field], `is not a field of a message; known: ${mailFields.join(', ')}`),
    )
  })
}
