import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { type Problem, problem, type Step } from './connector-problem.ts'
import { unknownNames } from './template-rules.ts'

/** A preview calls a tool that reads, with all arguments that it needs. */
export const previewProblems = (
  file: ConnectorFile,
  { preview: previews = [], read_only: isReadOnly, input_schema: schema }: ConnectorTool,
  path: Step[],
): Problem[] => {
  if (isReadOnly && previews.length > 0)
    return [problem([...path, 'preview'], 'must not be set for a read-only tool')]
  const known = new Set(Object.keys(Object(schema.properties)))
  return previews.flatMap(({ tool: name, arguments: given, fields }, index) => {
    const at = [...path, 'preview', index]
    const read = file.tools.find(tool => tool.name === name)
    if (!read) return [problem([...at, 'tool'], `${name} is not a tool of this file`)]
    if (!read.read_only) return [problem([...at, 'tool'], `${name} must be read-only`)]
    const { properties, required = [] } = Object(read.input_schema)
    const missing = (required as string[]).filter(one => !Object.hasOwn(given, one))
    const unknown = Object.keys(given).filter(one => !Object.hasOwn(Object(properties), one))
    const result = read.pagination ? undefined : read.result?.fields
    return [
      ...fields.flatMap(({ at: pointer }, number) =>
        result === undefined || Object.hasOwn(result, pointer.split('/')[1] ?? '')
          ? []
          : [problem([...at, 'fields', number, 'at'], `must begin with a field of the result of ${name}`)],
      ),
      ...unknownNames(given, known, [...at, 'arguments']),
      ...unknown.map(one => problem([...at, 'arguments', one], `is not an argument of ${name}`)),
      ...(missing.length === 0
        ? []
        : [problem([...at, 'arguments'], `must contain ${missing.join(', ')}, which ${name} requires`)]),
    ]
  })
}
